"""bench proof: what it measures, never how long it takes."""

from __future__ import annotations

import json
import math
from dataclasses import astuple
from pathlib import Path

import pytest

from haymaker.errors import ReleaseError
from pipelines.bench import proof
from pipelines.project import Project
from pipelines.workers import payload


def sent(project: Project, buckets: tuple[str, ...]) -> dict[str, object]:
    [suite] = project.built_suites()
    tables = [astuple(t) for t in suite.tables() if t.task == "qa1" and t.part == "test" and t.bucket in buckets]
    return payload(project, tables=tables, release=str(project.release))


@pytest.mark.parametrize(
    ("bucket", "group"),
    [
        ("0k", "natural"),
        ("natural", "natural"),
        ("0-4k", "natural"),
        ("4k", "to 64k"),
        ("64k", "to 64k"),
        ("128k", "128k"),
        ("1M", "beyond"),
    ],
)
def test_groups_of_lengths(bucket: str, group: str) -> None:
    assert proof.group_of(bucket) == group


def test_figures_of_a_task(built: Project) -> None:
    found = proof.measure(sent(built, ("0k", "4k")))
    assert [each["group"] for each in found[:2]] == ["natural", "to 64k"]
    for each in found[:2]:
        assert each["task"] == "babilong/qa1" and each["rows"] > 0 and each["tokens"] > 0
        assert each["ratio"] == pytest.approx(each["s_per_M"] / each["pass_s_per_M"])
        assert set(each["share"]) == set(proof.STEPS) and math.isclose(sum(each["share"].values()), 1)
    assert [each["group"] for each in found[2:]] == ["shortcuts"] and found[2]["share"] == {}


def test_a_row_that_fails_is_no_figure(mine: Project) -> None:
    from tests.pipelines.test_validate import change, one_token_more, path_of

    change(path_of(mine, "qa1", "4k"), one_token_more)
    with pytest.raises(ReleaseError, match="BUDGET: "):
        proof.measure(sent(mine, ("4k",)))


def test_the_command_writes_all_figures(mine: Project, tmp_path: Path) -> None:
    report = proof.run(mine, "4k", tmp_path / "figures.json")
    assert json.loads((tmp_path / "figures.json").read_text()) == json.loads(json.dumps(report))
    assert {each["group"] for each in report["rows"]} <= {"to 64k", "shortcuts"} and report["tokenizers"]


def test_without_a_release(built: Project) -> None:
    with pytest.raises(ReleaseError, match="no rows here"):
        proof.run(built, "2M", None)
