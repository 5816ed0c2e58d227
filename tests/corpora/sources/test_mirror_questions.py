"""Question sets of the mirror: how many there are, and that every piece of evidence is a passage of the slice."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest

from corpora.sources.kilt_tasks import NqMirror, TriviaQaMirror, pieces_with_answer
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question
from haymaker.core.text.strings import text_hash
from tests.errors import refused

pytestmark = pytest.mark.usefixtures("as_published")


@pytest.fixture(scope="module")
def slice_of(held):
    """Title and text of every passage of the slice, and their hashes."""
    source, raw = held("wikipedia_mirror")
    found = [p for batch in source.batches(raw) for p in source.passages(raw, batch)]
    return {(p.title, p.text) for p in found}, {text_hash(p.text) for p in found}


NOBEL = "who got the first nobel prize in physics"
FIRST = "Who was the first president of the association which published Journal of Psychotherapy Integration?"
SETS = [  # questions of splits test and train, those with so many pieces of evidence, the first question
    pytest.param("nq", (2_365, 290), {1: 2_627, 2: 21, 3: 7}, NOBEL, marks=pytest.mark.slow),
    pytest.param("triviaqa", (7_978, 859), {0: 8_837}, "The VS-300 was a type of what?", marks=pytest.mark.slow),
    ("hotpotqa", (100, 100), {2: 199, 3: 1}, "Were Scott Derrickson and Ed Wood of the same nationality?"),
    ("popqa", (697, 75), {1: 644, 2: 52, 3: 51, 4: 12, 5: 8, 6: 3, 7: 2}, "What is George Rankin's occupation?"),
    ("musique", (87, 13), {2: 68, 3: 27, 4: 5}, FIRST),
    ("qampari", (896, 104), {0: 1_000}, "What manga was drawn by Ryoichi Ikegami?"),
]


@pytest.mark.real
@pytest.mark.parametrize(("name", "sizes", "pieces", "first"), SETS)
def test_questions_of_the_mirror(held, slice_of, name, sizes, pieces, first):
    """Evidence is a passage of the slice, and no question is in two splits."""
    source, raw = held(f"{name}_mirror")
    test, train = (source.questions(raw, name, split) for split in ("test", "train"))
    assert source.questions(raw, name, "dev") == []
    assert (len(test), len(train)) == sizes and test[0].text == first
    assert not {q.text for q in test} & {q.text for q in train}
    found = [*test, *train]
    assert Counter(len(q.evidence) for q in found) == pieces
    assert all(q.answers or q.answer_groups for q in found)
    exact, hashes = slice_of
    for evidence in (each for q in found for each in q.evidence):
        assert (evidence.title, evidence.text) in exact and text_hash(evidence.text) in hashes
    if name == "popqa":
        assert max(q.popularity for q in found) < 1000
        assert {q.relation for q in found} == {"place of birth", "occupation"}
        assert all(e.title == q.subject for q in found for e in q.evidence)
    if name == "hotpotqa":
        assert Counter(q.kind for q in found) == {"bridge": 157, "comparison": 43}
        assert Counter(len({e.title for e in (*q.evidence, *q.shown)}) for q in found) == {10: 198, 2: 1, 4: 1}
        assert not any(set(q.evidence) & set(q.shown) for q in found)
    if name == "qampari":
        assert sum(len(q.answer_groups) for q in found) == 13_217  # 14,434, less 5 empty and 1,212 repeated


def test_pieces_with_answer():
    text = " ".join(["Ada"] + ["x"] * 120 + ["New York"] + ["y"] * 60 + ["Ada"])
    assert [len(piece.split()) for piece in pieces_with_answer(text, ("ada",))] == [100, 84]
    assert [piece[:3] for piece in pieces_with_answer(text, ("New York",))] == ["x x"]
    assert len(pieces_with_answer(text, ("nowhere",))) == 2
    assert pieces_with_answer("a  b", ("7",)) == ["a b"]


def test_nq_takes_gold_alone_and_folds_titles(tmp_path):
    ctxs = [("No", "Ada too", False), ("Ada_Lovelace", "Here  Ada is", True)]
    passages = [{"title": title, "text": text, "isgold": gold} for title, text, gold in ctxs]
    record = {"question": "who?", "answers": ["Ada"], "ctxs": passages}
    (tmp_path / "nq-open-oracle.jsonl").write_text(json.dumps(record) + "\n")
    evidence = (Evidence(title="Ada Lovelace", text="Here Ada is"),)
    assert NqMirror(splits={"test": 1}).questions(tmp_path, "nq", "test") == [
        Question("00001", "test", "who?", "single", answers=("Ada",), evidence=evidence)
    ]


def test_a_damaged_line_of_triviaqa(tmp_path):
    answers = {"": 1, "\t__import__('os')": "answers", "\t('a',)": "'answers'", "\t[]": "answer"}
    for line, value in answers.items():
        (tmp_path / "topics.dpr.trivia.dev.txt").write_text(f"fine\t['a']\none{line}\n")
        with refused(SourceError, "topics.dpr.trivia.dev.txt:2", value):
            TriviaQaMirror().questions(tmp_path, "triviaqa", "test")


@cache
def hotpot() -> dict:
    long = [f"{name} " + " ".join(f"{name}{i}" for i in range(59)) + "." for name in "abc"]  # 3 sentences of 60 words
    return {
        "question": "Same?",
        "answer": "yes",
        "type": "comparison",
        "supporting_facts": [["Long", 1], ["Short", 0], ["Long", 1]],
        "context": [["Short", ["One.", " Two."]], ["Long", [long[0], " " + long[1], " " + long[2]]]],
    }
