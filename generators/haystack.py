"""Fit background units to a token budget, place needles between them, know where everything is.

Nothing here tokenises: prefix sums turn fitting into a bisection, and a haystack into a few slices and one join.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from corpora.background import Background, Entry
from haymaker.errors import BuildError
from haymaker.rng import Stream

_TAIL_UNITS = 64  # units looked at to fill the end
_BACK_UNITS = 8  # units of the prefix given back for the choice


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring units [first, last) of the store."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Needle:
    """A text to hide.

    Attributes:
        text: UTF-8, beginning with exactly one space.
        tokens: in-join tokens, one count per tokenizer.
        characters: length of the text.
        position: how many background units stand before it.
    """

    text: bytes
    tokens: tuple[int, ...]
    characters: int
    position: int


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a needle came to stand: characters and release tokens from the start of the haystack, its space not counted."""

    start: int
    end: int
    token_start: int


@dataclass(frozen=True, slots=True)
class Haystack:
    """Finished text and what is known of it.

    Attributes:
        text: UTF-8; begins with one space unless it is empty.
        characters: length of the text.
        words: words in the text.
        tokens: in-join tokens per tokenizer.
        placed: one per needle, in the order given.
    """

    text: bytes
    characters: int
    words: int
    tokens: tuple[int, ...]
    placed: tuple[Placed, ...]


def walk(documents: Sequence[Entry], stream: Stream) -> Iterator[Run]:
    """All units of `documents` once, in random order of documents: from a random unit of the first to its end, then
    whole documents, and at last what stands before the start in the first. No document comes twice while fresh ones remain.

    Differs from the paper (spec/babilong.md 6.2), which draws documents with replacement.
    """
    order = stream.walk(len(documents))
    head = documents[next(order)]
    start = head.first + stream.below(head.last - head.first)
    yield Run(start, head.last)
    for i in order:
        yield Run(documents[i].first, documents[i].last)
    if start > head.first:
        yield Run(head.first, start)


