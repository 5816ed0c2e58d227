"""Watch a run's processes, and end some of them at a chosen moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.pipelines import tiny

STAGES = ("download", "tokenizers", "background", "generate", "validate", "card")
PHASES = ("start", *(phase for stage in STAGES for phase in (stage, f"after {stage}")))
"""Of a run: before the first stage, each stage (its process lives), and what DVC does after it (the last: closing)."""
_POLL_S = 0.004


@dataclass(frozen=True, slots=True)
class Member:
    """A live process of a run."""

    pid: int
    arguments: tuple[str, ...]
    parent: int = 0

    @property
    def stage(self) -> str:
        """The stage that it is, or nothing."""
        at = self.arguments.index("stage") + 1 if "stage" in self.arguments else 0
        return self.arguments[at] if 0 < at < len(self.arguments) and "haymaker" in self.arguments[at - 2] else ""

    @property
    def is_dvc(self) -> bool:
        """DVC at work on stages."""
        return "repro" in self.arguments and any(a.endswith(("/dvc", ".dvc_quick")) for a in self.arguments)

    @property
    def is_warm(self) -> bool:
        """A server of warm processes, or forked by one."""
        return any("multiprocessing.forkserver" in argument for argument in self.arguments)


def members(session: int) -> list[Member]:
    """Processes of a session that live."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            state, parent, _, its = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its) == session and state not in "ZX":
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                found.append(Member(int(folder.name), tuple(words), int(parent)))
        except (OSError, ValueError):
            continue
    return found


def is_worker(member: Member, found: Sequence[Member]) -> bool:
    """A worker of a pool: forked by the same server as the stage that it works for, and after it."""
    servers = {each.pid for each in found if each.is_warm}
    forked = sorted(each.pid for each in found if each.is_warm and each.parent in servers)
    return member.pid in (forked[1:] if any(each.stage for each in found) else forked)


class Run:
    """`haymaker run`, or another command, in a session of its own, its phases followed."""

    def __init__(
        self,
        root: Path,
        workers: int = 2,
        log: Path | None = None,
        command: Sequence[str] = (sys.executable, "-m", "pipelines.cli", "run"),
    ) -> None:
        self.log = log or root.parent / f"{root.name}.stderr"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, cwd=root, start_new_session=True, stdout=log, stderr=log,
                env=tiny.environment(HAYMAKER_WORKERS=str(workers)),
            )  # fmt: skip
        self.phase, self.since = "start", time.monotonic()
        self.lengths: dict[str, float] = {}
        self.found: list[Member] = []

    @property
    def session(self) -> int:
        return self.process.pid

    def look(self) -> str:
        """The phase now."""
        self.found = members(self.session)
        stage = next((member.stage for member in self.found if member.stage), "")
        before = self.phase
        if stage:
            self.phase = stage
        elif before in STAGES:
            self.phase = f"after {before}"
        if self.phase != before:
            now = time.monotonic()
            self.lengths[before] = max(self.lengths.get(before, 0.0), now - self.since)
            self.since = now
        return self.phase

    def wait(self, until: Callable[[], bool], seconds: float = 120) -> bool:
        """Look until something holds; False when the run ended before."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            self.look()
            if until():
                return True
            assert time.monotonic() < deadline, (self.phase, self.output())
            time.sleep(_POLL_S)
        return False

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @contextmanager
    def held(self) -> Iterator[None]:
        """All of its processes stand still meanwhile."""
        os.killpg(self.session, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self.session, signal.SIGCONT)

    def kill(self, how: str) -> bool:
        """End what `how` names; False when there is no such process now."""
        whole = {"group": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
        found = members(self.session)
        alone: dict[str, Callable[[Member], bool]] = {
            "worker": lambda m: is_worker(m, found),
            "stage": lambda m: bool(m.stage),
            "dvc": lambda m: m.is_dvc,
            "run": lambda m: m.pid == self.session,
            "SIGTERM to run": lambda m: m.pid == self.session,
        }
        try:
            if how in whole:
                os.killpg(self.session, whole[how])
                return True
            victim = next((m.pid for m in found if alone[how](m)), None)
            if victim:
                os.kill(victim, signal.SIGTERM if how.startswith("SIGTERM") else signal.SIGKILL)
        except ProcessLookupError:
            return False
        return bool(victim)

    def end(self, seconds: float = 20) -> list[Member]:
        """Wait for the run and everything it started; what is still there then."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None and not members(self.session):
                return []
            time.sleep(0.02)
        left = members(self.session)
        if left:
            os.killpg(self.session, signal.SIGKILL)
        return left
