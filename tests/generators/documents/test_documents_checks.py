"""The verification of rows on long documents sees what it is there for: each injury to a finished row is named."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from generators.suite import ReleaseSuite
from tests.generators.documents import small
from tests.generators.kit import Injury, Row, assert_named, context, metadata, note, put, spans


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("verification")
    small.write(built, *small.collection({"test": (400, 260, 240), "train": (120, 130, 140)}))
    return built


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    entry = {"documents": "books", "lengths": {"4k": 3}}
    among = {**entry, "distractor_documents": True, "lengths": {"8k": 3}}
    kinds = ("narrativeqa", "infbench_choice_eng", "infbench_sum_eng")
    tasks = {kind: {**entry, "lengths": {"8k": 1} if kind == "infbench_sum_eng" else {"4k": 3}} for kind in kinds}
    return small.suite(folder, tasks | {"among": {"base": "narrativeqa", **among}})


def points(row: Row, **values: Any) -> None:
    """Changes the first key point."""
    first, *others = metadata(row)["key_points"]
    note(row, key_points=[first | values, *others])


def swap_choices(row: Row) -> None:
    """The texts of two choices change places, in the prompt and in the columns: the letter is then of another."""
    a, b = row["choices"][:2]
    behind = row["prompt"][row["context_end"] :]
    marked = behind.replace(f"A. {a}", "A. \0").replace(f"B. {b}", f"B. {a}").replace("\0", b)
    row["prompt"] = row["prompt"][: row["context_end"]] + marked
    row["choices"][:2] = b, a
    at = row["answer_index"] if row["answer_index"] < 2 else 0
    row.update(answer_index=at, answers=["AB"[at], f"{'AB'[at]}. {row['choices'][at]}"])


def shorten(row: Row, sentences: int = 2) -> None:
    """The last sentences are left out, with everything that follows from it."""
    text = context(row)
    kept = text[: [found.start() + 1 for found in re.finditer(r"\.\s", text)][-sentences]]
    row["prompt"] = row["prompt"][: row["context_start"]] + kept + row["prompt"][row["context_end"] :]
    lost = len(text) - len(kept)
    row["context_end"] -= lost
    row["answer_prefix_start"] -= lost
    row["num_segments"] -= sentences
    row["unused_tokens"] += 20 * sentences
    doc, first, last = metadata(row)["background"][-1]
    note(row, background=[*metadata(row)["background"][:-1], [doc, first, last - sentences]])


def other_order(row: Row) -> None:
    row["doc_ids"] = row["doc_ids"][::-1]
    note(row, background=metadata(row)["background"][::-1])


INJURIES: dict[str, list[tuple[str, Injury, str]]] = {
    "narrativeqa": [
        ("a word of the text", lambda r: put(r, r["context_start"] + 40, "qqq"), "does not match its sentences"),
        ("a span lost", lambda r: r["spans"].remove(spans(r, "gold")[0]), "not its sentences"),
        ("a span outside", lambda r: spans(r, "gold")[0].update(start=5, end=9), "evidence is outside the text"),
        ("spans in another order", lambda r: r["spans"].reverse(), "spans are not in order"),
        ("the depth", lambda r: r.update(depth=r["depth"] + 0.01), "the row has 0"),
        ("the answer", lambda r: r.update(answers=["Tom"]), "answers are not those of the source"),
        ("the question", lambda r: r.update(question="Who?"), "not found after the context"),
        ("the group", lambda r: r.update(group_id="books-nobody"), "split test of the collection has no question books-nobody"),
        ("the status", lambda r: note(r, evidence="aligned"), "evidence is verified, the row has aligned"),
        ("sentences of the evidence", lambda r: note(r, evidence_sentences=7), "the row has other values"),
        ("the cut", lambda r: note(r, cut="beginning"), "the row has beginning"),
        ("room left", lambda r: shorten(r, 5), "tokens are left, the next sentence has"),
        ("over budget", lambda r: r.update(unused_tokens=-1), "over budget"),
        ("a number of sentences", lambda r: r.update(num_segments=r["num_segments"] + 1), "num_segments is not"),
        ("a document", lambda r: r.update(doc_ids=["test-9"]), "doc_ids are not"),
        ("examples changed places", lambda r: r["fewshot_ids"].reverse(), "is not of the collection"),
        ("the answer of an example", lambda r: put(r, spans(r, "fewshot")[0]["end"] - 3, "qqq"), "differs from its source"),
        ("a variant", lambda r: r.update(variant="distractor_documents"), "not in the text, or is not the only one"),
    ],
    "infbench_choice_eng": [
        ("a letter", lambda r: r.update(answer_index=(r["answer_index"] + 1) % 4), "not the letter at"),
        ("a wrong answer", swap_choices, "not that of the right answer"),
        ("choices", lambda r: r.update(choices=["a", *r["choices"][1:]]), "not shown in order"),
        ("an example's letter", lambda r: put(r, spans(r, "fewshot")[0]["end"] - 1, "Z"), "gives the letter Z"),
    ],
    "infbench_sum_eng": [
        ("the reference", lambda r: r.update(references=["x"]), "the reference of a beginning does not match its key points"),
        ("a key point", lambda r: points(r, start=5), "is not at the place in the row"),
        ("a key point that is shown", lambda r: points(r, start=None), "not marked as shown"),
        ("no key points", lambda r: note(r, key_points=[]), "key points are not those of the source"),
        ("a metric", lambda r: r["metrics"].pop(0), "key points are scored"),
        ("a promise", lambda r: put(r, 0, "Below is a long text."), "does not fit a text that is shown as"),
        ("a depth", lambda r: r.update(depth=0.5), "a depth without evidence"),
    ],
    "among": [
        ("a title", lambda r: put(r, r["context_start"] + 7, "qqq"), "does not match its sentences"),
        ("the title asked for", lambda r: put(r, r["prompt"].rindex('"The Book') + 5, "qqq"), "does not name its"),
        ("documents changed places", other_order, "does not match its sentences"),
        ("room left", lambda r: shorten(r, 3), "tokens are left, the next sentence has"),
        ("alone", lambda r: r.update(variant=None), "not in the text, or is not the only one"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("task", "injure", "message"),
    [pytest.param(task, *case, id=f"{task} {what}") for task, cases in INJURIES.items() for what, *case in cases],
)
def test_an_injury_is_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, injure: Injury, message: str
) -> None:
    assert_named(suite.task(task), whole[task], injure, message)


def test_without_the_collection_the_prompt_alone_is_looked_at(
    folder: Path, whole: dict[str, Row], tmp_path: Path
) -> None:
    name = "infbench_choice_eng"
    bare = small.suite(tmp_path, {name: {"documents": "books", "lengths": {"4k": 3}}}).task(name)
    row = deepcopy(whole[name])
    assert list(bare.problems(row)) == []
    row["answer_index"] = (row["answer_index"] + 1) % 4
    assert list(bare.problems(row)) == ["the answers are not the letter at answer_index, by itself and with its text"]