def fit(runs: Iterable[Run], tokens: memoryview, budget: int) -> list[Run]:
    """The first units of a walk that fill `budget` tokens and never pass it.

    All but the last few units are a prefix of the walk; the last few are chosen among the next ones so that almost nothing
    stays empty. Each choice reaches at most half the budget ahead, so a budget twice as large takes all of them: longer
    contexts are supersets in the same order (docs/decisions/0002-fill.md).

    Args:
        runs: from walk().
        tokens: prefix sums of the release tokenizer.
        budget: tokens to fill.

    Raises:
        BuildError: the walk ends before the budget is filled.
    """
    chosen: list[Run] = []
    left = budget
    source = iter(runs)
    for run in source:
        size = tokens[run.last] - tokens[run.first]
        if size <= left:
            chosen.append(run)
            left -= size
            continue
        cut = bisect_right(tokens, tokens[run.first] + left, run.first, run.last + 1) - 1
        chosen.append(Run(run.first, cut))
        back = _give_back(chosen)
        given = sum(tokens[piece.last] - tokens[piece.first] for piece in back)
        left += given - (tokens[cut] - tokens[run.first])
        ahead = _ahead([*back, Run(cut, run.last)], source, tokens, given + budget // 2)
        return _merged([*chosen, *(Run(unit, unit + 1) for unit in closest(ahead, left))])
    raise BuildError(f"the corpus holds {budget - left:,} tokens where {budget:,} are wanted")


def _give_back(chosen: list[Run]) -> list[Run]:
    """Take the last units off `chosen`, also beyond the beginning of a book, and return them in order."""
    back: list[Run] = []
    wanted = _BACK_UNITS
    while chosen and wanted:
        run = chosen.pop()
        cut = max(run.first, run.last - wanted)
        wanted -= run.last - cut
        if cut < run.last:
            back.insert(0, Run(cut, run.last))
        if run.first < cut:
            chosen.append(Run(run.first, cut))
    return back


def _ahead(runs: Sequence[Run], rest: Iterator[Run], tokens: memoryview, reach: int) -> list[tuple[int, int]]:
    """(unit, tokens) of the next units in the walk, as far as `reach` tokens."""
    out: list[tuple[int, int]] = []
    for current in chain(runs, rest):
        before = tokens[current.first]
        for unit in range(current.first, current.last):
            after = tokens[unit + 1]
            out.append((unit, after - before))
            reach -= after - before
            before = after
            if reach <= 0 or len(out) >= _TAIL_UNITS:
                return out
    return out


def closest(ahead: list[tuple[int, int]], left: int) -> list[int]:
    """Units to take from `ahead`, in its order, that fill `left` tokens as exactly as any choice can.

    Subset sum with one bit per total: bit t of `sums[i]` says whether the first i units can fill t tokens.
    """
    mask = (1 << (left + 1)) - 1
    sums = [1]
    for _, size in ahead:
        sums.append((sums[-1] | sums[-1] << size) & mask)
    target = sums[-1].bit_length() - 1
    taken = []
    for i in range(len(ahead), 0, -1):
        if not sums[i - 1] >> target & 1:  # not to be had without this unit: so early ones are preferred
            taken.append(ahead[i - 1][0])
            target -= ahead[i - 1][1]
    return taken[::-1]


def _merged(runs: list[Run]) -> list[Run]:
    """The same units with neighbouring runs made one."""
    out: list[Run] = []
    for run in runs:
        if out and out[-1].last == run.first:
            out[-1] = Run(out[-1].first, run.last)
        else:
            out.append(run)
    return out


def slot(depth: float, n_units: int) -> int:
    """Units before a needle of that depth, when the context has `n_units`: each of the n + 1 places is as likely."""
    return min(int(depth * (n_units + 1)), n_units)


def in_documents(store: Background, runs: Iterable[Run]) -> list[tuple[str, int, int]]:
    """(document, first unit, one past the last) within each document, in order of the runs."""
    out = []
    for run in runs:
        first = run.first
        while first < run.last:
            entry = store.documents[bisect_right(store.first_units, first) - 1]
            last = min(run.last, entry.last)
            out.append((entry.doc_id, first - entry.first, last - entry.first))
            first = last
    return out


def count_units(runs: Iterable[Run]) -> int:
    """Units in some runs."""
    return sum(run.last - run.first for run in runs)


def weave(store: Background, runs: Sequence[Run], needles: Sequence[Needle], sums: Sequence[memoryview]) -> Haystack:
    """Join units and needles: one slice per stretch between needles.

    Args:
        store: the background.
        runs: which units, in order.
        needles: in order of position.
        sums: token prefix sums of the store, one per tokenizer.
    """
    pieces: list[bytes | memoryview] = []
    placed: list[Placed] = []
    characters = words = 0
    counts = [0] * (len(needles[0].tokens) if needles else len(sums))
    at = 0  # units before the current place
    waiting = iter(needles)
    needle = next(waiting, None)

    def put(needle: Needle) -> None:
        nonlocal characters, words
        pieces.append(needle.text)
        placed.append(Placed(characters + 1, characters + needle.characters, counts[0]))
        characters += needle.characters
        words += needle.text.count(b" ")
        for j, tokens in enumerate(needle.tokens):
            counts[j] += tokens

    for run in runs:
        first = run.first
        while first < run.last:
            last = run.last if needle is None else min(run.last, first + max(needle.position - at, 0))
            if last > first:
                pieces.append(store.text[store.byte_at[first] : store.byte_at[last]])
                characters += store.char_at[last] - store.char_at[first]
                words += store.word_at[last] - store.word_at[first]
                for j, tokens_at in enumerate(sums):
                    counts[j] += tokens_at[last] - tokens_at[first]
                at += last - first
                first = last
            while needle is not None and needle.position <= at:
                put(needle)
                needle = next(waiting, None)
    while needle is not None:
        put(needle)
        needle = next(waiting, None)
    return Haystack(b"".join(pieces), characters, words, tuple(counts), tuple(placed))
