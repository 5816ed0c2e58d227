"""What all tests share: the real files and the long tests are left out loudly, never in silence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("haymaker", deadline=None)  # no test asserts a time
settings.load_profile("haymaker")

MIRROR = "HAYMAKER_MIRROR"
LONG = "HAYMAKER_LONG"
_REFUSED = f"NOT RUN: real files are needed; set {MIRROR} to the mirror's root"
_TOO_LONG = f"NOT RUN: takes long; set {LONG}=1"


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
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    for reason in (_REFUSED, _TOO_LONG):
        count = sum(reason in text for text in skipped)
        if count:
            terminalreporter.write_line(f"{count} tests {reason}", yellow=True, bold=True)
