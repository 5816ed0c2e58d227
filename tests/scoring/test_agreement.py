"""Scores beside labels of people: figures worked out by hand and by scipy, intervals that hold, files that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import ReleaseError
from haymaker.core.rng import Stream
from haymaker.evaluation.compare import people_agreement as agreement_of
from haymaker.evaluation.score import run
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.scoring.statistics.agreement import Pair, agreement
from tests.errors import refused
from tests.pipelines import tiny
from tests.scoring.test_scorecard import KV, VALUE, Release, sample


def pairs(*counts: int) -> list[Pair]:
    """As many of both yes, score alone, label alone, both no."""
    kinds = ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
    every = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    return [Pair(f"q{number}", *kind) for number, kind in enumerate(every)]


def test_agreement_and_kappa_are_those_of_the_four_counts() -> None:
    """20 and 15 of 50 agree; chance 0.5: the example of many a textbook."""
    found = agreement(pairs(20, 5, 10, 15), "x")
    assert found["agreement"].value == pytest.approx(0.7) and found["kappa"].value == pytest.approx(0.4)
    assert set(found) == {"agreement", "kappa"} and agreement(pairs(20, 5, 10, 15), "x") == found
    for sure in found.values():
        assert sure.low < sure.value < sure.high
    assert agreement(pairs(25, 0, 0, 25), "x")["kappa"] == (1.0, 1.0, 1.0)


def test_a_judge_that_says_yes_always_has_no_kappa_worth_a_name() -> None:
    found = agreement(pairs(45, 5, 0, 0), "x")
    assert found["agreement"].value == pytest.approx(0.9) and found["kappa"].value == 0.0
    assert agreement(pairs(50, 0, 0, 0), "x")["kappa"] == (None, None, None)


def test_numbers_on_any_scale_are_ranked() -> None:
    """Against scipy's spearmanr and kendalltau, which take seconds to load."""
    draw = Stream(1, "agreement")
    scores = [draw.between(0, 3) / 3 for _ in range(24)]
    labels = [round(7 * score) + draw.between(0, 3) for score in scores]
    found = agreement([Pair(f"q{n}", s, la) for n, (s, la) in enumerate(zip(scores, labels, strict=True))], "x")
    assert found["spearman"].value == pytest.approx(0.9003669518863778)
    assert found["kendall"].value == pytest.approx(0.8034531385294403)
    assert set(found) == {"spearman", "kendall"}
    assert 0 < found["kendall"].low < found["kendall"].value < found["kendall"].high < 1


def test_rows_of_one_question_are_one_observation() -> None:
    """The same verdicts six times over say no more: the interval stays, though there are six times as many rows."""
    once = pairs(20, 5, 10, 15)
    six = [pair for pair in once for _ in range(6)]
    apart = [pair._replace(group=f"{pair.group}-{n}") for n, pair in enumerate(six)]
    wide, same, more = (agreement(each, "x")["agreement"] for each in (once, six, apart))
    assert same.high - same.low == pytest.approx(wide.high - wide.low, abs=1e-9)
    assert more.high - more.low < 0.6 * (wide.high - wide.low)
    assert agreement([pair._replace(group="q") for pair in once], "x")["agreement"][1:] == (None, None)


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Scores of eight rows, of which the last has no output; half are right."""
    release = Release(tmp_path, [sample("json_kv", "4k", n, KV, [VALUE]) for n in range(8)])
    outputs = release.outputs({row.id: VALUE if n % 2 else "no" for n, row in enumerate(release.samples[:-1])})
    run.show(release.folder, outputs, ScoringOptions(rows_file=tmp_path / "rows.jsonl"))
    return tmp_path / "rows.jsonl"


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_the_command_pairs_labels_with_scores_by_id_and_metric(tmp_path: Path, scored: Path) -> None:
    ids = [f"json_kv-4k-{n}-plain-0" for n in range(8)]
    people = [{"id": name, "label": bool(n % 2) if n else True} for n, name in enumerate(ids)]
    people += [{"id": name, "metric": "kv@official", "label": n % 2} for n, name in enumerate(ids[:4])]
    labels = written(tmp_path / "people.jsonl", *people, {"id": "elsewhere", "label": 1})
    done = tiny.called(tmp_path, "agreement", str(labels), str(scored), "--json", "found.json")
    assert done.returncode == 0, done.stderr
    assert "2 of 13 labels belong to rows without such a score" in done.stderr
    found = {each["metric"]: each for each in json.loads((tmp_path / "found.json").read_text())["metrics"]}
    assert (found["kv@strict"]["labels"], found["kv@strict"]["agreement"]["value"]) == (7, pytest.approx(6 / 7))
    assert (found["kv@official"]["labels"], found["kv@official"]["kappa"]["value"]) == (4, 1.0)
    assert any(line.split()[:4] == ["kv@strict", "7", "7", "85.7"] for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("records", "line", "values"),
    [
        ([{"id": "json_kv-4k-0-plain-0", "label": "yes"}], ":1", ("label", "'yes'")),
        ([{"id": "json_kv-4k-0-plain-0"}], ":1", ("label", "None")),
        ([{"id": "json_kv-4k-0-plain-0", "label": 1e999}], ":1", ("label", "inf")),
        ([{"id": "x", "label": 1}, {"id": "x", "label": 0}], ":2", ("id 'x'",)),
        ([{"id": "x", "label": 1}], "", ()),
        ([{"label": 1}], ":1", ("id",)),
    ],
)
def test_labels_that_cannot_be_used_are_said(
    tmp_path: Path, scored: Path, records: list[dict[str, Any]], line: str, values: tuple[str, ...]
) -> None:
    labels = written(tmp_path / "people.jsonl", *records)
    with refused(ReleaseError, f"people.jsonl{line}", *values):
        agreement_of.compare_with_people(labels, scored, tmp_path / "found.json")
    assert not (tmp_path / "found.json").exists()
