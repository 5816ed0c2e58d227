"""Real questions among real passages, from the mirror's files to verified rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.stores.passages.store import Passages
from haymaker.core.rows.parquet import read_row_groups
from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny

pytestmark = [pytest.mark.real, pytest.mark.slow]  # test_helmet_release.py builds from the mirror's texts by default

CHANGES: dict[str, Any] = {
    "sources": {name: {"kind": f"{name}_mirror"} for name in ("wikipedia", "nq", "msmarco")},
    "corpora": {},
    "passages": {"wiki": {"source": "wikipedia"}, "web": {"source": "msmarco", "titles": False}},
    "indexes": {"wiki": {"lexical": {}, "dense": None}, "web": {"lexical": {}, "dense": None}},
    "retrieval_sets": {
        "nq": {
            "questions": "nq", "set": "nq", "passages": "wiki", "retriever": "lexical",
            "count": {"test": 3, "train": 5}, "top_k": 600, "num_negatives": 400,
        },
        "dl19": {
            "questions": "msmarco", "set": "dl19", "passages": "web", "retriever": "lexical",
            "count": {"test": 3, "train": 5}, "top_k": 500, "num_negatives": 400,
        },
    },
    "suites": {
        "helmet": {
            "tasks": {
                "kilt_nq": {"retrieval_set": "nq", "lengths": {"4k": 18}},
                "msmarco_rerank": {"retrieval_set": "dl19", "lengths": {"4k": 6}},
            }
        },
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(mirror: Path, once: Once) -> Project:
    """The finished release; to be read only."""
    return Project(once("real passages", lambda root: tiny.run_alone(tiny.make(root, **CHANGES))))


def rows(project: Project, task: str, length: str) -> list[dict[str, Any]]:
    files = sorted((project.release / "data/helmet" / task / length).glob("test-*.parquet"))
    return [row for file in files for table in read_row_groups(file) for row in table.to_pylist()]


def test_every_row_is_verified(finished: Project) -> None:
    report = json.loads((finished.reports / "validate.json").read_text())
    assert (report["rows"], report["failures"], report["checked"]["CLEAN"]) == (18 + 6, 0, 18)


def test_the_store_holds_the_slice_without_its_duplicates(finished: Project) -> None:
    """Passages that a source has are kept as they are."""
    store = Passages(finished.data / "corpora/wiki")
    assert (len(store), store.meta["totals"]["articles"], store.by_id("1")) == (30_109, 0, 0)
    assert store.meta["dropped"] == {"duplicate": 87, "mended": 34}
    raw = (finished.inputs.raw("wikipedia") / "psgs_w100.tsv").read_text(encoding="utf-8").split("\n")[1].split("\t")
    assert [store.passage(0).text, store.passage(0).title] == [raw[1].strip('"').replace('""', '"'), raw[2]]


def test_real_grades_come_from_the_judges(finished: Project, mirror: Path) -> None:
    lines = (mirror / "msmarco/trec/qrels.dl19-passage.txt").read_text().splitlines()
    judged = {(qid, pid): int(grade) for qid, _, pid, grade in map(str.split, lines)}
    for row in rows(finished, "msmarco_rerank", "4k"):
        topic = row["group_id"].rpartition("-")[2]
        grades = json.loads(row["metadata"])["qrels"]
        assert not set(grades) & set(row["doc_ids"]), "numbers of their own"
        assert [judged.get((topic, pid), 0) for pid in row["doc_ids"]] == list(grades.values())
        assert max(grades.values()) >= 2
