"""One shard: what is asked, what was done, and the receipt that says so.

A job writes its files into a private folder; when it is done the folder gets a receipt (`done.json`: sizes and checksums,
what the job returned, and a digest of both) and its final name. A killed run therefore leaves whole shards or nothing, and the next run
takes up the whole ones.
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
    """One shard.

    Attributes:
        key: its folder below the work folder; unique in a run.
        function: "module:function" called as function(payload, folder); it writes files into `folder` and returns JSON.
        payload: what it needs, by name, picklable and small.
        cost: share of the whole work, in any unit; for the progress line.
        gpu: it computes with a model: it takes a GPU of a cluster that has any.
        kin: what it reads or remembers is of use to the others of this name; empty: to none.
    """

    key: str
    function: str
    payload: dict[str, Any]
    cost: float = 1.0
    gpu: bool = False
    kin: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """A finished shard: its folder, its files with size and SHA-256, what the job returned, and whether an earlier run did it (`resumed`)."""

    key: str
    folder: Path
    files: dict[str, dict[str, Any]]
    result: Any
    resumed: bool = field(default=False, compare=False)


def make_shard(job: Job, work: Path) -> Done:
    """Run one job; its folder appears in `work` under its final name only when whole."""
    module, _, name = job.function.partition(":")
    function: Callable[[Any, Path], Any] = getattr(importlib.import_module(module), name)
    return complete(job.key, work, lambda folder: function(job.payload, folder))


def perform_in_turn(jobs: Sequence[Job], work: Path) -> list[Done]:
    """As perform, one behind the other."""
    return [make_shard(job, work) for job in jobs]


def complete(key: str, work: Path, fill: Callable[[Path], Any]) -> Done:
    """A shard of what `fill` writes into an empty folder, and returns; one that another attempt finished stays, for it may be in use."""
    # Processes of several machines may have one number.
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
            except OSError:  # something is there
                if shard := finished_shards(work, key):
                    return shard
                shutil.rmtree(final, ignore_errors=True)
                temporary.rename(final)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return Done(key, final, files, result)


def finished_shards(work: Path, key: str) -> Done | None:
    """The shard if it is there, whole and unchanged; a damaged one is built again."""
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
    """Digest of what a receipt says, as JSON gives it back."""
    content = json.loads(json.dumps([files, result]))
    return digest(json.dumps(content, sort_keys=True)).hex()
