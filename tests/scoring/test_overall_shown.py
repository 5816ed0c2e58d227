"""The overall score is the same in `haymaker score`, its files, the Python function and `haymaker compare`; selections."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import haymaker
from haymaker.cli.app import app
from haymaker.core.rows.schema import to_table
from tests.scoring.test_scorecard import KV, VALUE, Release, sample

TASKS = (("a", "x", ("4k", "8k", "16k")), ("a", "y", ("4k",)), ("b", "z", ("4k", "16k")))


class Models:
    """A release of 3 tasks with a small set (the first question of each table), and the outputs of two models."""

    def __init__(self, root: Path) -> None:
        self.root, self.release = root, Release(
            root,
            [
                sample(task, length, n, KV, [VALUE], suite=suite, depth_index=depth)
                for suite, task, lengths in TASKS for length in lengths for n in range(8) for depth in range(2)
            ],
        )  # fmt: skip
        self.rows = self.release.samples
        self.mini = {row.id for row in self.rows if row.id.endswith("-0-plain-0")}
        for suite, task, _ in TASKS:
            path = self.release.folder / "mini" / suite / task / "test-00000-of-00001.parquet"
            path.parent.mkdir(parents=True)
            pq.write_table(to_table([row for row in self.rows if row.id in self.mini and row.task == task]), path)

    def outputs(self, name: str, wrong: int, ids: set[str] | None = None) -> Path:
        """Write outputs, of which every n-th is wrong (of these rows)."""
        path = self.root / f"{name}.jsonl"
        said = {row.id: "" if n % wrong == 0 else VALUE for n, row in enumerate(self.rows) if not ids or row.id in ids}
        path.write_text("".join(json.dumps({"id": i, "output": output}) + "\n" for i, output in said.items()))
        return path

    def run(self, *words: object) -> dict[str, Any]:
        """Run a command, and return its figures."""
        path = self.root / f"{words[0]}.json"
        app([*map(str, words), "--release", str(self.release.folder), "--json", str(path)], standalone_mode=False)
        return dict(json.loads(path.read_text()))


@pytest.fixture
def models(tmp_path: Path) -> Models:
    return Models(tmp_path)


def block(text: str) -> dict[str, float]:
    """Return the last column of the first table, by line."""
    lines = text.partition("\noverall:")[0].splitlines()
    return {line.split()[0]: float(re.sub(r" +\[.*", "", line).split()[-1]) for line in lines[1:]}


def test_all_commands_and_python_give_the_same_overall(models: Models, capsys: pytest.CaptureFixture[str]) -> None:
    files = models.outputs("first", 3), models.outputs("second", 5)
    found = [models.run("score", file) for file in files]
    shown = block(capsys.readouterr().out)
    pooled = {line["suite"]: line for line in models.run("compare", *files)["pooled"]}
    for file, figures, side in zip(files, found, ("first_mean", "second_mean"), strict=True):
        overall = haymaker.score(file, models.release.folder).overall
        assert overall and overall.mean / 100 == pytest.approx(figures["overall"]["mean"], abs=1e-9)
        assert pooled[""][side] == pytest.approx(figures["overall"]["mean"], abs=1e-9)
        for suite in figures["suites"]:
            assert pooled[suite["suite"]][side] == pytest.approx(suite["mean"], abs=1e-9)
    means = [
        {each["suite"]: 100 * each["mean"] for each in of["suites"]} | {"overall": 100 * of["overall"]["mean"]}
        for of in found
    ]
    assert shown["overall"] != shown["a"] and shown == pytest.approx(means[0], abs=0.06)
    assert pooled[""]["difference"] == pytest.approx(pooled[""]["second_mean"] - pooled[""]["first_mean"], abs=1e-9)
    scores = haymaker.score(files[1], models.release.folder)
    assert scores.summary and block_of(scores.summary) == pytest.approx(means[1])


def block_of(found: Any) -> dict[str, float]:
    """Return the means of suites, and the overall score."""
    return {suite: of.mean for suite, of in found.suites.items()} | {"overall": found.overall.mean}


def test_outputs_for_the_small_set(models: Models, capsys: pytest.CaptureFixture[str]) -> None:
    """With and without --mini the same means; without it one line about the other rows. A row counts once."""
    mini = models.outputs("mini", 3, models.mini)
    whole, small = models.run("score", mini), models.run("score", mini, "--mini")
    assert {key: whole[key] for key in ("overall", "suites", "tasks")} == {
        k: small[k] for k in ("overall", "suites", "tasks")
    }
    assert small["overall"]["rows"] == len(models.mini) and {cell["missing"] for cell in small["cells"]} == {0}
    notes = [line for line in capsys.readouterr().err.splitlines() if "--mini" in line]
    assert len(notes) == 1 and f"{len(models.rows) - len(models.mini)} test rows" in notes[0]
    everything = models.run("score", models.outputs("all", 3), "--mini")
    assert everything["overall"] == small["overall"] and not everything["notes"]


@pytest.mark.parametrize(
    ("words", "tasks"),
    [("--tasks a/x", {"x"}), ("--suites a --lengths 4k", {"x", "y"}), ("--tasks z,x --lengths 16k", {"x", "z"})],
)
def test_selected_rows_are_the_only_ones(models: Models, words: str, tasks: set[str], capsys: Any) -> None:
    options = words.split()
    outputs = models.outputs("some", 3, {row.id for row in models.rows if row.task != "y"})
    found = models.run("score", models.outputs("all", 3), *options)
    lengths = set(options[-1].split(",")) if "--lengths" in options else {"4k", "8k", "16k"}
    assert {cell["task"] for cell in found["cells"]} == tasks and {c["length"] for c in found["cells"]} == lengths
    assert models.run("score", outputs, *options)["notes"] == [] and capsys.readouterr().err == ""
    chosen = {
        name.removeprefix("--"): value.split(",") for name, value in zip(options[::2], options[1::2], strict=True)
    }
    scores = haymaker.score(models.outputs("all", 3), models.release.folder, **chosen)
    assert scores.overall and scores.overall.mean / 100 == pytest.approx(found["overall"]["mean"])


def test_compare_takes_the_same_selection_for_outputs_and_row_scores(models: Models) -> None:
    files, scores = (models.outputs("first", 3), models.outputs("second", 5)), []
    for file in files:
        scores.append(file.with_suffix(".parquet"))
        models.run("score", file, "--row-scores", scores[-1])
    for options in (("--mini",), ("--suites", "a", "--lengths", "4k"), ("--missing", "zero")):
        (first, *_), (second, *_) = (models.run("compare", *of, *options)["pooled"] for of in (files, scores))
        assert first | {"first": "", "second": ""} == second | {"first": "", "second": ""}
        assert first["second_mean"] == pytest.approx(
            models.run("score", files[1], *options)["overall"]["mean"], abs=1e-9
        )


@pytest.mark.parametrize(("wrong", "verdict"), [(2, "worse"), (1000, "better"), (4, "")])
def test_compare_ends_with_its_verdict(models: Models, wrong: int, verdict: str, capsys: Any) -> None:
    found = models.run(
        "compare", models.outputs("first", 4), models.outputs("second", wrong).rename(models.root / "b.jsonl")
    )
    line, last = found["pooled"][0], capsys.readouterr().out.splitlines()[-1]
    assert (line["p_corrected"] < 0.05) == bool(verdict)
    assert verdict in last and f"{100 * line['second_mean']:.1f}" in last and f"{100 * line['difference']:+.1f}" in last
