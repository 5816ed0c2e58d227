"""Two tasks of a suite ask the same questions: `validate` fails, unless one is a variant of the other."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from generators.suite import ReleaseSuite
from haymaker.core.rows.row_checks import Check
from pipelines.checks.repeated_questions import mark
from pipelines.checks.row_checks import Findings, RowChecks, across
from tests.generators.documents import small
from tests.generators.kit import by_table

ENTRY: dict[str, Any] = {"lengths": {"4k": 4}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same documents and questions under two names."""
    written = tmp_path_factory.mktemp("documents")
    small.write(written, *small.collection())
    copytree(written / "documents/books", written / "documents/papers")
    return written


def found(suite: ReleaseSuite) -> Findings:
    checks, findings = RowChecks(suite, suite.inputs.tokenizers, lambda row, index: False), Findings()
    for rows in by_table(suite).values():
        for row in rows:
            checks.remember(row, findings)
    across(findings, [suite])
    return findings


def test_the_same_questions_under_two_names_are_found(folder: Path) -> None:
    tasks = {"narrativeqa": {"documents": "books", **ENTRY}, "infbench_qa_eng": {"documents": "papers", **ENTRY}}
    findings = found(small.suite(folder, tasks))
    assert findings.failed == {Check.UNIQUE.name: 1}
    (line,) = findings.failures
    assert line.startswith("UNIQUE: helmet/infbench_qa_eng: ") and "questions are also questions of narrativeqa" in line


def test_variants_and_different_questions_are_not(folder: Path) -> None:
    base = {"documents": "books", **ENTRY}
    tasks = {
        "narrativeqa": base, "infbench_qa_eng": base, "infbench_sum_eng": {"documents": "books", "lengths": {"8k": 2}},
        "narrativeqa_among": {"base": "narrativeqa", "distractor_documents": True, **base},
    }  # fmt: skip
    assert found(small.suite(folder, tasks)).failures == []


def row(question: str, answer: str, **more: Any) -> dict[str, Any]:
    given = {"question": question, "answers": [answer], "choices": [], "answer_index": None, "answer_groups": None}
    return {**given, "prompt": "", "spans": [], **more}


def test_what_makes_a_question_the_same() -> None:
    evidence = {"prompt": "Ann hid it. Ben saw it.", "spans": [{"start": 0, "end": 11, "kind": "gold"}]}
    other = {"prompt": "Ann hid it. Ben saw it.", "spans": [{"start": 12, "end": 23, "kind": "gold"}]}
    plain = mark(row("Who hid it?", "Ann"))
    assert mark(row("who hid it", "ann")) == plain, "not case and punctuation"
    assert mark(row("Who hid it?", "B", choices=["Ben", "Ann"], answer_index=1)) == plain, "as a choice too"
    assert mark(row("Who hid it?", "Ben")) != plain != mark(row("Who saw it?", "Ann"))
    assert mark(row("Who hid it?", "Ann", **evidence)) != mark(row("Who hid it?", "Ann", **other))
    summary = " ".join(f"word{n}" for n in range(30))
    assert mark(row("Sum up in 30 words.", summary)) == mark(row("Write an abstract.", summary)), "whatever the request"
