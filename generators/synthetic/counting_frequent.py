"""Frequent coded words: which stand most often in a text of random words and gaps (RULER's fwe, docs/spec/synthetic.md A1, A3)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces
from generators.spec import BackgroundUnits, Candidate, Row, Table
from generators.synthetic.base import GeneratedSettings, GeneratedTask
from generators.synthetic.counting_schedule import Schedule, coded_words
from generators.synthetic.counting_stock import Words32, scattered
from generators.synthetic.rows import SEAM, context_of, most_often, naming, tagged
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

INSTRUCTION = (
    "Below is a coded text. It consists of coded words of six letters and of gaps; a gap is written as three dots and is not a word. "
    "You will be asked which coded words occur most often in the text. Write down just these words, on one line and separated by "
    "commas."
)
GAP = "..."
CLEAR = 5  # items by which a word that is asked for must lead the next one


class FrequentSettings(GeneratedSettings):
    """Knobs of fwe.

    Attributes:
        asked: coded words asked for.
        alpha: the word of rank r stands in the text in proportion to r ** -alpha; rank 1 is the gap.
        order: "even": every item anywhere with the same chance, as in RULER, so that a part of the text tells what all of it would;
            "uneven": every word in a quarter of the text of its own, those asked for in quarters that begin evenly apart.
    """

    asked: Annotated[int, Field(strict=True, ge=1, le=10)] = 3
    alpha: Annotated[float, Field(ge=1.3, le=4.0)] = 2.0
    order: Literal["even", "uneven"] = "even"

    def title_words(self) -> Mapping[str, object]:
        """How many words are asked for, and where they stand."""
        spread = ", each word in a quarter of its own" if self.order == "uneven" else ""
        most = "most frequent word" if self.asked == 1 else f"{number_words(self.asked)} most frequent words"
        return {"most": most, "spread": spread}


class FrequentWords(GeneratedTask[FrequentSettings]):
    """Rows of fwe: coded words whose numbers follow a zeta law.

    The items come in order of the schedule (counting_schedule.py), so every length has the share of each word to within one
    item, the answer does not depend on the length, and the text is filled to a single word (RULER: 3 % of the budget).
    Differs from RULER: places are drawn per group (docs/defects/synthetic.md A5 #2), coded words have no vowels, so that
    none is a word.
    """

    settings_type = FrequentSettings
    paired = frozenset({"alpha", "order"})

    @cached_property
    def _schedule(self) -> Schedule:
        return Schedule(self.settings.alpha)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a group in a bucket; a group has one.

        Raises:
            BuildError: the bucket is too short for clear margins between the words asked for.
        """
        writer, tokenizers, asked = self.writer, self.inputs.tokenizers, self.settings.asked
        part, group = candidate.part, candidate.number
        pieces = self._pieces(writer.room(table) + 1, self.draws(part, group, "words"), part)
        names, question = [text[1:] for text in pieces.texts[1 : asked + 1]], most_often(asked, "coded word", "text")
        columns = naming(question, names, tokenizers[0], self.spec.max_new_tokens)
        frame = tagged(writer, INSTRUCTION, "text", question)

        def fill(budget: int) -> tuple[Ints, Context]:
            ranks = self._ranks(pieces, budget - SEAM)
            counts = np.bincount(ranks, minlength=len(pieces))
            self._check_margins(counts, table)
            return counts, _joined(pieces, ranks, self._places(ranks, candidate), tokenizers).flush(tokenizers)

        counts, context, tokens = writer.fitted(table, frame, fill, columns["max_new_tokens"])
        return writer.sample(
            table, candidate.key, frame, context, tokens, **columns,
            extra={"alpha": self.settings.alpha, "counts": counts[1 : asked + 2].tolist()},
            n_units=int(counts.sum()), n_unique_units=int(np.count_nonzero(counts)),
        )  # fmt: skip

    def _pieces(self, items: int, draws: Stream, part: Split) -> Pieces:
        """The gap and all coded words of the first so many items, as they would be with a token each."""
        words = islice(coded_words(draws, part), int(self._schedule.first(items).max()))
        return Pieces([f" {text}" for text in (GAP, *words)], self.inputs.tokenizers)

    def _ranks(self, pieces: Pieces, budget: int) -> Ints:
        """Ranks, from 0, of the first items of the schedule that fill the budget."""
        ranks = self._schedule.first(max(1, budget + 1))  # each has a token at least
        sums = np.cumsum(pieces.tokens(np.arange(len(pieces)))[ranks])
        return ranks[: int(np.searchsorted(sums, budget, side="right"))]

    def _places(self, ranks: Ints, group: Candidate) -> Ints:
        """Items in the order in which they stand, each at a place drawn by its number: more items leave the order of these as it is."""
        places, items = self.draws(group.part, group.number, "places"), np.arange(len(ranks))
        if self.settings.order == "even":
            return scattered(items, places)
        gaps = ranks == 0  # these stand anywhere: a quarter that begins anywhere
        starts = np.where(gaps, self._anywhere(group, len(items)), self._starts(group, int(ranks.max()) + 1)[ranks])
        return scattered(items, places, starts)

    def _anywhere(self, group: Candidate, items: int) -> Words32:
        """A start for each item."""
        return self.draws(group.part, group.number, "gaps").bulk(items // 2 + 1).view("<u4")[:items]

    def _starts(self, group: Candidate, words: int) -> Words32:
        """Where each word's quarter begins; of the words asked for each begins in an equal share of the text of its own."""
        asked, draws = self.settings.asked, self.draws(group.part, group.number, "quarters")
        starts = draws.bulk(words // 2 + 1).view("<u4")[:words].copy()
        shares = np.array(draws.shuffled(range(asked)), dtype=np.uint64) << np.uint64(32)
        starts[1 : asked + 1] = (shares + starts[1 : asked + 1]) // np.uint64(asked)
        return starts

    def _check_margins(self, counts: Ints, table: Table) -> None:
        asked = self.settings.asked
        leads = -np.diff(np.concatenate((counts, [0]))[1 : asked + 2])
        if len(leads) < asked or leads.min() < CLEAR:
            raise BuildError(
                f"the {asked} most frequent words and the next one are not {CLEAR} items apart from each other",
                where=table.config, fix="ask for fewer words or drop the bucket",
            )  # fmt: skip

    def problems(self, row: Row) -> Iterator[str]:
        """Items that are neither a gap nor a coded word; counts that are not as stored or not clearly apart."""
        yield from super().problems(row)
        times = Counter(context_of(row).split(" "))
        for item in times:
            if item != GAP and not re.fullmatch("[a-z]{6}", item):
                yield f"{item!r} is neither a gap nor a coded word"
        gold = [name for names in row["answer_groups"] for name in names]
        others = max((count for item, count in times.items() if item not in (GAP, *gold)), default=0)
        counts = [*(times[name] for name in gold), others]
        if counts != json.loads(row["extra"])["counts"]:
            yield f"the words asked for and the next one stand {counts} times in the text, not as stored"
        if any(more - less < CLEAR for more, less in pairwise(counts)):
            yield f"{counts} are not clearly apart"

    def background(self, row: Row) -> BackgroundUnits:
        """Words and gaps in order."""
        return context_of(row).split(" ")


def _joined(pieces: Pieces, ranks: Ints, order: Ints, tokenizers: Sequence[Tokenizer]) -> Context:
    """The items in text order; as bytes of equal width, as there may be half a million of a few hundred texts."""
    texts, every = [text.encode() for text in pieces.texts], np.arange(len(pieces))
    padded = np.array(texts, dtype=np.bytes_)  # with zero bytes, taken away again below
    text = padded[ranks[order]].tobytes().translate(None, b"\0")
    counts = np.bincount(ranks, minlength=len(pieces))
    tokens = tuple(int(counts @ pieces.tokens(every, j)) for j in range(len(tokenizers)))
    return Context(text, tokens, len(text), len(ranks))  # ASCII: a byte is a character
