"""RAG: one gold at six depths among ranked distractors, or several golds in three orders (spec/helmet.md 5)."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.mined import MinedQuestion
from generators.passages.family import Answer, Family, Material, says_something
from haymaker.text import holds, padded


class Rag(Family):
    """kilt_nq, kilt_triviaqa, kilt_popqa (one gold, placed), kilt_hotpotqa (all golds, permuted)."""

    def unfit(self, question: MinedQuestion) -> str:
        """No gold passage, no answer with words, or a single gold that does not say the answer."""
        answers = list(filter(says_something, question.answers))
        if not answers:
            return "no answer with words"
        if not len(question.gold):
            return "no gold passage"
        told = padded(f"{question.gold.title[0]}\n{question.gold.text[0]}")
        return (
            "the gold passage does not say the answer"
            if self.plan.kind.placed and not holds(told, map(padded, answers))
            else ""
        )

    def fixed(self, question: MinedQuestion) -> list[int]:
        """The deciding gold alone where it is placed, else all of them."""
        return list(range(1 if self.plan.kind.placed else len(question.gold)))

    def order(self, material: Material, chosen: Sequence[int], point: int) -> list[int]:
        """Where the gold is placed: the others in their order, the gold at depth point / (points - 1), to the nearest place."""
        if not self.plan.kind.placed:
            return super().order(material, chosen, point)
        others = super().order(material, [i for i in chosen if i not in material.fixed], 0)
        at = place(point, self.plan.points, len(others) + 1)
        return [*others[:at], *material.fixed, *others[at:]]

    def answer(self, material: Material, order: Sequence[int]) -> Answer:
        """The accepted answers, without those that have no words (D10); first those that a gold of the row says."""
        question, passages = material.question, material.passages
        told = [padded(f"{passages.title[i]}\n{passages.text[i]}") for i in material.fixed]
        answers = sorted(
            filter(says_something, question.answers), key=lambda a: not any(holds(text, [padded(a)]) for text in told)
        )
        extra = {"kind": question.kind, "popularity": question.popularity}
        return Answer(answers, None, {k: v for k, v in extra.items() if v is not None})

    def deciding(self, material: Material) -> int:
        """The first gold."""
        return 0


class Numbered(Rag):
    """RULER's qa_1 and qa_2: the same over numbered passages, which need no titles (spec/synthetic.md A3)."""

    label = " [{n}]"


def place(point: int, points: int, count: int) -> int:
    """Index among `count` passages that is nearest to depth point / (points - 1); halves go up (section 5, 4)."""
    steps = points - 1
    return (2 * point * (count - 1) + steps) // (2 * steps)
