"""What stands most often (RULER's cwe and fwe, docs/spec/synthetic.md A1, A3): common words of a list; the table of both.

The words of a group have ranks, the common ones first; each item has a place drawn by its number. A longer list holds the items
of a shorter one in the same order, and more words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.ranked import filling_ranks
from generators.context.writer import Frame
from generators.spec import Allowed, BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.base import GENERATED_SKIPS, GeneratedSettings, GeneratedTask
from generators.synthetic.counting_frequent import FrequentWords
from generators.synthetic.counting_stock import Numerals, Order, Stock, scattered
from generators.synthetic.oracles import counting as oracle
from generators.synthetic.parts import texts_of
from generators.synthetic.rows import SEAM, context_of, example, most_often, naming, tagged
from generators.synthetic.vocabulary import compounds
from haymaker.core.errors import BuildError
from haymaker.core.rng import Key
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

INSTRUCTION = (
    "Below is a numbered list of words. A few words occur in it more often than all the others. You will be asked which "
    "words these are. Write down just these words, without their numbers, on one line and separated by commas."
)
_EXAMPLE_COMMON, _EXAMPLE_TIMES, _EXAMPLE_OTHERS = 4, 4, 6
_EXAMPLE = _EXAMPLE_COMMON + _EXAMPLE_OTHERS  # words that the example takes of the group's order
_WORDS = 1 << 19  # compounds: lists of more than ten million tokens
_numerals = lru_cache(maxsize=1)(Numerals)  # one for all releases


class CommonSettings(GeneratedSettings):
    """Knobs of cwe.

    Attributes:
        asked: common words.
        common: times that each of them stands in the list.
        uncommon: times that each other word does.
    """

    asked: Annotated[int, Field(strict=True, ge=1, le=40)] = 10
    common: Annotated[int, Field(strict=True, ge=2, le=1000)] = 30
    uncommon: Annotated[int, Field(strict=True, ge=1, le=500)] = 3

    @model_validator(mode="after")
    def _apart(self) -> CommonSettings:
        if self.common < 2 * self.uncommon:
            raise ValueError("common words must stand in the list at least twice as often as uncommon ones")
        return self

    def title_words(self) -> Mapping[str, object]:
        """How many words are asked for, and how often they and all others occur."""
        words = "word that occurs" if self.asked == 1 else f"{number_words(self.asked)} words that occur"
        return {"words": words, "times": f"{_times(self.common)}, all others {_times(self.uncommon)}"}


class CommonWords(GeneratedTask[CommonSettings]):
    """Rows of cwe: a numbered list in which some words stand far more often than the others.

    Differs from RULER: one kind of words at every length, so no gap where a second list begins; places are drawn per group;
    more room for the answer (docs/defects/synthetic.md A5 #5, A5 #2, A5 #13); a shorter worked example, so that 4k holds it.
    """

    settings_type = CommonSettings
    paired = frozenset({"common", "uncommon"})

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a group in a bucket; a group has one.

        Raises:
            BuildError: the bucket is too short for so many common words.
        """
        writer, tokenizers, asked = self.writer, self.inputs.tokenizers, self.settings.asked
        stock, draws = _words(self.release.stream_key, candidate.part, tuple(tokenizers)), self.draws
        order = Order(stock, lambda block: draws(candidate.part, candidate.number, f"words {block}"))
        first = order.texts(_EXAMPLE + asked)
        columns = naming(_question(asked), sorted(first[_EXAMPLE:]), tokenizers[0], self.spec.max_new_tokens)
        frame = self._frame(candidate, first[:_EXAMPLE])

        def fill(budget: int) -> tuple[Ints, Context]:
            units = self._units(order, budget - SEAM, table)
            return units, self._listed(order, units, candidate).flush(tokenizers)

        units, context, counts = writer.fitted(table, frame, fill, columns["max_new_tokens"])
        common, uncommon = self.settings.common, self.settings.uncommon
        return writer.sample(
            table, candidate.key, frame, context, counts, **columns, extra={"common": common, "uncommon": uncommon},
            n_units=common * asked + uncommon * (len(units) - asked), n_unique_units=len(units),
        )  # fmt: skip

    def _units(self, order: Order, budget: int, table: Table) -> Ints:
        """Words of the list by their rank, the common ones first, that fill the budget; the example's come before them in the order."""
        asked, uncommon = self.settings.asked, self.settings.uncommon
        fixed, numerals = asked * self.settings.common, _numerals(tuple(self.inputs.tokenizers))
        first = int(order.tokens(_EXAMPLE + asked)[_EXAMPLE:].sum()) * self.settings.common

        def sizes(count: int) -> Ints:
            """An uncommon word's items, numbered as if none before it were passed over."""
            numbers = numerals.sums(fixed + uncommon * count)[fixed::uncommon]
            return uncommon * order.tokens(_EXAMPLE + asked + count)[_EXAMPLE + asked :] + np.diff(numbers)

        left = budget - first - int(numerals.sums(fixed)[fixed])
        ranks = filling_ranks(sizes, max(0, left), table.tokens or 0, most=_WORDS - _EXAMPLE - asked)
        if len(ranks) < asked:
            raise BuildError(
                f"{fixed:,} items of common words leave room for {len(ranks)} others, fewer than are asked for",
                where=table.config, fix="make `common` smaller or drop the bucket",
            )  # fmt: skip
        return np.concatenate((np.arange(asked), ranks + asked))

    def _listed(self, order: Order, units: Ints, group: Candidate) -> Context:
        """The numbered list of these words."""
        asked, common, uncommon = self.settings.asked, self.settings.common, self.settings.uncommon
        fixed = asked * common
        later = fixed + ((units[asked:, None] - asked) * uncommon + np.arange(uncommon)).ravel()
        items = scattered(np.concatenate((np.arange(fixed), later)), self.draws(group.part, group.number, "places"))
        ranks = np.where(items < fixed, items // common, (items - fixed) // uncommon + asked)
        numerals = _numerals(tuple(self.inputs.tokenizers)).pieces(len(items)).strip(np.arange(len(items)))
        return numerals.beside(order.strip(_EXAMPLE + ranks)).whole()

    def _frame(self, group: Candidate, words: Sequence[str]) -> Frame:
        """Instruction, worked example, question."""
        common, others = list(words[:_EXAMPLE_COMMON]), words[_EXAMPLE_COMMON:]
        draws = self.draws(group.part, group.number, "example")
        shown = draws.shuffled([*common * _EXAMPLE_TIMES, *others])
        listed = " ".join(f"{n}. {word}" for n, word in enumerate(shown, start=1))
        demo = example(listed, _question(_EXAMPLE_COMMON), ", ".join(sorted(common)))
        return tagged(self.writer, INSTRUCTION, "list", _question(self.settings.asked), demo)

    def problems(self, row: Row) -> Iterator[str]:
        """Numbers that do not run from 1; words that stand in the list more or less often than they should."""
        yield from super().problems(row)
        items = context_of(row).split(" ")
        if items[::2] != [f"{n}." for n in range(1, len(items) // 2 + 1)]:
            yield "items are not numbered 1, 2, 3 ..."
        times, counts = json.loads(row["extra"]), Counter(items[1::2])
        common = {name for names in row["answer_groups"] for name in names}
        for word, count in counts.items():
            if count != (wanted := times["common" if word in common else "uncommon"]):
                yield f"{word} stands {count} times in the list, not {wanted}"
        if not common <= counts.keys():
            yield "a common word does not stand in the list"

    def background(self, row: Row) -> BackgroundUnits:
        """The words in order, without their numbers, which change with the length."""
        return context_of(row).split(" ")[1::2]


@lru_cache(maxsize=3)
def _words(stream_key: Key, part: Split, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """One for all entries of a release."""
    return Stock(
        lambda count: texts_of(lambda many: compounds(many, stream_key, "cwe"), count, part), _WORDS, tokenizers
    )


def _times(count: int) -> str:
    """How often, in words; parameters go to a thousand."""
    return {1: "once", 2: "twice"}.get(count) or f"{number_words(count) if count < 1000 else count} times"


def _question(asked: int) -> str:
    return most_often(asked, "word", "list")


_EVEN = Allowed(
    100,
    "RULER spreads the words evenly, so any part that is long enough tells what the whole would; fwe_hard is uneven",
)
_METRICS = ("ruler_f1@strict", "ruler_all@strict", "ruler_all@official")

TASKS = (
    TaskSpec(
        "cwe", CommonWords, "RULER common words: the {words} most often in a numbered list ({times})", "aggregation",
        _METRICS, 160, version=3, solver=oracle.common, ends="none: lists do not end before ten million tokens", skips=GENERATED_SKIPS,
        allows=dict.fromkeys(("first_1k", "last_1k", "first_half", "bm25_top1"), _EVEN),
    ),
    TaskSpec(
        "fwe", FrequentWords, "RULER frequent words: the {most} of a coded text{spread}", "aggregation",
        _METRICS, 64, version=3, solver=oracle.frequent, ends="none: coded words do not end", skips=GENERATED_SKIPS,
        allows=dict.fromkeys(("first_1k", "last_1k", "first_half", "bm25_top1", "odd_out"), _EVEN),
    ),
    TaskSpec(
        "fwe_hard", FrequentWords, "Frequent words, after RULER's: the {most} of a coded text{spread}",
        "aggregation", _METRICS, 64, version=2, solver=oracle.frequent, ends="none: coded words do not end", skips=GENERATED_SKIPS,
        defaults={"asked": 6, "alpha": 1.4, "order": "uneven"},
    ),
)  # fmt: skip
