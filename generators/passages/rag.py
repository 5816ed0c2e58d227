"""RAG: one gold at six depths among ranked distractors, or several golds in three orders (docs/spec/helmet.md 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from corpora.stores.mined import MinedQuestion, found_at_once
from generators.context.pieces import Ints
from generators.passages import checks
from generators.passages.material import Material, full_text, has_words
from generators.passages.questions import P, PermutedSettings, PlacedSettings
from generators.passages.task import PassageTask
from generators.spec import Row
from haymaker.core.text.strings import holds, padded


class Answering(PassageTask[P]):
    """A short answer that the golds say."""

    def refuses(self, question: MinedQuestion) -> str:
        """No gold passage, or no answer with words."""
        if not any(map(has_words, question.answers)):
            return "no answer with words"
        return "" if len(question.gold) else "no gold passage"

    def fixed(self, question: MinedQuestion) -> list[int]:
        """All golds."""
        return list(range(len(question.gold)))

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """The accepted answers, without those that have no words (docs/defects/helmet.md D10); those that a gold of the row
        says come first.

        The first gold decides: its place is the row's depth.
        """
        question, golds = material.question, [padded(full_text(material.passages, i)) for i in material.fixed]
        answers = sorted(
            filter(has_words, question.answers), key=lambda a: not any(holds(gold, [padded(a)]) for gold in golds)
        )
        popularity = {} if question.popularity is None else {"popularity": question.popularity}
        return {
            "answers": answers,
            "depth": order.index(0) / max(1, len(order) - 1),
            "overlap": material.overlap(golds),
            "extra": {"k": len(order), "kind": question.kind, **popularity},
        }

    def claims(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        """A gold stands at the row's depth."""
        yield from checks.depth(row, spans)


class Rag(Answering[PlacedSettings]):
    """kilt_nq, kilt_triviaqa, kilt_popqa: one gold, placed."""

    settings_type = PlacedSettings
    placed = True

    def refuses(self, question: MinedQuestion) -> str:
        """Nor a gold that does not say the answer."""
        if reason := super().refuses(question):
            return reason
        answers = map(padded, filter(has_words, question.answers))
        return "" if holds(padded(full_text(question.gold, 0)), answers) else "the gold passage does not say the answer"

    def fixed(self, question: MinedQuestion) -> list[int]:
        """The deciding gold alone."""
        return super().fixed(question)[:1]

    def order(self, material: Material, chosen: Ints, variant: int) -> Ints:
        """The others in their order, the gold at depth variant / (depths - 1), to the nearest place."""
        others = super().order(material, chosen[~np.isin(chosen, material.fixed)], 0)
        return np.insert(others, place(variant, self.settings.depths, len(others) + 1), material.fixed)

    def claims(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        """One gold, that says the answer and stands at the depth that is its turn."""
        yield from super().claims(row, spans)
        yield from checks.placed(row, spans, self.settings.depths)


class MultiHop(Answering[PermutedSettings]):
    """kilt_hotpotqa: all golds of a question among its passages, permuted."""

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """Of a bridge question also where a search by its own words alone found each gold, the deciding one first, and whether
        that one passage is so well found that no second hop is needed.
        """
        columns = super().answered(material, order)
        if material.question.kind == "bridge":
            ranks = list(material.passages.rank[: material.n_gold])
            columns["extra"] |= {"gold_ranks": ranks, "single_hop": found_at_once(ranks[0])}
        return columns


class Numbered(Rag):
    """RULER's qa_1: the same over numbered passages, which need no titles (docs/spec/synthetic.md A3)."""

    label = " [{n}]"


class NumberedMultiHop(MultiHop):
    """RULER's qa_2, likewise."""

    label = " [{n}]"


def place(point: int, points: int, count: int) -> int:
    """Index among `count` passages that is nearest to depth point / (points - 1); halves go up (docs/spec/helmet.md 5.4)."""
    steps = points - 1
    return (2 * point * (count - 1) + steps) // (2 * steps)
