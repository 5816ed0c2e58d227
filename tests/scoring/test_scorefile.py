"""The files of `haymaker score` and what `haymaker compare` makes of them, on the small release of test_scorecard."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from haymaker.core.errors import HaymakerError, ReleaseError
from haymaker.evaluation.compare import compare
from haymaker.evaluation.compare import table as compare_table
from haymaker.evaluation.compare.pooled_test import pooled_test
from haymaker.evaluation.score import edition_diff, run, table
from haymaker.evaluation.score.files import ModelScores, holds_scores, read_scores
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.run import scored
from haymaker.scoring.metrics import get
from haymaker.scoring.statistics.overall import Place
from tests.errors import refused
from tests.scoring.test_scorecard import KV, VALUE, Release, kv_rows, sample


@pytest.fixture(autouse=True)
def printed(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    told = io.StringIO()
    for module in (table, run, compare_table):
        monkeypatch.setattr(module, "out", Console(file=told, width=200, highlight=False, soft_wrap=True))
    for module in (run, compare):
        monkeypatch.setattr(module, "say", lambda _: None)
    return told


def release_with(root: Path, version: str = "1.2.3") -> Release:
    found = Release(root, kv_rows())
    found.manifest(version)
    return found


def figures(release: Release, outputs: dict[str, str], **wish: Any) -> dict[str, Any]:
    path = release.folder.parent / "scores.json"
    release.show(outputs, json_file=path, **wish)
    return dict(json.loads(path.read_text()))


def cell(found: dict[str, Any], task: str, length: str, metric: str = "kv@strict") -> dict[str, Any]:
    return next(c for c in found["cells"] if (c["task"], c["length"], c["metric"]) == (task, length, metric))


def test_figures_have_every_metric_their_interval_and_the_release(tmp_path: Path) -> None:
    release = release_with(tmp_path)
    found = figures(release, release.right() | {"json_kv-4k-0-plain-0": ""})
    assert {c["metric"] for c in found["cells"]} == {*KV, "ruler_all@strict", "ruler_all@official"}
    told = cell(found, "json_kv", "4k")
    assert (told["rows"], told["groups"], told["missing"]) == (8, 2, 0)
    assert told["metric_version"] == get("kv@strict").version
    assert told["mean"] == pytest.approx(0.875) and told["standard_error"] == pytest.approx(0.125)
    assert 0 <= told["low"] < 0.875 < told["high"] <= 1
    assert found["release"]["version"] == "1.2.3" and len(found["release"]["digest"]) == 64


@pytest.mark.parametrize(("missing", "mean", "rows"), [("exclude", 1.0, 7), ("zero", 0.875, 8)])
def test_rows_without_an_output_are_counted_and_left_out_or_zeros(
    tmp_path: Path, missing: str, mean: float, rows: int
) -> None:
    release = release_with(tmp_path)
    outputs = release.right()
    del outputs["json_kv-4k-0-plain-0"]
    told = cell(figures(release, outputs, missing=missing), "json_kv", "4k")
    assert (told["mean"], told["rows"], told["missing"]) == (pytest.approx(mean), rows, 1)


def test_a_task_without_any_output_is_no_zero_but_a_length_without_one_is(tmp_path: Path) -> None:
    release = release_with(tmp_path)
    outputs = {name: said for name, said in release.right("json_kv").items() if "-4k-" in name}
    found = figures(release, outputs, missing="zero")
    assert {c["task"] for c in found["cells"]} == {"json_kv"}
    assert cell(found, "json_kv", "8k")["mean"] == 0.0 and cell(found, "json_kv", "8k")["missing"] == 8


def test_a_shorter_length_that_fails_is_named_beside_the_effective_one(tmp_path: Path, printed: io.StringIO) -> None:
    """The effective length is the longest with a share of the score at the shortest."""
    lengths, right = ("4k", "16k", "64k", "128k"), {"4k": 10, "16k": 7, "64k": 9, "128k": 2}
    release = Release(tmp_path, [sample("json_kv", b, n, KV, [VALUE]) for b in lengths for n in range(10)])
    outputs = {row.id: VALUE if int(row.group_id.split("-")[1]) < right[row.length] else "" for row in release.samples}
    found = figures(release, outputs)
    length = next(each for each in found["effective_lengths"] if each["primary"])
    assert (length["base_length"], length["length"], length["longest"]) == ("4k", "64k", "128k")
    assert [c["length"] for c in found["cells"] if c["primary"]] == list(lengths)
    assert length["below"] == ["16k"]
    assert "yet below it at" in printed.getvalue() and printed.getvalue().split()[-2:] == ["64k", "16k"]
    lower = figures(release, outputs, share=0.2)["effective_lengths"]
    assert next(each for each in lower if each["primary"])["length"] == "128k"


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_scores_of_rows_come_back_as_they_were_written(tmp_path: Path, name: str) -> None:
    release, path = release_with(tmp_path), tmp_path / name
    outputs = release.outputs(release.right())
    run.show(release.folder, outputs, ScoringOptions(rows_file=path))
    assert holds_scores(path) and not holds_scores(outputs)
    told, again = scored(release.folder, outputs, ScoringOptions()), read_scores(path)
    assert again.release == told.release
    assert [row._replace(depth=None) for row in again.rows] == [row._replace(depth=None) for row in told.rows]
    assert len(again.rows) == 2 * len(release.samples)
    before = path.read_bytes()
    run.show(release.folder, outputs, ScoringOptions(rows_file=path))
    assert path.read_bytes() == before


def test_two_editions_stand_side_by_side(tmp_path: Path, printed: io.StringIO) -> None:
    release = release_with(tmp_path)
    figures(release, dict.fromkeys(release.right(), ""))
    (tmp_path / "other.json").write_text((release.folder.parent / "scores.json").read_text())
    found = figures(release, release.right(), compare_with=tmp_path / "other.json")["comparison"]
    assert {(each["mean"], each["other_mean"], each["difference"]) for each in found["cells"]} == {(1.0, 0.0, 1.0)}
    assert all(each["low"] < 1 == pytest.approx(each["high"]) for each in found["cells"] if each["task"] == "json_kv")
    assert "+100.0 [" in printed.getvalue()
    with refused(ReleaseError, "nowhere.json", fix="haymaker score"):
        edition_diff.compare_editions(found, tmp_path / "nowhere.json")


def test_scores_of_two_judges_are_not_compared(tmp_path: Path) -> None:
    release = Release(tmp_path, [sample("qa", "4k", n, ("judge_qa@strict",), ["Ada"]) for n in range(3)])
    outputs, found, figured = release.outputs(release.right()), list[Path](), list[Path]()
    for judge in ("model-x", "model-y"):
        replies = tmp_path / f"{judge}.jsonl"
        told = {"call": "qa", "reply": '{"fluency": 1, "correctness": 3}', "judge": judge}
        replies.write_text("".join(json.dumps({"id": row.id, **told}) + "\n" for row in release.samples))
        found.append(tmp_path / f"{judge}.rows.jsonl")
        figured.append(tmp_path / f"{judge}.json")
        run.show(release.folder, outputs, ScoringOptions(replies=replies, rows_file=found[-1], json_file=figured[-1]))
    with refused(ReleaseError, found[1].name, "judge_qa@strict", "model-x", "model-y"):
        compare.compare(found, read_scores, compare.CompareOptions())
    with refused(ReleaseError, figured[1].name, "judge_qa@strict"):
        edition_diff.compare_editions(json.loads(figured[0].read_text()), figured[1])


def test_files_that_are_older_than_the_names_of_judges_are_read(tmp_path: Path) -> None:
    release, path = release_with(tmp_path), tmp_path / "rows.jsonl"
    release.show(release.right(), rows_file=path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({k: v for k, v in line.items() if k != "judge"}) + "\n" for line in lines))
    assert {row.judge for row in read_scores(path).rows} == {""}
    path.write_text("".join(json.dumps({k: v for k, v in line.items() if k != "why"}) + "\n" for line in lines))
    with refused(ReleaseError, "rows.jsonl:1", "'why'"):
        read_scores(path)


# ------------------------------------------------------------------------------------------------------- compare


class Two:
    """Outputs of two models on one release."""

    def __init__(self, root: Path, second: dict[str, str], groups: int = 10) -> None:
        self.release = Release(
            root, [sample("json_kv", "4k", n, KV, [VALUE], depth_index=d) for n in range(groups) for d in range(3)]
        )
        self.first, self.second = root / "first.jsonl", root / "second.jsonl"
        right = self.release.right()
        for path, said in ((self.first, right), (self.second, right | second)):
            path.write_text("\n".join(json.dumps({"id": i, "output": o}) for i, o in said.items()))

    def read(self, path: Path) -> ModelScores:
        return scored(self.release.folder, path, ScoringOptions())

    def compare(self, root: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        wish = compare.CompareOptions(json_file=root / "cmp.json", flips=root / "flips.jsonl")
        compare.compare([self.first, self.second], self.read, wish)
        flips = [json.loads(line) for line in (root / "flips.jsonl").read_text().splitlines()]
        return json.loads((root / "cmp.json").read_text()), flips


def test_a_model_that_is_worse_is_found_and_its_flips_are_named(tmp_path: Path, printed: io.StringIO) -> None:
    wrong = {f"json_kv-4k-{n}-plain-{d}": "" for n in range(8) for d in range(3)}
    found, flips = Two(tmp_path, wrong).compare(tmp_path)
    test = found["tests"][0]
    assert test["difference"] == pytest.approx(-0.8) and test["groups"] == 10 and test["rows"] == 30
    assert test["p"] == pytest.approx(2 / 2**8) and test["low"] < -0.8 < test["high"] < 0
    assert {each["id"] for each in flips} == set(wrong)
    assert "* 1 of 1 tests" in printed.getvalue()


def test_a_gap_over_many_small_tests_shows_in_the_line_over_all(tmp_path: Path, printed: io.StringIO) -> None:
    """Three questions a test, of which the second model misses one in three: no test alone can tell; all together do."""
    rows = [sample(f"t{n}", "4k", q, KV, [VALUE], suite="ab"[n % 2]) for n in range(24) for q in range(3)]
    release, files = Release(tmp_path, rows), [tmp_path / "a", tmp_path / "b"]
    said = release.right()
    for file, outputs in zip(
        files, (said, said | {row.id: "" for row in rows if row.id.endswith("-2-plain-0")}), strict=True
    ):
        file.write_text("\n".join(json.dumps({"id": i, "output": o}) for i, o in outputs.items()))
    wish = compare.CompareOptions(json_file=tmp_path / "cmp.json")
    compare.compare(files, lambda path: scored(release.folder, path, ScoringOptions()), wish)
    found = json.loads((tmp_path / "cmp.json").read_text())
    assert min(test["p"] for test in found["tests"]) == 1.0
    assert [(line["suite"], line["tests"], line["groups"]) for line in found["pooled"]] == [
        ("", 24, 72),
        ("a", 12, 36),
        ("b", 12, 36),
    ]
    for line in found["pooled"]:
        assert line["difference"] == pytest.approx(-1 / 3) and line["p_corrected"] < 0.01 and line["high"] < 0
    lines = printed.getvalue().splitlines()
    assert "p corrected" in lines[0] and lines[1].split()[0] == "all" and lines[2].split()[0] == "a"


def test_the_line_over_all_has_the_weights_of_the_overall_score_and_takes_a_question_once() -> None:
    """A task with two lengths, of which the second repeats a question of the first, and a task with one length."""
    second = {
        Place("s", "small", "4k"): [("q1", 1.0), ("q2", 0.0)],
        Place("s", "small", "8k"): [("q1", 1.0)],
        Place("s", "large", "4k"): [(f"r{n}", 0.0) for n in range(20)],
    }
    first = {place: [(group, 0.0) for group, _ in scores] for place, scores in second.items()}
    (line,) = pooled_test(first, second)
    assert line["difference"] == pytest.approx(((0.5 + 1) / 2 + 0) / 2) == line["second_mean"]
    assert line["groups"] == 22 and line["rows"] == 23
    assert line["p"] == 1.0, "one question that differs, at however many lengths, is no evidence"


def test_a_model_is_not_other_than_itself(tmp_path: Path) -> None:
    found, flips = Two(tmp_path, {}).compare(tmp_path)
    assert found["tests"][0]["p_corrected"] == 1.0 and found["tests"][0]["difference"] == 0.0 and flips == []


def test_files_of_different_releases_are_refused(tmp_path: Path) -> None:
    files = []
    for version in ("1.0.0", "2.0.0"):
        release = release_with(tmp_path / version, version)
        files.append(tmp_path / f"{version}.jsonl")
        release.show(release.right(), rows_file=files[-1])
    with refused(ReleaseError, "", "small 1.0.0", "small 2.0.0"):
        compare.compare(files, read_scores, compare.CompareOptions(json_file=tmp_path / "cmp.json"))
    assert not (tmp_path / "cmp.json").exists()
    whole = files[0].read_text()
    for text, value in (("", "empty"), ('{"id": "a", "metric": "kv@strict"}', "'group'"), (whole * 2, "twice")):
        files[0].write_text(text)
        with refused(HaymakerError, "", files[0].name, value):
            read_scores(files[0])
