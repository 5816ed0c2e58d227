"""Tasks over numbers: find one in a long list, follow a long calculation (InfiniteBench's math_find, math_calc;
docs/spec/synthetic.md D).

A list of math_find is balanced around one number, its median: three planted numbers on either side are its extremes, and all
others come in couples, one below the median and one above, between the extremes. So the seven numbers that can be asked for are
the same at every length, and no number occurs twice. The place of the median between the extremes is drawn, so that neither the
middle of the range nor the mean of the list gives it away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Annotated

import numpy as np
from pydantic import Field

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context import ranked
from generators.context.checks import at_depth, context_of, counts, texts_at
from generators.context.pieces import Pieces
from generators.generated.base import GENERATED_SKIPS, GeneratedSettings, GeneratedTask
from generators.generated.listed import Column, ListUnits, fitted
from generators.generated.rows import CUE, framed
from generators.generated.splits import texts_of
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.numbers_calc import MARGIN, Calc
from generators.synthetic.oracles import numbers as oracle
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split

POOL = 262_144
_LOW, _HIGH = 1_000_000, 9_999_999
_NEXT = ","
TARGETS = ("largest", "second largest", "third largest", "smallest", "second smallest", "third smallest", "median")
_CUT = POOL // 20  # numbers left out at either end of the pool, so that every group has a range of its own
_GAP = 200  # numbers of the pool between neighbouring planted ones, at most
_NEAREST = 35  # percent of the range between the median and either end, at least
COUPLES = (POOL - 2 * _CUT) * _NEAREST // 100 - 3 * _GAP  # there are more numbers between median and third extreme
_FIND = (
    "Below is a list of integers in no particular order, all of them different. Find the number that the question after the list "
    "asks for, and reply with that number only."
)
_MEDIAN = " The median is the middle number of the sorted list: as many numbers are smaller than it as are larger."


class FindSettings(GeneratedSettings):
    """Settings of math_find.

    Attributes:
        negative: about half of the numbers are negative; these rows have no official metric, which ignores signs (docs/spec/synthetic.md D).
        bins: number of depth bins of equal width; groups use them in turn.
    """

    negative: bool = False
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = 10

    def title_words(self) -> Mapping[str, object]:
        return {"numbers": "many numbers, half of them negative," if self.negative else "many numbers,"}


class Find(GeneratedTask[FindSettings]):
    """One list per group; seven questions in turn."""

    settings_type = FindSettings
    paired = frozenset({"bins"})

    def limit(self, split: Split = "test") -> int:
        """Tokens of all couples, estimated from the text of one number."""
        return 2 * COUPLES * self.inputs.tokenizers[0].count_part(" 1234567,")

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        split, group, target = candidate.split, candidate.number, candidate.number % len(TARGETS)
        draws, what = partial(self.draws, split, group), TARGETS[target]
        have = _stock(self.release.stream_key, split, self.settings.negative, tuple(self.inputs.tokenizers))
        planted = _planted(draws("planted"))
        question = f"What is the {what} number in the list?"
        instruction = _FIND + (_MEDIAN if what == "median" else "")
        frame = framed(self.writer, instruction, "<numbers>", f" </numbers>\n\n{question}\n{CUE}")
        index, depth = ranked.binned(group, self.settings.bins, draws("depth"), len(TARGETS))
        [columns] = fitted(self, table, candidate, frame, _units(have, planted, target, draws), [[depth]])
        return self.writer.sample(
            table, candidate.key, **columns, question=question, answers=[have.texts[planted[target]][1 : -len(_NEXT)]],
            depth_index=index, num_distractors=0, metadata={"asked": what},
            metrics=self.spec.metrics[:1] if self.settings.negative else None,  # the official metric ignores signs
        )  # fmt: skip

    def background(self, row: Row) -> BackgroundUnits:
        return [each for each in context_of(row).strip().split(", ") if each != row["answers"][0]]

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        listed, (answer,) = context_of(row).strip().split(", "), row["answers"]
        yield from counts(row, listed)
        if len(listed) % 2 == 0:
            yield "the list has no middle"
        if texts_at(row, "gold") != [answer] or answer not in listed:
            yield "the requested number is not at its span"
        else:
            yield from at_depth(row, [listed.index(answer)], len(listed))


@lru_cache(maxsize=4)
def _stock(stream_key: Key, split: Split, negative: bool, tokenizers: tuple[Tokenizer, ...]) -> Pieces:
    """Return the numbers of a split of a release, smallest first; if `negative`, about half are negative."""
    draws, every = Stream("synthetic", "math_find", stream_key, "numbers"), _HIGH - _LOW + 1
    found = texts_of(lambda count: [str(_LOW + n) for n in ranked.distinct(draws, count, every).tolist()], POOL, split)
    numbers = [int(text) for text in found]
    if negative:
        signs = Stream("synthetic", "math_find", stream_key, "signs").bulk(POOL) & np.uint64(1)
        numbers = [-value if sign else value for value, sign in zip(numbers, signs.tolist(), strict=True)]
    return Pieces([f" {value}{_NEXT}" for value in sorted(numbers)], tokenizers)


def _planted(draws: Stream) -> list[int]:
    """Return the places in the stock of a group's numbers that can be asked for, in the order of TARGETS."""
    low, high = draws.below(_CUT), POOL - 1 - draws.below(_CUT)
    smallest, largest = [low], [high]
    for _ in range(2):
        smallest.append(smallest[-1] + 1 + draws.below(_GAP))
        largest.append(largest[-1] - 1 - draws.below(_GAP))
    span = high - low
    median = low + span * _NEAREST // 100 + draws.below(span * (100 - 2 * _NEAREST) // 100 + 1)
    return [*largest, *smallest, median]


def _units(stock: Pieces, planted: list[int], target: int, draws: Callable[[str], Stream]) -> ListUnits:
    """Return a group's numbers by rank: planted ones, then couples, the one below the median first."""
    highest, lowest, median = planted[2], planted[5], planted[6]

    def columns(count: int) -> list[Column]:
        below = lowest + 1 + ranked.distinct(draws("below"), count // 2, median - lowest - 1)
        above = median + 1 + ranked.distinct(draws("above"), count // 2, highest - median - 1)
        return [[(stock, np.concatenate((planted, np.stack((below, above), axis=1).ravel())))]]

    return ListUnits(columns, len(TARGETS), COUPLES, {target: ("gold", TARGETS[target])}, _NEXT, each=2)


TASKS = (
    TaskSpec(
        "math_find", Find, "Math find (InfiniteBench): the largest, smallest or middle one of {numbers} or one next to it",
        "math", ("math_find@strict", "math_find@official"), 16, version=3, solver=oracle.find, ends="163,000 numbers of a group: about 1.4M tokens",
        stop=("\n",), skips=GENERATED_SKIPS,
    ),
    TaskSpec(
        "math_calc", Calc,
        "Math calc (InfiniteBench): every intermediate value, {low} to {high}, of a long calculation; half of the length is the answer",
        "math", ("math_calc@strict", "math_calc@official"), MARGIN, version=3, solver=oracle.calculate, ends="none: a calculation never ends",
        stop=("\n",), skips=GENERATED_SKIPS,
    ),
)  # fmt: skip
