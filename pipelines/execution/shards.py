"""Build one shard atomically: the job, its finished result, and its receipt file.

A job writes its files into a temporary folder. Finished folders get a receipt (`done.json`: sizes, checksums, the job
result, and a digest) and their final name. A killed run leaves only complete shards; the next run reuses them.
"""

from __future__ import annotations

import importlib
import json
import shutil
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haymaker.core.files.disk import disk_errors, distrust, sha256_file, sha256_once, temporary_name, write_json
from haymaker.core.rng import digest

RECEIPT = "done.json"


@dataclass(frozen=True, slots=True)
class Job:
    """A shard to build.

    Attributes:
        key: folder of the shard below the work folder; unique in a run.
        function: "module:function" called as function(payload, folder); it writes files into `folder` and returns JSON.
        payload: arguments by name, picklable and small.
        cost: expected work, in any unit; for scheduling and the progress line.
        gpu: whether the job runs a model and takes a GPU, if the cluster has any.
        kin: group of jobs that share loaded data; empty = no group.
    """

    key: str
    function: str
    payload: dict[str, Any]
    cost: float = 1.0
    gpu: bool = False
    kin: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """A finished shard: folder, files with size and SHA-256, job result, and whether it is from an earlier run."""

    key: str
    folder: Path
    files: dict[str, dict[str, Any]]
    result: Any
    resumed: bool = field(default=False, compare=False)


def make_shard(job: Job, work: Path) -> Done:
    """Run one job; its folder appears in `work` under its final name only when complete."""
    module, _, name = job.function.partition(":")
    function: Callable[[Any, Path], Any] = getattr(importlib.import_module(module), name)
    return complete(job.key, work, lambda folder: function(job.payload, folder))


def perform_in_turn(jobs: Sequence[Job], work: Path) -> list[Done]:
    """Run several jobs in sequence in this process."""
    return [make_shard(job, work) for job in jobs]


def complete(key: str, work: Path, fill: Callable[[Path], Any]) -> Done:
    """Build a shard with `fill(folder)`. A shard finished meanwhile by another attempt is kept: it may be in use."""
    # Processes on different machines may have the same id.
    temporary, final = temporary_name(work / f"{key}.{uuid.uuid4().hex}"), work / key
    with disk_errors(work):
        temporary.mkdir(parents=True)
        try:
            result = fill(temporary)
            files = {
                path.relative_to(temporary).as_posix(): {"bytes": path.stat().st_size, "sha256": sha256_file(path)}
                for path in sorted(temporary.rglob("*"))
                if path.is_file()
            }
            write_json(temporary / RECEIPT, {"files": files, "result": result, "digest": _seal(files, result)})
            try:
                temporary.rename(final)
            except OSError:  # the folder exists
                if shard := finished_shards(work, key):
                    return shard
                shutil.rmtree(final, ignore_errors=True)
                temporary.rename(final)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return Done(key, final, files, result)


def finished_shards(work: Path, key: str) -> Done | None:
    """Return a finished shard if it is complete and unchanged, or None: a damaged shard is built again."""
    folder = work / key
    try:
        receipt = json.loads((folder / RECEIPT).read_text(encoding="utf-8"))
        files: dict[str, dict[str, Any]] = receipt["files"]
        if receipt["digest"] != _seal(files, receipt["result"]):
            return None
        for name, facts in files.items():
            path = folder / name
            if sha256_once(path) != facts["sha256"]:
                distrust(path)
                return None
        return Done(key, folder, files, receipt["result"], resumed=True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _seal(files: dict[str, dict[str, Any]], result: Any) -> str:
    """Return the digest of the content of a receipt, after a JSON round trip."""
    content = json.loads(json.dumps([files, result]))
    return digest(json.dumps(content, sort_keys=True)).hex()
