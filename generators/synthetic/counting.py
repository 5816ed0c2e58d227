"""Common words of a numbered list (RULER's cwe, docs/spec/synthetic.md A1, A3), and the specs of both counting tasks.

The words of a group have ranks, the common ones first; the place of each item is drawn by its number. A longer list contains the
items of a shorter one in the same order, and more words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.checks import context_of
from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.ranked import filling_ranks
from generators.context.units import Numbers
from generators.generated.base import GENERATED_SKIPS, RULER_METRICS, GeneratedSettings, GeneratedTask
from generators.generated.rows import SEAM, example, most_often, naming, tagged
from generators.generated.splits import texts_of
from generators.generated.vocabulary import compounds
from generators.spec import Allowed, BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.counting_frequent import FrequentWords
from generators.synthetic.counting_stock import Order, Stock, scattered
from generators.synthetic.oracles import counting as oracle
from haymaker.core.errors import BuildError
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

INSTRUCTION = (
    "The numbered list below consists of words, and a few of these words occur more often than all the others. You will be "
    "asked which words these are. Write only these words, without their numbers, on one line and separated by commas."
)
_EXAMPLE_COMMON, _EXAMPLE_TIMES, _EXAMPLE_OTHERS = 4, 4, 6
_EXAMPLE = _EXAMPLE_COMMON + _EXAMPLE_OTHERS  # words of the group's order in the example
_WORDS = 1 << 19  # compounds: lists of more than ten million tokens
_numerals = lru_cache(maxsize=1)(partial(Numbers, " {n}."))  # one for all releases


class CommonSettings(GeneratedSettings):
    """Settings of cwe.

    Attributes:
        asked: number of common words.
        common: occurrences of each common word.
        uncommon: occurrences of each other word.
    """

    asked: Annotated[int, Field(strict=True, ge=1, le=40)] = 10
    common: Annotated[int, Field(strict=True, ge=2, le=1000)] = 30
    uncommon: Annotated[int, Field(strict=True, ge=1, le=500)] = 3

    @model_validator(mode="after")
    def _apart(self) -> CommonSettings:
        if self.common < 2 * self.uncommon:
            raise ValueError("common words must occur in the list at least twice as often as uncommon ones")
        return self

    def title_words(self) -> Mapping[str, object]:
        words = "word that occurs" if self.asked == 1 else f"{number_words(self.asked)} words that occur"
        return {"words": words, "times": f"{_times(self.common)}, all others {_times(self.uncommon)}"}


class CommonWords(GeneratedTask[CommonSettings]):
    """Rows of cwe: a numbered list in which some words occur far more often than the others.

    Differs from RULER (docs/defects/synthetic.md A5 #5, A5 #2, A5 #13): one kind of words at every length, without a gap before a second
    list, places drawn per group, a larger output budget, and a worked example short enough for 4k.
    """

    settings_type = CommonSettings
    paired = frozenset({"common", "uncommon"})

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        writer, tokenizers, asked = self.writer, self.inputs.tokenizers, self.settings.asked
        draws = partial(self.draws, candidate.split, candidate.number)
        stock = _words(self.release.stream_key, candidate.split, tuple(tokenizers))
        order = Order(stock, lambda block: draws(f"words {block}"))
        first, question = order.texts(_EXAMPLE + asked), most_often(asked, "word", "list")
        columns = naming(question, sorted(first[_EXAMPLE:]), tokenizers[0], self.spec.max_new_tokens)
        frame = tagged(writer, INSTRUCTION, "list", question, _worked_example(first[:_EXAMPLE], draws("example")))

        def fill(budget: int) -> tuple[Ints, Context]:
            units = self._units(order, budget - SEAM, table)
            return units, self._listed(order, units, draws("places")).flush(tokenizers)

        units, context, counts = writer.fitted(table, frame, fill, columns["max_new_tokens"])
        common, uncommon = self.settings.common, self.settings.uncommon
        return writer.sample(
            table, candidate.key, frame, context, counts, **columns, metadata={"common": common, "uncommon": uncommon},
            num_segments=common * asked + uncommon * (len(units) - asked), num_unique_segments=len(units),
        )  # fmt: skip

    def _units(self, order: Order, budget: int, table: Table) -> Ints:
        """Return the ranks of words that fill the budget, common ones first; the words of the example precede them in the order."""
        asked, uncommon = self.settings.asked, self.settings.uncommon
        fixed, numerals = asked * self.settings.common, _numerals(tuple(self.inputs.tokenizers))
        first = int(order.tokens(_EXAMPLE + asked)[_EXAMPLE:].sum()) * self.settings.common

        def sizes(count: int) -> Ints:
            numbers = numerals.tokens(fixed + uncommon * count)[fixed:]  # as if no word before were left out
            words = order.tokens(_EXAMPLE + asked + count)[_EXAMPLE + asked :]
            found: Ints = uncommon * words + numbers.reshape(-1, uncommon).sum(axis=1)
            return found

        left = budget - first - int(numerals.tokens(fixed).sum())
        ranks = filling_ranks(sizes, max(0, left), table.tokens or 0, most=_WORDS - _EXAMPLE - asked)
        if len(ranks) < asked:
            raise BuildError(
                f"{fixed:,} items of common words leave room for {len(ranks)} others, fewer than the question requires",
                where=table.config, fix="make `common` smaller or drop the length",
            )  # fmt: skip
        return np.concatenate((np.arange(asked), ranks + asked))

    def _listed(self, order: Order, units: Ints, places: Stream) -> Context:
        """Return the numbered list of these words."""
        asked, common, uncommon = self.settings.asked, self.settings.common, self.settings.uncommon
        fixed = asked * common
        later = fixed + ((units[asked:, None] - asked) * uncommon + np.arange(uncommon)).ravel()
        items = scattered(np.concatenate((np.arange(fixed), later)), places)
        ranks = np.where(items < fixed, items // common, (items - fixed) // uncommon + asked)
        numerals = _numerals(tuple(self.inputs.tokenizers)).strip(len(items))
        return numerals.beside(order.strip(_EXAMPLE + ranks)).whole()

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        items = context_of(row).split(" ")
        if items[::2] != [f"{n}." for n in range(1, len(items) // 2 + 1)]:
            yield "items are not numbered 1, 2, 3 ..."
        times, counts = json.loads(row["metadata"]), Counter(items[1::2])
        common = {name for names in row["answer_groups"] for name in names}
        for word, count in counts.items():
            if count != (wanted := times["common" if word in common else "uncommon"]):
                yield f"{word} appears {count} times in the list, not {wanted}"
        if not common <= counts.keys():
            yield "a common word is not in the list"

    def background(self, row: Row) -> BackgroundUnits:
        """The words without their numbers, which change with the length."""
        return context_of(row).split(" ")[1::2]


def _worked_example(words: list[str], draws: Stream) -> str:
    """Return the worked example: a few common words, other words once."""
    common = words[:_EXAMPLE_COMMON]
    shown = draws.shuffled([*common * _EXAMPLE_TIMES, *words[_EXAMPLE_COMMON:]])
    listed = " ".join(f"{n}. {word}" for n, word in enumerate(shown, start=1))
    return example(listed, most_often(_EXAMPLE_COMMON, "word", "list"), ", ".join(sorted(common)))


@lru_cache(maxsize=3)
def _words(key: Key, split: Split, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """Return the words for all entries of a release."""
    return Stock(lambda count: texts_of(lambda many: compounds(many, key, "cwe"), count, split), _WORDS, tokenizers)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count) or f"{number_words(count) if count < 1000 else count} times"


_WHY = "RULER spreads the words evenly, so any part that is long enough tells what the whole would; fwe_hard is uneven"
_EVEN = Allowed(100, _WHY)

TASKS = (
    TaskSpec(
        "cwe", CommonWords, "RULER common words: the {words} most often in a numbered list ({times})", "aggregation",
        RULER_METRICS, 160, version=4, solver=oracle.common, ends="none: lists do not end before ten million tokens", skips=GENERATED_SKIPS,
        allows=dict.fromkeys(("first_1k", "last_1k", "first_half", "bm25_top1"), _EVEN),
    ),
    TaskSpec(
        "fwe", FrequentWords, "RULER frequent words: the {most} of a coded text{spread}", "aggregation",
        RULER_METRICS, 64, version=4, solver=oracle.frequent, ends="none: coded words do not end", skips=GENERATED_SKIPS,
        allows=dict.fromkeys(("first_1k", "last_1k", "first_half", "bm25_top1", "odd_out"), _EVEN),
    ),
    TaskSpec(
        "fwe_hard", FrequentWords, "Frequent words, after RULER's: the {most} of a coded text{spread}",
        "aggregation", RULER_METRICS, 64, version=3, solver=oracle.frequent, ends="none: coded words do not end", skips=GENERATED_SKIPS,
        defaults={"asked": 6, "alpha": 1.4, "order": "uneven"},
        allows={"after_markers": Allowed(50, "what recurs in a coded text are its frequent words, also behind openings")},
    ),
)  # fmt: skip
