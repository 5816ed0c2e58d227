"""What the executor's tests let workers do; a module of its own because workers import it by name."""

from __future__ import annotations

import os
import signal
import time
import uuid
from pathlib import Path
from typing import Any

from haymaker.core.errors import BuildError
from pipelines.execution.executor import Job


def work(payload: dict[str, Any], folder: Path) -> dict[str, int]:
    """Write a small file, or fail when told so."""
    if payload.get("fail"):
        raise BuildError("told to fail", where=f"job {payload['n']}", fix="ask for less")
    time.sleep(payload.get("sleep", 0))
    (folder / "out.txt").write_text(f"{payload['n']}\n" * 100)
    return {"n": payload["n"]}


def slow_jobs(count: int, seconds: float) -> list[Job]:
    """Jobs that take a while, with the keys of the quick ones."""
    return [Job(f"job-{n:03d}", f"{__name__}:work", {"n": n, "sleep": seconds}) for n in range(count)]


def counted(payload: dict[str, Any], folder: Path) -> dict[str, int]:
    """The same work, and a file a time that it is begun."""
    (Path(payload["begun"]) / f"{payload['n']:03d}-{uuid.uuid4().hex}").touch()
    return work(payload, folder)


def deadly(payload: dict[str, Any], folder: Path) -> None:
    """Ends its process."""
    os.kill(os.getpid(), signal.SIGKILL)


def counted_jobs(count: int, seconds: float, begun: Path) -> list[Job]:
    """Slow jobs that note when they are begun."""
    return [
        Job(job.key, f"{__name__}:counted", {**job.payload, "begun": str(begun)}) for job in slow_jobs(count, seconds)
    ]
