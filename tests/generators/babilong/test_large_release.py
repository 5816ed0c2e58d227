"""A release whose questions have the words of `large`: refused without the right background, else verified to the last row."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from generators.babilong.oracle import labels
from haymaker.core.errors import ParamsError
from pipelines.project import Project
from tests.errors import refused
from tests.extras import LONG
from tests.pipelines import tiny

TASKS = [f"qa{n}" for n in (range(1, 21) if os.environ.get(LONG) else (3, 8, 19, 20))]
LARGE = {
    "sources.stories.vocabulary": "large",
    "sources.stories.tasks": TASKS,
    "sources.stories.questions": {"test": 12},
    "suites.babilong.tasks": {task: {"lengths": {"4k": 2}} for task in TASKS}
    | {"qa3": {"lengths": {"0k": 2, "8k": 2}}},
}
CLEAN = "corpora.books.clean.decontaminate"


def test_a_corpus_that_keeps_lookalikes_is_refused(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, **LARGE)
    line = tiny.one_line(tiny.haymaker(project.root, "plan"))
    assert line.endswith(
        "corpora.books.clean.decontaminate: questions of 'stories' use the vocabulary large, but the corpus keeps "
        "sentences that look like theirs. Next: add babi_large"
    )
    assert not project.data.exists()
    tiny.write_params(tmp_path, tiny.params(**LARGE | {CLEAN: ["babi"]}))
    with refused(ParamsError, "params.yaml: params.yaml: corpora.books.clean.decontaminate", fix="babi_large"):
        Project(tmp_path).suites()
    tiny.write_params(tmp_path, tiny.params(**LARGE | {CLEAN: ["babi_large"]}))
    assert Project(tmp_path).suites()


def test_every_task_is_built_and_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    project = tiny.make(tmp_path, **LARGE | {CLEAN: ["babi_large"]})
    tiny.run(project)
    report = json.loads((project.reports / "validate.json").read_text())
    assert report["failures"] == 0
    assert {report["checked"][name] for name in ("ORACLE", "VERBATIM", "STRICT")} == {2 * len(TASKS) + 2}
    for task in TASKS:
        length = "8k" if task == "qa3" else "4k"
        for row in pq.read_table(project.release / f"data/babilong/{task}/{length}").to_pylist():
            notes, at = json.loads(row["metadata"]), row["answer_index"]
            assert notes["vocabulary"] == "large" and row["choices"] == list(labels(task, "large"))
            assert row["choices"][at] == row["answers"][0] if at is not None else "," in row["answers"][0]
            assert set(notes["supporting"]) <= set(notes["evidence"])
