"""Keys and values without end, drawn from a stream, and the first different ones of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from generators.synthetic import vocabulary
from generators.synthetic.vocabulary import KeyWords
from haymaker.core.rng import Stream


def keys(kind: str, stream: Stream, made_of: KeyWords) -> Iterator[str]:
    """Random keys without end: two words, or a UUID."""
    if kind == "uuid":
        return iter(lambda: vocabulary.uuid(stream), "")
    return iter(lambda: made_of.draw(stream), "")


def near(kind: str, known: list[str], stream: Stream, made_of: KeyWords) -> Iterator[str]:
    """Keys that share a word with an asked one, or all blocks but the last."""
    while True:
        name = stream.choice(known)
        if kind == "uuid":
            yield f"{name.rpartition('-')[0]}-{vocabulary.uuid(stream).rpartition('-')[2]}"
        else:
            yield made_of.near(name, stream)


def values(kind: str, stream: Stream) -> Iterator[str]:
    """Random values without end."""
    draws: dict[str, Callable[[], str]] = {
        "number": lambda: str(stream.between(1_000_000, 9_999_999)),
        "uuid": lambda: vocabulary.uuid(stream),
        "digits": lambda: f"{stream.below(100_000):05d}",
        "runs": lambda: vocabulary.runs(10, stream),
    }
    return iter(draws[kind], "")


def distinct(texts: Iterator[str], count: int, taken: Collection[str]) -> list[str]:
    """The first `count` different texts that are not taken."""
    found: dict[str, None] = {}
    while len(found) < count:
        if (text := next(texts)) not in taken:
            found[text] = None
    return list(found)
