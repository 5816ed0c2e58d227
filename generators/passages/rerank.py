"""Re-ranking: judged passages of all grades as evenly as they last, then unjudged hits (docs/spec/helmet.md 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from typing import Any

from corpora.stores.columns import taken
from corpora.stores.mined import MinedPassages, MinedQuestion
from generators.passages import checks
from generators.passages.material import Material
from generators.passages.questions import PermutedSettings
from generators.passages.task import PassageTask
from generators.spec import Row

_GRADES = (3, 2, 1, 0)
_BEST = 10  # passages that are asked for: what NDCG@10 reads (docs/spec/helmet.md 11.4)
_FIRST_ID, _LAST_ID = 1_000_000, 9_999_999  # seven digits, as MS MARCO's ids have


class Rerank(PassageTask[PermutedSettings]):
    """msmarco_rerank. Gold passages are the judged ones; distractors are not judged and count as grade 0."""

    graded = True

    def refuses(self, question: MinedQuestion) -> str:
        """No relevant passage: every ranking would be as good."""
        return "" if any(question.gold.grade) else "no relevant passage"

    def fixed(self, question: MinedQuestion) -> list[int]:
        """None: the judged passages compete for room."""
        return []

    def ranked(self, question: MinedQuestion) -> list[int]:
        """Grades 3, 2, 1, 0 in turn while each lasts, in keyed order within a grade; then unjudged hits as ranked.

        So each prefix is as balanced as the judgements allow, and a longer context holds all of a shorter one.
        """
        by_grade = []
        for grade in _GRADES:
            of_grade = [i for i, g in enumerate(question.gold.grade) if (g or 0) == grade]
            by_grade.append(self.draws(question, "grade", grade).shuffled(of_grade))
        judged = [i for i in chain.from_iterable(zip_longest(*by_grade)) if i is not None]
        return judged + super().ranked(question)

    def shown_ids(self, question: MinedQuestion, passages: MinedPassages, pool: list[int]) -> list[str]:
        """A keyed number of seven digits for each passage, none twice: published ids are given page by page, so that neighbours of a
        relevant one are relevant, and a ranking by ids alone had half of the score (docs/defects/ours.md).
        """
        draws = self.draws(question, "ids").walk(_LAST_ID - _FIRST_ID + 1)
        shown_ids = list(passages.passage_id)
        for i, draw in zip(pool, draws, strict=False):
            shown_ids[i] = str(_FIRST_ID + draw)
        return shown_ids

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """The ids of the best by grade, ties as they stand in the prompt."""
        shown_ids, grades = taken(material.shown_ids, order), _grades(material, order)
        ranked = [each for wanted in _GRADES for each, grade in zip(shown_ids, grades, strict=True) if grade == wanted]
        extra = {
            "k": len(order),
            "qrels": dict(zip(shown_ids, grades, strict=True)),
            "labels": {str(grade): grades.count(grade) for grade in _GRADES},
            "judged": sum(i < material.n_gold for i in order),
        }
        return {"answers": [" > ".join(ranked[:_BEST])], "extra": extra}

    def marks(self, material: Material, order: Sequence[int]) -> tuple[list[str], list[str]]:
        """Judged or not, all are passages; their grade is the span's label."""
        return ["passage"] * len(order), list(map(str, _grades(material, order)))

    def claims(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        """The best ids by grade, as shown."""
        yield from checks.ranking(row, spans, _BEST)


def _grades(material: Material, order: Sequence[int]) -> list[int]:
    """Relevance of passages; what nobody judged has none."""
    return [grade or 0 for grade in taken(material.passages.grade, order)]
