"""Stage background: clean, split and count one corpus; batches of documents run side by side."""

from __future__ import annotations

import shutil
from dataclasses import astuple
from pathlib import Path
from typing import Any

from corpora.background import BACKGROUND_VERSION
from corpora.building import build_batch, merge
from corpora.cleaning import CLEANING_VERSION
from corpora.sentences import SENTENCES_VERSION
from corpora.sources.base import Batch, Piece
from corpora.tokenizer import COUNTING_VERSION
from generators.task import Uses
from haymaker.errors import CorpusError
from haymaker.files import disk_errors, read_json, replace_folder, write_json
from haymaker.rng import digest
from pipelines.executor import Job
from pipelines.executor import run as execute
from pipelines.integrity import demand_inputs
from pipelines.progress import say
from pipelines.project import Project
from pipelines.workers import inputs_of, payload


def run(project: Project, name: str) -> None:
    """Build data/corpora/<name>/ from its source."""
    inputs, corpus = project.inputs, project.inputs.corpus(name)
    demand_inputs(project, Uses((corpus.source,)))
    batches = inputs.source(corpus.source).batches(inputs.raw(corpus.source))
    if not batches:
        raise CorpusError(
            "the source has no documents", where=f"corpora.{name}", fix=f"look at source {corpus.source!r}"
        )
    material = [
        corpus.model_dump_json(),
        inputs.source_digest(corpus.source),
        *(t.fingerprint for t in inputs.tokenizers),
    ]
    versions = (BACKGROUND_VERSION, CLEANING_VERSION, SENTENCES_VERSION, COUNTING_VERSION)
    work = project.work / "background" / f"{name}-{digest(*material, *versions, size=6).hex()}"
    jobs = [
        Job(
            f"batch-{b.index:05d}",
            "pipelines.stages.background:batch",
            payload(project, corpus=name, pieces=list(map(astuple, b.pieces))),
        )
        for b in batches
    ]
    done = execute(jobs, work, title=f"background {name}")
    target = project.data / "corpora" / name
    staging = work / "merged"
    with disk_errors(target):
        shutil.rmtree(staging, ignore_errors=True)
        provenance = read_json(inputs.raw(corpus.source) / "SOURCE.json")
        meta = merge([(d.folder, d.result) for d in done], corpus, inputs.tokenizers, staging, provenance)
        replace_folder(staging, target)
        for old in work.parent.glob(f"{name}-*"):  # those of other parameters too, left by a run that was stopped
            shutil.rmtree(old, ignore_errors=True)
    report = {"documents": meta["documents"], **meta["totals"], "left_out": meta["dropped"]}
    write_json(project.reports / f"background-{name}.json", report)
    totals, dropped = meta["totals"], ", ".join(f"{k} {v:,}" for k, v in meta["dropped"].items() if v)
    say(
        f"  {meta['documents']} documents, {totals['units']:,} sentences, {totals['tokens-0']:,} tokens; left out: {dropped}"
    )


def batch(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """One shard: the documents of one batch."""
    inputs = inputs_of(sent)
    corpus = inputs.corpus(sent["corpus"])
    source, raw = inputs.source(corpus.source), inputs.raw(corpus.source)
    documents = source.read(raw, Batch(0, tuple(Piece(*piece) for piece in sent["pieces"])))
    return build_batch(documents, corpus, inputs.tokenizers, folder)
