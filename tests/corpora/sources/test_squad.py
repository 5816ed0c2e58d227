"""SQuAD: paragraphs as passages, questions with their paragraph as evidence; from small files and from the mirror by heart.

Shown: copies of a paragraph or question count once, splits share no article, questions alternate between articles
(docs/defects/synthetic.md A5 #12), no passage comes twice however long the context (docs/defects/synthetic.md A5 #6), and every
answer stands in its paragraph.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from corpora.sources.base import Source
from haymaker.core.rows.source_records import Evidence, Passage, Question
from haymaker.core.text.strings import text_hash
from tests.corpora.sources.test_documents import fetched as fetched_from


def query(question_id: str, question: str, *answers: str, impossible: bool = False) -> dict:
    told = [{"text": answer, "answer_start": 0} for answer in answers]
    return {"id": question_id, "question": question, "answers": told, "is_impossible": impossible}


def article(title: str, *paragraphs: tuple[str, list[dict]]) -> dict:
    return {"title": title, "paragraphs": [{"context": text, "qas": qas} for text, qas in paragraphs]}


STEAM = [query("s1", "What moves it?", "Steam", "Steam", "steam"), query("s2", "Who runs?", "Ada")]
WATT = [query("s3", "Who built one?", "Watt"), query("s4", "Where?", impossible=True)]
BURNS = [query("o1", "What burns?", "Oil"), query("o2", "WHO runs?", "Bo")]
DEV = [
    article("Steam_engine", ("Steam moves it. ", STEAM), ("Watt built one.", WATT)),
    article("Oil", ("Oil burns.", BURNS)),
]
TRAIN = [
    article("Normans", ("They came.", [query("n1", "Who came?", "They")])),
    article("Oil", ("Oil burns.", [query("o9", "What is it?", "Oil")]), ("Black.", [query("o8", "Colour?", "black")])),
]


def fetched(tmp_path: Path, context, dev: object = DEV, train: object = TRAIN) -> tuple[Source, Path]:
    whole = {"dev-v2.0.json": dev, "train-v2.0.json": train}
    return fetched_from(tmp_path, context, "squad", {name: json.dumps({"data": data}) for name, data in whole.items()})


def passages(source: Source, raw: Path) -> list[Passage]:
    return [passage for batch in source.batches(raw) for passage in source.passages(raw, batch)]


def test_paragraphs_are_passages_under_their_articles(tmp_path, context):
    source, raw = fetched(tmp_path, context)
    assert [(p.passage_id, p.article_id, p.title, p.text) for p in passages(source, raw)] == [
        ("Steam_engine:0", "Steam_engine", "Steam engine", "Steam moves it."),
        ("Steam_engine:1", "Steam_engine", "Steam engine", "Watt built one."),
        ("Oil:0", "Oil", "Oil", "Oil burns."),
        ("Oil:1", "Oil", "Oil", "Black."),
        ("Normans:0", "Normans", "Normans", "They came."),
    ]


def test_questions_alternate_and_only_those_with_one_place_are_left(tmp_path, context):
    """s4 has no answer; s2 and o2 ask two paragraphs the same; o8 and o9 are of an article that split test has."""
    source, raw = fetched(tmp_path, context)
    assert source.question_sets() == ("squad",) and source.questions(raw, "squad", "dev") == []
    test, train = (source.questions(raw, "squad", split) for split in ("test", "train"))
    assert [question.question_id for question in test] == ["s1", "o1", "s3"]
    assert test[0] == Question(
        "s1", "test", "What moves it?", "single", ("Steam", "steam"), evidence=(Evidence(passage_id="Steam_engine:0"),)
    )
    assert [(q.question_id, q.evidence[0].passage_id) for q in train] == [("n1", "Normans:0")]


@pytest.fixture(scope="module")
def of_mirror(held):
    return passages(*held("squad_mirror"))


@pytest.mark.real
def test_passages_of_the_mirror(of_mirror):
    found = of_mirror
    assert len(found) == len({p.passage_id for p in found}) == len({text_hash(p.text) for p in found}) == 3_237
    runs = [article for article, _ in groupby(p.article_id for p in found)]
    assert len(runs) == len(set(runs)) == 92, "an article's passages follow one another"
    assert (found[0].passage_id, found[-1].passage_id) == ("Normans:0", "Plymouth:80")


@pytest.mark.real
def test_questions_of_the_mirror(held, of_mirror):
    source, raw = held("squad_mirror")
    texts = {p.passage_id: p.text for p in of_mirror}
    found = {split: source.questions(raw, "squad", split) for split in ("test", "train")}
    assert {split: len(questions) for split, questions in found.items()} == {"test": 3_742, "train": 11_781}
    both = [question for questions in found.values() for question in questions]
    assert all(q.answers[0] in texts[q.evidence[0].passage_id] for q in both)
    assert max(Counter(q.text.casefold() for q in both).values()) == 1
    articles = {split: [q.evidence[0].passage_id.rsplit(":", 1)[0] for q in qs] for split, qs in found.items()}
    assert {split: len(set(names)) for split, names in articles.items()} == {"test": 48, "train": 44}
    assert not set(articles["test"]) & set(articles["train"])
    assert len(set(articles["test"][:48])) == 48, "the first questions are of an article each"
    assert max(Counter(articles["test"][:100]).values()) == 3
    last = ("What political party was Calvin Coolidge a member of?", ("Republican",))
    assert both[0].answers == ("France",) and (both[-1].text, both[-1].answers) == last
