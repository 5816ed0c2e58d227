"""`haymaker score --explain`: what each step of the answer reader returned for one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from haymaker.scoring.reader import strip_reasoning
from tests.pipelines import tiny
from tests.scoring.test_scorecard import KV, VALUE, Release, sample

SHORT = ("subem@strict", "f1@strict", "subem@official", "judge_qa@strict")
OUTPUT = "<think>Rome? No.</think>\nThe two were compared.\n\n**Answer:** The U.S. *of* Nowhere"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    rows = [
        sample("nq", "4k", 0, SHORT, ["the US of Nowhere"]),
        sample("json_kv", "4k", 0, KV, [VALUE]),
        sample("code", "4k", 0, ("code_line@strict", "gone@strict"), ["x = 1"]),
    ]
    return Release(tmp_path, rows)


def explained(release: Release, outputs: dict[str, str], row_id: str) -> str:
    """Everything that is printed about a row, white space folded."""
    done = tiny.called(
        release.folder, "score", str(release.outputs(outputs)), "-r", str(release.folder), "--explain", row_id
    )
    assert (done.returncode, done.stderr) == (0, "")
    return " ".join(done.stdout.split())


def test_each_step_and_score_is_shown(release: Release) -> None:
    shown = explained(release, {"nq-4k-0-plain-0": OUTPUT}, "nq-4k-0-plain-0")
    answer = "the US of Nowhere"
    for value in ("Which?", answer, OUTPUT, strip_reasoning(OUTPUT), "The U.S. *of* Nowhere", "us of nowhere"):
        assert " ".join(value.split()) in shown
    assert "contains ['the US of Nowhere']" in shown
    assert shown.count("1.000") == 2 and "subem@strict" in shown and "f1@strict" in shown
    assert "official" not in shown and "judge_qa" not in shown


@pytest.mark.parametrize(
    ("printed", "row_id", "near"),
    [
        ([("nq-4k-0-plain-0", "x")], "nq-4k-0-plain-1", "nq-4k-0-plain-0"),
        ([("nq-4k-0-plain-9", "x")], "nq-4k-0-plain-9", "nq-4k-0-plain-0"),
        ([("nq-4k-0-plain-0", "x"), ("nq-4k-0-plain-0", "y")], "nq-4k-0-plain-0", ""),
        ([], "nq-4k-0-plain-0", ""),
    ],
    ids=["no such output", "no such row", "twice", "no outputs"],
)
def test_a_mistake_is_one_line(release: Release, printed: list[tuple[str, str]], row_id: str, near: str) -> None:
    release.file.write_text("".join(f'{{"id": "{each}", "output": "{text}"}}\n' for each, text in printed))
    command = ("score", str(release.file), "-r", str(release.folder), "--explain", row_id)
    assert near in tiny.one_line(tiny.called(release.folder, *command))
