"""Fitting and placing: never over, nearly full, nested, in order, verbatim."""

from __future__ import annotations

import json
from array import array
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.stores.sentences.store import Entry
from generators.context import background_checks
from generators.context.sentences import Hidden, Needle, Run, count_units, fit_walk, hide, walk, weave
from generators.spec import Row
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from tests.generators.kit import finished
from tests.generators.synthetic import small


def prefix(sizes: list[int]) -> memoryview:
    return memoryview(array("q", accumulate(sizes, initial=0)))


def units(runs: list[Run]) -> list[int]:
    return [unit for run in runs for unit in range(run.first, run.last)]


def books(num_segments: int, n_books: int) -> list[Entry]:
    cuts = [num_segments * i // n_books for i in range(n_books + 1)]
    return [Entry(f"b{i}", "", "test", a, b) for i, (a, b) in enumerate(pairwise(cuts))]


def prose(key: int, n: int) -> list[int]:
    """Sentence lengths as in real books: mean about 24 tokens, none under 10, a tail to 200."""
    stream = Stream("sizes", key)
    return [10 + min(stream.below(30) + (stream.below(160) if stream.chance(0.05) else 0), 190) for _ in range(n)]


@given(st.integers(0, 10_000))
@settings(deadline=None)
def test_never_over_and_full(key: int) -> None:
    """And a longer context holds a shorter one in order."""
    sizes, short = prose(key, 6_000), list[int]()
    tokens = prefix(sizes)
    for budget in (600, 1_500, 3_500, 7_600, 15_800, 65_000):
        long = units(fit_walk(walk(books(6_000, 5), Stream(key)), tokens, budget))
        used = sum(sizes[unit] for unit in long)
        assert 0 <= budget - used <= max(3, budget // 400), (budget, used)
        place = {unit: i for i, unit in enumerate(long)}
        positions = [place[unit] for unit in short]  # a KeyError says which unit the longer context lacks
        assert positions == sorted(positions)
        short = long


@given(st.lists(st.integers(1, 700), min_size=1, max_size=200), st.integers(1, 3_000), st.integers(0, 99))
def test_any_sizes(sizes: list[int], budget: int, key: int) -> None:
    tokens = prefix(sizes)
    try:
        chosen = units(fit_walk(walk(books(len(sizes), min(3, len(sizes))), Stream(key)), tokens, budget))
    except BuildError:
        assert sum(sizes) <= budget
        return
    assert len(set(chosen)) == len(chosen)
    assert sum(sizes[unit] for unit in chosen) <= budget


def test_walk_uses_every_unit_once_and_no_book_twice_while_fresh_ones_remain() -> None:
    entries = books(50, 5)
    runs = list(walk(entries, Stream("walk")))
    assert sorted(units(runs)) == list(range(50))
    begun = [next(e.doc_id for e in entries if e.first <= run.first < e.last) for run in runs]
    assert len(set(begun[:5])) == 5


class Store:
    """Just the parts of a Background that weave() reads."""

    def __init__(self, sentences: list[str]) -> None:
        raw = [s.encode() for s in sentences]
        self.text: Any = memoryview(b"".join(raw))
        self.byte_at = prefix([len(r) for r in raw])
        self.char_at = prefix([len(s) for s in sentences])
        self.word_at = prefix([s.count(" ") for s in sentences])


WORDS = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8)
SENTENCES = st.lists(WORDS, min_size=1, max_size=5).map(lambda words: "".join(f" {w}" for w in words))


@given(st.lists(SENTENCES, max_size=30), st.lists(SENTENCES, max_size=5), st.data())
def test_weave_puts_every_needle_where_it_says(sentences: list[str], facts: list[str], data: st.DataObject) -> None:
    store = Store(sentences)
    n = len(sentences)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=4)))
    runs = [Run(a, b) for a, b in pairwise([0, *cuts, n]) if b > a]
    positions = sorted(data.draw(st.lists(st.integers(0, n), min_size=len(facts), max_size=len(facts))))
    needles = [Needle(f.encode(), (len(f),), len(f)) for f in facts]
    hay = weave(store, runs, needles, positions, [store.char_at])  # type: ignore[arg-type]

    expected, at = [], 0
    for i in range(n + 1):
        while at < len(facts) and positions[at] == i:
            expected.append(facts[at])
            at += 1
        expected += sentences[i : i + 1]
    text = hay.text.decode()
    assert text == "".join(expected)
    assert hay.characters == len(text)
    assert count_units(runs) == n
    assert hay.words == len(text.split(" ")) - 1 if text else hay.words == 0
    for fact, start, end, tokens in zip(facts, hay.starts, hay.ends, hay.token_starts, strict=True):
        assert text[start:end] == fact[1:]
        assert tokens == start - 1  # one "token" a character here
    if n or facts:
        assert hay.tokens == (len(text),)


TEXTS = [
    Hidden("Not this one.", 0.2, "distractor"),
    Hidden("This one.", 0.9),
    Hidden("Nor this one.", 0.5, "distractor"),
]
TASK = small.task("niah_single_2")


def row(length: str) -> Row:
    writer, table = TASK.writer, small.table("niah_single_2", length)
    frame = writer.frame("Read this.\n\n", "\n\nWhich one?\nAnswer:", cue="Answer:")
    draws = partial(TASK.stream, "hidden")
    context, counts, columns = hide(TASK.inputs, writer, table, frame, small.CORPUS, TEXTS, draws)
    return finished(
        [writer.sample(table, "g", frame, context, counts, question="Which one?", answers=["This one."], **columns)]
    )[0]


@pytest.fixture(scope="module")
def made() -> Row:
    return row("4k")


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: {"depth": row["depth"] - 0.5},
        lambda row: {"num_segments": row["num_segments"] + 1},
        lambda row: {"doc_ids": [*row["doc_ids"][::-1], "x"]},
        lambda row: {"spans": row["spans"][1:]},
        lambda row: {"prompt": row["prompt"].replace(".", "!", 5)},
        lambda row: {
            "metadata": json.dumps({"background": [[doc, a + 1, b + 1] for doc, a, b in background_checks.ranges(row)]})
        },
    ],
)
def test_damage_is_found(made: Row, damage: Any) -> None:
    assert list(background_checks.hidden(made, TASK.inputs, small.CORPUS)) == []
    assert list(background_checks.hidden(made | damage(made), TASK.inputs, small.CORPUS))
