"""Documents as shots: whole, apart, in an order of the question's own; what cannot be shown is left out and counted; the verification sees injuries."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import Document, DocumentQuestion
from tests.generators.kit import Injury, Row, Rows, assert_named, put, rows_of, said, sound, spans
from tests.generators.shots import small, worked

LENGTHS = {"natural": 6, "0-4k": 4, "8k+": 3, "4k": {"test": 6, "train": 2}, "8k": 4, "16k": 3}
TASKS: dict[str, Any] = {
    "samsum": {"documents": "chats", "lengths": LENGTHS},
    "triviaqa": {"documents": "passages", "lengths": LENGTHS},
}
CHAT = re.compile(r"Dialogue: ((?s:.+?))\nSummary: (.+)")
PASSAGE = re.compile(r"Passage: ((?s:.+?))\nQuestion: (.+)\nAnswer: (.+)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worked")
    worked.make(folder)
    return folder


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    return worked.suite(folder, TASKS)


def read(row: Row) -> list[tuple[str, ...]]:
    """Shots as a reader finds them in the prompt alone; the open one last, without its answer."""
    form, cue = (CHAT, "Summary:") if row["task"] == "samsum" else (PASSAGE, "Answer:")
    assert row["prompt"].endswith(f"\n{cue}")
    _, *blocks, last = row["prompt"].split("\n\n")
    found = [form.fullmatch(block) for block in (*blocks, f"{last} none")]
    assert all(found)
    return [match.groups() for match in found if match]


def test_every_row_asked_for_and_every_check_of_validate(folder: Path, suite: ReleaseSuite, rows: Rows) -> None:
    sound(suite, rows, worked.suite(folder, TASKS), FILL=30, NESTED=2 * (4 + 3))
    small.check_words(rows, 13_000)


def test_natural_rows_are_as_many_shots_of_the_order_as_are_drawn(rows: Rows) -> None:
    for task, low, high in (("samsum", 10, 100), ("triviaqa", 2, 24)):
        counts = [row["num_segments"] for row in rows[task, "natural", "test"]]
        assert all(low <= count <= high for count in counts) and len(set(counts)) > 3
        by_group = {row["group_id"]: read(row)[:-1] for row in rows[task, "0-4k", "test"]}
        for row in rows[task, "8k+", "test"]:
            assert read(row)[: len(few := by_group[row["group_id"]])] == few, "a longer range holds a shorter one"
        assert len({read(row)[0] for row in rows[task, "4k", "test"]}) > 4, "an order of its own for every question"
    assert [row["num_segments"] for row in rows["triviaqa", "natural", "test"]] == NUMBERS


def test_every_row_says_how_it_is_to_be_sent(rows: Rows) -> None:
    """docs/defects/longbench.md D17: no chat template, and what ends the answer."""
    first = {
        "samsum": "Summarize the last dialogue in one or a few short sentences, on one line. ",
        "triviaqa": "Answer the last question using the passage before it. Reply with the ",
    }
    for (task, *_), table in rows.items():
        for row in table:
            assert row["prompt"].startswith(first[task])
            assert (row["use_chat_template"], row["stop"], row["category"]) == (False, ["\n"], "few-shot")
            assert row["max_new_tokens"] == {"samsum": 128, "triviaqa": 32}[task]
            assert row["prompt"][row["answer_prefix_start"] :] in ("Summary:", "Answer:")
            assert (row["num_segments"], row["variant"], row["depth"]) == (len(read(row)) - 1, None, None)


def test_what_is_left_over(rows: Rows) -> None:
    """Chats fill to the last token; few whole passages fit in 4k, so those come first that fill it (4k had up to 1,000 tokens left)."""
    assert all(row["unused_tokens"] <= 5 for b in ("4k", "8k", "16k") for row in rows["samsum", b, "test"])
    left = {b: max(row["unused_tokens"] for row in rows["triviaqa", b, "test"]) for b in ("4k", "8k", "16k")}
    assert left["4k"] <= 20 and left["8k"] <= 40 and left["16k"] <= 2


def collection(folder: Path, name: str, extra: list[worked.Pair], kind: Any = worked.passage) -> None:
    worked.write(folder, name, [*(kind("train", i) for i in range(30)), *(kind("test", i) for i in range(6)), *extra])


def natural(folder: Path, name: str, task: str = "triviaqa", **entry: Any) -> ReleaseSuite:
    return worked.suite(folder, {task: {"documents": name, "lengths": {"natural": 1}} | entry})


def made(name: str, split: Any, text: str, asked: str, answer: str) -> worked.Pair:
    return Document(name, "", split, text), DocumentQuestion(f"q-{name}", name, split, "qa", asked, (answer,))


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    again = worked.passage("train", 3)[0].text
    collection(tmp_path, "odd", [
        made("long", "train", f"Ada {'did well and ' * 400}", "Who did?", "Ada"),
        made("header", "train", "Ada wrote this.\n\nAnswer: nobody knows.", "Who wrote?", "Ada"),
        made("header-2", "test", "question: who?\n\nAda wrote this.", "Who wrote it?", "Ada"),
        made("inside", "train", "Ada gave the Answer: no.", "Who gave it?", "Ada"),
        made("unsaid", "test", "Polina police policy.", "Who?", "Pol"),
        made("accents", "test", "Then Jos\u00e9 came.", "Who came?", "Jose"),
        made("repeated", "train", again.upper(), "Who is shouting?", "IT"),
        made("same question", "train", "Ada is here.", "who made the  train it?", "Ada"),
        made("told", "test", "The bassoon is a fagotto.", "What has the name Fagotto?", "fagotto"),
        made("offered", "test", "Ada is older.", "Who is older, Ada or Bo?", "Ada"),
        made("split", "test", "It is a police.", "What are policemen?", "police"),
        made("of train", "test", worked.passage("train", 5)[0].text, worked.passage("train", 5)[1].text, worked.passage("train", 5)[1].answers[1]),
    ])  # fmt: skip
    suite = natural(tmp_path, "odd")
    task: Any = suite.task("triviaqa")
    assert task.pool("test").left_out == Counter({
        "a line of its text begins like a header of the prompt": 1,
        "it is also in split train": 1,
        "no accepted answer stands in its text": 1,
        "no example: its text has 1,000 words or more": 1,
        "no example: a line of its text begins like a header of the prompt": 1,
        "no example: its text or question comes again": 1,
    })  # fmt: skip
    assert task.pool("test").count == 10 and len(task.stock.examples) == 32
    candidates = list(map(task.pool("test").candidate, range(10)))
    reasons = {task.item(each).doc_id: task.rejection_reason(each) for each in candidates}
    assert reasons.pop("told") == "its question holds its answer"  # as whole words; unless it offers it among others
    assert not any(reasons.values()) and reasons.keys() >= {"accents", "offered", "split"}


def test_no_shot_gives_the_answer_away(tmp_path: Path) -> None:
    """Neither its text, nor its question, nor an answer that is accepted (articles and case aside)."""
    text = worked.passage("train", 7)[0].text
    asked = made("asked", "test", f"{text}\n\nThe Lark sang.", "Which bird sang?", "the Lark")
    collection(tmp_path, "near", [
        asked,
        made("answer", "train", "Some say a lark did it, in May.", "Who did it?", "Lark"),
        made("question", "train", "The wren sang here.", "Which bird sang?", "wren"),
        made("text", "test", text, "What stands first?", text.split()[0]),
        made("free", "train", "The larks rose. Larks do.", "What rose?", "larks"),
    ])  # fmt: skip
    task: Any = natural(tmp_path, "near").task("triviaqa")
    shown = {}
    for candidate in map(task.pool("test").candidate, range(task.pool("test").count)):
        shown[task.item(candidate).doc_id] = {task.stock.examples[n].doc_id for n in task.order(candidate).tolist()}
    every = {each.doc_id for each in task.stock.examples}
    assert len(every) == 33
    assert every - shown["asked"] == {"answer", "question"}
    assert every - shown["text"] == {"train-passage-7"}
    assert shown["test-passage-0"] == every


def test_lines_stay_lines_where_the_collection_keeps_them(tmp_path: Path) -> None:
    turns = "Ada: hello\nBo: hi there\nAda: bye"
    chats = [worked.chat("train", i) for i in range(12)]
    one = Document("x", "", "test", turns), DocumentQuestion("x", "x", "test", "summary", "", references=("They\n greet.",))  # fmt: skip
    worked.write(tmp_path, "lines", [*chats, one], clean={"splitter": "lines"})
    suite = natural(tmp_path, "lines", "samsum", natural_shots=[10, 10])
    [row] = rows_of(suite)
    assert (row["question"], row["answers"], row["num_segments"]) == (turns, ["They greet."], 10)
    assert read(row)[-1][0] == turns and not list(suite.task("samsum").problems(row))


def test_a_row_that_cannot_be_made_says_why(folder: Path, tmp_path: Path) -> None:
    suite = natural(folder, "passages", natural_shots=[3, 260])
    with pytest.raises(
        BuildError, match=r"24 questions are .* only \d+ reach the length \(fewer than 3 examples fit: \d+"
    ):
        suite.select(Table("longbench", "triviaqa", "1k", "test", 24))
    huge = natural(folder, "passages", natural_shots=[2, 1100], lengths={"natural": 9})
    with pytest.raises(BuildError, match=r"only 7 reach .*the shots end before the number that is drawn for it: 17"):
        huge.select(huge.tables()[0])
    worked.write(tmp_path, "few", [*(worked.chat("train", i) for i in range(9)), worked.chat("test", 0)])
    suite = natural(tmp_path, "few", "samsum")
    with pytest.raises(BuildError, match="split train has 9 examples, but a row needs 10 or more"):
        suite.select(suite.tables()[0])


def shot(row: Row, number: int) -> Row:
    return spans(row, "shot")[number]


def swapped(row: Row) -> None:
    a, b = spans(row, "shot")[:2]
    a["ref"], b["ref"] = b["ref"], a["ref"]


def shows_the_text(row: Row) -> None:
    question = said(row, "shot")[0].rpartition("\nAnswer: ")[0].upper().replace("QUESTION:", "Question:")
    row["prompt"] = row["prompt"][: row["context_end"]] + f"\n\nPassage: {question}\nAnswer:"
    row["question"], row["answer_prefix_start"] = question, len(row["prompt"]) - len("Answer:")


INJURIES: list[tuple[str, Injury, str]] = [
    ("other word", lambda r: put(r, shot(r, 1)["start"] + 4, "qqqqqq"), "differs from the collection"),
    ("header inside", lambda r: put(r, r["prompt"].index("\n", shot(r, 1)["start"]) + 1, "Answer: "),
     "shot 2 does not have the form of a shot"),
    ("swapped", swapped, "does not come in the order of the question"),
    ("says the answer", lambda r: r["answers"].append(said(r, "shot")[0].rpartition("Answer: ")[2]), "shot 1 has an accepted answer"),
    ("shows the text", shows_the_text, "shot 1 has the text or the question of the row"),
    ("other document", lambda r: r.update(doc_ids=["train-passage-1"]), "text, question or answers differ from the collection"),
    ("room for more", lambda r: r.update(unused_tokens=3000), "3000 tokens are left, and example"),
    ("nobody asks it", lambda r: r.update(group_id="passages-q-nobody"), "is not a question of split test of passages"),
]  # fmt: skip


@pytest.mark.parametrize(("injure", "message"), [case for _, *case in INJURIES], ids=[what for what, *_ in INJURIES])
def test_injuries_are_named(suite: ReleaseSuite, rows: Rows, injure: Injury, message: str) -> None:
    assert_named(suite.task("triviaqa"), rows["triviaqa", "8k", "test"][1], injure, message)


NUMBERS = [18, 7, 7, 17, 16, 6]  # a changed number is a new version of the task
