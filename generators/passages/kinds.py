"""Kinds of question over passages, made by TaskSpec.kind: short answers and rankings (docs/spec/helmet.md 5, 6); see also cite.py."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Any, ClassVar

from corpora.stores.columns import joined, taken
from corpora.stores.mined import MinedPassages, MinedQuestion, found_at_once
from generators.context import checks as shared
from generators.passages import checks
from generators.passages.material import Material, chained, full_text, has_words
from generators.spec import Row
from haymaker.core.rng import Stream
from haymaker.core.rows.ranking import CUT
from haymaker.core.text.strings import holds, padded, words

NUMBERED = " [{n}]"
_GRADES = (3, 2, 1, 0)
_USELESS = 3  # passages of grade 0 after each relevant one: then a random order scores a quarter or less
_FIRST_ID, _LAST_ID = 1_000_000, 9_999_999  # seven digits, as MS MARCO's ids have


@dataclass(frozen=True)
class Kind(ABC):
    """Questions of one mined set as a task uses them."""

    stream: Callable[..., Stream]  # random stream of the set in the suite
    placed: bool = False  # whether each row shows only one gold, the decisive one
    label: str = ""  # pattern of the number of a passage, with {n}; empty: no numbers
    graded: ClassVar[bool] = False  # whether passages have grades instead of being gold or distractors

    @abstractmethod
    def rejects(self, question: MinedQuestion) -> str:
        """Return why a question is unusable at every length, or an empty string. Reads no distractor."""

    @abstractmethod
    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """Return the accepted answers and further columns of a row with the passages in this order."""

    @abstractmethod
    def problems(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        """Yield contradictions between the passages of a finished row and its answers, depth or grades."""

    def draws(self, question: MinedQuestion, *purpose: str | int) -> Stream:
        """Return the random stream of a question, the same in all tasks and at all lengths."""
        return self.stream(question.split, question.question_id, *purpose)

    def material(self, question: MinedQuestion) -> Material:
        """Return everything a row may be made of."""
        pool, passages = self.ranked(question), chained(question.gold, question.distractors)
        return Material(question, passages, self.fixed(question), pool, self.shown_ids(question, passages, pool))

    def fixed(self, question: MinedQuestion) -> list[int]:
        """Return the numbers of the golds that every row shows."""
        return list(range(len(question.gold)))[: 1 if self.placed else None]

    def ranked(self, question: MinedQuestion) -> list[int]:
        """Return the numbers of the other passages, in the order in which longer contexts take them."""
        first = len(question.gold)
        return list(range(first, first + len(question.distractors)))

    def shown_ids(self, question: MinedQuestion, passages: MinedPassages, pool: Sequence[int]) -> list[str]:
        """Return the ids of the passages in the prompt; empty if no id is shown."""
        return []

    def unusable(self, material: Material, order: Sequence[int]) -> str:
        """Return why a row of these passages is unusable, or an empty string."""
        return ""

    def marks(self, material: Material, order: Sequence[int]) -> tuple[list[str], list[str] | None]:
        """Return kinds and labels of the spans of a row with the passages in this order."""
        golds = len(material.question.gold)
        return ["gold" if i < golds else "distractor" for i in order], None


@dataclass(frozen=True)
class ShortAnswer(Kind):
    """A short answer that the golds contain.

    Attributes:
        notes: returns further keys of the column `metadata`.
        even: units of a natural row in which golds are the shortest or the longest not more often than by chance; 0: any.
    """

    notes: Callable[[Material, Sequence[int]], dict[str, Any]] = lambda material, order: {}
    even: int = 0

    def ranked(self, question: MinedQuestion) -> list[int]:
        order, golds = super().ranked(question), len(question.gold)
        room = min(self.even - golds, len(order))
        if room < 1:
            return order
        sizes = joined(question.gold.tokens[0], question.distractors.tokens[0])
        draws = self.draws(question, "lengths")
        keep = {sign: draws.chance(golds / (golds + room)) for sign in (1, -1)}
        return evened(
            order, lambda sign, i: sign * sizes[i], range(golds), room, [s for s in (1, -1, 1) if not keep[s]]
        )

    def rejects(self, question: MinedQuestion) -> str:
        if not any(map(has_words, question.answers)):
            return "no answer with words"
        if not len(question.gold):
            return "no gold passage"
        answers = map(padded, filter(has_words, question.answers))
        said = not self.placed or holds(padded(full_text(question.gold, 0)), answers)
        return "" if said else "the gold passage does not say the answer"

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """Drop answers without words (docs/defects/helmet.md D10), sort answers in a gold first; report the depth of the first gold."""
        question, golds = material.question, [padded(full_text(material.passages, i)) for i in material.fixed]
        answers = sorted(
            filter(has_words, question.answers), key=lambda a: not any(holds(gold, [padded(a)]) for gold in golds)
        )
        popularity = {} if question.popularity is None else {"popularity": question.popularity}
        terms = set(words(question.question))
        return {
            "answers": answers,
            "depth": order.index(0) / max(1, len(order) - 1),
            "question_gold_overlap": len(terms & {word for gold in golds for word in gold.split()})
            / max(1, len(terms)),
            "metadata": {"k": len(order), "kind": question.kind, **popularity, **self.notes(material, order)},
        }

    def problems(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        yield from shared.at_depth(row, (i for i, span in enumerate(spans) if span["kind"] == "gold"), len(spans))


def evened(
    order: Sequence[int], size: Callable[[int, int], int], golds: Sequence[int], room: int, signs: Sequence[int]
) -> list[int]:
    """Return the order with a passage shorter than all golds among the first `room`: the next one takes the last place.

    Args:
        order: numbers of the passages, in priority.
        size: sign and number -> length of a passage, times the sign.
        golds: numbers of the golds.
        room: passages next to the golds.
        signs: 1 for shorter, -1 for longer; each change takes a place of its own.
    """
    found, last = list(order), room - 1
    for sign in signs:
        least = min(size(sign, gold) for gold in golds)
        at = next((at for at, i in enumerate(found) if size(sign, i) < least), 0)
        if at >= room:
            new, displaced = found.pop(at), found.pop(last)
            found.insert(last, new)
            found.insert(room, displaced)
            last = max(0, last - 1)
    return found


def hops(material: Material, order: Sequence[int]) -> dict[str, Any]:
    """Return the ranks of the golds of a bridge question in a search, and whether the first gold needs no second hop."""
    if material.question.kind != "bridge":
        return {}
    ranks = list(material.passages.rank[: len(material.question.gold)])
    return {"gold_ranks": ranks, "single_hop": found_at_once(ranks[0])}


def published(material: Material, order: Sequence[int]) -> dict[str, Any]:
    """Return the number of distractors from the publisher in a row, if the mined set contains any."""
    first, count = len(material.question.gold), material.question.shown
    return {"shown": sum(first <= i < first + count for i in order)} if count else {}


@dataclass(frozen=True)
class Rerank(Kind):
    """A ranking. Gold passages have a relevance judgement; distractors have none and count as grade 0."""

    graded = True

    def rejects(self, question: MinedQuestion) -> str:
        return "" if any(question.gold.grade) else "no relevant passage"  # every ranking would be equally good

    def fixed(self, question: MinedQuestion) -> list[int]:
        return []  # judged passages compete for the budget

    def ranked(self, question: MinedQuestion) -> list[int]:
        """Return relevant passages of alternating grades, each followed by _USELESS of grade 0: judged ones, then unjudged hits.

        So no length shows more than a quarter of relevant passages. If those of grade 0 end, the other relevant ones are not used.
        """
        *by_grade, judged = (self._shuffled(question, grade) for grade in _GRADES)
        useless = [*judged, *super().ranked(question)]
        relevant = (i for i in chain.from_iterable(zip_longest(*by_grade)) if i is not None)
        shown, found = [*islice(relevant, len(useless) // _USELESS)], iter(useless)
        return [*chain.from_iterable([i, *islice(found, _USELESS)] for i in shown), *found]

    def _shuffled(self, question: MinedQuestion, grade: int) -> list[int]:
        """Return the judged passages of a grade in the order of the question."""
        of_grade = [i for i, given in enumerate(question.gold.grade) if (given or 0) == grade]
        return self.draws(question, "grade", grade).shuffled(of_grade)

    def unusable(self, material: Material, order: Sequence[int]) -> str:
        return checks.too_easy(_grades(material, order))

    def shown_ids(self, question: MinedQuestion, passages: MinedPassages, pool: Sequence[int]) -> list[str]:
        # random numbers, since a ranking by the published ids, which follow pages, gets half of the score (docs/defects/ours.md)
        shown_ids = list(passages.passage_id)
        for i, draw in zip(pool, self.draws(question, "ids").walk(_LAST_ID - _FIRST_ID + 1), strict=False):
            shown_ids[i] = str(_FIRST_ID + draw)
        return shown_ids

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        shown_ids, grades = taken(material.shown_ids, order), _grades(material, order)
        ranked = [each for wanted in _GRADES for each, grade in zip(shown_ids, grades, strict=True) if grade == wanted]
        qrels, labels = dict(zip(shown_ids, grades, strict=True)), {str(each): grades.count(each) for each in _GRADES}
        golds = len(material.question.gold)
        judged = sum(i < golds for i in order)
        metadata = {"k": len(order), "qrels": qrels, "labels": labels, "judged": judged}
        return {"answers": [" > ".join(ranked[:CUT])], "metadata": metadata}

    def marks(self, material: Material, order: Sequence[int]) -> tuple[list[str], list[str]]:
        return ["passage"] * len(order), list(map(str, _grades(material, order)))

    def problems(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        yield from checks.ranking(row, spans)


def _grades(material: Material, order: Sequence[int]) -> list[int]:
    return [grade or 0 for grade in taken(material.passages.grade, order)]
