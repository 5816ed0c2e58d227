"""Send the parameters of a project to worker processes, and set up its inputs and suites once per process."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from generators.inputs import Inputs
from generators.suite import ReleaseSuite, release_suite
from haymaker.core.params import Params
from pipelines.project import Project


def payload(project: Project, **more: Any) -> dict[str, Any]:
    """Return the payload of a job: the parameters, the data folder, and the arguments of the job.

    `state` identifies the prepared data: after a rebuild, a running process sets up inputs and suites again.
    """
    return {"params": project.params.model_dump_json(), "data": project.data, **more}


def inputs_of(payload: dict[str, Any]) -> Inputs:
    """Return the prepared inputs in a worker."""
    return _inputs(payload["params"], payload["data"], payload.get("state", ""))


def suite_of(payload: dict[str, Any], name: str) -> ReleaseSuite:
    """Return a suite in a worker, cached with the data it has read."""
    return _suite(payload["params"], payload["data"], payload.get("state", ""), name)


@lru_cache(maxsize=8)
def _inputs(params: str, data: Path, state: str) -> Inputs:
    return Inputs(Params.model_validate_json(params), data)


@lru_cache(maxsize=8)
def _suite(params: str, data: Path, state: str, name: str) -> ReleaseSuite:
    return release_suite(name, _inputs(params, data, state))
