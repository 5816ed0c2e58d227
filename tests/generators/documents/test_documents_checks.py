"""The proof of rows on long documents sees what it is there for: each injury to a finished row is named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from generators.suite import ReleaseSuite
from haymaker.core.rows.schema import to_table
from tests.generators.documents import small

Row = dict[str, Any]
Injury = Callable[[Row], None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("proof")
    small.write(built, *small.collection({"test": (400, 260, 240), "train": (120, 130, 140)}))
    return built


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    entry = {"documents": "books", "buckets": {"4k": 3}}
    among = {**entry, "embedded": True, "buckets": {"8k": 3}}
    kinds = ("narrativeqa", "infbench_choice_eng", "infbench_sum_eng")
    tasks = {kind: {**entry, "buckets": {"8k": 1} if kind == "infbench_sum_eng" else {"4k": 3}} for kind in kinds}
    return small.suite(folder, tasks | {"among": {"of": "narrativeqa", **among}})


@pytest.fixture(scope="module")
def whole(suite: ReleaseSuite) -> dict[str, Row]:
    return {t.task: to_table(list(suite.build(t, 0, t.rows))).to_pylist()[-1] for t in suite.tables()}


def extra(row: Row, **values: Any) -> None:
    row["extra"] = json.dumps(json.loads(row["extra"]) | values)


def points(row: Row, **values: Any) -> None:
    """Changes the first key point."""
    first, *others = json.loads(row["extra"])["key_points"]
    extra(row, key_points=[first | values, *others])


def put(row: Row, at: int, text: str) -> None:
    row["prompt"] = row["prompt"][:at] + text + row["prompt"][at + len(text) :]


def span(row: Row, kind: str) -> dict[str, Any]:
    return next(each for each in row["spans"] if each["kind"] == kind)


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
    text = row["prompt"][row["context_start"] : row["context_end"]]
    kept = text[: [found.start() + 1 for found in re.finditer(r"\.\s", text)][-sentences]]
    row["prompt"] = row["prompt"][: row["context_start"]] + kept + row["prompt"][row["context_end"] :]
    lost = len(text) - len(kept)
    row["context_end"] -= lost
    row["cue_start"] -= lost
    row["n_units"] -= sentences
    row["slack_tokens"] += 20 * sentences
    doc, first, last = json.loads(row["extra"])["background"][-1]
    extra(row, background=[*json.loads(row["extra"])["background"][:-1], [doc, first, last - sentences]])


def other_order(row: Row) -> None:
    row["doc_ids"] = row["doc_ids"][::-1]
    extra(row, background=json.loads(row["extra"])["background"][::-1])


INJURIES: list[tuple[str, str, Injury, str]] = [
    (
        "narrativeqa",
        "a word of the text",
        lambda r: put(r, r["context_start"] + 40, "qqq"),
        "not the sentences it names",
    ),
    (
        "narrativeqa",
        "a paragraph that runs on",
        lambda r: put(r, r["prompt"].index("\n\n", r["context_start"] + 40), "  "),
        "not the sentences it names",
    ),
    (
        "narrativeqa",
        "a word of the evidence",
        lambda r: put(r, span(r, "gold")["start"] + 3, "qqq"),
        "not the sentences",
    ),
    (
        "narrativeqa",
        "a span moved",
        lambda r: span(r, "gold").update(start=span(r, "gold")["start"] + 2),
        "not its sentences",
    ),
    ("narrativeqa", "a span lost", lambda r: r["spans"].remove(span(r, "gold")), "not its sentences"),
    (
        "narrativeqa",
        "a span outside",
        lambda r: span(r, "gold").update(start=5, end=9),
        "evidence stands outside the text",
    ),
    ("narrativeqa", "spans in another order", lambda r: r["spans"].reverse(), "spans are not in order"),
    ("narrativeqa", "the depth", lambda r: r.update(depth=r["depth"] + 0.01), "the row says 0"),
    ("narrativeqa", "the depth gone", lambda r: r.update(depth=None), "the row says None"),
    ("narrativeqa", "the answer", lambda r: r.update(answers=["Tom"]), "answers are not those of the source"),
    ("narrativeqa", "the question", lambda r: r.update(question="Who?"), "the question, or the cue"),
    (
        "narrativeqa",
        "the group",
        lambda r: r.update(group_id="books-nobody"),
        "nothing books-nobody is asked of part test",
    ),
    ("narrativeqa", "the part", lambda r: r.update(part="train"), "is asked of part train"),
    ("narrativeqa", "the status", lambda r: extra(r, evidence="aligned"), "evidence is verified, the row says aligned"),
    ("narrativeqa", "sentences of the evidence", lambda r: extra(r, evidence_sentences=7), "the row says otherwise"),
    ("narrativeqa", "width of the evidence", lambda r: extra(r, evidence_span=7), "the row says otherwise"),
    ("narrativeqa", "the cut", lambda r: extra(r, cut="beginning"), "the row says beginning"),
    ("narrativeqa", "the cut", lambda r: extra(r, cut="whole"), "the row says whole"),
    ("narrativeqa", "room left", lambda r: shorten(r, 5), "tokens are left, the next sentence has"),
    ("narrativeqa", "over budget", lambda r: r.update(slack_tokens=-1), "over budget"),
    ("narrativeqa", "a number of sentences", lambda r: r.update(n_units=r["n_units"] + 1), "n_units is not"),
    ("narrativeqa", "a document", lambda r: r.update(doc_ids=["test-9"]), "doc_ids are not"),
    ("narrativeqa", "an example twice", lambda r: r.update(demo_ids=r["demo_ids"][:1] * 2), "not 2 different examples"),
    ("narrativeqa", "examples changed places", lambda r: r["demo_ids"].reverse(), "is not of the collection"),
    (
        "narrativeqa",
        "the answer of an example",
        lambda r: put(r, span(r, "demo")["end"] - 3, "qqq"),
        "not as its source",
    ),
    ("narrativeqa", "a variant", lambda r: r.update(variant="embedded"), "not in the text, or not alone"),
    (
        "infbench_choice_eng",
        "a letter",
        lambda r: r.update(answer_index=(r["answer_index"] + 1) % 4),
        "not the letter at",
    ),
    ("infbench_choice_eng", "a choice", lambda r: put(r, r["cue_start"] - 4, "qqq"), "not shown in order"),
    ("infbench_choice_eng", "a wrong answer", swap_choices, "not that of the right answer"),
    ("infbench_choice_eng", "choices", lambda r: r.update(choices=["a", *r["choices"][1:]]), "not shown in order"),
    (
        "infbench_choice_eng",
        "an example's letter",
        lambda r: put(r, span(r, "demo")["end"] - 1, "Z"),
        "gives the letter Z",
    ),
    (
        "infbench_sum_eng",
        "the reference",
        lambda r: r.update(references=["x"]),
        "the reference of a beginning is not what it tells",
    ),
    ("infbench_sum_eng", "a key point", lambda r: points(r, start=5), "is not told where the row says"),
    ("infbench_sum_eng", "a key point that is shown", lambda r: points(r, start=None), "said to be shown"),
    ("infbench_sum_eng", "no key points", lambda r: extra(r, key_points=[]), "key points are not those of the source"),
    ("infbench_sum_eng", "a metric", lambda r: r["metrics"].pop(0), "key points are scored"),
    (
        "infbench_sum_eng",
        "a promise",
        lambda r: put(r, 0, "Below is a long text."),
        "does not fit a text that is shown as",
    ),
    ("infbench_sum_eng", "a depth", lambda r: r.update(depth=0.5), "a depth without evidence"),
    ("among", "a title", lambda r: put(r, r["context_start"] + 7, "qqq"), "not the sentences it names"),
    ("among", "the title asked for", lambda r: put(r, r["prompt"].rindex('"The Book') + 5, "qqq"), "does not name its"),
    ("among", "documents changed places", other_order, "not the sentences it names"),
    ("among", "room left", lambda r: shorten(r, 3), "tokens are left, the next sentence has"),
    ("among", "alone", lambda r: r.update(variant=None), "not in the text, or not alone"),
]


@pytest.mark.parametrize(("task", "what", "injure", "message"), INJURIES, ids=[f"{t} {w}" for t, w, *_ in INJURIES])
def test_an_injury_is_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, what: str, injure: Injury, message: str
) -> None:
    assert list(suite.task(task).problems(whole[task])) == []
    row = deepcopy(whole[task])
    injure(row)
    assert row != whole[task]
    assert any(message in problem for problem in suite.task(task).problems(row)), list(suite.task(task).problems(row))


def test_without_the_collection_the_prompt_alone_is_looked_at(
    folder: Path, whole: dict[str, Row], tmp_path: Path
) -> None:
    bare = small.suite(tmp_path, {"infbench_choice_eng": {"documents": "books", "buckets": {"4k": 3}}}).task(
        "infbench_choice_eng"
    )
    row = deepcopy(whole["infbench_choice_eng"])
    assert list(bare.problems(row)) == []
    row["answer_index"] = (row["answer_index"] + 1) % 4
    assert list(bare.problems(row)) == ["the answers are not the letter at answer_index, alone and with its text"]
