"""Variable tracking: which variables hold a number, if each is set to the one before (RULER's vt, docs/spec/synthetic.md A1, A3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from generators.context import ranked
from generators.context.checks import context_of
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces, UnitColumns
from generators.context.ranked import slot
from generators.generated.base import GENERATED_SKIPS, RULER_METRICS, GeneratedTask
from generators.generated.rows import SEAM, example, naming, sentences, tagged
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.chains_content import Chain, apart, filler, five_digits, statements, values, variables
from generators.synthetic.counting_stock import BLOCK, Order, Stock
from generators.synthetic.needles_content import BINS, Statement
from generators.synthetic.needles_haystacks import woven
from generators.synthetic.oracles import chains as oracle
from generators.synthetic.phrases import Phrases, SpokenSettings, needed_by, phrases_of
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.text.english_grammar import number_words
from haymaker.core.text.strings import whole_places

_EXAMPLE_SENTENCES, _EXAMPLE_HOPS, _EXAMPLE_CHAINS = 6, 2, 2
_STATED = ("gold", "distractor")


class ChainSettings(SpokenSettings):
    """Settings of vt.

    Attributes:
        hops: number of statements of a chain that set a variable to the one before.
        chains: number of chains: the chain of the question, and distractors.
        distractor_similarity: low: values of the distractors are drawn; high: each differs from the value of the question in one digit.
        ruler_prompt: depths are not stratified, and the prompt starts the answer as in RULER, with the number of variables.
    """

    hops: Annotated[int, Field(strict=True, ge=1, le=12)] = 4
    chains: Annotated[int, Field(strict=True, ge=1, le=12)] = 1
    distractor_similarity: Literal["low", "high"] = "low"
    ruler_prompt: bool = False

    def metrics(self, spec: TaskSpec) -> Sequence[str]:
        # next to other chains only the metric that counts precision: a list of all variables contains every right one
        return spec.metrics[:1] if self.chains > 1 else spec.metrics

    def title_words(self) -> Mapping[str, object]:
        hops = f"{number_words(self.hops)} hop{'s' * (self.hops > 1)}"
        near = " whose numbers differ in one digit" if self.distractor_similarity == "high" else ""
        spoken = f" (in the words of {Path(self.phrases).stem!r})" if self.phrases else ""
        several = f"one of {number_words(self.chains)} chains of {hops}{near}"
        ruler = "; the answer is begun as in RULER" if self.ruler_prompt else ""
        return {"chains": f"a chain of {hops}" if self.chains == 1 else several, "ruler": ruler, "spoken": spoken}


class Chains(GeneratedTask[ChainSettings]):
    """Rows of vt: filler sentences with statements between them.

    As in RULER statements keep their order and are anywhere with the same chance. Differs from RULER: filler sentences are all
    different, the depth of one statement, drawn at random, is stratified (docs/defects/synthetic.md A5 #9, A5 #7), further chains
    may distract, names have no vowels.
    """

    settings_type = ChainSettings
    paired = frozenset({"chains", "distractor_similarity", "ruler_prompt"})

    @cached_property
    def phrases(self) -> Phrases:
        """Phrases of the entry."""
        return phrases_of(self.entry, self.inputs)

    @property
    def language(self) -> str:
        return self.phrases.language

    def fingerprint(self) -> dict[str, Any]:
        return self.phrases.fingerprint

    def solve(self, prompt: str) -> list[str]:
        return oracle.holders(prompt) if self.phrases.is_english else oracle.holders_in(prompt, self.phrases.said)

    def check(self) -> None:
        with needed_by(self.entry):
            for path in ("instruction", "statement", "question", *(["told"] if self.settings.ruler_prompt else [])):
                self.phrases.form(f"vt.{path}")
            self.phrases.filler()

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        writer, tokenizers = self.writer, tuple(self.inputs.tokenizers)
        (depth_index, depth), chains, small = self._draw_chains(candidate)
        stock = filler(self.release.stream_key, candidate.split, tokenizers, self.phrases)
        order = self._order(stock, candidate, [chain.value for chain in (*chains, *small)])
        placed, gold = statements(chains, self.phrases.form("vt.statement")), chains[0]
        stated = Pieces([f" {statement.text}" for statement in placed], tokenizers).strip(range(len(placed)))
        stated_tokens = int(stated.tokens[0].sum())
        question, cue = self._asked(gold)
        columns = naming(question, gold.names, tokenizers[0], self.spec.max_new_tokens)
        instruction, asked = self.phrases.form("vt.instruction"), self.phrases.question("{}")
        frame = tagged(writer, instruction, "text", question, self._example(order, small), cue=cue, asked=asked)

        def fill(budget: int) -> tuple[tuple[int, int], Context]:
            background = _background(order, stock.most - BLOCK, budget - stated_tokens, table)
            whole = woven(background, stated, self._places(placed, len(background)), tokenizers)
            return (len(background), whole.tokens[0]), whole.flush(tokenizers)

        (units, tokens), context, counts = writer.fitted(table, frame, fill, columns["max_new_tokens"])
        marks, before = [(s.kind, s.key) for s in placed], writer.tokens_before(frame, context, tokens)
        return writer.sample(
            table, candidate.key, frame, context, counts, **columns,
            metadata={"chains": [{"value": chain.value, "names": chain.names} for chain in chains]},
            spans=ranked.spans(frame, context, marks, before),
            depth=self._places(placed, units)[[s.depth for s in placed].index(depth)] / units if units else None,
            depth_index=depth_index,
            variant="ruler" if self.settings.ruler_prompt else None,
            num_segments=units, num_unique_segments=units, num_distractors=sum(s.kind == "distractor" for s in placed),
            background_corpus="noise", evidence_density=stated_tokens / context.tokens[0],
        )  # fmt: skip

    def _places(self, placed: Sequence[Statement], units: int) -> list[int]:
        """Return the number of sentences before each statement; in RULER no two statements are neighbours."""
        places = [slot(statement.depth, units) for statement in placed]
        return apart(places, units) if self.settings.ruler_prompt else places

    def _draw_chains(self, group: Candidate) -> tuple[tuple[int | None, float], list[Chain], list[Chain]]:
        """Return bin and depth of a statement of the first chain, the chains of the context, and those in the worked example."""
        hops, chains = self.settings.hops, self.settings.chains
        draws, split = partial(self.draws, group.split, group.number), group.split
        names, places = variables(draws("names"), split), draws("depths")
        numbers = values(draws, split, chains - 1 if self.settings.distractor_similarity == "high" else 0)
        at = (
            (None, draws("bin").unit())
            if self.settings.ruler_prompt
            else ranked.binned(group.number, BINS, draws("bin"))
        )
        depths = [_ascending(places, hops, at[1])]  # the other depths decide which statement it is
        small = [min(hops, _EXAMPLE_HOPS) + 1] * min(chains, _EXAMPLE_CHAINS)
        depths += [_ascending(places, count) for count in (*[hops + 1] * (chains - 1), *small)]
        built = [Chain(next(numbers), tuple(islice(names, len(at))), at) for at in depths]
        return at, built[:chains], built[chains:]

    def _order(self, stock: Stock, group: Candidate, values: list[int]) -> Order:
        """Return the group's order of the filler sentences, except sentences with a value of its chains."""

        def keep(block: Ints) -> Ints:
            return block[~np.isin(five_digits(stock.pieces(int(block.max()) + 1))[block], values)]

        return Order(stock, lambda number: self.draws(group.split, group.number, f"noise {number}"), keep)

    def _example(self, order: Order, chains: Sequence[Chain]) -> str:
        shown = order.texts(_EXAMPLE_SENTENCES)
        for statement in reversed(statements(chains, self.phrases.form("vt.statement"))):
            shown.insert(slot(statement.depth, _EXAMPLE_SENTENCES), statement.text)
        question, cue = self._asked(chains[0])
        names, asked = ", ".join(chains[0].names), self.phrases.question("{}")
        return example(" ".join(shown), question, names, cue=cue, asked=asked)

    def _asked(self, chain: Chain) -> tuple[str, str]:
        """Return question and cue."""
        question, told = self.phrases.form("vt.question").format(value=chain.value), ""
        if self.settings.ruler_prompt:
            told = self.phrases.form("vt.told").format(count=len(chain.names), value=chain.value)
        return question, self.phrases.answer(told)

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        prompt, context = row["prompt"], context_of(row)
        chains = [Chain(**chain, depths=()) for chain in json.loads(row["metadata"])["chains"]]
        form = self.phrases.form("vt.statement")
        expected = dict(pair for chain in chains for pair in zip(chain.names, chain.statements(form), strict=True))
        shown = [span for span in row["spans"] if span["kind"] in _STATED]
        if sorted(span["ref"] for span in shown) != sorted(expected):
            yield "spans are not one for each variable"
        for span in shown:
            if prompt[span["start"] : span["end"]] != expected.get(span["ref"]):
                yield f"no statement of {span['ref']} at its span"
        for chain in chains:
            wanted = {str(chain.value): 1, **dict.fromkeys(chain.names, 2), chain.names[-1]: 1}
            for word, times in wanted.items():
                if (found := len(list(whole_places(context, word)))) != times:
                    yield f"{word} appears {found} times in the context, not {times}"

    def background(self, row: Row) -> BackgroundUnits:
        cuts = [edge for s in row["spans"] if s["kind"] in _STATED for edge in (s["start"], s["end"])]
        bounds = [row["context_start"], *cuts, row["context_end"]]
        kept = (row["prompt"][a:b].strip() for a, b in zip(bounds[::2], bounds[1::2], strict=True))
        return sentences(" ".join(filter(None, kept)))


def _background(order: Order, most: int, budget: int, table: Table) -> UnitColumns:
    """Return filler for the budget, from the group's order after the sentences of the worked example."""

    def sizes(count: int) -> Ints:
        return order.tokens(_EXAMPLE_SENTENCES + count)[_EXAMPLE_SENTENCES:]

    ranks = ranked.filling_ranks(sizes, budget - SEAM, table.tokens or 0, most=most)
    return order.strip(_EXAMPLE_SENTENCES + ranks)


def _ascending(draws: Stream, count: int, *fixed: float) -> tuple[float, ...]:
    return tuple(sorted([*fixed, *(draws.unit() for _ in range(count))]))


TASKS = (
    TaskSpec(
        "vt", Chains, "RULER variable tracking: which variables hold a number, by {chains}{ruler}{spoken}", "tracking",
        RULER_METRICS, 64, version=4, ends="none: noise sentences do not end", skips=GENERATED_SKIPS,
    ),
)  # fmt: skip
