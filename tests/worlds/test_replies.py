"""Simulated replies: form, topic, variety and speed of the texts that a writer writes on request."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from hashlib import sha256
from statistics import mean

import pytest

from haymaker.core.rng import Stream
from worlds.replies.shape import misshapen
from worlds.replies.write import SHORT_FORMATS, Writer, formats, kinds, words

WORDS, FORMATS, TOPICS = words(), formats(), tuple(kinds())


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str, str]]:
    """Every topic in every form, by one writer: (form, topic, text)."""
    writer = Writer(Stream("test", "replies"))
    return [(form, topic, writer.write(form, topic)) for topic in TOPICS for form in (*FORMATS, *SHORT_FORMATS)]


def test_topics_are_plain_and_apart() -> None:
    assert len(FORMATS) >= 8 and len(TOPICS) >= 240
    assert [topic for topic in TOPICS if not re.fullmatch("[a-z' -]+", topic)] == []
    assert [(one, two) for one in TOPICS for two in TOPICS if one != two and one in two] == []


def test_every_text_has_its_form(texts: list[tuple[str, str, str]]) -> None:
    assert [(form, topic, why) for form, topic, text in texts if (why := misshapen(form, text))] == []
    assert [text for _, _, text in texts if not re.match('[A-Za-z"]', text) or not re.search(r"\S\Z", text)] == []


def test_no_text_has_another_form(texts: list[tuple[str, str, str]]) -> None:
    sample = texts[:600]
    assert [
        (form, other) for form, _, text in sample for other in FORMATS if other != form and not misshapen(other, text)
    ] == []


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text[:500], "characters"),
        (lambda text: text * 9, "characters"),
        (lambda text: text.replace(". ", ". \n", 1), "contains"),
        (lambda text: text.replace("\n", "\nUser: ", 1), "contains"),
        (lambda text: text.replace(" the ", " <the> ", 1), "contains"),
        (lambda text: text + "\n", "is not"),
        (lambda text: text.split("\n\n", 1)[1], "is not"),
    ],
)
def test_damaged_text_is_misshapen(damage: object, why: str) -> None:
    text = Writer(Stream("test", "damage")).write("short essay", "night trains")
    assert callable(damage) and why in misshapen("short essay", damage(text))


def test_lengths_are_spread(texts: list[tuple[str, str, str]]) -> None:
    lengths = sorted(len(text) for form, _, text in texts if form in FORMATS)
    assert lengths[len(lengths) // 10] < 850 and lengths[-len(lengths) // 10] > 1_250


def test_every_text_names_its_topic_and_repeats_no_sentence(texts: list[tuple[str, str, str]]) -> None:
    assert [(form, topic) for form, topic, text in texts if text.lower().count(topic) < 1 + (form in FORMATS)] == []
    for form, topic, text in texts:
        sentences = Counter(re.split(r"(?<=[.!;]) |\n+", text))
        assert max(sentences.values()) == 1, (form, topic, sentences.most_common(1))


def test_slots_are_filled_and_words_are_listed_once(texts: list[tuple[str, str, str]]) -> None:
    assert [text for _, _, text in texts if re.search(r"[{}|]|  | [.,;:]", text)] == []
    lists = {**WORDS["slots"], "claim": WORDS["claim"], "detail": WORDS["detail"], "memory": WORDS["memory"]}
    assert {
        name: twice
        for name, each in lists.items()
        if name not in ("they", "them") and (twice := [word for word, n in Counter(each).items() if n > 1])
    } == {}


def test_same_stream_gives_the_same_texts() -> None:
    one, two = (Writer(Stream("test", 7)).write("poem", "night trains") for _ in range(2))
    assert one == two != Writer(Stream("test", 8)).write("poem", "night trains")
    assert sha256(one.encode()).hexdigest()[:16] == "2defd6ae4c4d23c8"


@pytest.mark.parametrize("form", ["poem", "short essay"])
def test_texts_on_the_same_request_differ(form: str) -> None:
    """Unrelated passages of 1,000 characters from two novels have a ratio of 0.18 on average, at most 0.31 in 6,000 pairs."""
    writer = Writer(Stream("test", "ratio"))
    texts = [writer.write(form, "night trains") for _ in range(32)]
    pairs = [(texts[i], texts[(i + step) % 32]) for step in (1, 17) for i in range(0, 32, 2)]
    assert max(SequenceMatcher(None, *pair, autojunk=True).ratio() for pair in pairs) <= 0.3
    ratios = [SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in pairs]
    assert mean(ratios) <= 0.27 and max(ratios) <= 0.45
