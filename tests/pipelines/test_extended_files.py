"""Files in params/ that extend another file, in a project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import read_yaml
from pipelines.project import Project
from pipelines.run.runner import activate
from tests.errors import refused
from tests.pipelines import tiny

MINE: dict[str, Any] = {
    "extends": "tiny",
    "release": {"name": "mine"},
    "suites": {"babilong": {"tasks": {"qa2": {}}}},
}


def child(project: Project, **changes: Any) -> Project:
    """The project with a file that extends the tiny one."""
    (project.root / "params/mine.yaml").write_text(yaml.safe_dump(MINE | changes, sort_keys=False), encoding="utf-8")
    return Project(project.root).with_release("mine")


def test_a_child_is_read_and_run_as_a_complete_file(fresh: Project) -> None:
    mine = child(fresh)
    params, above = mine.params, fresh.params
    assert params.release == above.release.model_copy(update={"name": "mine"})
    assert params.suites["babilong"].tasks == {"qa2": {"lengths": {"0k": 8, "4k": 5}}}
    assert params.corpora == above.corpora and params.sources == above.sources
    activate(mine)
    active = Project(fresh.root)
    assert "extends" not in read_yaml(fresh.root / "params.yaml")
    assert active.params == params
    activate(active.with_release("tiny"))  # the active file is known: no edit is lost
    activate(child(fresh))


def test_inputs_that_no_task_uses_are_left_out(fresh: Project) -> None:
    needles = {"synthetic": {"tasks": {"niah_single_2": {"background": "books", "lengths": {"4k": 1}}}}}
    assert {*child(fresh, suites=needles).params.sources} == {"novels"}
    bare = {"synthetic": {"tasks": {"niah_single_1": {"background": "books", "lengths": {"4k": 1}}}}}
    assert child(fresh, suites=bare, corpora={"books": {}}).params.corpora, "named in the file itself"


def test_a_parent_that_is_none(fresh: Project) -> None:
    with refused(ParamsError, "params/mine.yaml: extends", "tinny", fix="tiny"):
        _ = child(fresh, extends="tinny").params
    (fresh.root / "params/second.yaml").write_text("extends: mine\nrelease: {name: second}\n", encoding="utf-8")
    child(fresh)
    with refused(ParamsError, "params/second.yaml: extends", "mine", fix="tiny"):
        _ = Project(fresh.root).with_release("second").params
    (fresh.root / "params.yaml").write_text("extends: tiny\nrelease: {name: x}\n", encoding="utf-8")
    with refused(ParamsError, "params.yaml: extends", fix="params/NAME.yaml"):
        _ = Project(fresh.root).params


def test_a_mistake_names_the_file_of_the_child_and_the_key(fresh: Project) -> None:
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"relaese": {}}, "relaese"),
        ({"release": {"name": "mine", "sed": 3}}, "release.sed"),
        ({"suites": {"babilong": {"background": "boks"}}}, "suites.babilong.background"),
    ]
    for changes, where in mistakes:
        with refused(ParamsError, f"params/mine.yaml: {where}"):
            _ = child(fresh, **changes).params


@pytest.mark.parametrize("file", sorted((tiny.ROOT / "params").glob("*.yaml")), ids=lambda file: file.stem)
def test_every_shipped_file_is_valid(file: Path) -> None:
    assert Project(tiny.ROOT).with_release(file.stem).params.release.name
