"""What a worker process needs to know of the project, sent small and set up once."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from corpora.retrieval.models import ModelParams, locate
from corpora.sources.transport.absent import MARK
from generators.inputs import KINDS, Inputs, Use, vocabularies
from generators.suite import ReleaseSuite, release_suite
from haymaker.errors import EnvironmentProblem
from haymaker.params import Params
from haymaker.places import expanded
from pipelines.project import Project
from pipelines.shards import Model


def payload(project: Project, **more: Any) -> dict[str, Any]:
    """What a job is sent: the parameters, the data folder, and what the job alone needs.

    In a process that outlives a rebuild, `state` names the prepared data: a suite of another state is set up anew.
    """
    return {"params": project.params.model_dump_json(), "data": project.data, **more}


def reads(project: Project, uses: Iterable[Use], *more: Path) -> tuple[Path, ...]:
    """What a job of these inputs opens below the project's folder (Job.reads)."""
    params, inputs = project.params, project.inputs
    counting = (vocabularies(project.data) / name for name in (params.tokenizer.release, *params.tokenizer.also))
    prepared = (KINDS[use.kind].path(project.data, use.name) for use in uses)
    lacking = (inputs.raw(name) / MARK for name, source in params.sources.items() if source.optional)
    return tuple(place for place in dict.fromkeys((*counting, *prepared, *lacking, *more)) if place.exists())


def model_reads(*models: ModelParams) -> tuple[Model, ...]:
    """Models that a job loads (Job.reads), where they are on this machine."""
    found = []
    for params in models:
        with suppress(EnvironmentProblem):  # a shard that needs it says so
            found.append(Model(params.key, locate(params).absolute()))
    return tuple(found)


def suite_reads(project: Project, built: ReleaseSuite) -> tuple[Path | Model, ...]:
    """The same for the rows of a suite: with the user's own files of phrases, and models."""
    phrases = (project.root / expanded(name) for name in built.word_files())
    return *reads(project, built.uses(), *(place for place in phrases if place.is_file())), *model_reads(
        *built.models()
    )


def inputs_of(payload: dict[str, Any]) -> Inputs:
    """Prepared inputs in a worker."""
    return _inputs(payload["params"], payload["data"], payload.get("state", ""))


def suite_of(payload: dict[str, Any], name: str) -> ReleaseSuite:
    """A suite in a worker, with what it has read so far."""
    return _suite(payload["params"], payload["data"], payload.get("state", ""), name)


@lru_cache(maxsize=8)
def _inputs(params: str, data: Path, state: str) -> Inputs:
    return Inputs(Params.model_validate_json(params), data)


@lru_cache(maxsize=8)
def _suite(params: str, data: Path, state: str, name: str) -> ReleaseSuite:
    return release_suite(name, _inputs(params, data, state))
