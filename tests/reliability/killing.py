"""Watch the processes of a run, and kill some of them at a chosen moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipelines.stages.stage_table import STAGES
from tests.pipelines import tiny

PHASES = ("start", *(phase for stage in STAGES for phase in (stage, f"after {stage}")))
"""Phases of a run: before the first stage; for each stage, while its process lives, and DVC's work after it."""
DVC = ("dvc", "repro", "--quiet")
_POLL_S = 0.004


@dataclass(frozen=True, slots=True)
class Member:
    """A live process of a run."""

    pid: int
    arguments: tuple[str, ...]
    parent: int = 0

    @property
    def stage(self) -> str:
        """The stage that the process runs, or an empty string."""
        at = self.arguments.index("stage") + 1 if "stage" in self.arguments else 0
        return self.arguments[at] if 0 < at < len(self.arguments) and "haymaker" in self.arguments[at - 3] else ""

    @property
    def is_dvc(self) -> bool:
        """Whether the process is `dvc repro`."""
        return "repro" in self.arguments and any(argument.endswith("dvc") for argument in self.arguments)

    @property
    def is_forked(self) -> bool:
        """Whether the process is a fork server of multiprocessing, or a worker that a server forked."""
        return any("multiprocessing.forkserver" in argument for argument in self.arguments)


def members(session: int) -> list[Member]:
    """Live processes of a session."""
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


class Run:
    """`haymaker run`, or another command, in a session of its own; its phases are followed."""

    def __init__(
        self,
        root: Path,
        *command: str,
        workers: int = 2,
        log: Path | None = None,
    ) -> None:
        self.log = log or root.parent / f"{root.name}.stderr"
        with self.log.open("w") as out:
            self.process = subprocess.Popen(
                command or (sys.executable, "-m", "haymaker.cli.main", "run"), cwd=root, start_new_session=True,
                stdout=out, stderr=out, env=tiny.environment(HAYMAKER_WORKERS=str(workers)),
            )  # fmt: skip
        self.phase, self.since = "start", time.monotonic()
        self.lengths: dict[str, float] = {}

    @property
    def session(self) -> int:
        return self.process.pid

    def look(self) -> str:
        """Return the current phase."""
        stage = next((member.stage for member in members(self.session) if member.stage), "")
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
        """Wait until a condition holds; False if the run ended before."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            self.look()
            if until():
                return True
            assert time.monotonic() < deadline, (self.phase, self.output())
            time.sleep(_POLL_S)
        return False

    def reach(self, phase: str) -> bool:
        """Wait until the run has come to a phase or passed it; False if the run ended before."""
        return self.wait(lambda: PHASES.index(self.phase) >= PHASES.index(phase))

    def finish(self) -> int:
        """Wait for the end; the exit status. No process may remain, and no traceback may be printed."""
        self.wait(lambda: False)
        assert not self.end()
        assert "Traceback" not in self.output(), self.output()
        return self.process.returncode

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stop all processes of the run meanwhile."""
        os.killpg(self.session, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self.session, signal.SIGCONT)

    def kill(self, how: str) -> bool:
        """Send the signal that `how` names; False if there is no such process now."""
        found = members(self.session)
        servers = {member.pid for member in found if member.is_forked}
        alone: dict[str, Callable[[Member], bool]] = {
            "worker": lambda m: m.is_forked and m.parent in servers,
            "stage": lambda m: bool(m.stage),
            "dvc": lambda m: m.is_dvc,
            "run": lambda m: m.pid == self.session,
        }
        name, _, which = how.partition(" to ")
        number = signal.Signals[name] if name.startswith("SIG") else signal.SIGKILL
        which = which or (how if how in alone else "group")
        try:
            if which == "group":
                os.killpg(self.session, number)
                return True
            if victim := next((m.pid for m in found if alone[which](m)), None):
                os.kill(victim, number)
        except ProcessLookupError:
            return False
        return bool(victim)

    def end(self, seconds: float = 20) -> list[Member]:
        """Wait for the run and everything it started; the processes that are still alive then, which are killed."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None and not members(self.session):
                return []
            time.sleep(0.02)
        left = members(self.session)
        if left:
            os.killpg(self.session, signal.SIGKILL)
        return left
