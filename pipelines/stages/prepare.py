"""Stage prepare: build corpora, passages, classification sets and documents, all in one pool of shards.

Each input is built in two steps: batches of its source in parallel, then one merge. The module of each kind has
`recipe`, `batch` (job for one batch) and `merged` (job for all finished batches). Finished inputs are reused.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from corpora.sources.base import Batch, Piece
from generators.inputs import Inputs, Use
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import read_json, write_json
from haymaker.core.progress import say
from haymaker.core.rng import Key, digest
from haymaker.releases.manifest import LEFT_OUT
from pipelines.execution.executor import Job
from pipelines.execution.executor import run as execute
from pipelines.execution.worker_state import payload
from pipelines.project import Project
from pipelines.stages import inputs

PREPARED = ("corpora", "passages", "classification_sets", "documents")
Shards = list[tuple[Path, dict[str, Any]]]


@dataclass(frozen=True)
class Recipe:
    """How to build an input from a source.

    Attributes:
        source: name of the source.
        batches: batches of the source; empty if the merge reads the source itself.
        material: parameters and versions that determine the bytes, in addition to the source and the tokenizers.
    """

    source: str
    batches: Sequence[Batch]
    material: tuple[Key, ...]


def run(project: Project) -> tuple[dict[str, str], dict[str, Any]]:
    """Build data/corpora/, data/classification_sets/ and data/documents/, and their counts in data/counts/prepare/."""
    uses, left_out = inputs.available(project, PREPARED)
    recipes = {use: _recipe(project, use) for use in uses}
    fingerprints = {use: _fingerprint(project, recipe) for use, recipe in recipes.items()}
    found, unfinished = inputs.split_finished(project, fingerprints)
    open_ = {use: (recipes[use], fingerprints[use]) for use in unfinished}
    inputs.check(project, {Use("sources", recipe.source) for recipe, _ in open_.values()})
    found |= _built(project, open_)
    for use in uses:
        say(f"  {use.kind} {use.name}: {found[use].result['summary']}")
    inputs.begin_input(project, "prepare")
    return inputs.link(project, found), {"inputs": inputs.facts(found), LEFT_OUT: left_out}


def _recipe(project: Project, use: Use) -> Recipe:
    """Return the recipe from the module for this kind of input."""
    module = importlib.import_module(f"pipelines.stages.{use.kind}")
    found: Recipe = module.recipe(project.inputs, use.name)
    return found


def _fingerprint(project: Project, recipe: Recipe) -> str:
    fingerprints = [tokenizer.fingerprint for tokenizer in project.inputs.tokenizers]
    return digest(*recipe.material, project.inputs.source_digest(recipe.source), *fingerprints, size=6).hex()


def _built(project: Project, recipes: Mapping[Use, tuple[Recipe, str]]) -> inputs.Kept:
    """Run the batches of all inputs, then their merges."""
    batches = {use: _batches(project, use, *recipe) for use, recipe in recipes.items()}
    jobs = [job for each in batches.values() for job in each]
    done = iter(execute(jobs, project.work, title="prepare"))
    shards = {
        use: [(shard.folder, shard.result) for shard in (next(done) for _ in jobs)] for use, jobs in batches.items()
    }
    merges = [_merge(project, use, fingerprint, shards[use]) for use, (_, fingerprint) in recipes.items()]
    merged = execute(merges, project.work, title="prepare: merge")
    for use in recipes:
        inputs.forget_old(project, "batches", use)
    return dict(zip(recipes, merged, strict=True))


def _batches(project: Project, use: Use, recipe: Recipe, fingerprint: str) -> list[Job]:
    sent = {"name": use.name, "state": fingerprint}
    function = f"pipelines.stages.{use.kind}:batch"
    return [
        Job(
            f"batches/{use.kind}/{use.name}-{fingerprint}/batch-{batch.index:05d}",
            function,
            payload(project, pieces=list(map(astuple, batch.pieces)), **sent),
        )
        for batch in recipe.batches
    ]


def _merge(project: Project, use: Use, fingerprint: str, shards: Shards) -> Job:
    sent = {"name": use.name, "state": fingerprint, "shards": shards}
    return Job(
        inputs.key(use, fingerprint),
        f"pipelines.stages.{use.kind}:merged",
        payload(project, **sent),
        float(len(shards)),
    )


def result(folder: Path, counts: dict[str, Any], summary: str) -> dict[str, Any]:
    """Write the counts of a merge next to the store, and return the result of the merge."""
    write_json(folder / "counts.json", counts)
    return {"summary": summary}


def store_of(folder: Path) -> Path:
    """Create the empty folder that a merge fills."""
    store = folder / inputs.STORE
    store.mkdir()
    return store


def provenance(inputs_: Inputs, source: str) -> dict[str, Any]:
    """Return the content of SOURCE.json of a source."""
    return dict(read_json(inputs_.raw(source) / "SOURCE.json"))


def batches_of(inputs_: Inputs, use: Use, source: str, what: str) -> list[Batch]:
    """Return the batches of a source.

    Raises:
        CorpusError: the source is empty.
    """
    found = inputs_.source(source).batches(inputs_.raw(source))
    if not found:
        raise CorpusError(f"the source has no {what}", where=f"{use.kind}.{use.name}", fix=f"check source {source!r}")
    return found


def batch_of(sent: dict[str, Any]) -> Batch:
    """Return the batch from the payload of a job."""
    return Batch(0, tuple(Piece(*piece) for piece in sent["pieces"]))
