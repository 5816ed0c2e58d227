"""Made-up tasks, shots and documents from source to card: every row verified and scored, the bytes of its version."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.files.disk import read_json
from haymaker.core.rows.parquet import read_row_groups
from haymaker.scoring.metrics import get
from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny, tiny_generated

GOLDEN = Path(__file__).parents[1] / "golden/generated.json"
CHANCE = {  # share of rows that the answer of another group may get; the others get next to nothing
    "infbench_choice_eng": 0.5,
    "icl_natural": 0.5,
    "icl_aggregate": 0.4,
    "niah_unanswerable": 0.5,
    "infbench_sum_eng": 0.8,
    "graphwalks_path_length": 0.4,
}


@pytest.fixture(scope="module")
def finished(once: Once) -> Project:
    """The finished release; to be read only."""
    return Project(once("made", lambda root: tiny.run_alone(tiny_generated.make(root))))


def rows(project: Project) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for file in sorted((project.release / "data").rglob("*.parquet")):
        task, length = file.parts[-3:-1]
        found[task, length] = [row for table in read_row_groups(file) for row in table.to_pylist()]
    return found


def test_every_row_is_there_and_verified(finished: Project) -> None:
    report = read_json(finished.reports / "validate.json")
    assert (report["rows"], report["failures"]) == (sum(tiny_generated.ROWS.values()), 0)
    for suite, count in tiny_generated.ROWS.items():
        assert read_json(finished.reports / f"tables/{suite}.json")["counts"]["rows"] == count
    assert report["checked"]["recounted"] == report["rows"]
    assert (
        report["checked"]["ORACLE"] == tiny_generated.ROWS["synthetic"] + tiny_generated.ROWS["frontier"] + 15
    )  # and the counting of labels
    assert {"NESTED", "STRICT", "VERBATIM", "UNIQUE", "FILL"} <= report["checked"].keys()


def test_stored_answers_score_100_empty_ones_0_those_of_others_by_chance(finished: Project) -> None:
    shuffled: dict[str, list[float]] = defaultdict(list)
    for (task, _), found in rows(finished).items():
        for name in found[0]["metrics"]:
            metric = get(name)
            if not name.endswith("@strict") or metric.needs_model:
                continue
            scored = [row for row in found if not metric.lacks(row)]
            assert [metric.function(row["answers"][0], row) for row in scored] == [1.0] * len(scored), (task, name)
            assert [metric.function("", row) for row in scored] == [0.0] * len(scored), (task, name)
            others = {row["group_id"]: row["answers"][0] for row in scored}
            for row in scored:
                wrong = [answer for group, answer in others.items() if group != row["group_id"]]
                shuffled[task] += [metric.function(answer, row) for answer in wrong]
    means = {task: sum(scores) / len(scores) for task, scores in shuffled.items()}
    assert {task: mean for task, mean in means.items() if mean > CHANCE.get(task, 0.15)} == {}


def now(project: Project) -> dict[str, dict[str, str]]:
    """Digests by the key of versions.yaml that stands for the code behind them, in the order of the pipeline."""
    files = read_json(project.reports / "validate.json")["files"]
    return {
        "sources.simulated_utterances": tiny.digests(project.root, "data/raw/said"),
        "sources.simulated_documents": tiny.digests(project.root, "data/raw/files"),
        "labelled": tiny.digests(project.root, "data/classification_sets"),
        "documents": tiny.digests(project.root, "data/documents"),
        "generate.helmet": {n: f["logical_digest"] for n, f in files.items() if n.startswith("helmet/")},
        "generate.frontier": {n: f["logical_digest"] for n, f in files.items() if n.startswith("frontier/")},
        "generate.synthetic": {n: f["logical_digest"] for n, f in files.items() if n.startswith("synthetic/")},
    }


def test_bytes_change_only_with_their_version(finished: Project) -> None:
    for part, digests in now(finished).items():
        tiny.hold_golden(GOLDEN, part, digests, "tests/pipelines/test_generated_release.py")
