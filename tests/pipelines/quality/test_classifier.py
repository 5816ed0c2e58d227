"""The classifier: a coin where both sides are alike, never wrong where they are not, and names do not help it."""

from __future__ import annotations

from operator import attrgetter

from devtools.quality.books import Book
from devtools.quality.classifier import Pieces, halves, hands
from haymaker.core.errors import CorpusError
from haymaker.core.rng import Stream
from tests.errors import refused

WORDS = [f"{a}{b}" for a in ("ta", "no", "ri", "mu", "se") for b in ("la", "ki", "po", "ved", "shun")]


def written(name: str, *, author: str = "", words: list[str] = WORDS, hero: str = "Anna") -> Book:
    """A book of random words, 200 sentences of eight."""
    stream = Stream("classifier", name)
    lines = tuple(" ".join([stream.choice(words) for _ in range(7)] + [hero]) + "." for _ in range(200))
    return Book(name, author or name, (lines,))


def test_same_hand_is_a_coin_and_another_hand_is_not() -> None:
    same = [written(f"s{i}", hero="Anna" if i < 12 else "Olga") for i in range(24)]
    other = [written(f"o{i}", words=[word + "x" for word in WORDS]) for i in range(4)]
    data = Pieces([*same, *other], 20)
    alike = data.areas(same[:12], same[12:], attrgetter("name"))
    assert len(alike) == 4
    assert 0.42 < sum(alike) / 4 < 0.58
    assert min(data.areas(same[:4], other, attrgetter("name"))) > 0.99


def test_no_author_is_in_both_halves() -> None:
    books = [written(f"{hand}{i}", author=hand) for hand in "abcdefgh" for i in range(1 + (hand < "c") * 3)]
    splits = list(halves(books, 5))
    assert len(splits) == 6
    for left, right in splits:
        assert not {b.author for b in left} & {b.author for b in right}
        assert min(len(left), len(right)) >= 3 and max(len(left), len(right)) <= 5
    assert [{b.author for b in one} for one, _ in hands(books, 4)] == [{"a"}, {"b"}]


def test_too_little_to_judge_is_said() -> None:
    one = [written("a", author="x"), written("b", author="x")]
    with refused(CorpusError, "classifier", "one", fix="two"):
        Pieces([*one, *one], 20).areas(one, one, attrgetter("author"))
