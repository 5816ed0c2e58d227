"""Real questions among real passages, from the mirror's files to verified rows with the grades of the judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.pipelines import tiny

CHANGES: dict[str, Any] = {
    "sources": {"msmarco": {"kind": "msmarco_mirror"}},
    "corpora": {},
    "passages": {"web": {"source": "msmarco", "titles": False}},
    "indexes": {"web": {"lexical": {}, "dense": None}},
    "retrieval_sets": {
        "dl19": {
            "questions": "msmarco", "set": "dl19", "passages": "web", "retriever": "lexical",
            "count": {"test": 3, "train": 5}, "top_k": 300, "num_negatives": 200,
        },
    },
    "suites": {"helmet": {"tasks": {"msmarco_rerank": {"retrieval_set": "dl19", "lengths": {"4k": 6, "8k": 6}}}}},
}  # fmt: skip


@pytest.mark.real
def test_real_grades_come_from_the_judges(tmp_path: Path, mirror: Path) -> None:
    project = tiny.make(tmp_path, **CHANGES)
    tiny.run(project)
    report = json.loads((project.reports / "validate.json").read_text())
    assert (report["rows"], report["failures"]) == (12, 0)
    lines = (mirror / "msmarco/trec/qrels.dl19-passage.txt").read_text().splitlines()
    judged = {(qid, pid): int(grade) for qid, _, pid, grade in map(str.split, lines)}
    for file in (project.release / "data/helmet/msmarco_rerank").rglob("test-*.parquet"):
        for row in pq.read_table(file).to_pylist():
            topic = row["group_id"].rpartition("-")[2]
            grades = json.loads(row["metadata"])["qrels"]
            assert not set(grades) & set(row["doc_ids"]), "numbers of their own"
            assert [judged.get((topic, pid), 0) for pid in row["doc_ids"]] == list(grades.values())
            assert max(grades.values()) >= 2
