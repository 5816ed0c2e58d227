"""Frequent coded words: which ones occur most often in a text of random words and gaps (RULER's fwe, docs/spec/synthetic.md A1, A3).

Every prefix of the schedule follows a zeta law: the word of rank r is due for the j-th time at j * r ** alpha. Items come in the
order in which they are due, so a list up to time T contains the word of rank r floor(T * r ** -alpha) times, as RULER's does, and a
longer list continues a shorter one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count as count_from
from itertools import islice, pairwise, product, takewhile
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.checks import context_of
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces
from generators.generated.base import GeneratedSettings, GeneratedTask
from generators.generated.rows import SEAM, most_often, naming, tagged
from generators.generated.splits import split_of
from generators.spec import BackgroundUnits, Candidate, Row, Table
from generators.synthetic.counting_stock import Words32, scattered, words32
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

INSTRUCTION = (
    "The coded text below consists of coded words of six letters and of gaps; a gap is written as three dots and is not a word. "
    "You will be asked which coded words occur most often in the text. Write only these words, on one line and separated by commas."
)
GAP = "..."
CLEAR = 5  # lead of a requested word over the next one, in items
_LETTERS = "bcdfghjklmnpqrstvwxz"  # no vowels, so no coded word is a word
_HALVES = ["".join(letters) for letters in product(_LETTERS, repeat=3)]
_UNIT = 1 << 20  # times are whole numbers: the same order on every machine, ties by rank


def schedule(alpha: float, count: int) -> Ints:
    """Return the ranks of the first `count` items in the order in which they are due, from 0 for the most frequent word."""
    return _due(alpha, 1 << count.bit_length())[:count]


@lru_cache(maxsize=2)
def _due(alpha: float, count: int) -> Ints:
    """Return the ranks of at least `count` items: all that are due by the time at which so many are."""
    steps = (round(rank**alpha * _UNIT) for rank in count_from(1))  # time between two items of each rank
    every = np.array(list(takewhile(lambda step: step <= count * _UNIT, steps)), dtype=np.int64)
    last = bisect_left(range(count * _UNIT), count, key=lambda time: int((time // every).sum()))
    due = last // every
    times = np.concatenate([np.arange(1, n + 1) * step for n, step in zip(due.tolist(), every, strict=True)])
    return np.repeat(np.arange(len(every)), due)[np.argsort(times, kind="stable")]


def coded_words(draws: Stream, split: Split) -> Iterator[str]:
    """Yield distinct coded words of a split, six letters each, in random order."""
    for number in draws.walk(len(_HALVES) ** 2):
        word = _HALVES[number // len(_HALVES)] + _HALVES[number % len(_HALVES)]
        if split_of(word) == split:
            yield word


class FrequentSettings(GeneratedSettings):
    """Settings of fwe.

    Attributes:
        asked: number of requested coded words.
        alpha: the number of items of rank r is proportional to r ** -alpha; rank 1 is the gap.
        order: place of the items. even: anywhere with the same probability, as in RULER. uneven: every word within its own quarter of
            the text.
    """

    asked: Annotated[int, Field(strict=True, ge=1, le=10)] = 3
    alpha: Annotated[float, Field(ge=1.3, le=4.0)] = 2.0
    order: Literal["even", "uneven"] = "even"

    def title_words(self) -> Mapping[str, object]:
        spread = ", each word in a quarter of its own" if self.order == "uneven" else ""
        most = "most frequent word" if self.asked == 1 else f"{number_words(self.asked)} most frequent words"
        return {"most": most, "spread": spread}


class FrequentWords(GeneratedTask[FrequentSettings]):
    """Rows of fwe: coded words whose numbers follow a zeta law.

    The items come in the order of the schedule, so every length has the share of each word to within one item, the answer does not
    depend on the length, and the text is filled to a single word (RULER: 3 % of the budget). Differs from RULER: places are drawn
    per group (docs/defects/synthetic.md A5 #2), and coded words have no vowels, so that none is a word.
    """

    settings_type = FrequentSettings
    paired = frozenset({"alpha", "order"})

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        writer, tokenizers, asked = self.writer, self.inputs.tokenizers, self.settings.asked
        draws = partial(self.draws, candidate.split, candidate.number)
        most = schedule(self.settings.alpha, writer.room(table) + 1).max()  # if each item had one token
        words = islice(coded_words(draws("words"), candidate.split), int(most))
        pieces = Pieces([f" {text}" for text in (GAP, *words)], tokenizers)
        names, question = [text[1:] for text in pieces.texts[1 : asked + 1]], most_often(asked, "coded word", "text")
        columns = naming(question, names, tokenizers[0], self.spec.max_new_tokens)
        frame = tagged(writer, INSTRUCTION, "text", question)

        def fill(budget: int) -> tuple[Ints, Context]:
            ranks = self._ranks(pieces, budget - SEAM)
            counts = np.bincount(ranks, minlength=len(pieces))
            self._check_margins(counts, table)
            return counts, _joined(pieces, ranks[self._places(ranks, draws)], counts, tokenizers).flush(tokenizers)

        counts, context, tokens = writer.fitted(table, frame, fill, columns["max_new_tokens"])
        return writer.sample(
            table, candidate.key, frame, context, tokens, **columns,
            metadata={"alpha": self.settings.alpha, "counts": counts[1 : asked + 2].tolist()},
            num_segments=int(counts.sum()), num_unique_segments=int(np.count_nonzero(counts)),
        )  # fmt: skip

    def _ranks(self, pieces: Pieces, budget: int) -> Ints:
        """Return the ranks, from 0, of the first items of the schedule that fill the budget."""
        ranks = schedule(self.settings.alpha, max(1, budget + 1))  # each has a token at least
        sums = np.cumsum(pieces.tokens(np.arange(len(pieces)))[ranks])
        return ranks[: int(np.searchsorted(sums, budget, side="right"))]

    def _places(self, ranks: Ints, draws: Callable[[str], Stream]) -> Ints:
        """Return the items in text order, each at a place drawn by its number: more items keep the order of these."""
        places, items = draws("places"), np.arange(len(ranks))
        if self.settings.order == "even":
            return scattered(items, places)
        quarters = self._quarters(int(ranks.max()) + 1, draws("quarters"))
        starts = np.where(ranks == 0, words32(draws("gaps"), len(items)), quarters[ranks])  # gaps are anywhere
        return scattered(items, places, starts)

    def _quarters(self, words: int, draws: Stream) -> Words32:
        """Return the start of each word's quarter; each requested word starts in an equal share of the text of its own."""
        asked, starts = self.settings.asked, words32(draws, words).copy()
        shares = np.array(draws.shuffled(range(asked)), dtype=np.uint64) << np.uint64(32)
        starts[1 : asked + 1] = (shares + starts[1 : asked + 1]) // np.uint64(asked)
        return starts

    def _check_margins(self, counts: Ints, table: Table) -> None:
        asked = self.settings.asked
        leads = -np.diff(np.concatenate((counts, [0]))[1 : asked + 2])
        if len(leads) < asked or leads.min() < CLEAR:
            raise BuildError(
                f"the {asked} most frequent words and the next one are not {CLEAR} items apart from each other",
                where=table.config, fix="request fewer words or drop the length",
            )  # fmt: skip

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        times = Counter(context_of(row).split(" "))
        for item in times:
            if item != GAP and not re.fullmatch("[a-z]{6}", item):
                yield f"{item!r} is neither a gap nor a coded word"
        gold = [name for names in row["answer_groups"] for name in names]
        others = max((count for item, count in times.items() if item not in (GAP, *gold)), default=0)
        counts = [*(times[name] for name in gold), others]
        if counts != json.loads(row["metadata"])["counts"]:
            yield f"the requested words and the next one appear {counts} times in the text, which differs from the row"
        if any(more - less < CLEAR for more, less in pairwise(counts)):
            yield f"{counts} are not clearly apart"

    def background(self, row: Row) -> BackgroundUnits:
        return context_of(row).split(" ")


def _joined(pieces: Pieces, order: Ints, counts: Ints, tokenizers: Sequence[Tokenizer]) -> Context:
    """Join the items in text order; as bytes of equal width, because half a million items have a few hundred texts."""
    every = np.arange(len(pieces))
    padded = np.array([text.encode() for text in pieces.texts], dtype=np.bytes_)  # zero bytes are removed below
    text = padded[order].tobytes().translate(None, b"\0")
    tokens = tuple(int(counts @ pieces.tokens(every, j)) for j in range(len(tokenizers)))
    return Context(text, tokens, len(text), len(order))  # ASCII: a byte is a character
