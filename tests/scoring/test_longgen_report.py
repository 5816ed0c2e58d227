"""`haymaker score --aggregate longgenbench` on a small release written here: its tables, its JSON, and what a judge is asked for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from haymaker.core.rows.schema import Demand, Sample
from haymaker.evaluation.score import longgen_table, run, table
from haymaker.evaluation.score.judge_prompts import write_judge_prompts
from haymaker.evaluation.score.options import ScoringOptions
from tests.scoring.longgen_rows import EVENTS, bodies, joined, row
from tests.scoring.test_scorecard import Printed, Release, sample

METRICS = ("longgen_stic@strict", "longgen_cr@strict", "longgen_stic@official", "longgen_cr@official")
WISH = ScoringOptions(aggregate="longgenbench")
ROW = row()


class Screen(Printed):
    """What this report prints, with what it says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(monkeypatch)
        monkeypatch.setattr(longgen_table, "out", table.out)
        monkeypatch.setattr(longgen_table, "say", self.said.append)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    return Screen(monkeypatch)


def samples() -> Iterator[Sample]:
    checks = [Demand(kind, text, indices) for kind, text, indices in EVENTS]
    for task, length, group in (
        ("skyscraper", "4k", 0),
        ("skyscraper", "4k", 1),
        ("skyscraper", "8k", 0),
        ("city", "4k", 0),
    ):
        yield sample(
            task, length, group, METRICS, ["Floor 2: a library of old maps"], suite="longgenbench", length_of="output",
            output_constraints=checks, metadata=ROW["metadata"],
        )  # fmt: skip
    yield sample("kv", "4k", 0, ("kv@strict",), ["x"])


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(tmp_path, samples())


def outputs(release: Release) -> dict[str, str]:
    """Whole, half, whole, and every event everywhere."""
    whole = list(bodies(ROW).items())
    everything = " ".join(text for _, text, _ in EVENTS)
    texts = [whole, whole[:5], whole, [(number, f"{text} {everything}.") for number, text in whole]]
    ids = [row.id for row in release.samples if row.suite == "longgenbench"]
    return {row_id: joined("Floor", text) for row_id, text in zip(ids, texts, strict=True)}


def test_tables_by_our_rule(release: Release, screen: Screen) -> None:
    release.manifest()
    run.show(release.folder, release.outputs(outputs(release) | {"elsewhere": "x"}), WISH)
    assert [line[-1] for line in screen.said] == ["1"]
    lines = screen.lines
    assert lines[0] == "LongGenBench @strict: events judged by the rule; shares in per cent"
    assert lines[1:7] == [
        "task output rows CR STIC-1 STIC-2 wAvg words words (code)",
        "city 4k 1 100.0 100.0 100.0 100.0 298 -",
        "skyscraper 4k 2 75.0 100.0 85.7 64.3 168 -",
        "skyscraper 8k 1 100.0 100.0 100.0 100.0 168 -",
        "all 4k 3 83.3 100.0 90.5 75.4 233 -",
        "all all 4 87.5 100.0 92.9 81.2 211 -",
    ]
    assert "skyscraper 4k 100.0 100.0 100.0 100.0 100.0 100.0 66.7" in lines
    precise = next(line for line in lines if line.startswith("task output precise"))
    city = lines[lines.index(precise) + 1].split()
    assert city[:5] == ["city", "4k", "17.5", "100.0", "100.0"]
    assert city[6:] == ["100.0", "0", "0", "0"]
    assert "skyscraper 4k - 100.0 100.0 100.0 100.0 50.0 - - 50.0 -" in lines
    assert lines[-1] == "release small 1.2.3, simulated edition"
    assert not any("agree" in line for line in lines)


def test_an_empty_output_is_no_figure_of_those_that_nobody_judged(release: Release, screen: Screen) -> None:
    """Nothing is there to be judged, so it would be 0 of all that nobody looked at."""
    some = outputs(release)
    empty = dict.fromkeys(list(some)[:1], "")
    release.show(some | empty, aggregate="longgenbench", edition="official")
    every = next(line for line in screen.lines if line.startswith("all all"))
    assert every.split()[4:7] == ["-", "-", "-"]


def test_from_requests_to_the_agreement_of_judge_and_rule(release: Release, screen: Screen, tmp_path: Path) -> None:
    predictions, asked, replied = release.outputs(outputs(release)), tmp_path / "asked", tmp_path / "replied"
    write_judge_prompts(release.folder, predictions, asked)
    requests = [json.loads(line) for line in asked.read_text().splitlines()]
    assert len(requests) == 3 * 7 + 5  # the half has five of its places
    assert {tuple(request) for request in requests} == {("id", "call", "prompt")}
    says = {"stic:1:5": "no", "stic:3:3": "Perhaps."}
    replies = [{"id": r["id"], "call": r["call"], "reply": says.get(r["call"], "Yes"), "judge": "m1"} for r in requests]
    replied.write_text("\n".join(map(json.dumps, replies)))
    file = tmp_path / "figures.json"
    run.show(
        release.folder,
        predictions,
        ScoringOptions(aggregate="longgenbench", edition="official", replies=replied, json_file=file),
    )
    assert "skyscraper 4k 2 75.0 66.7 57.1 42.9 200 -" in screen.lines  # 8 of 12 judged, of 14; words with headers
    assert "m1 and the rule agree on 81.8 % of 22 places:" in " ".join(screen.lines)
    assert "both yes 18, both no 0, only the judge 0, only the rule 4" in " ".join(screen.lines)
    assert "4 replies contain neither yes nor no" in screen.lines
    found = json.loads(file.read_text())
    assert found["agreement"] == {
        "share": 18 / 22, "both_yes": 18, "both_no": 0, "only_judge": 0, "only_rule": 4, "unclear": 4
    }  # fmt: skip
    table = found["tables"][1]
    assert (found["judge"], table["task"], table["length"], table["rows"]) == ("m1", "skyscraper", "4k", 2)
    assert table["places"] == {"told": 8, "judged": 12, "demanded": 14}
    assert table["stic2"] == pytest.approx(8 / 14)
    assert [entry["entry"] for entry in table["entries"]] == [2, 3, 4, 5, 6, 9]
    assert table["wavg"] == pytest.approx(0.75 * 8 / 14)
    run.show(release.folder, predictions, ScoringOptions(metric="longgen_stic@official", replies=replied))
    assert "skyscraper longgen_stic@official by m1 57.1 71.4 3" in screen.lines
