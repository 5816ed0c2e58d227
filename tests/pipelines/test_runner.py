"""Choosing a release: named files win, edits are never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from generators.inputs import KINDS
from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import read_yaml
from pipelines.project import Project
from pipelines.run.runner import activate
from tests.errors import refused


def text(name: str) -> str:
    """A parameter file that names every block DVC asks for."""
    return f"# {name}\n" + "".join(f"{key}: {{}}\n" for key in (*KINDS, "suites"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "params").mkdir()
    for name in ("one", "two"):
        (tmp_path / "params" / f"{name}.yaml").write_text(text(name))
    (tmp_path / "params.yaml").write_text(text("one"))
    for name in ("dvc.yaml", "versions.yaml"):
        (tmp_path / name).write_text("{}\n")
    return Project(tmp_path)


def test_a_named_release_is_copied_byte_for_byte(project: Project) -> None:
    """Blocks that it does not name are added as empty."""
    content = f"# two \xe9\r\n{text('two')}".encode()
    (project.root / "params" / "two.yaml").write_bytes(content)
    activate(project.with_release("two"))
    assert (project.root / "params.yaml").read_bytes() == content
    (project.root / "params" / "two.yaml").write_text("corpora: {}")
    activate(project.with_release("two"))
    assert set(read_yaml(project.root / "params.yaml")) == {*KINDS, "suites"}
    activate(project.with_release("one"))
    assert (project.root / "params.yaml").read_text() == text("one"), "nothing of an unedited copy is lost"


def test_edits_of_the_active_file_are_not_lost(project: Project) -> None:
    (project.root / "params.yaml").write_text(text("mine"))
    with refused(ParamsError, "params.yaml", "edits"):
        activate(project.with_release("two"))
    assert (project.root / "params.yaml").read_text() == text("mine")


@pytest.mark.parametrize("first", ["one", "two"])
def test_a_named_file_may_be_edited_and_run_again(project: Project, first: str) -> None:
    """The active file then equals no file in params/, but nothing of it is lost: it was a copy."""
    activate(project.with_release(first))
    (project.root / "params" / f"{first}.yaml").write_text(text("better"))
    activate(project.with_release(first))
    assert (project.root / "params.yaml").read_text() == text("better")
