"""What all tests share: what is left out is left out loudly, and nothing is written outside of temporary folders."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from corpora.sources.transport import fetch
from tests.extras import LONG, Once

MIRROR = "HAYMAKER_MIRROR"
for _name, _examples in (("short", 25), ("long", 400)):  # no test asserts a time; every run draws other examples
    settings.register_profile(
        _name, deadline=None, max_examples=_examples, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("long" if os.environ.get(LONG) else "short")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what it starts in the background ignore Ctrl-C

fetch.FIRST_WAIT_S = 0.001  # waiting between attempts of a download is real, and short

sys.dont_write_bytecode = False  # dozens of processes start here, and each would compile all of the program anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
if not os.environ.get(
    LONG
):  # threads of BLAS, FAISS and PyTorch that wait for each other turn in circles: two thirds of such a test's work
    os.environ.setdefault("OMP_NUM_THREADS", "1")
_REFUSED = f"NOT RUN: real files are needed; set {MIRROR} to the mirror's root"
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out, unless they are asked for."""
    if not os.environ.get(LONG):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish() -> None:
    """What is loaded now stays to the end: it is left out of every later search for circles of dead objects."""
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Whether there is a GPU is asked only for tests that need one: to ask takes three seconds."""
    if item.get_closest_marker("gpu"):
        torch = pytest.importorskip("torch", reason="NOT RUN: needs a GPU, and torch")
        if not torch.cuda.is_available():
            pytest.skip("NOT RUN: needs a GPU")


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """A folder that one of the test processes makes and all read: `once("tiny", make)` calls `make(folder)` or waits for it.

    A test that changes files copies them first.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"

    def get(name: str, make: Callable[[Path], object]) -> Path:
        folder, finished = shared / name / "made", shared / name / "finished"
        finished.parent.mkdir(parents=True, exist_ok=True)
        with (shared / name / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not finished.exists():
                shutil.rmtree(folder, ignore_errors=True)  # another process failed here
                make(folder)
                finished.touch()
        return folder

    return get


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
    count = sum(_REFUSED in text for text in skipped)
    if count:
        terminalreporter.write_line(f"{count} tests {_REFUSED}", yellow=True, bold=True)
    if not os.environ.get(LONG):
        terminalreporter.write_line(f"slow tests are left out; set {LONG}=1 or call make long", yellow=True)
