"""What all tests share: what is left out is left out loudly, and nothing is written outside of temporary folders."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("haymaker", deadline=None)  # no test asserts a time
settings.load_profile("haymaker")

MIRROR = "HAYMAKER_MIRROR"
LONG = "HAYMAKER_LONG"
_REFUSED = f"NOT RUN: real files are needed; set {MIRROR} to the mirror's root"
_TOO_LONG = f"NOT RUN: takes long; set {LONG}=1"
_ROOT = Path(__file__).parents[1]
_BEFORE = pytest.StashKey[set[str]]()
_WRITTEN = pytest.StashKey[list[str]]()


def _changes() -> set[str]:
    """What git says of the checkout; nothing where there is none."""
    if not (_ROOT / ".git").exists():
        return set()
    command = ["git", "--no-optional-locks", "status", "--porcelain", "--ignored=no", "--untracked-files=all"]
    return set(subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False).stdout.splitlines())


def pytest_sessionstart(session: pytest.Session) -> None:
    """Remember what the checkout looks like (with xdist, in the controller alone)."""
    if not hasattr(session.config, "workerinput"):
        session.config.stash[_BEFORE] = _changes()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that writes into the checkout fails the run in CI; elsewhere a person may have edited it. Renewed golden digests are meant."""
    before = session.config.stash.get(_BEFORE, None)
    if before is not None and os.environ.get("HAYMAKER_GOLDEN") != "write":
        session.config.stash[_WRITTEN] = sorted(_changes() ^ before)
        if session.config.stash[_WRITTEN] and session.exitstatus == pytest.ExitCode.OK and os.environ.get("CI"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests only on demand."""
    if not os.environ.get(LONG):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason=_TOO_LONG))


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real files; without it the test is skipped, and the summary says so."""
    root = os.environ.get(MIRROR)
    if not root:
        pytest.skip(_REFUSED)
    return Path(root)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in the last lines what was not tested."""
    for line in terminalreporter.config.stash.get(_WRITTEN, []):
        terminalreporter.write_line(f"the checkout changed while the tests ran: {line}", red=True, bold=True)
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    for reason in (_REFUSED, _TOO_LONG):
        count = sum(reason in text for text in skipped)
        if count:
            terminalreporter.write_line(f"{count} tests {reason}", yellow=True, bold=True)
