"""The odd-line-out cheat: a planted line is found, an even text is a coin, and the marks are where the facts are."""

from __future__ import annotations

from operator import attrgetter

from devtools.quality.books import Book
from devtools.quality.cheat import Context, judge, scores
from devtools.quality.classifier import Pieces
from devtools.quality.prose import Trigrams
from haymaker.core.rng import Stream

NOUNS, VERBS = ("dog", "cat", "cow", "hen", "owl", "fox"), ("saw", "bit", "fed", "led", "met", "hid")


def line(stream: Stream) -> str:
    return f"The old {stream.choice(NOUNS)} {stream.choice(VERBS)} the young {stream.choice(NOUNS)} by the gate."


def lines(name: str, count: int) -> list[str]:
    stream = Stream("cheat", name)
    return [line(stream) for _ in range(count)]


def success(auc: float, precision: float, supported: bool) -> dict[str, float]:
    return {"auc": auc, "precision": precision, "supported": float(supported)}


MODEL = Trigrams(lines("training", 500))


def judged(row: Context, model: Trigrams, known: list[str]) -> dict[str, dict[str, float]]:
    return {cheat: judge(values, row) for cheat, values in scores(row, model, known).items()}


def planted(*facts: str) -> Context:
    text = lines("row", 60)
    places = [10 * i + 5 for i in range(len(facts))]
    for place, fact in zip(places, facts, strict=True):
        text[place] = fact
    return Context("qa1", tuple(text), frozenset(places), frozenset(places[:1]))


def test_planted_sentences_are_found_and_a_line_like_the_others_is_not() -> None:
    row = planted("Mary went to the kitchen.", "Mary went to the garden.")
    found = judged(row, MODEL, ["John went to the garden."])
    assert found["surprise"] == found["seen"] == found["rare"] == found["short"] == success(1.0, 1.0, True)
    assert found["smooth"] == success(0.0, 0.0, False)
    found = judged(planted(line(Stream("cheat", "hidden"))), MODEL, [])
    assert all(each["precision"] == 0 for each in found.values())
    assert found["short"]["auc"] == found["seen"]["auc"] == 0.5 and 0.02 < found["surprise"]["auc"] < 0.98


def test_another_hand_is_told_by_its_words_and_the_same_hand_by_nothing() -> None:
    """The classifier of books: names do not help it."""
    words = [f"{a}{b}" for a in ("ta", "no", "ri", "mu", "se") for b in ("la", "ki", "po", "ved", "shun")]

    def written(name: str, words: list[str], hero: str) -> Book:
        stream = Stream("classifier", name)
        said = (" ".join([*(stream.choice(words) for _ in range(7)), hero]) for _ in range(200))
        return Book(name, name, (tuple(f"{each}." for each in said),))

    same = [written(f"s{i}", words, "Anna" if i < 12 else "Olga") for i in range(24)]
    other = [written(f"o{i}", [word + "x" for word in words], "Anna") for i in range(4)]
    data = Pieces([*same, *other], 20)
    alike = data.areas(same[:12], same[12:], attrgetter("name"))
    assert len(alike) == 4 and 0.42 < sum(alike) / 4 < 0.58
    assert min(data.areas(same[:4], other, attrgetter("name"))) > 0.99
