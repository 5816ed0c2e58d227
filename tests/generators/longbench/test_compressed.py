"""Compressed contexts of LongBench's question sets: a row of the set with the best chunks in place of its text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import generators.longbench as longbench
from corpora.retrieval.packing import Chunk
from generators.compressed import kept, task
from generators.longbench.suite import SUITE
from generators.suite import ReleaseSuite
from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rows.schema import Span
from tests.corpora.retrieval import small_models
from tests.extras import needs
from tests.generators import kit
from tests.generators.documents import small as texts
from tests.generators.kit import Built, context, metadata, refused, rows_of, task_rows
from tests.generators.passages import small
from tests.haymaker.test_sample import sample

NOTE = read_yaml(task.Compressed.prompts)["en"]["note"]
WORDS = read_yaml(Path(longbench.__file__).parent / "documents.yaml")
HEADING = re.compile(r"Document \[\d+\]|\*\*\*\n\n\[.*?\]")
MINILM = {"model": "minilm", "dimensions": 384}
WHOLE: dict[str, Any] = {
    "qasper": {"documents": "books", "lengths": {"natural": 4, "32k": 2}},
    "hotpotqa": {"retrieval_set": "hop", "lengths": {"natural": 4}},
}
SHORT: dict[str, Any] = {
    "qasper_b": {"base": "qasper_compressed", "rows_of": "qasper", "lengths": {"natural": 4}},
    "qasper_long": {
        "base": "qasper_compressed", "rows_of": "qasper", "whole": "32k", "chunk_words": 500, "chunks": 3, "lengths": {"natural": 2},
    },
    "hotpotqa_b": {"base": "hotpotqa_compressed", "rows_of": "hotpotqa", "chunk_words": 60, "chunks": 3, "lengths": {"natural": 4}},
}  # fmt: skip


def release(folder: Path, whole: dict[str, Any] = WHOLE, **tasks: Any) -> ReleaseSuite:
    return kit.suite(SUITE.tasks, folder, {**whole, **tasks}, small.TOKENIZERS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("compressed")
    made = [texts.document("test", number) for number in range(1, 7)]
    questions = [question for _, asked in made for question in asked]
    texts.write(written, [document for document, _ in made], questions, name="books", tokenizers=small.TOKENIZERS)
    hops: dict[str, Any] = {"golds": 2, "kind": "bridge", "answers": ["Vuqe Zz"], "answer_groups": []}
    small.write(written, "hop", [replace(small.question("test", i, 60, **hops), shown=5) for i in range(4)], shown=True)
    return written


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    return release(folder, **SHORT)


@pytest.mark.parametrize("name", sorted(SHORT))
def test_a_row_is_the_whole_row_with_the_best_chunks_in_the_order_of_the_text(
    suite: ReleaseSuite, built: Built, name: str
) -> None:
    settings = suite.entries[name].settings
    whole, rows = {row["id"]: row for row in task_rows(built, settings.rows_of)}, task_rows(built, name)
    findings = kit.findings_of(suite, rows)
    assert findings.failures == [] and findings.checked["VERBATIM"] == findings.checked["STRICT"] == len(rows) > 1
    for row in rows:
        told = metadata(row)
        base = whole[told["whole"]]
        text, start, end = base["prompt"], base["context_start"], base["context_end"]
        before = row["prompt"][: row["context_start"]]
        assert before.replace(f" {NOTE}", "", 1) == of_parts(text[:start]) and NOTE in before
        assert row["prompt"][row["context_end"] :] == of_parts(text[end:])
        assert "unanswerable" not in before + row["prompt"][row["context_end"] :]
        starts = [start + first for first, _ in told["chunks"]]
        assert starts == sorted(starts) and len(starts) == len(row["spans"]) > 1
        for at, span in zip(starts, row["spans"], strict=True):
            shown = row["prompt"][span["start"] : span["end"]]
            assert text[at:].lstrip().startswith(shown)
            assert heading(row["prompt"], span["start"]) == heading(text, at + text[at:].find(shown))
        assert row["group_id"] == base["group_id"] and row["metrics"] == base["metrics"]
        assert row["variant"] == f"bm25-{settings.chunk_words}x{settings.chunks}"
        assert row["prompt_tokens"] < base["prompt_tokens"]


def test_chunks_of_a_text_that_was_cut_are_those_of_the_row_in_the_words_for_parts(tmp_path: Path) -> None:
    """Another wording leaves another number of tokens for the text."""
    made = [texts.document("test", number) for number in range(2, 7)]
    questions = [question for _, asked in made for question in asked]
    texts.write(tmp_path, [document for document, _ in made], questions, name="books", tokenizers=small.TOKENIZERS)
    entry = SHORT["qasper_long"] | {"whole": "16k", "lengths": {"natural": 6}}
    cut = release(tmp_path, {"qasper": {"documents": "books", "lengths": {"16k": 6}}}, qasper_cut=entry)
    findings = kit.findings_of(cut, [row for row in rows_of(cut) if row["task"] == "qasper_cut"])
    assert findings.failures == [] and findings.checked["VERBATIM"] == 6


def of_parts(words: str) -> str:
    """The words around a paper as they are around parts of it."""
    for place in ("one", "several", "again"):
        words = words.replace(WORDS["paper"][place], WORDS["paper_parts"][place])
    return words


def heading(text: str, at: int) -> str:
    """The last one that is opened up to a place."""
    return next((found[0] for found in reversed(list(HEADING.finditer(text))) if found.start() <= at), "")


def test_a_question_that_its_text_does_not_answer_is_not_asked_of_parts(tmp_path: Path) -> None:
    document, questions = texts.document("test", 6)
    first, *others = questions
    changed = [replace(first, answers=("Unanswerable",), evidence=()), *others]
    texts.write(tmp_path, [document], changed, name="books", tokenizers=small.TOKENIZERS)
    short = release(tmp_path, {"qasper": WHOLE["qasper"]}, qasper_b=SHORT["qasper_b"])
    left_out = {}
    for name in ("qasper", "qasper_b"):
        asked = short.task(name)
        every = map(asked.pool("test").candidate, range(asked.pool("test").count or 0))
        left_out[name] = [each.key for each in every if asked.rejection_reason(each)]
    assert left_out == {"qasper": [], "qasper_b": [f"books-{first.question_id}"]}


def test_a_row_that_loses_nothing_says_nothing_of_a_search(folder: Path, built: Built) -> None:
    made = release(folder, all_b=SHORT["qasper_b"] | {"chunks": 10_000})
    whole = {row["id"]: row["prompt"] for row in task_rows(built, "qasper")}
    rows = rows_of(made, made.tables()[-1])
    assert len(rows) == 4 and all(metadata(row)["all"] for row in rows)
    assert [row["prompt"] for row in rows] == [whole[metadata(row)["whole"]] for row in rows]
    assert kit.findings_of(made, rows).failures == []


def test_what_survived_is_counted(suite: ReleaseSuite, built: Built) -> None:
    known, whole = 0, {row["id"]: row for row in task_rows(built, "qasper")}
    for row in task_rows(built, "qasper_b"):
        told = metadata(row)
        golds = kit.said(whole[told["whole"]], "gold")
        known += len(golds)
        assert told.get("evidence", 0) == len(golds)
        assert told.get("evidence_kept", 0) == sum(gold in context(row) for gold in golds)
    assert known > 0
    natural = {table.task: rows for table, rows in built.items() if table.length == "natural"}
    figures = suite.measures(lambda table: natural[table.task] if table.length == "natural" else [])["compressed"]
    assert figures["hotpotqa_b"]["natural"].keys() >= {"evidence_characters", "evidence_kept"}


TOLD = "Ada came at 3. Bo left in 1936, yes. Cy saw 1936 and 3 ships. Di came to Rome."


@pytest.mark.parametrize(
    ("gold", "answers", "shown", "said"),
    [
        ("Bo left in 1936, yes.", ["1936"], ["Bo left in 1936, yes."], True),
        ("Bo left in 1936, yes.", ["1936"], ["Cy saw 1936 and 3 ships."], False),  # elsewhere it answers nothing
        ("Bo left in 1936, yes.", ["yes"], ["Bo left in 1936, yes."], None),
        ("Ada came at 3.", ["3"], ["Ada came at 3."], None),
        ("Ada came at 3.", ["Rome"], ["Di came to Rome."], None),  # the evidence says it in other words
        ("", ["Rome"], ["Di came to Rome."], True),
        ("", ["Rome"], ["Ada came at 3."], False),
        ("", ["1936"], ["Cy saw 1936 and 3 ships."], None),  # nobody knows which of the two answers
    ],
)
def test_an_answer_is_kept_where_it_answers(gold: str, answers: list[str], shown: list[str], said: bool | None) -> None:
    at = TOLD.index(gold)
    spans = [Span(at, at + len(gold), "gold")] if gold else []
    whole = replace(sample([*spans]), prompt=TOLD.encode(), context_end=len(TOLD), answers=answers)
    found = [Chunk(TOLD.index(each), TOLD.index(each) + len(each)) for each in shown]
    assert kept.survived(whole, TOLD, found).get("answer_kept") == said


def test_a_damaged_row_is_found(suite: ReleaseSuite, built: Built) -> None:
    row, maker = task_rows(built, "qasper_b")[0], suite.task("qasper_b")
    chunks = metadata(row)["chunks"]
    injuries: list[tuple[kit.Injury, str]] = [
        (lambda r: kit.put(r, r["context_start"] + 40, "#"), "the context is not made of chunks"),
        (lambda r: r["spans"].pop(0), "the spans are not the chunks"),
        (lambda r: r.update(prompt=r["prompt"].replace("[...]", "(...)")), "without a mark"),
        (lambda r: kit.note(r, chunks=chunks + chunks[:1]), "a piece of the text appears twice"),
        (lambda r: r.update(group_id="none"), "the question differs from the other task"),
    ]
    for injure, message in injuries:
        kit.assert_named(maker, row, injure, message)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"rows_of": "hotpotqa"}, "'hotpotqa' is not an entry of task qasper"),
        ({"lengths": {"32k": 2}}, "use natural, and set whole: 32k"),
        ({"retriever": "dense"}, "needs a model"),
        ({"dense": MINILM}, "has a model that retriever: bm25 does not use"),
    ],
)
def test_mistakes_are_one_line(folder: Path, given: dict[str, Any], error: str) -> None:
    assert error in refused(ParamsError, release, folder, qasper_b={**SHORT["qasper_b"], **given})


def test_dense_is_left_out_with_one_line_where_its_libraries_are_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "_LIBRARIES", ("no_such_library",))
    made = release(folder, **SHORT, qasper_d={**SHORT["qasper_b"], "retriever": "dense", "dense": MINILM})
    assert made.left_out == {
        "qasper_d": 'dense retrieval needs no_such_library: pip install -c constraints.txt --editable ".[embed-cpu]"'
    }
    assert "qasper_d" not in {table.task for table in made.tables()}


@needs("embed-cpu", "torch", "sentence_transformers")
def test_a_model_ranks_the_chunks(folder: Path, tmp_path: Path) -> None:
    """Of random weights: which chunks it finds best is nothing to this test."""
    dense = {"model": str(small_models.encoder(tmp_path / "model")), "dimensions": 16}
    made = release(folder, qasper_d={**SHORT["qasper_b"], "retriever": "dense", "dense": dense})
    rows = rows_of(made, made.tables()[-1])
    assert kit.findings_of(made, rows).failures == []
    assert [row["variant"] for row in rows] == ["dense-200x7"] * 4


def test_whatever_changes_the_whole_rows_builds_the_compressed_ones_again(folder: Path) -> None:
    again = release(folder, **SHORT)
    table = next(table for table in again.tables() if table.task == "qasper_b")
    before, base = again.fingerprint(table), again.task("qasper_b").base
    base.spec = replace(base.spec, language="zh")
    assert again.fingerprint(table) != before
