"""Follow calls through a long file of one-line functions: InfiniteBench's code_run (docs/spec/synthetic.md D).

    def brisk_lamp(x): return calm_otter(x) + 7

A line is three pieces: the definition, the call, and the added number with the `def` of the next line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Annotated

import numpy as np
from pydantic import Field

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context import ranked
from generators.context.checks import at_depth, context_of, counts, texts_at
from generators.context.pieces import Ints, Pieces
from generators.generated.base import GENERATED_SKIPS, GeneratedSettings, GeneratedTask
from generators.generated.listed import Column, ListUnits, fitted
from generators.generated.rows import CUE, framed
from generators.generated.splits import texts_of
from generators.generated.vocabulary import compounds
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.oracles import code as oracle
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

_OPEN, _NEXT, _MOST = "def", "\ndef", 10
_INSTRUCTION = (
    "Below is a Python file of short functions, some of which call another function in the file. Work out what the call in the "
    "question after the file returns, and reply with that integer only."
)
_LINE = re.compile(r"def (\w+)\(x\): return (?:(\w+)\(x\)|x) [+-] \d+")
_POOL = 131_072  # names: a context of 1M tokens has less than half as many lines
_LOW, _HIGH = -12, 17  # range of the added numbers
_CHAINS = 4  # whole chains in every context, the requested one first
_Layers = Annotated[int, Field(strict=True, ge=1, le=40)]


class CodeSettings(GeneratedSettings):
    """Settings of code_run.

    Attributes:
        layers: numbers of functions from the requested call to the last one; groups use them in turn.
        bins: number of depth bins of equal width; groups use them in turn.
    """

    layers: Annotated[tuple[_Layers, ...], Field(min_length=1)] = (2, 4, 6, 8, 10)
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = _MOST

    def title_words(self) -> Mapping[str, object]:
        few, most = number_words(min(self.layers)), number_words(max(self.layers))
        return {"deep": few if few == most else f"{few} to {most}"}


class Code(GeneratedTask[CodeSettings]):
    """One file per group. The called functions are at drawn depths, the first one in the bin of the group."""

    settings_type = CodeSettings
    paired = frozenset({"bins"})

    def limit(self, split: Split = "test") -> int:
        """Tokens of all functions, estimated from the text of one."""
        return _POOL * self.inputs.tokenizers[0].count_part(" calm_lamp(x): return brisk_otter(x) + 7\ndef") * 9 // 10

    def functions(self, group: Candidate) -> Functions:
        """Return the functions of a group."""
        have, layers = _stock(self.release.stream_key, group.split, tuple(self.inputs.tokenizers)), self.settings.layers
        return Functions(have, layers[group.number % len(layers)], partial(self.draws, group.split, group.number))

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        group, functions = candidate.number, self.functions(candidate)
        layers, chain = functions.layers, functions.chain()
        draws = self.draws(candidate.split, group, "depths")
        index, first = ranked.binned(group, self.settings.bins, draws, len(self.settings.layers))
        value = self.draws(candidate.split, group, "argument").between(-10, 10)
        question = f"What does {chain[0]}({value}) return?"
        frame = framed(self.writer, _INSTRUCTION, f"<code>\n{_OPEN}", f"\n</code>\n\n{question}\n{CUE}", opener=_OPEN)
        depths = [first, *(draws.unit() for _ in range(layers - 1))]
        [columns] = fitted(self, table, candidate, frame, functions.units(), [depths])
        return self.writer.sample(
            table, candidate.key, **columns, question=question, answers=[str(value + int(functions.added(layers).sum()))],
            depth_index=index, num_distractors=columns["num_segments"] - layers, metadata={"layers": layers, "calls": chain},
        )  # fmt: skip

    def background(self, row: Row) -> BackgroundUnits:
        golds = {f"def {gold}" for gold in texts_at(row, "gold")}
        return [line for line in context_of(row).split("\n") if line not in golds]

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        lines = context_of(row).split("\n")
        found = [_LINE.fullmatch(line) for line in lines]
        if not all(found):
            yield "a line is not a function like the others"
            return
        calls = {line[1]: line[2] for line in found if line}
        yield from counts(row, [line[1] for line in found if line])
        if missing := {callee for callee in calls.values() if callee} - calls.keys():
            yield f"{len(missing)} functions are called and not defined, e.g. {min(missing)}"
        called = row["question"].removeprefix("What does ").split("(")[0]
        chain = [called]
        while (callee := calls.get(chain[-1])) and len(chain) < len(calls):
            chain.append(callee)
        golds = {span["ref"]: row["prompt"][span["start"] : span["end"]] for span in row["spans"]}
        if [golds.get(f"call:{i}", "").split("(")[0] for i in range(len(texts_at(row, "gold")))] != chain:
            yield "the functions called are not at their spans"
        else:
            yield from at_depth(row, [list(calls).index(called)], len(lines))
        if row["num_distractors"] != len(lines) - len(chain):
            yield "num_distractors is not the number of other functions"


@lru_cache(maxsize=4)
def _stock(stream_key: Key, split: Split, tokenizers: tuple[Tokenizer, ...]) -> tuple[Pieces, Pieces, Pieces]:
    """Return definitions by name, calls by name (last: the plain argument), and added numbers for all groups of a split."""
    found = texts_of(lambda count: compounds(count, "code", stream_key), _POOL, split)
    names = [name.replace("-", "_") for name in found]
    adds = [f" {'+' if more >= 0 else '-'} {abs(more)}{_NEXT}" for more in range(_LOW, _HIGH + 1)]
    definitions, calls = [f" {name}(x): return" for name in names], [*(f" {name}(x)" for name in names), " x"]
    return Pieces(definitions, tokenizers), Pieces(calls, tokenizers), Pieces(adds, tokenizers)


class Functions:
    """The functions of a group by rank, layer by layer in turn; the first `layers` are the requested chain.

    `draws` returns the random stream of the group for a purpose.
    """

    def __init__(self, stock: tuple[Pieces, Pieces, Pieces], layers: int, draws: Callable[[str], Stream]) -> None:
        (self._definitions, self._calls, self._adds), self.layers, self.fixed = stock, layers, _CHAINS * layers
        self._names, self._callees, self._adding = map(draws, ("names", "calls", "adds"))

    def units(self) -> ListUnits:
        """Return the functions as units."""
        marks = {rank: ("gold", f"call:{rank}") for rank in range(self.layers)}
        return ListUnits(self._columns, self.fixed, _POOL - self.fixed, marks, _NEXT)

    def chain(self) -> list[str]:
        """Return the names of the requested chain, first to last."""
        return [self._calls.texts[i][1:-3] for i in ranked.distinct(self._names, self.layers, _POOL)]

    def added(self, count: int) -> Ints:
        """Return the numbers that the first functions add."""
        return (self._adding.bulk(count) % np.uint64(_HIGH - _LOW + 1)).astype(np.int64) + _LOW

    def called(self, count: int) -> Ints:
        """Return the ranks that the first functions call; -1 for the plain argument.

        A function calls one of the next layer that is in every context that contains the function itself: one of its own chain
        while the chains are whole, then one of any round of lines that no choice at the end of a context can leave out.
        """
        ranks = np.arange(count)
        rounds = np.maximum(_CHAINS, (ranks - ranked.AHEAD) // self.layers)
        chosen = (self._callees.bulk(count) % rounds.astype(np.uint64)).astype(np.int64)
        chosen = np.where(ranks < self.fixed, ranks // self.layers, chosen)
        layer = ranks % self.layers
        return np.where(layer == self.layers - 1, -1, chosen * self.layers + layer + 1)

    def _columns(self, count: int) -> list[Column]:
        count += self.fixed
        called, names = self.called(count), ranked.distinct(self._names, count, _POOL)
        callees = np.where(called < 0, _POOL, names[called])
        return [[(self._definitions, names)], [(self._calls, callees)], [(self._adds, self.added(count) - _LOW)]]


TASKS = (
    TaskSpec(
        "code_run", Code, "Code run (InfiniteBench): what a function returns that calls others, {deep} deep, among thousands",
        "code", ("code_run@strict", "code_run@official"), 16, version=3, solver=oracle.run, ends="131,072 names of a release: about 2M tokens",
        stop=("\n",), skips=GENERATED_SKIPS,
    ),
)  # fmt: skip
