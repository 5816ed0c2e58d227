"""What a haystack is, filled to a budget with needles in place; and the one made of sentences of a corpus (the others: needles_lines)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from corpora.stores.sentences.store import Background
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces, Strip, closed
from generators.context.ranked import named
from generators.context.sentences import Needle, Run, Sentences, count_units, slot
from generators.spec import Table
from generators.synthetic.needles_content import Draws, Statement
from generators.synthetic.phrases import Phrases
from generators.synthetic.vocabulary import ENGLISH, KeyWords
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream

_MARKED = re.compile(rb"\d{5,}|[a-z]+-[a-z]+")
_TIES = 65_536  # different places of sentences in a shuffled order; sentences of one place keep the order of the walk


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled haystack.

    Attributes:
        context: begins with a space; its named units are the statements. A start may lie before it, in the opener, and then
            token_starts may be -1.
        n_units: units of background.
        runs: of the corpus, where they come from one.
    """

    context: Context
    n_units: int
    runs: Sequence[Run] = ()


class Stack(ABC):
    """A haystack.

    Args:
        tokenizers: release tokenizer first.

    Attributes:
        opener: first word of every line, which the head says for the first; empty for running text.
        ending: what a unit ends with that opens the next.
    """

    opener = ending = ""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self.tokenizers = tuple(tokenizers)

    @abstractmethod
    def fill(self, statements: Sequence[Statement], budget: int, table: Table, draws: Draws) -> Filled:
        """A context of at most `budget` tokens (a seam may add one or two).

        Args:
            statements: to place, in order of depth.
            budget: tokens.
            table: of the row.
            draws: of the group: which units ("background"), in which order ("order").

        Raises:
            BuildError: the units end before the budget.
        """

    def taken(self, part: str) -> Collection[str]:
        """Words of the units that no key or value may be."""
        return ()

    @abstractmethod
    def limit(self, part: str) -> int:
        """Tokens of all units of a part."""

    def with_needles(
        self, lines: Strip, special: Strip, statements: Sequence[Statement], runs: Sequence[Run] = ()
    ) -> Filled:
        """Lines in order with the statements put between them, which are given as units too."""
        n = len(lines)
        slots = [slot(each.depth, n) for each in statements]
        whole = (lines + special).ordered(np.insert(np.arange(n), slots, np.arange(n, n + len(special))))
        places = [before + i for i, before in enumerate(slots)]
        context = named(closed(whole, self.ending, self.tokenizers), whole, places, self.ending)
        if self.opener:  # a statement's own stands at the end of the unit before it, or in the head
            opened, tokens = len(self.opener) + 1, self.tokenizers[0].count_part(self.opener)
            starts, before = [at - opened for at in context.starts], [at - tokens for at in context.token_starts]
            context = replace(context, starts=starts, token_starts=before)
        return Filled(context, n, runs)


class Essay(Stack):
    """Sentences of a background corpus, as BABILong walks it: no document twice.

    Args:
        sentences: of the corpus.
        tokenizers: release tokenizer first.
        phrases: of what is hidden.
        shuffled: each sentence at a place of its own instead of as written.
    """

    def __init__(
        self, sentences: Sentences, tokenizers: Sequence[Tokenizer], phrases: Phrases, *, shuffled: bool
    ) -> None:
        super().__init__(tokenizers)
        self._sentences, self._shuffled, self._words = sentences, shuffled, phrases.key_words

    def fill(self, statements: Sequence[Statement], budget: int, table: Table, draws: Draws) -> Filled:
        """See Stack."""
        needles = Needle.of([s.text for s in statements], self.tokenizers)
        needed = sum(each.tokens[0] for each in needles)
        if budget <= needed:
            raise BuildError(f"needles of {needed:,} tokens leave no room for a text around them in {budget:,}")
        runs = self._sentences.runs(table.part, draws("background"), budget - needed)
        if not self._shuffled:
            return Filled(self._sentences.woven(runs, needles, [s.depth for s in statements]), count_units(runs), runs)
        special = Pieces([each.text.decode() for each in needles], self.tokenizers).strip(range(len(needles)))
        return self.with_needles(self._gathered(places(runs, draws("order"))), special, statements, runs)

    def taken(self, part: str) -> Collection[str]:
        """See Stack: numbers of the books, and what in them could be a key."""
        return _marked(self._sentences.store, part, self._words)

    def _gathered(self, chosen: Ints) -> Strip:
        """Units of the store in any order."""

        def sizes(prefix: memoryview) -> Ints:
            at = np.frombuffer(prefix, dtype="<i8")
            return np.asarray(at[chosen + 1] - at[chosen], dtype=np.int64)

        store, tokens = self._sentences.store, [sizes(prefix) for prefix in self._sentences.sums]
        text, byte_at = store.text, store.byte_at
        pieces = [bytes(text[byte_at[i] : byte_at[i + 1]]) for i in chosen.tolist()]
        return Strip([pieces], sizes(store.char_at), sizes(store.word_at), tokens)

    def limit(self, part: str) -> int:
        """See Stack."""
        return self._sentences.held(part)


@lru_cache(maxsize=4)
def _marked(store: Background, part: str, words: KeyWords) -> frozenset[str]:
    """What a key or a value could be taken for in the books of a part, shared by the tasks of a process."""
    found: set[bytes] = set()
    names = None if words is ENGLISH else re.compile(words.pattern.encode())
    for entry in store.part(part):
        text = store.text[store.byte_at[entry.first] : store.byte_at[entry.last]]
        found.update(_MARKED.findall(text))
        found.update(names.findall(text) if names else ())
    return frozenset(word.decode() for word in found)


def places(runs: Sequence[Run], order: Stream) -> Ints:
    """The units of some runs, each at a place of its own that does not depend on the others; longer keeps shorter in order."""
    chosen = np.concatenate([np.arange(run.first, run.last) for run in runs])
    return np.asarray(chosen[np.argsort(order.bulk(_TIES)[chosen % _TIES], kind="stable")], dtype=np.int64)
