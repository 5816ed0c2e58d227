"""HELMET's tasks from article to card: how many rows, the same bytes as ever, and mined files that need nothing else."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from haymaker.core.files.disk import read_json
from haymaker.core.rows.parquet import open_writer, read_row_groups
from haymaker.core.rows.schema import arrow_schema
from pipelines import stages
from pipelines.execution.worker_state import payload
from pipelines.project import Project
from pipelines.stages import records
from pipelines.stages.validate import check_file
from tests.extras import Once
from tests.pipelines import tiny, tiny_passages

GOLDEN = Path(__file__).parents[1] / "golden/passages.json"
PARTS = ("sources.simulated_encyclopaedia", "passages", "index", "mined", "generate.helmet")


@pytest.fixture(scope="module")
def finished(once: Once) -> Project:
    """The finished release; to be read only."""
    return Project(once("passages", lambda root: tiny.run_alone(tiny_passages.make(root))))


def rows(project: Project, task: str, length: str, suite: str = "helmet") -> list[dict[str, Any]]:
    files = sorted((project.release / "data" / suite / task / length).glob("test-*.parquet"))
    return [row for file in files for table in read_row_groups(file) for row in table.to_pylist()]


def test_exactly_the_rows_that_were_asked_for(finished: Project) -> None:
    asked = tiny_passages.ROWS
    assert {(task, length): len(rows(finished, task, length)) for task, length in asked} == asked
    report = json.loads((finished.reports / "validate.json").read_text())
    assert (report["failures"], report["rows"]) == (0, 3 + sum(asked.values()) + 15)
    assert report["checked"]["CLEAN"] == 52 - 9 + 15


def test_gold_at_six_depths_and_nothing_twice(finished: Project) -> None:
    """In RULER's qa_1 and qa_2 too; another row of the same question is another place (docs/defects/synthetic.md A5 #1)."""
    for length in ("4k", "16k"):
        found = rows(finished, "kilt_nq", length)
        assert Counter(row["depth_index"] for row in found) == dict.fromkeys(range(6), 2)
        for row in found:
            assert abs(row["depth"] - row["depth_index"] / 5) <= 0.5 / (row["num_segments"] - 1) + 1e-6
            assert len(set(row["doc_ids"])) == row["num_segments"] == row["num_unique_segments"]
    for task, length, points in (("qa_1", "4k", 6), ("qa_1", "16k", 6), ("qa_2", "4k", 3)):
        found = rows(finished, task, length, "synthetic")
        kinds = [[span["kind"] for span in row["spans"] if span["kind"] in ("gold", "distractor")] for row in found]
        places = [tuple(at for at, kind in enumerate(each) if kind == "gold") for each in kinds]
        assert len(found) == len(set(places)) == points
        assert len({row["group_id"] for row in found}) == 1 and not any(row["fewshot_ids"] for row in found)


def now(project: Project) -> dict[str, dict[str, str]]:
    """Digests by the key of versions.yaml that stands for the code behind them."""
    files = json.loads((project.reports / "validate.json").read_text())["files"]
    digests = {
        "sources.simulated_encyclopaedia": tiny.digests(project.root, "data/raw/world"),
        "passages": tiny.digests(project.root, "data/corpora/encyclopaedia"),
        "index": tiny.digests(project.root, "data/indexes/encyclopaedia"),
        "mined": tiny.digests(project.root, "data/retrieval_sets"),
        "generate.helmet": {n: facts["logical_digest"] for n, facts in files.items() if n.startswith("helmet/")},
    }
    assert tuple(digests) == PARTS
    return digests


@pytest.mark.parametrize("part", PARTS)
def test_bytes_change_only_with_their_version(finished: Project, part: str) -> None:
    tiny.hold_golden(GOLDEN, part, now(finished)[part], "tests/pipelines/test_passages_release.py")


def test_mined_files_alone_give_the_same_rows(finished: Project, tmp_path: Path) -> None:
    alone = tiny_passages.make(tmp_path / "alone", **{"suites.babilong": None, "suites.synthetic": None})
    for folder in ("retrieval_sets", "tokenizers"):
        shutil.copytree(finished.data / folder, alone.data / folder)
    stages.run(alone, "generate")
    assert tiny.digests(alone.root, "data/releases/tiny/data/helmet") == tiny.digests(
        finished.root, "data/releases/tiny/data/helmet"
    )
    noted = read_json(alone.reports / "tables/helmet.json")
    assert set(noted["sources"]) == {"world"}
    assert set(noted["retrieval_sets"]) == set(tiny_passages.CHANGES["retrieval_sets"])


def test_a_stage_leaves_what_was_asked_for_and_nothing_else(finished: Project, tmp_path: Path) -> None:
    mine = Project(shutil.copytree(finished.root, tmp_path / "mine"))
    shutil.rmtree(mine.work / "locks")
    before = tiny.digests(mine.root, "data")
    for name in ("retrieval_sets/old.parquet", "indexes/old/index.json", "counts/retrieve/retrieval_sets/old/counts.json",
                 "reports/tiny/tables/gone.json", "releases/tiny/data/gone/a/4k/test-00000-of-00001.parquet"):  # fmt: skip
        (mine.data / name).parent.mkdir(parents=True, exist_ok=True)
        (mine.data / name).write_bytes(b"{}")
    tiny.run(mine, "retrieve", "generate")
    shutil.rmtree(mine.work / "locks")
    assert tiny.digests(mine.root, "data") == before
    noted = records.read(mine, "retrieve") or {}
    kinds = ("indexes", "retrieval_sets")
    assert noted["inputs"].keys() == {f"{kind}/{name}" for kind in kinds for name in tiny_passages.CHANGES[kind]}
    assert noted["files"]["data/retrieval_sets/nq.parquet"] == mine.inputs.mined("nq").digest


def test_an_alias_in_a_distractor_fails_validation(finished: Project, tmp_path: Path) -> None:
    """Put another question's answer among the accepted ones: the verification's own matcher finds it in the distractors."""
    mine = tiny.copy(finished.root, tmp_path / "mine")
    name = "helmet/kilt_nq/4k/test-00000-of-00001.parquet"
    path = mine.release / "data" / name
    changed = pq.read_table(path).to_pylist()
    row = changed[0]
    span = next(s for s in row["spans"] if s["kind"] == "distractor")
    said = row["prompt"][span["start"] : span["end"]].split()
    threes = (" ".join(said[at : at + 3]) for at in range(len(said)))
    row["answers"] = [*row["answers"], next(three for three in threes if row["prompt"].count(three) == 1)]
    path.unlink()
    with open_writer(path, 1) as writer:
        writer.write_table(pa.Table.from_pylist(changed, schema=arrow_schema()))
    found = check_file(payload(Project(mine.root), file=name, sha256=None), tmp_path)
    assert found["failed"]["CLEAN"] == 1
    assert any(line.startswith("CLEAN: ") and "distractor" in line for line in found["failures"])
