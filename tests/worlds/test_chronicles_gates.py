"""Questions on chronicles are not answered by tricks: no reading, one sentence, the ends of the text, the shape of the options."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import sqrt

import numpy as np
import pytest

from corpora.retrieval.lexical import BM25, ranking
from haymaker.core.rows.source_records import DocumentQuestion
from tests.extras import LONG
from tests.worlds.chronicle_prompts import asked, work
from tests.worlds.sentences import Sentences
from worlds.archive.model import SORTS

SEED, OTHER, DOCUMENTS = 22, 21, 30 if os.environ.get(LONG) else 15
LAST_WORDS = 750  # about 1,000 tokens
ONE_SENTENCE = {"shortdep_qa": 0.45}  # what one sentence gives; else nearly nothing


def tokens(text: str) -> list[str]:
    return re.findall(r"[a-z0-9,'-]+", text.lower())


def says(text: str, option: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text) is not None


def asks(seed: int, sort: str) -> list[tuple[int, DocumentQuestion]]:
    return [(index, ask) for index in range(DOCUMENTS) for ask in asked(seed, index) if ask.sort == sort]


def share(
    found: Sequence[tuple[int, DocumentQuestion]], worth: Callable[[int, DocumentQuestion], Sequence[float]]
) -> float:
    """How often the option that is worth most is right; ties count in part."""
    won = 0.0
    for index, ask in found:
        values = worth(index, ask)
        best = [choice for choice, value in zip(ask.choices, values, strict=True) if value == max(values)]
        won += (ask.answers[0] in best) / len(best)
    return won / len(found)


def likeness(sort: str, ask: DocumentQuestion) -> list[float]:
    """How near each option is to the others."""

    def near(one: str, two: str) -> float:
        if sort == "computation":
            return -abs(int(one.split()[0].replace(",", "")) - int(two.split()[0].replace(",", "")))
        if sort == "timeline_reorder":
            return sum(a == b for a, b in zip(one.split(", "), two.split(", "), strict=True))
        a, b = set(tokens(one)), set(tokens(two))
        return len(a & b) / len(a | b)

    return [round(sum(near(one, two) for two in ask.choices), 9) for one in ask.choices]


@pytest.mark.parametrize(("sort", "least"), [("shortdep_qa", 10), ("comprehension_and_reasoning", 5)])
def test_the_option_whose_sentence_is_most_like_the_question_is_seldom_right(sort: str, least: int) -> None:
    """It was in 58 % of the questions on one place: they named who was meant, or a parish that only one number was told with."""
    texts = [Sentences(work(SEED, index).text) for index in range(DOCUMENTS)]
    found = asks(SEED, sort)
    won = share(found, lambda index, ask: texts[index].shared(ask))
    assert len(found) >= least * DOCUMENTS and 0.15 <= won <= 0.35


@pytest.mark.parametrize("sort", SORTS)
def test_options_alone_give_nothing_away(sort: str) -> None:
    found = asks(SEED, sort)
    right, shown = Counter[str](), Counter[str]()
    for _, ask in asks(OTHER, sort):
        right[ask.answers[0]] += 1
        shown.update(ask.choices)
    shares = {
        "closed book": share(found, lambda _, ask: [(right[c] + 0.25) / (shown[c] + 1) for c in ask.choices]),
        "longest": share(found, lambda _, ask: [len(c) for c in ask.choices]),
        "shortest": share(found, lambda _, ask: [-len(c) for c in ask.choices]),
        "likest": share(found, lambda _, ask: likeness(sort, ask)),
        "unlikest": share(found, lambda _, ask: [-near for near in likeness(sort, ask)]),
        "last words": share(found, lambda i, ask: [says(last(i), c) for c in ask.choices]),
        "most told": share(found, lambda i, ask: [work(SEED, i).text.count(c) for c in ask.choices]),
        "least told": share(found, lambda i, ask: [-work(SEED, i).text.count(c) for c in ask.choices]),
    }
    slack = 4 * sqrt(0.25 * 0.75 / len(found))
    assert {name: value for name, value in shares.items() if value > 0.25 + slack} == {}


def last(index: int) -> str:
    return " ".join(work(SEED, index).text.split()[-LAST_WORDS:])


def nearest(text: str, questions: Sequence[str]) -> Iterator[str]:
    """The sentence of a text that is most like each question."""
    found = [f"{each}\n" for block in text.split("\n\n") for each in re.split(r"(?<=[.!?]) (?=[A-Z])", block)]
    index = BM25("".join(found))
    bounds = np.fromiter(accumulate(map(len, found), initial=0), np.int64)
    return (found[ranking(index.scores(question, bounds))[0]] for question in questions)


def test_one_sentence_does_not_answer() -> None:
    """The sentence most like the question holds the right option and no other: where one sentence is not meant to do, hardly ever."""
    alone = Counter[str]()
    total = Counter[str]()
    for index in range(DOCUMENTS):
        asks = asked(SEED, index)
        for ask, sentence in zip(asks, nearest(work(SEED, index).text, [ask.text for ask in asks]), strict=True):
            held = [choice for choice in ask.choices if says(sentence, choice)]
            alone[ask.sort] += held == [ask.answers[0]]
            total[ask.sort] += 1
    shares = {sort: round(alone[sort] / total[sort], 3) for sort in SORTS}
    assert {sort: value for sort, value in shares.items() if value > ONE_SENTENCE.get(sort, 0.05)} == {}
