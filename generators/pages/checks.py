"""What is wrong with finished rows of numbered paragraphs: each check reads the row as a stranger would."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from corpora.stores.passages.store import Passages
from generators.spec import Row
from haymaker.text import words

_RUN = 8  # words; every text has as many


def paragraphs(row: Row) -> list[str]:
    """The texts at the spans, in order."""
    return [row["prompt"][span["start"] : span["end"]] for span in spans(row)]


def spans(row: Row) -> list[Row]:
    """Those of paragraphs, in order."""
    return [span for span in row["spans"] if span["kind"] in ("passage", "gold", "distractor")]


def tiles(row: Row, opener: str) -> Iterator[str]:
    """The context is the paragraphs, one line each, numbered from 1, and nothing else."""
    lines = (f"{opener} {number}: {text}" for number, text in enumerate(paragraphs(row), 1))
    if row["prompt"][row["context_start"] : row["context_end"]] != "\n\n".join(lines):
        yield "the context is not its paragraphs, numbered 1, 2, 3 ..."


def counts(row: Row) -> Iterator[str]:
    """Paragraphs, different ones, and ids are as many as the row says; equal texts have one id, and different texts two."""
    texts, refs = paragraphs(row), [span["ref"] for span in spans(row)]
    if len({*zip(refs, texts, strict=True)}) != len(set(refs)) or len(set(refs)) != len(set(texts)):
        yield "a passage stands there in two forms, or two passages are the same text"
    if (row["n_units"], row["n_unique_units"]) != (len(texts), len(set(texts))):
        yield "n_units or n_unique_units is not the number of paragraphs"
    if row["doc_ids"] != list(dict.fromkeys(refs)):
        yield "doc_ids are not the passages in order"


def within(row: Row) -> Iterator[str]:
    """No paragraph has the words of another, or stands within another: found by a rule that the builder does not know."""
    read = [_read(text) for text in dict.fromkeys(paragraphs(row))]
    begins: dict[tuple[str, ...], list[int]] = {}
    for number, (said, _) in enumerate(read):
        begins.setdefault(tuple(said.split(None, _RUN)[:_RUN]), []).append(number)
    first_two, bags = {begin[:2] for begin in begins}, dict[str, int]()
    for number, (said, bag) in enumerate(read):
        text = said.split()
        if bags.setdefault(bag, number) != number:
            yield f"two paragraphs have the same words: {' '.join(text[:_RUN])}"
        for at in [at for at, pair in enumerate(pairwise(text)) if pair in first_two]:
            for other in begins.get(tuple(text[at : at + _RUN]), ()):
                if other != number and read[other][0] in said:
                    yield f"a paragraph stands within another: {' '.join(read[other][0].split()[:_RUN])}"


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> tuple[str, str]:
    """The words of a text with one space around each, as they follow one another and in the order of letters; rows share paragraphs."""
    found = words(text)
    return f" {' '.join(found)} ", " ".join(sorted(found))


def as_stored(row: Row, store: Passages) -> Iterator[str]:
    """Every paragraph is the passage of its id, its lines made one."""
    shown = list(dict.fromkeys(zip((span["ref"] for span in spans(row)), paragraphs(row), strict=True)))
    found = {ref: at for ref, _ in shown if (at := store.by_id(ref)) is not None}
    stored = dict(zip(found, store.take(list(found.values()), ["text"])["text"].to_pylist(), strict=True))
    for ref, text in shown:
        if ref not in stored:
            yield f"passage {ref!r} is not in the corpus"
        elif text != " ".join(stored[ref].split()):
            yield f"paragraph {ref!r} is not as the corpus has it"
