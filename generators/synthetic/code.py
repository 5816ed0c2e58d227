"""Follow calls through a long file of one-line functions: InfiniteBench's code_run (docs/spec/synthetic.md D)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated

from pydantic import Field

from generators.context import ranked
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.base import GENERATED_SKIPS, GeneratedSettings
from generators.synthetic.code_stock import POOL, Functions, stock
from generators.synthetic.listed import ListTask
from generators.synthetic.oracles import code as oracle
from generators.synthetic.rows import CUE, context_of, framed, is_at_depth, marked
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

_OPEN, _MOST = "def", 10
_INSTRUCTION = (
    "Below is a Python file of short functions, some of which call another function of the file. Work out what the call in the "
    "question below the file returns, and answer with that whole number only."
)
_LINE = re.compile(r"def (\w+)\(x\): return (?:(\w+)\(x\)|x) [+-] \d+")
_Layers = Annotated[int, Field(strict=True, ge=1, le=40)]


class CodeSettings(GeneratedSettings):
    """Knobs of code_run.

    Attributes:
        layers: functions from the asked call to the last one; groups take these numbers in turn.
        bins: of equal width, in which the function asked for stands in turn.
    """

    layers: Annotated[tuple[_Layers, ...], Field(min_length=1)] = (2, 4, 6, 8, 10)
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = _MOST

    def title_words(self) -> Mapping[str, object]:
        """How deep the calls go."""
        few, most = number_words(min(self.layers)), number_words(max(self.layers))
        return {"deep": few if few == most else f"{few} to {most}"}


class Code(ListTask[CodeSettings]):
    """One file per group; the called functions stand at drawn depths, the first one in the group's bin."""

    settings_type = CodeSettings
    paired = frozenset({"bins"})

    def limit(self, part: Split = "test") -> int:
        """Tokens of all functions that there are, by the text of one."""
        return POOL * self.inputs.tokenizers[0].count_part(" calm_lamp(x): return brisk_otter(x) + 7\ndef") * 9 // 10

    def functions(self, group: Candidate) -> Functions:
        """What a group draws."""
        have, layers = stock(self.release.stream_key, group.part, tuple(self.inputs.tokenizers)), self.settings.layers
        return Functions(have, layers[group.number % len(layers)], partial(self.draws, group.part, group.number))

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The file of a group in a bucket; the called functions behind the first one stand anywhere."""
        part, group = candidate.part, candidate.number
        functions = self.functions(candidate)
        layers, chain = functions.layers, functions.chain()
        draws = self.draws(part, group, "depths")
        index, first = ranked.binned(group, self.settings.bins, draws, len(self.settings.layers))
        value = self.draws(part, group, "argument").between(-10, 10)
        question = f"What does {chain[0]}({value}) return?"
        frame = framed(self.writer, _INSTRUCTION, f"<code>\n{_OPEN}", f"\n</code>\n\n{question}\n{CUE}", opener=_OPEN)
        depths = [first, *(draws.unit() for _ in range(layers - 1))]
        [columns] = self.fitted(table, candidate, frame, functions, [depths])
        return self.writer.sample(
            table, candidate.key, **columns, question=question, answers=[str(value + int(functions.added(layers).sum()))],
            depth_index=index, n_distractors=columns["n_units"] - layers, extra={"layers": layers, "calls": chain},
        )  # fmt: skip

    def background(self, row: Row) -> BackgroundUnits:
        """All functions but those of the asked chain."""
        golds = set(marked(row, "gold"))
        return [line for line in _lines(row) if line.removeprefix("def ") not in golds]

    def problems(self, row: Row) -> Iterator[str]:
        """A line of another form, a name twice, a call of nothing, the chain not at its spans, depth."""
        yield from super().problems(row)
        lines = _lines(row)
        found = [_LINE.fullmatch(line) for line in lines]
        if not all(found):
            yield "a line is not a function as all others"
            return
        calls = {line[1]: line[2] for line in found if line}
        if not len(lines) == len(calls) == row["n_units"] == row["n_unique_units"]:
            yield "a name is defined twice, or n_units is not their number"
        if missing := {callee for callee in calls.values() if callee} - calls.keys():
            yield f"{len(missing)} functions are called and not defined, e.g. {min(missing)}"
        called = row["question"].removeprefix("What does ").split("(")[0]
        chain = [called]
        while (callee := calls.get(chain[-1])) and len(chain) < len(calls):
            chain.append(callee)
        golds = {
            span["ref"]: row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["kind"] == "gold"
        }
        if [golds.get(f"call:{i}", "").split("(")[0] for i in range(len(golds))] != chain:
            yield "the functions called are not at their spans"
        elif not is_at_depth(row, list(calls).index(called), len(lines)):
            yield "depth is not where the function asked for stands"
        if row["n_distractors"] != len(lines) - len(chain):
            yield "n_distractors is not the number of other functions"


def _lines(row: Row) -> list[str]:
    return context_of(row).split("\n")


TASKS = (
    TaskSpec(
        "code_run", Code, "Code run (InfiniteBench): what a function returns that calls others, {deep} deep, among thousands",
        "code", ("code_run@strict", "code_run@official"), 16, version=2, solver=oracle.run, ends="131,072 names of a release: about 2M tokens",
        stop=("\n",), skips=GENERATED_SKIPS,
    ),
)  # fmt: skip
