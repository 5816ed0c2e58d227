"""Long answers: whole sentences of a reference, or of the golds, each with the passages that bear it out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from generators.passages.cite import cited, sentence_with, sentences_of
from haymaker.core.errors import BuildError
from haymaker.core.text.strings import padded
from tests.errors import refused
from tests.generators.passages import small

GROUPS = [[padded("Edwick")], [padded("Rodbert"), padded("Rod")]]
LONG = "There are two. In 1938 the novelist married Edwick; they had a son. The singer and Rodbert were married in 1936. Rodbert died."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LONG, [("In 1938 the novelist married Edwick; they had a son.", [0]), ("The singer and Rodbert were married in 1936.", [1])]),
        ("Edwick and Rod were brothers.", [("Edwick and Rod were brothers.", [0, 1])]),
        ("Edwick came.", None),
        ("Edwick [1] came. Rod went.", None),
        ("Edwick was rodlike. Rodberts came.", None),
    ],
)  # fmt: skip
def test_sentences_of_a_long_answer_that_says_everything_are_taken(text: str, found: Any) -> None:
    assert sentences_of(text, GROUPS) == found


def test_a_whole_sentence_of_a_passage_is_taken_and_cited_before_its_stop() -> None:
    passage = "of her life. She married Edwick in 1938. Edwick [sic] died, and Rodbert"
    assert sentence_with(passage, "Edwick") == "She married Edwick in 1938."
    assert sentence_with(passage, "Rodbert") == sentence_with(passage, "life") == ""
    assert sentence_with(f"Ada {'and ' * 60}Edwick came.", "Edwick") == ""
    assert cited("She came.", ["[2]", "[5]", "[2]"]) == "She came [2][5]."
    assert cited('She said "No."', ["[1]"]) == 'She said "No." [1].'


def _rows(folder: Path, **more: Any) -> dict[str, Any]:
    """A row of each task that cites, from questions of two golds with the fields given."""

    def question(split: Any, number: int) -> Any:
        plain = small.question(split, number, 60, golds=2, kind="ambiguous")
        given = {key: value(plain) for key, value in more.items()}
        return small.question(split, number, 60, golds=2, kind="ambiguous", **given)

    small.write(folder, "two", [question("test", 0), *(question("train", i) for i in range(4))])
    tasks = {name: {"retrieval_set": "two", "lengths": {"4k": 1}} for name in ("alce_asqa", "alce_asqa_nocite")}
    suite = small.suite(folder, tasks)
    made = (next(suite.build(table, 0, 1)) for table in suite.tables() if table.split == "test")
    return {row.task: row for row in made}


def _told(question: Any) -> list[str]:
    (_, one), (_, two) = question.answer_groups
    return [
        "It may mean two things.",
        f"In 1901 the first was called {one}; it was small, or {two[:2]}. The second was {two}.",
    ]


def test_one_reading_that_is_left_is_no_ambiguity(tmp_path: Path) -> None:
    with refused(BuildError, "helmet_alce_asqa_4k test", 1):
        _rows(tmp_path, readings=lambda question: [question.question])


def test_stored_answers_and_examples_are_prose(tmp_path: Path) -> None:
    rows = _rows(tmp_path, references=_told)
    prompt, (answer,) = rows["alce_asqa"].text, rows["alce_asqa"].answers
    said = r"In 1901 the first was called [\w ]+; it was small, or Qo \[\d+\]\. The second was [\w ]+ \[\d+\]\."
    assert re.fullmatch(said, answer)
    demos = [prompt[span.start : span.end] for span in rows["alce_asqa"].spans if span.kind == "fewshot"]
    assert len(demos) == 2 and all(re.search(rf"Answer: {said}$", demo) for demo in demos)
    assert rows["alce_asqa_nocite"].answers == [re.sub(r" \[\d+\]", "", answer)]


def test_a_sentence_that_says_two_answers_is_quoted_once(tmp_path: Path) -> None:
    def both(question: Any) -> Any:
        (_, one), (_, two) = question.answer_groups
        text = f"{small.prose(small.Stream('x'), 20)} The pair was {one} and {two}."
        return small.passages([("Pair", text)], prefix=f"{question.question_id}g", rank=[None], supports=[[0, 1]])

    (answer,) = _rows(tmp_path, gold=both)["alce_asqa"].answers
    assert re.fullmatch(r"The pair was Qo\w+ Aq0 and Qo\w+ Bq0 \[\d+\]\.", answer)


def test_without_long_answers_the_golds_are_quoted(tmp_path: Path) -> None:
    (answer,) = _rows(tmp_path)["alce_asqa"].answers
    assert re.fullmatch(r"The Xa\w+ is Qo\w+ Aq0 \[\d+\]\. The Xa\w+ is Qo\w+ Bq0 \[\d+\]\.", answer)
