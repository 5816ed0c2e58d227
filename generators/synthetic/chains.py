"""Variable tracking: which variables hold a number, when each is set to the one before it (RULER's vt, spec/synthetic.md A1, A3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from corpora.records import Part
from corpora.tokenizer import Tokenizer
from generators.pieces import Filling, Pieces, Strip, flush
from generators.rows import Frame
from generators.synthetic.chains_content import HIGH, LOW, Chain, Statement, one_digit_off, statements, variables
from generators.synthetic.counting_frame import SEAM, example, framed
from generators.synthetic.counting_stock import BLOCK, Order, Stock
from generators.synthetic.family import Family, Kind
from generators.synthetic.oracles import chains as oracle
from generators.synthetic.parts import own, part_of
from generators.synthetic.ranked import Places, binned, filling_ranks, slot
from generators.synthetic.vocabulary import noise
from generators.task import Table
from haymaker.params import Section
from haymaker.rng import Stream
from haymaker.sample import Sample, Span

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]

INSTRUCTION = (
    "The text below sets variables, in between ordinary sentences. A variable is set either to a number or to another variable "
    "that was set earlier in the text; then it holds the number that the other one holds. You will be asked which variables "
    "hold a certain number: those that are set to it and those that lead back to it through others. Write their "
    "names alone on one line, all of them and no others, separated by commas."
)
BINS = 10  # of the depth of the first statement
_EXAMPLE_SENTENCES, _EXAMPLE_HOPS, _EXAMPLE_CHAINS = 6, 2, 2
_NOISE = 1 << 20  # sentences, about 17 million tokens; noise itself does not end
_NUMBER = re.compile(r"\b\d{5}\b")


class ChainSettings(Section):
    """Knobs of vt.

    Attributes:
        hops: statements of a chain that set a variable to the one before.
        chains: the asked one and distractors.
        closeness: values of the distractors: "far" drawn, "near" the asked one with another digit in one place.
    """

    hops: Annotated[int, Field(strict=True, ge=1, le=12)] = 4
    chains: Annotated[int, Field(strict=True, ge=1, le=12)] = 1
    closeness: Literal["far", "near"] = "far"


class Chains(Family):
    """Rows of vt. The context is noise with statements between; which variables hold a number is asked behind it.

    Differs from RULER: noise sentences are distinct (A5 #9), the depth of the first statement is stratified (A5 #7), further
    chains may distract, names have no vowels.
    """

    settings_type = ChainSettings
    paired = frozenset({"chains", "closeness"})
    settings: ChainSettings

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._said: dict[Part, Ints] = {}  # five digits that each sentence of the noise says; 0: none

    def row(self, table: Table, group: int, point: int) -> Sample:
        """The row of a group in a bucket; a group has one point.

        Raises:
            BuildError: the bucket is too short, or longer than all noise.
        """
        writer, tokenizers, part = self.tools.writer, self.tools.tokenizers, table.part
        depth_index, chains, small = self._drawn(part, group)
        order = self._order(part, group, [chain.value for chain in (*chains, *small)])
        placed = statements(chains)
        stated = Pieces([f" {statement.text}" for statement in placed], tokenizers).strip(range(len(placed)))
        names, question = chains[0].names, _question(chains[0].value)
        wanted = max(self.plan.kind.max_new_tokens, 2 * tokenizers[0].count_part(", ".join(names)))
        frame = self._frame(order, small, question)

        def fill(budget: int) -> tuple[tuple[Strip, list[int]], Filling]:
            strip, at = _woven(self._background(order, budget - int(stated.tokens[0].sum()), table), stated, placed)
            tokens = tuple(int(sizes.sum()) for sizes in strip.tokens)
            filling = Filling(strip.text(), tokens, int(strip.characters.sum()), int(strip.words.sum()))
            return (strip, at), flush(filling, tokenizers)

        (strip, at), filling, counts = writer.fitted(table, frame, fill, wanted)
        units = len(strip) - len(placed)
        return writer.sample(
            table, self.group_id(part, group), frame, filling, counts,
            question=question, answers=[", ".join(names)], answer_groups=[[name] for name in names],
            extra={"chains": [{"value": chain.value, "names": chain.names} for chain in chains]},
            spans=self._spans(frame, filling, strip, at, placed), max_new_tokens=wanted,
            depth=slot(chains[0].depths[0], units) / units if units else None, depth_index=depth_index,
            n_units=units, n_unique_units=units, n_distractors=sum(s.kind == "distractor" for s in placed),
            haystack="noise", density=int(stated.tokens[0].sum()) / filling.tokens[0],
        )  # fmt: skip

    # ---------------------------------------------------------------------------------------------------- content

    def _drawn(self, part: Part, group: int) -> tuple[int, list[Chain], list[Chain]]:
        """Bin of the first statement's depth, the chains of the context, those of the worked example."""
        hops, chains = self.settings.hops, self.settings.chains
        draws = self.stream(part, group, "depths")
        names, values = variables(self.stream(part, group, "names"), part), self._values(part, group)
        bin_, first = binned(group, BINS, self.stream(part, group, "bin"))
        asked = (first, *(first + (1 - first) * u for u in _ascending(draws, hops)))
        depths = [asked, *(_ascending(draws, hops + 1) for _ in range(chains - 1))]
        hops = min(hops, _EXAMPLE_HOPS)
        depths += [_ascending(draws, hops + 1) for _ in range(min(chains, _EXAMPLE_CHAINS))]
        made = [Chain(next(values), tuple(islice(names, len(at))), at) for at in depths]
        return bin_, made[:chains], made[chains:]

    def _values(self, part: Part, group: int) -> Iterator[int]:
        """Distinct values: of the asked chain, the distractors, the worked example; of the part, but for near ones, as those are few."""
        walk = self.stream(part, group, "values").walk(HIGH - LOW + 1)
        drawn = (LOW + i for i in walk if part_of(str(LOW + i)) == part)
        first = [next(drawn)]
        if self.settings.closeness == "near":
            near = self.stream(part, group, "near").shuffled(one_digit_off(first[0]))
            first += near[: self.settings.chains - 1]
        yield from first
        yield from (value for value in drawn if value not in first)

    def _order(self, part: Part, group: int, values: list[int]) -> Order:
        """The group's noise; sentences that say a value of its chains are left out."""
        stock = _noise(self.tools.release.seed, part, tuple(self.tools.tokenizers))

        def keep(block: Ints) -> Bools:
            if part not in self._said or len(self._said[part]) <= block.max():
                texts = stock.pieces(int(block.max()) + 1).texts
                self._said[part] = np.fromiter(map(_five_digits, texts), dtype=np.int64)
            return ~np.isin(self._said[part][block], values)

        return Order(stock, lambda number: self.stream(part, group, f"noise {number}"), keep)

    def _background(self, order: Order, budget: int, table: Table) -> Strip:
        """Noise that fills the budget; the sentences of the worked example come before it in the group's order."""

        def sizes(count: int) -> Ints:
            return order.tokens(_EXAMPLE_SENTENCES + count)[_EXAMPLE_SENTENCES:]

        ranks = filling_ranks(sizes, _NOISE - BLOCK, budget - SEAM, table)
        at = np.asarray(ranks, dtype=np.int64) + _EXAMPLE_SENTENCES
        return order.pieces().strip(order.first(int(at.max(initial=-1)) + 1)[at])

    # ------------------------------------------------------------------------------------------------------ words

    def _frame(self, order: Order, chains: Sequence[Chain], question: str) -> Frame:
        """Instruction, worked example, question."""
        first, placed = order.first(_EXAMPLE_SENTENCES), statements(chains)
        shown = [order.pieces().texts[i].strip() for i in first.tolist()]
        for statement in reversed(placed):
            shown.insert(slot(statement.depth, _EXAMPLE_SENTENCES), statement.text)
        held = _question(chains[0].value), ", ".join(chains[0].names)
        return framed(self.tools, INSTRUCTION, example(" ".join(shown), *held), "text", question)

    def _spans(
        self, frame: Frame, filling: Filling, strip: Strip, at: Sequence[int], placed: Sequence[Statement]
    ) -> Iterator[Span]:
        """The statements in prompt coordinates."""
        joined = self.tools.tokenizers[0].joined([frame.heads[0], filling.parts()[0]])
        places = Places(strip, frame.start - 1, joined - int(strip.tokens[0].sum()), "")
        for place, statement in zip(at, placed, strict=True):
            span = places.span(place, statement.kind, statement.name)
            yield span if place else replace(span, token_start=frame.tokens_before)

    # ------------------------------------------------------------------------------------------------------ proof

    @classmethod
    def solve(cls, prompt: str) -> list[str]:
        """The variables that hold the number asked for, in the order in which they are set."""
        return oracle.holders(prompt)

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """Statements that do not stand where the spans say; values and names said elsewhere in the context too."""
        prompt, context = row["prompt"], row["prompt"][row["context_start"] : row["context_end"]]
        chains = json.loads(row["extra"])["chains"]
        told = {name: text for chain in chains for name, text in zip(chain["names"], _texts(chain), strict=True)}
        shown = [span for span in row["spans"] if span["kind"] in ("gold", "distractor")]
        if sorted(span["ref"] for span in shown) != sorted(told):
            yield "spans are not one for each variable"
        for span in shown:
            if prompt[span["start"] : span["end"]] != told.get(span["ref"]):
                yield f"no statement of {span['ref']} at its span"
        for chain in chains:
            once, twice = [str(chain["value"]), chain["names"][-1]], chain["names"][:-1]
            for word, times in (*zip(once, (1, 1), strict=True), *((name, 2) for name in twice)):
                if (found := len(re.findall(rf"\b{word}\b", context))) != times:
                    yield f"{word} stands {found} times in the context, not {times}"

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """The sentences of noise in order."""
        cuts = [(s["start"], s["end"]) for s in row["spans"] if s["kind"] in ("gold", "distractor")]
        bounds = [row["context_start"], *(edge for cut in cuts for edge in cut), row["context_end"]]
        kept = " ".join(row["prompt"][a:b].strip() for a, b in zip(bounds[::2], bounds[1::2], strict=True))
        return [(sentence, 0, 1) for sentence in re.findall(r"\S.*?\.(?= |$)", kept)]


@lru_cache(maxsize=3)
def _noise(seed: int, part: Part, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """One for all entries of a release: a million tokens of sentences take two seconds to make and count."""
    return Stock(lambda count: own(lambda many: noise(many, seed, "vt"), count, part), _NOISE, tokenizers)


def _woven(background: Strip, stated: Strip, placed: Sequence[Statement]) -> tuple[Strip, list[int]]:
    """Noise with the statements at their depths, and the place of each among all units."""
    slots, n = [slot(statement.depth, len(background)) for statement in placed], len(background)
    order = np.insert(np.arange(n), slots, np.arange(n, n + len(placed)))
    return (background + stated).ordered(order), [at + i for i, at in enumerate(slots)]


def _texts(chain: dict[str, Any]) -> Iterator[str]:
    return Chain(chain["value"], tuple(chain["names"]), ()).statements()


def _question(value: int) -> str:
    return f"Which variables hold the number {value}?"


def _ascending(draws: Stream, count: int) -> tuple[float, ...]:
    return tuple(sorted(draws.unit() for _ in range(count)))


def _five_digits(text: str) -> int:
    found = _NUMBER.search(text)
    return int(found[0]) if found else 0


KINDS = {
    "vt": Kind(
        "RULER variable tracking: which variables hold a number, by chains of assignments", Chains, "tracking",
        ("ruler_all@strict", "ruler_all@official", "ruler_f1@strict"), 64, "none: noise sentences do not end",
    ),
}  # fmt: skip
