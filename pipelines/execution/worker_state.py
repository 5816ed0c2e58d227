"""What a worker process needs to know of the project, sent small and set up once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from generators.inputs import Inputs
from generators.suite import ReleaseSuite, release_suite
from haymaker.core.params import Params
from pipelines.project import Project


def payload(project: Project, **more: Any) -> dict[str, Any]:
    """What a job is sent: the parameters, the data folder, and what the job alone needs.

    In a process that outlives a rebuild, `state` names the prepared data: a suite of another state is set up anew.
    """
    return {"params": project.params.model_dump_json(), "data": project.data, **more}


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
