"""multifieldqa_zh and vcsum: the released Chinese documents, alone and among others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipelines.project import Project
from tests.extras import LONG
from tests.generators.kit import findings_of, rows_of
from tests.pipelines import tiny

LENGTHY = {"multifieldqa_zh": {"natural": 100, "16k": 40, "128k": 10}, "vcsum": {"natural": 5, "64k": 5, "512k": 2}}
FEW = {"multifieldqa_zh": {"natural": 6, "16k": 3}, "vcsum": {"natural": 2, "32k": 1}}


@pytest.mark.real
def test_released_chinese_documents(tmp_path: Path, mirror: Path) -> None:
    """Rows of every length are held to every check, counted exactly, and Chinese from the first word to the cue."""
    pytest.importorskip("jieba", reason="NOT RUN: jieba is not installed")
    clean, given = {"splitter": "cjk", "emphasis": False}, {"given": {"kind": "longbench_zh_mirror"}}
    lengths = LENGTHY if os.environ.get(LONG) else FEW
    documents = {name: {"source": "given", "set": name, "clean": clean, "distractor_sets": [other]} for name, other in zip(lengths, reversed(lengths), strict=True)}  # fmt: skip
    suites = {"longbench": {"tasks": {name: {"documents": name, "lengths": lengths[name]} for name in lengths}}}
    project = tiny.make(tmp_path / "p", sources=given, corpora={}, documents=documents, mirror=str(mirror), suites=suites)  # fmt: skip
    tiny.run(project, "download", "prepare")
    suite = next(suite for suite in Project(project.root).suites() if suite.name == "longbench")
    rows = rows_of(suite)
    findings = findings_of(suite, rows)
    assert findings.failures == [] and findings.checked["recounted"] == len(rows)
    for row in rows:
        assert row["language"] == "zh" and (row["question"] or "概要") in row["prompt"]
        assert row["prompt"].startswith("下面是") and row["prompt"].endswith("：")
