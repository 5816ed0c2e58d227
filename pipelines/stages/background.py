"""Stage background: clean, split and count one corpus; batches of documents run side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpora.stores.sentences import languages
from corpora.stores.sentences.build import build_batch, merge
from corpora.stores.sentences.clean import CLEANING_VERSION
from corpora.stores.sentences.split import SENTENCES_VERSION
from corpora.stores.sentences.store import BACKGROUND_VERSION
from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import Use
from haymaker.errors import CorpusError
from haymaker.files import write_json
from pipelines.integrity import demand_inputs
from pipelines.progress import say
from pipelines.project import Project
from pipelines.stages.batching import batch_of, build_store
from pipelines.workers import inputs_of


def run(project: Project, name: str) -> None:
    """Build data/corpora/<name>/ from its source."""
    inputs, corpus = project.inputs, project.inputs.corpus(name)
    demand_inputs(project, [Use("sources", corpus.source)])
    batches = inputs.source(corpus.source).batches(inputs.raw(corpus.source))
    if not batches:
        raise CorpusError(
            "the source has no documents", where=f"corpora.{name}", fix=f"look at source {corpus.source!r}"
        )
    versions = (BACKGROUND_VERSION, CLEANING_VERSION, SENTENCES_VERSION, COUNTING_VERSION)
    split_by = [made for made in (languages.made_by(corpus.clean.splitter),) if made]
    meta = build_store(
        project, "background", name, corpus.source, batches, project.data / "corpora" / name,
        (corpus.model_dump_json(), *versions, *split_by),
        lambda shards, folder, provenance: merge(shards, corpus, inputs.tokenizers, folder, provenance),
    )  # fmt: skip
    report = {"documents": meta["documents"], **meta["totals"], "left_out": meta["dropped"]}
    write_json(project.counts / f"background-{name}.json", report)
    totals, dropped = meta["totals"], ", ".join(f"{k} {v:,}" for k, v in meta["dropped"].items() if v)
    say(
        f"  {meta['documents']} documents, {totals['units']:,} sentences, {totals['tokens-0']:,} tokens; left out: {dropped}"
    )


def batch(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """One shard: the documents of one batch."""
    inputs = inputs_of(sent)
    corpus = inputs.corpus(sent["name"])
    source, raw = inputs.source(corpus.source), inputs.raw(corpus.source)
    documents = source.read(raw, batch_of(sent))
    built = build_batch(documents, corpus, inputs.tokenizers, folder)
    return built | {"dropped": built["dropped"] | source.take_odd()}
