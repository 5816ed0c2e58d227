"""Variable tracking: which variables hold a number, when each is set to the one before it (RULER's vt,
docs/spec/synthetic.md A1, A3).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from generators.context import ranked
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces, Strip
from generators.context.ranked import slot
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.base import GENERATED_SKIPS
from generators.synthetic.chains_content import (
    Chain,
    Statement,
    apart,
    ascending,
    one_digit_off,
    statements,
    values,
    variables,
)
from generators.synthetic.chains_noise import most_noise, noise
from generators.synthetic.counting_stock import BLOCK, Order
from generators.synthetic.oracles import chains as oracle
from generators.synthetic.phrases import SpokenSettings
from generators.synthetic.rows import SEAM, context_of, example, naming, sentences, tagged
from generators.synthetic.spoken import SpokenTask, needed_by
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words
from haymaker.core.text.strings import whole_places

BINS = 10  # of the depth of one statement of the chain
_EXAMPLE_SENTENCES, _EXAMPLE_HOPS, _EXAMPLE_CHAINS = 6, 2, 2


class ChainSettings(SpokenSettings):
    """Knobs of vt.

    Attributes:
        hops: statements of a chain that set a variable to the one before.
        chains: the asked one and distractors.
        closeness: values of the distractors: "far" drawn, "near" the asked one with another digit in one place.
        as_ruler: no statement goes through the depths in turn, and the answer is begun as RULER begins it: it says how many
            variables there are.
    """

    hops: Annotated[int, Field(strict=True, ge=1, le=12)] = 4
    chains: Annotated[int, Field(strict=True, ge=1, le=12)] = 1
    closeness: Literal["far", "near"] = "far"
    as_ruler: bool = False

    def metrics(self, spec: TaskSpec) -> Sequence[str]:
        """Next to other chains only the metric that counts precision, because a list of all variables contains every right one."""
        return spec.metrics[:1] if self.chains > 1 else spec.metrics

    def title_words(self) -> Mapping[str, object]:
        """How many chains there are, and whether their numbers are nearly the same."""
        hops = f"{number_words(self.hops)} hop{'s' * (self.hops > 1)}"
        near = " whose numbers differ in one digit" if self.closeness == "near" else ""
        spoken = f" (in the words of {Path(self.phrases).stem!r})" if self.phrases else ""
        chains = (
            f"a chain of {hops}" if self.chains == 1 else f"one of {number_words(self.chains)} chains of {hops}{near}"
        )
        return {
            "chains": chains,
            "ruler": "; the answer is begun as in RULER" if self.as_ruler else "",
            "spoken": spoken,
        }


class Chains(SpokenTask[ChainSettings]):
    """Rows of vt. The context is noise with statements between; which variables hold a number is asked behind it.

    As in RULER statements stand anywhere with the same chance, in their order. Differs from it: noise sentences are distinct, the
    depth of one statement, drawn at random, is stratified (docs/defects/synthetic.md A5 #9, A5 #7), further chains may distract,
    names have no vowels.
    """

    settings_type = ChainSettings
    paired = frozenset({"chains", "closeness", "as_ruler"})

    def solve(self, prompt: str) -> list[str]:
        """See Task."""
        return oracle.holders(prompt) if self.phrases.is_english else oracle.holders_in(prompt, self.phrases.said)

    def check(self) -> None:
        """The language has every phrase that is needed."""
        with needed_by(self.entry):
            for path in ("instruction", "statement", "question", *(["told"] if self.settings.as_ruler else [])):
                self.phrases.form(f"vt.{path}")
            self.phrases.filler()

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a group in a bucket; a group has one.

        Raises:
            BuildError: the bucket is too short, or longer than all noise.
        """
        writer, tokenizers = self.writer, self.inputs.tokenizers
        (depth_index, depth), chains, small = self._draw_chains(candidate)
        order = self._order(candidate, [chain.value for chain in (*chains, *small)])
        placed, gold = statements(chains, self.phrases.form("vt.statement")), chains[0]
        stated = Pieces([f" {statement.text}" for statement in placed], tokenizers).strip(range(len(placed)))
        stated_tokens = int(stated.tokens[0].sum())
        columns = naming(self._question(gold), gold.names, tokenizers[0], self.spec.max_new_tokens)
        demo = self._example(order, small)
        instruction, asked = self.phrases.form("vt.instruction"), self.phrases.question("{}")
        frame = tagged(writer, instruction, "text", columns["question"], demo, cue=self._cue(gold), asked=asked)

        def fill(budget: int) -> tuple[tuple[int, int], Context]:
            background = self._background(order, budget - stated_tokens, table)
            woven = _woven(background, stated, self._places(placed, len(background)))
            return (len(background), woven.tokens[0]), woven.flush(tokenizers)

        (units, tokens), context, counts = writer.fitted(table, frame, fill, columns["max_new_tokens"])
        marks, before = [(s.kind, s.name) for s in placed], writer.tokens_before(frame, context, tokens)
        return writer.sample(
            table, candidate.key, frame, context, counts, **columns,
            extra={"chains": [{"value": chain.value, "names": chain.names} for chain in chains]},
            spans=ranked.spans(frame, context, marks, before),
            depth=self._places(placed, units)[[s.depth for s in placed].index(depth)] / units if units else None,
            depth_index=depth_index,
            variant="ruler" if self.settings.as_ruler else None, metrics=self.settings.metrics(self.spec),
            n_units=units, n_unique_units=units, n_distractors=sum(s.kind == "distractor" for s in placed),
            haystack="noise", density=stated_tokens / context.tokens[0],
        )  # fmt: skip

    def _places(self, placed: Sequence[Statement], units: int) -> list[int]:
        """Sentences before each statement; as in RULER no two statements stand side by side."""
        places = [slot(statement.depth, units) for statement in placed]
        return apart(places, units) if self.settings.as_ruler else places

    def _draw_chains(self, group: Candidate) -> tuple[tuple[int | None, float], list[Chain], list[Chain]]:
        """Bin and depth of a statement of the asked chain, the chains of the context, those of the worked example."""
        hops, chains = self.settings.hops, self.settings.chains
        draws, part = partial(self.draws, group.part, group.number), group.part
        names, numbers, places = variables(draws("names"), part), self._values(part, group.number), draws("depths")
        at = (None, draws("bin").unit()) if self.settings.as_ruler else ranked.binned(group.number, BINS, draws("bin"))
        depths = [tuple(sorted((at[1], *ascending(places, hops))))]  # which statement it is of is up to the others
        small = [min(hops, _EXAMPLE_HOPS) + 1] * min(chains, _EXAMPLE_CHAINS)
        depths += [ascending(places, count) for count in (*[hops + 1] * (chains - 1), *small)]
        built = [Chain(next(numbers), tuple(islice(names, len(at))), at) for at in depths]
        return at, built[:chains], built[chains:]

    def _values(self, part: Split, group: int) -> Iterator[int]:
        """Distinct values: of the asked chain, the distractors, the worked example; of the part, but for near ones, as those are few."""
        candidates = values(self.draws(part, group, "values"), part)
        first = [next(candidates)]
        if self.settings.closeness == "near":
            near = self.draws(part, group, "near").shuffled(one_digit_off(first[0]))
            first += near[: self.settings.chains - 1]
        yield from first
        yield from (value for value in candidates if value not in first)

    def _order(self, group: Candidate, values: list[int]) -> Order:
        """The group's noise; sentences that say a value of its chains are left out."""
        stock = noise(self.release.stream_key, group.part, tuple(self.inputs.tokenizers), self.phrases)

        def keep(block: Ints) -> Ints:
            return block[~np.isin(stock.numbers(int(block.max()) + 1)[block], values)]

        return Order(stock, lambda number: self.draws(group.part, group.number, f"noise {number}"), keep)

    def _background(self, order: Order, budget: int, table: Table) -> Strip:
        """Noise that fills the budget; the sentences of the worked example come before it in the group's order."""

        def sizes(count: int) -> Ints:
            return order.tokens(_EXAMPLE_SENTENCES + count)[_EXAMPLE_SENTENCES:]

        most = most_noise(self.phrases) - BLOCK
        return order.strip(
            _EXAMPLE_SENTENCES + ranked.filling_ranks(sizes, budget - SEAM, table.tokens or 0, most=most)
        )

    def _example(self, order: Order, chains: Sequence[Chain]) -> str:
        """A few sentences with statements between."""
        shown = order.texts(_EXAMPLE_SENTENCES)
        for statement in reversed(statements(chains, self.phrases.form("vt.statement"))):
            shown.insert(slot(statement.depth, _EXAMPLE_SENTENCES), statement.text)
        cue, asked = self._cue(chains[0]), self.phrases.question("{}")
        return example(" ".join(shown), self._question(chains[0]), ", ".join(chains[0].names), cue=cue, asked=asked)

    def _cue(self, chain: Chain) -> str:
        """What the answer begins with."""
        if not self.settings.as_ruler:
            return self.phrases.answer()
        return self.phrases.answer(self.phrases.form("vt.told").format(count=len(chain.names), value=chain.value))

    def _question(self, chain: Chain) -> str:
        return self.phrases.form("vt.question").format(value=chain.value)

    def problems(self, row: Row) -> Iterator[str]:
        """Statements that do not stand where the spans say; values and names said elsewhere in the context too."""
        yield from super().problems(row)
        prompt, context = row["prompt"], context_of(row)
        chains = [Chain(**chain, depths=()) for chain in json.loads(row["extra"])["chains"]]
        form = self.phrases.form("vt.statement")
        said = [each for chain in chains for each in zip(chain.names, chain.statements(form), strict=True)]
        expected = dict(said)
        shown = [span for span in row["spans"] if span["kind"] in ("gold", "distractor")]
        if sorted(span["ref"] for span in shown) != sorted(expected):
            yield "spans are not one for each variable"
        for span in shown:
            if prompt[span["start"] : span["end"]] != expected.get(span["ref"]):
                yield f"no statement of {span['ref']} at its span"
        for chain in chains:
            wanted = {str(chain.value): 1, **dict.fromkeys(chain.names, 2), chain.names[-1]: 1}
            for word, times in wanted.items():
                if (found := len(list(whole_places(context, word)))) != times:
                    yield f"{word} stands {found} times in the context, not {times}"

    def background(self, row: Row) -> BackgroundUnits:
        """The sentences of noise in order."""
        cuts = [(s["start"], s["end"]) for s in row["spans"] if s["kind"] in ("gold", "distractor")]
        bounds = [row["context_start"], *(edge for cut in cuts for edge in cut), row["context_end"]]
        kept = (row["prompt"][a:b].strip() for a, b in zip(bounds[::2], bounds[1::2], strict=True))
        return sentences(" ".join(filter(None, kept)))


def _woven(background: Strip, stated: Strip, places: Sequence[int]) -> Context:
    """Noise with the statements at their places, which are its named units."""
    n = len(background)
    order = np.insert(np.arange(n), places, np.arange(n, n + len(places)))
    units = (background + stated).ordered(order)
    return ranked.named(units.whole(), units, np.flatnonzero(order >= n).tolist())


TASKS = (
    TaskSpec(
        "vt", Chains, "RULER variable tracking: which variables hold a number, by {chains}{ruler}{spoken}", "tracking",
        ("ruler_f1@strict", "ruler_all@strict", "ruler_all@official"), 64, version=3,
        ends="none: noise sentences do not end", skips=GENERATED_SKIPS,
    ),
)  # fmt: skip
