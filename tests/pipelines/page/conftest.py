"""A small release with gold at every depth and distractors beside it, outputs of models with known faults, and their page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from haymaker.evaluation.report.page import write_report
from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny
from tests.pipelines.page import faulty
from tests.pipelines.page.browser import Browser

_CHANGES = {
    "suites.babilong.lengths": {"0k": 4, "4k": 10, "8k": 10},
    "suites.babilong.tasks": {"qa1": {}, "qa1_grid": {"base": "qa1", "placement": "grid", "depths": 5, "lengths": {"4k": 10, "8k": 5}}},
    "suites.synthetic": {"background": "books", "lengths": {"4k": 8, "8k": 8}, "tasks": {"niah_multikey_1": {}, "niah_near": {"base": "niah_multikey_1", "distractors": 20, "distractor_similarity": "high"}}},
}  # fmt: skip


@pytest.fixture(scope="session")
def release(once: Once) -> Path:
    """Folder of the release; to be read only."""
    root = once(
        "release of a page", lambda folder: tiny.run_alone(tiny.make(folder, **_CHANGES))
    )  # fmt: skip
    return Project(root).release


@pytest.fixture(scope="session")
def outputs(once: Once, release: Path) -> list[Path]:
    """Files of the faulty models."""

    def make(folder: Path) -> None:
        folder.mkdir()
        faulty.write(release, folder)

    folder = once("outputs of a page", make)
    return [folder / f"{name}.jsonl" for name in faulty.MODELS]


@pytest.fixture(scope="session")
def page(once: Once, release: Path, outputs: list[Path]) -> Path:
    """The page of all three."""

    def make(folder: Path) -> None:
        folder.mkdir()
        write_report(release, outputs, folder / "page.html", max_rows=1000, share=0.85)

    return once("page", make) / "page.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for the tests of a file."""
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found
