"""multifieldqa_zh and vcsum: the released Chinese documents, alone and among others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpora.tokenizers import tokenizer
from pipelines.project import Project
from tests.extras import LONG
from tests.generators.kit import by_table, findings_of
from tests.pipelines import tiny

KIND = "longbench_zh_mirror"
LENGTHY = {"multifieldqa_zh": {"natural": 100, "16k": 40, "128k": 10}, "vcsum": {"natural": 5, "64k": 5, "512k": 2}}
FEW = {"multifieldqa_zh": {"natural": 10, "16k": 4, "128k": 1}, "vcsum": {"natural": 3, "64k": 2}}
LENGTHS = LENGTHY if os.environ.get(LONG) else FEW


@pytest.mark.real
@pytest.mark.parametrize(("name", "other"), [("multifieldqa_zh", "vcsum"), ("vcsum", "multifieldqa_zh")])
def test_released_chinese_documents(tmp_path: Path, mirror: Path, name: str, other: str) -> None:
    """Rows of every length are held to every check, counted exactly, and Chinese from the first word to the cue."""
    pytest.importorskip("jieba", reason="NOT RUN: jieba is not installed")
    clean = {"splitter": "cjk", "emphasis": False}
    made = {"source": "given", "set": name, "clean": clean, "distractor_sets": [other]}
    project = tiny.make(tmp_path / "p", sources={"given": {"kind": KIND}}, corpora={}, documents={"made": made}, mirror=str(mirror), suites={"longbench": {"tasks": {name: {"documents": "made", "lengths": LENGTHS[name]}}}})  # fmt: skip
    tiny.run(project, "download", "prepare")
    suite = next(suite for suite in Project(project.root).suites() if suite.name == "longbench")
    rows = {t.length: found for t, found in by_table(suite).items()}
    assert findings_of(suite, [row for table in rows.values() for row in table]).failures == []
    count = tokenizer.load("tekken").count
    for row in [row for table in rows.values() for row in table[::7]]:
        assert row["prompt_tokens"] == count(row["prompt"]) and row["language"] == "zh"
        assert row["prompt"].startswith("下面是") and row["prompt"].endswith("：")
        assert (row["question"] or "概要") in row["prompt"]
