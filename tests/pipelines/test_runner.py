"""Choosing a release: named files win, edits are never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from haymaker.errors import ParamsError
from pipelines.project import Project
from pipelines.runner import activate


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "params").mkdir()
    for name in ("one", "two"):
        (tmp_path / "params" / f"{name}.yaml").write_text(f"# {name}\n")
    (tmp_path / "params.yaml").write_text("# one\n")
    for name in ("dvc.yaml", "versions.yaml"):
        (tmp_path / name).write_text("{}\n")
    return Project(tmp_path)


def active(project: Project) -> str:
    return (project.root / "params.yaml").read_text()


def test_a_named_release_is_copied_byte_for_byte(project: Project) -> None:
    (project.root / "params" / "two.yaml").write_bytes(b"# two \xc3\xa9\r\n")
    activate(project.with_release("two"))
    assert (project.root / "params.yaml").read_bytes() == b"# two \xc3\xa9\r\n"


def test_edits_of_the_active_file_are_not_lost(project: Project) -> None:
    (project.root / "params.yaml").write_text("# mine\n")
    with pytest.raises(ParamsError, match="edits that would be lost"):
        activate(project.with_release("two"))
    assert active(project) == "# mine\n"


@pytest.mark.parametrize("first", ["one", "two"])
def test_a_named_file_may_be_edited_and_run_again(project: Project, first: str) -> None:
    """The active file then equals no file in params/, but nothing of it is lost: it was a copy."""
    activate(project.with_release(first))
    (project.root / "params" / f"{first}.yaml").write_text("# better\n")
    activate(project.with_release(first))
    assert active(project) == "# better\n"
