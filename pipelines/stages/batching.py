"""A store made of a source: its documents in batches side by side, then one merge; a killed run goes on from finished batches."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, TypeVar

from corpora.sources.base import Batch, Piece
from haymaker.files import disk_errors, read_json, remove, replace_folder
from haymaker.rng import Key, digest
from pipelines.executor import Job
from pipelines.executor import run as execute
from pipelines.project import Project
from pipelines.workers import payload

Result = TypeVar("Result")
Shards = list[tuple[Path, dict[str, Any]]]


def build_store(
    project: Project, stage: str, name: str, source: str, batches: Sequence[Batch], target: Path, material: Sequence[Key],
    merge: Callable[[Shards, Path, dict[str, Any]], Result], **sent: Any,
) -> Result:  # fmt: skip
    """Run `pipelines.stages.<stage>:batch` on every batch, then merge into `target`, which appears whole or not at all.

    Args:
        project: the project.
        stage: name of the stage.
        name: of the store, in the parameters.
        source: what it is made of.
        batches: of the source.
        target: folder to replace.
        material: parameters and versions that decide the bytes, beside the source and the tokenizers.
        merge: (finished batches, empty folder to fill, SOURCE.json) to what this function returns.
        sent: what a batch is sent beside the store's name (`name`) and its pieces.
    """
    inputs = project.inputs
    fingerprints = [tokenizer.fingerprint for tokenizer in inputs.tokenizers]
    key = digest(*material, inputs.source_digest(source), *fingerprints, size=6).hex()
    work = project.work / stage / f"{name}-{key}"
    jobs = [
        Job(
            f"batch-{b.index:05d}",
            f"pipelines.stages.{stage}:batch",
            payload(project, name=name, pieces=list(map(astuple, b.pieces)), **sent),
        )
        for b in batches
    ]
    done = execute(jobs, work, title=f"{stage} {name}")
    staging = work / "merged"
    with disk_errors(target):
        remove(staging)
        staging.mkdir()
        provenance = read_json(inputs.raw(source) / "SOURCE.json")
        result = merge([(d.folder, d.result) for d in done], staging, provenance)
        replace_folder(staging, target)
        for old in work.parent.glob(f"{name}-*"):  # those of other parameters too, left by a run that was stopped
            shutil.rmtree(old, ignore_errors=True)
    return result


def batch_of(sent: dict[str, Any]) -> Batch:
    """The batch that a worker was sent."""
    return Batch(0, tuple(Piece(*piece) for piece in sent["pieces"]))
