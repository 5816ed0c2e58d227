"""Defects of the reference that no other test guards (docs/defects/babilong.md): questions, words, and what a row says of itself."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from generators.babilong import checks
from generators.babilong.oracle import OracleError, solve
from generators.babilong.prompts import load_prompts, render_head, render_tail
from generators.babilong.questions import pool
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.params import ReleaseParams, parse
from haymaker.core.rows.source_records import Split, StoryQuestion
from tests.generators.kit import Injury, note
from tests.pipelines import tiny

FACTS = ("Mary went to the office.", "John went to the garden.")
STORIES = json.loads(Path(__file__).with_name("stories.json").read_text(encoding="utf-8"))
Read = Callable[[str, Split], list[StoryQuestion]]


def question(
    position: int, question: str, answer: str, *, task: str = "qa1", facts: tuple[str, ...] = FACTS
) -> StoryQuestion:
    return StoryQuestion(task, "test", 0, position, facts, question, answer, (0,))


MARY, JOHN = question(0, "Where is Mary?", "office"), question(1, "Where is John?", "garden")
OTHER = question(2, "Where is Mary?", "kitchen", facts=("Mary went to the kitchen.",))


def files(**questions: list[StoryQuestion]) -> Read:
    return lambda task, split: questions[split]


def test_the_same_facts_and_question_are_used_once_and_counted() -> None:
    again = question(7, "Where is Mary?", "office")
    kept, dropped = pool(
        files(test=[MARY, JOHN, again, OTHER, again]), "qa1", "test", stream_key=1, apart_from={"test"}
    )
    assert sorted(q.position for q in kept) == [0, 1, 2]
    assert dropped == {"duplicate": 2}


def test_train_and_dev_leave_out_what_earlier_splits_hold() -> None:
    read = files(test=[MARY], dev=[MARY, JOHN], train=[MARY, JOHN, OTHER])

    def positions(split: Split, *splits: Split) -> tuple[list[int], dict[str, int]]:
        kept, dropped = pool(read, "qa1", split, stream_key=1, apart_from=splits)
        return sorted(q.position for q in kept), dict(dropped)

    assert positions("train", "test", "dev", "train") == ([2], {"duplicate": 2})
    assert positions("train", "test", "train") == ([1, 2], {"duplicate": 1})
    assert positions("dev", "test", "dev") == ([1], {"duplicate": 1})
    assert positions("test", "test", "dev", "train") == ([0], {})


def test_a_question_with_several_readings_or_another_answer_is_left_out_and_counted() -> None:
    doubtful = [question(5, "Where is John?", "kitchen")]
    for case in STORIES["ambiguous"]:
        facts = tuple(f"{fact}." for fact in case["facts"].split(" / "))
        doubtful.append(question(5, case["question"], case["answer"], task=case["task"], facts=facts))
    for each in doubtful:
        with pytest.raises(BuildError, match="no question can be solved from its facts"):
            pool(files(test=[each]), each.task, "test", stream_key=1, apart_from={"test"})
    kept, dropped = pool(files(test=[MARY, doubtful[0]]), "qa1", "test", stream_key=1, apart_from={"test"})
    assert (kept, dropped) == ([MARY], {"undecidable": 1})


def test_seed_0_is_a_seed_like_any_other_and_none_is_refused() -> None:
    release = tiny.params()["release"]
    assert parse(ReleaseParams, release | {"seed": 0}, where="release").seed == 0
    for seed in (None, -1, 0.5, "0"):
        with pytest.raises(ParamsError, match="seed"):
            parse(ReleaseParams, release | {"seed": seed}, where="release")
    with pytest.raises(ParamsError, match="'seed' is missing"):
        parse(ReleaseParams, {key: value for key, value in release.items() if key != "seed"}, where="release")
    many = [question(i, "Where is Mary?", "office", facts=(*FACTS, *FACTS[1:] * i)) for i in range(20)]
    orders = [
        [q.position for q in pool(files(test=many), "qa1", "test", stream_key=seed, apart_from={"test"})[0]]
        for seed in (0, 0, 1)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(20)) != orders[0]


# ------------------------------------------------------------------------------- what a row says of its own facts (6.9.7)

BOOK = (
    " The mill stood by the river.", " Nobody had turned its wheel for years.", " She waited until the evening came.",
)  # fmt: skip
STORY = ("Mary got the milk there.", "John went to the garden.", "Mary went to the office.")


def store() -> Any:
    """Just the parts of a Background that a verification reads: one book of three sentences."""
    sums = memoryview(array("q", accumulate(map(len, BOOK), initial=0)))
    text = memoryview("".join(BOOK).encode())
    return SimpleNamespace(text=text, byte_at=sums, char_at=sums, first_of={"book": 0})


def good_row() -> dict[str, Any]:
    """Fact, two sentences, two facts, a sentence: the last fact decides, at depth 2/3."""
    head, tail = render_head(load_prompts()["qa2"]), render_tail("Where is the milk?")
    context = f"{STORY[0]}{BOOK[0]}{BOOK[1]} {STORY[1]} {STORY[2]}{BOOK[2]}"
    starts = [len(head) + context.index(fact) for fact in STORY]
    kinds = ("support", "fact", "support")
    notes = {
        "facts": STORY, "supporting": [0, 2], "evidence": [0, 2], "vocabulary": "classic",
        "background": [["book", 0, 3]],
    }  # fmt: skip
    return {
        "prompt": head + context + tail, "context_start": len(head), "context_end": len(head) + len(context),
        "answer_prefix_start": len(head) + len(context) + len(tail) - len("Answer:"),
        "spans": [{"start": s, "end": s + len(f), "kind": k} for s, f, k in zip(starts, STORY, kinds, strict=True)],
        "num_segments": 3, "num_unique_segments": 3, "doc_ids": ["book"], "depth": 2 / 3, "question": "Where is the milk?", "metadata": json.dumps(notes),
    }  # fmt: skip


def problems(row: dict[str, Any]) -> list[str]:
    found = solve("qa2", row["prompt"], strict=True)
    try:
        return list(checks.problems(row, "qa2", store(), found))
    except OracleError as error:
        return [str(error)]


def other_support(row: dict[str, Any]) -> None:
    note(row, supporting=[1, 2])
    row["spans"][0]["kind"], row["spans"][1]["kind"] = "fact", "support"


def other_sentences(row: dict[str, Any]) -> None:
    note(row, background=[["book", 0, 2]])
    row.update(num_segments=2, num_unique_segments=2)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda r: note(r, supporting=[2, 0]), "the oracle takes its answer from"),
        (other_support, "the oracle takes its answer from"),
        (lambda r: note(r, evidence=[0, 1, 2]), "the evidence is not the supporting facts"),
        (lambda r: note(r, evidence=[2]), "cannot be answered"),
        (lambda r: note(r, vocabulary="large"), "the row has vocabulary large"),
        (lambda r: r.update(depth=1 / 3), "the deciding fact is at depth 0.66"),
        (lambda r: r.update(depth=None), "the deciding fact is at depth 0.66"),
        (lambda r: r.update(num_segments=4), "the row has 4 and 3"),
        (lambda r: r.update(doc_ids=["book", "another"]), "doc_ids are not the documents of the context"),
        (other_sentences, "does not match its background"),
    ],
)
def test_facts_and_background_of_a_row_are_verified(damage: Injury, words: str) -> None:
    row = good_row()
    assert problems(row) == []
    damage(row)
    assert words in " / ".join(problems(row))
