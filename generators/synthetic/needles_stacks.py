"""What a haystack is, filled to a budget with needles in place; and the one made of sentences of a corpus (the others: needles_lines)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from corpora.background import Background, Entry
from corpora.tokenizer import Tokenizer
from generators import haystack
from generators.pieces import Filling, Pieces, Strip, closed, flush
from generators.synthetic.needles_content import Statement
from haymaker.errors import BuildError
from haymaker.rng import Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

_TIES = 65_536  # different places of sentences in a shuffled order; sentences of one place keep the order of the walk


@dataclass(frozen=True, slots=True)
class Built:
    """What is known of a filled context.

    Attributes:
        n_units: units of background.
        slots: per statement, units before it.
        starts, ends: per statement, characters from the start of the context; a start may be before it, in the opener.
        token_starts: per statement, tokens from the start of `tokens`; may be -1 for an opener that stands before it.
        tokens: of the context before its first space was dropped.
        runs: units of the corpus, where it comes from one.
    """

    n_units: int
    slots: list[int]
    starts: list[int]
    ends: list[int]
    token_starts: list[int]
    tokens: int
    runs: list[haystack.Run]


class Stack(ABC):
    """A haystack.

    Attributes:
        opener: words of the context that stand in the head.
    """

    opener = ""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self.tokenizers = tokenizers

    @abstractmethod
    def fill(
        self, statements: Sequence[Statement], budget: int, bucket: int, part: str, stream: Stream, order: Stream
    ) -> tuple[Built, Filling]:
        """A context of at most `budget` tokens (a seam may add one or two).

        Args:
            statements: to place, in order of depth.
            budget: tokens.
            bucket: tokens of the whole row.
            part: of the row.
            stream: which units, of the group.
            order: in which order, of the group.

        Raises:
            BuildError: the units end before the budget.
        """

    def taken(self, part: str) -> Collection[str]:
        """Words of the units that no key or value may be."""
        return ()

    @abstractmethod
    def limit(self) -> int | None:
        """Tokens of all units of part test; None where they are not here."""


class Essay(Stack):
    """Sentences of a background corpus, as BABILong walks it: no document twice.

    Args:
        store: of the corpus; None: not here, nothing can be built.
        tokenizers: release tokenizer first.
        shuffled: each sentence at a place of its own instead of as written.
    """

    def __init__(self, store: Background | None, tokenizers: Sequence[Tokenizer], *, shuffled: bool) -> None:
        super().__init__(tokenizers)
        self._store, self._shuffled = store, shuffled
        self._documents = lru_cache(maxsize=3)(self._part)

    @property
    def store(self) -> Background:
        """The corpus."""
        assert self._store is not None, "the background is not built"
        return self._store

    def _part(self, part: str) -> list[Entry]:
        return self.store.part(part)

    def fill(
        self, statements: Sequence[Statement], budget: int, bucket: int, part: str, stream: Stream, order: Stream
    ) -> tuple[Built, Filling]:
        """See Stack."""
        sums = [self.store.tokens_at(t.fingerprint) for t in self.tokenizers]
        texts = [f" {s.text}" for s in statements]
        counts = list(zip(*(t.count_units(texts) for t in self.tokenizers), strict=True))
        left = room_left(budget, sum(count[0] for count in counts))
        runs = haystack.fit(haystack.walk(self._documents(part), stream), sums[0], left)
        n = haystack.count_units(runs)
        slots = [haystack.slot(s.depth, n) for s in statements]
        if self._shuffled:
            strip = _gathered(self.store, places(runs, order), sums)
            return planted(strip, Pieces(texts, self.tokenizers).strip(range(len(texts))), slots, self.tokenizers, runs)
        needles = [haystack.Needle(t.encode(), c, len(t), at) for t, c, at in zip(texts, counts, slots, strict=True)]
        hay = haystack.weave(self.store, runs, needles, sums)
        starts, ends = [p.start - 1 for p in hay.placed], [p.end - 1 for p in hay.placed]
        built = Built(n, slots, starts, ends, [p.token_start for p in hay.placed], hay.tokens[0], runs)
        return built, flush(Filling(hay.text, hay.tokens, hay.characters, hay.words), self.tokenizers)

    def limit(self) -> int | None:
        """See Stack."""
        if self._store is None:
            return None
        sums = self._store.tokens_at(self.tokenizers[0].fingerprint)
        return sum(sums[entry.last] - sums[entry.first] for entry in self._store.part("test"))


def room_left(budget: int, needed: int) -> int:
    """Tokens of background.

    Raises:
        BuildError: none are left.
    """
    if budget <= needed:
        raise BuildError(f"needles of {needed:,} tokens leave no room for a text around them in {budget:,}")
    return budget - needed


def places(runs: Sequence[haystack.Run], order: Stream) -> Ints:
    """The units of some runs, each at a place of its own that does not depend on the others; longer keeps shorter in order."""
    chosen = np.concatenate([np.arange(run.first, run.last) for run in runs])
    return np.asarray(chosen[np.argsort(order.bulk(_TIES)[chosen % _TIES], kind="stable")], dtype=np.int64)


def _gathered(store: Background, chosen: Ints, sums: Sequence[memoryview]) -> Strip:
    """Units of the store in any order."""

    def sizes(prefix: memoryview) -> Ints:
        at = np.frombuffer(prefix, dtype="<i8")
        return np.asarray(at[chosen + 1] - at[chosen], dtype=np.int64)

    text, byte_at = store.text, store.byte_at
    pieces = [bytes(text[byte_at[i] : byte_at[i + 1]]) for i in chosen.tolist()]
    return Strip([pieces], sizes(store.char_at), sizes(store.word_at), [sizes(prefix) for prefix in sums])


def planted(
    lines: Strip,
    special: Strip,
    slots: list[int],
    tokenizers: Sequence[Tokenizer],
    runs: list[haystack.Run],
    *,
    opener: str = "",
    ending: str = "",
) -> tuple[Built, Filling]:
    """Special units put between lines, and where they came to stand.

    Args:
        lines: in order.
        special: in order of depth.
        slots: per special unit, lines before it.
        tokenizers: release tokenizer first.
        runs: units of the corpus that the lines are, if they are.
        opener: first word of every line, which the head says for the first; empty for running text.
        ending: what a unit ends with that opens the next.
    """
    n = len(lines)
    order = np.insert(np.arange(n), slots, np.arange(n, n + len(special)))
    whole = (lines + special).ordered(order)
    at = [slot + i for i, slot in enumerate(slots)]  # units before, special ones counted
    characters = np.concatenate(([0], np.cumsum(whole.characters)))
    tokens = np.concatenate(([0], np.cumsum(whole.tokens[0])))
    before = tokenizers[0].count_part(opener) if opener else 0
    filling = closed(whole, ending, tokenizers)
    flushed = 0 if opener else 1  # the space that a context right behind a line break goes without
    starts = [int(characters[i]) + 1 - flushed - (len(opener) + 1 if opener else 0) for i in at]
    ends = [int(characters[i + 1]) - flushed - len(ending) for i in at]
    built = Built(n, slots, starts, ends, [int(tokens[i]) - before for i in at], filling.tokens[0], runs)
    return built, filling if opener else flush(filling, tokenizers)
