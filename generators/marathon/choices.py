"""Marathon's five tasks over documents: a question with four options, one of them right (docs/spec/marathon.md 1, 3.1, 3.3).

A natural row is the whole document alone; a row of a number of tokens shows it among others of its collection, cut only around known
evidence. A question has its options in four orders over the same text, each the one before rotated by a letter: every letter is right
once, so guessing by letter is visible (docs/defects/marathon.md D4).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.stores.documents.store import PreparedQuestion
from generators.documents.kinds import SKIPS, Asks, Choices, DocumentSettings
from generators.documents.prompts import PromptQuestion
from generators.documents.task import DocumentTask
from generators.documents.text import Text
from generators.inputs import Inputs
from generators.marathon import leaks
from generators.marathon.letters import MAX_NEW_TOKENS, METRICS, OPTIONS, SHARED_BY, evenly, misnumbered, point, turned
from generators.marathon.oracles import chronicles
from generators.spec import Candidate, Entry, Row, Table, TaskSpec
from haymaker.core.errors import BuildError
from haymaker.core.params import nearest
from haymaker.core.rows.config_name import WORLD
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.source_records import DocumentQuestion, Split
from haymaker.core.text.strings import padded

_LISTED = re.compile(r"^[A-Z]\. ", re.MULTILINE)
_ALONE = "the part that fits says the right option and none of the others"
_UNEVEN = "its letter would be right more often than others"


class OptionSettings(DocumentSettings):
    """Settings of questions with four options.

    Attributes:
        sorts: sorts of questions (DocumentQuestion.sort) that the task asks.
        rotations: orders of the options of a question; each is a row.
        shots: none: an example would show a letter.
    """

    sorts: Annotated[tuple[str, ...], Field(min_length=1)]
    rotations: Literal[1, 4] = 4
    shots: Annotated[int, Field(ge=0, le=0)] = 0
    embedded: bool = True
    shared_by: ClassVar[str] = SHARED_BY

    @property
    def variants(self) -> int:
        return self.rotations


class RotatedChoices(Choices):
    """Questions with four options in one or four orders."""

    def orders(self, query: PromptQuestion) -> Sequence[PromptQuestion]:
        return [turned(query, by) for by in range(self.settings.variants)]

    def columns(self, query: PromptQuestion, text: Text, variant: int) -> dict[str, Any]:
        source = text.question.source
        return super().columns(query, text, variant) | {
            "point": point(variant), "permutation": variant, "verified": source.verified or None,
            "extra": {"sort": source.sort, "origins": origins(source, query.choices)},
        }  # fmt: skip

    def item_rejection_reason(self, question: PreparedQuestion) -> str:
        """LooGLE's evidence is often not verbatim (docs/spec/marathon.md 2); if it is not found, nothing is cut."""
        source = question.source
        if not _are_different(source.choices):
            return f"it has not {OPTIONS} different options"
        if any("\n" in choice.strip() for choice in source.choices) or _LISTED.search(source.text):
            return "an option takes several lines, or the question lists options of its own"
        return ""

    def cut_rejection_reason(self, text: Text) -> str:
        """Of the options, not only the right one may be in the part."""
        source, part = text.question.source, padded(text.stock.text(text.found.main))
        there = [choice for choice in source.choices if padded(choice) in part]
        return super().cut_rejection_reason(text) or (_ALONE if there == [source.answers[0]] else "")


class Options(DocumentTask):
    """Rows with a question and four options."""

    settings_type = OptionSettings
    settings: OptionSettings

    def __init__(self, entry: Entry[Any], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        # By table: training rows belong to no table, so no selection changes them.
        self._uneven: set[tuple[Table, int]] = set()

    # ------------------------------------------------------------------------------------------------ candidates

    def _order(self, part: Split) -> list[PreparedQuestion]:
        return [each for each in super()._order(part) if each.source.sort in self.settings.sorts]

    def check_feasible(self, table: Table) -> None:
        """Refuse a collection that has no question of the sorts; the error lists the sorts it has."""
        if not self.order(table.part):
            found = Counter(each.source.sort or "none" for each in super()._order(table.part))
            sorts = ", ".join(f"{sort} {found[sort]}" for sort in sorted(found)) or "no choices at all"
            typeless = set(found) == {"none"} and "use a revision of the source that says the type of its questions"
            raise BuildError(
                f"no question of sort {' or '.join(self.settings.sorts)} in part {table.part} (there are: {sorts})",
                where=f"documents.{self.settings.documents}",
                fix=typeless or (nearest(self.settings.sorts[0], found) if found else "give the collection `choices`"),
            )

    def candidate_order(self, table: Table) -> Iterable[int]:
        """The first rows have each letter equally often, to one; with one row per question, all rows do."""
        letter, fits = partial(self._letter, table.part), partial(self._fits, table)
        for number, is_over in evenly(super().candidate_order(table), letter, fits):
            if is_over and self.variants == 1:
                self._uneven.add((table, number))
            yield number

    def _letter(self, part: Split, number: int) -> int:
        return self.stock.letter(part, number, OPTIONS)

    def _fits(self, table: Table, number: int) -> bool:
        candidate = self.pool(table.part).candidate(number)
        return not self.rejection_reason(candidate) and not super().rejection_reason_at(table, candidate)

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        return _UNEVEN if (table, candidate.number) in self._uneven else super().rejection_reason_at(table, candidate)

    # ---------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        if not _are_different(row["choices"]):
            yield f"not {OPTIONS} different options"
        yield from misnumbered(row, self.variants)
        if self.inputs.are_here(self.uses()):
            question = self.stock.known.get((self.kind.name, row["group_id"].removeprefix(f"{self.stock.name}-")))
            yield from self._as_stored(row, question) if question else ()  # an unknown question is a problem already

    def _as_stored(self, row: Row, question: PreparedQuestion) -> Iterator[str]:
        source, extra, by = question.source, json.loads(row["extra"]), row["permutation"]
        first = self.kind.query(question, (row["answer_index"] - by) % OPTIONS, 1.0)
        if row["choices"] != list(turned(first, by).choices):
            yield f"the options are not those of the question's first row moved on by {by}"
        if extra["sort"] != source.sort or source.sort not in self.settings.sorts:
            yield f"the question is of sort {source.sort}, the row says {extra['sort']}"
        if row["verified"] != (source.verified or None):
            yield f"the options are {source.verified or 'of the source'}, the row says {row['verified']}"
        if extra["origins"] != origins(source, row["choices"]):
            yield "the origins of the options are not those of the collection"

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        return leaks.measures(rows)


def _are_different(choices: Sequence[str]) -> bool:
    return len(choices) == OPTIONS == len({" ".join(choice.split()).casefold() for choice in choices})


def origins(source: DocumentQuestion, shown: Sequence[str]) -> list[str]:
    """Return the writer of each option, in the order shown; empty if all are of the source."""
    pairs = zip(source.choices, source.origins, strict=bool(source.origins))
    known = {choice.strip(): origin for choice, origin in pairs}
    return [known.get(choice, "") for choice in shown] if known else []


def _spec(name: str, title: str, category: str) -> TaskSpec:
    return TaskSpec(
        name, Options, title, category, METRICS, MAX_NEW_TOKENS, ends="the documents of its collection", wording="choice", skips=SKIPS,
        prompts=Path(__file__).with_suffix(".yaml"), defaults={"sorts": (name,)}, imitates="Marathon", version=3,
        kind=Asks(RotatedChoices, item=True),
    )  # fmt: skip


def _twin(spec: TaskSpec) -> TaskSpec:
    """The simulated twin, a task of its own. Chronicles give every date, number and list in words that can be read exactly."""
    twin = replace(spec, name=f"{spec.name}{WORLD}")
    skips: dict[Check, str] = {check: why for check, why in SKIPS.items() if check is not Check.ORACLE}
    return replace(twin, solver=chronicles.solve, skips=skips) if spec.name in _EXACT else twin


_EXACT = ("timeline_reorder", "multiple_information_retrieval", "computation")  # have a solver for their twins
_LOOGLE: tuple[TaskSpec, ...] = (
    _spec("comprehension_and_reasoning", "What follows from several places of a document", "question-answering"),
    _spec("multiple_information_retrieval", "What several places of a document say together", "question-answering"),
    _spec("timeline_reorder", "In which order events of a document happened", "timeline-reordering"),
    _spec("computation", "A number worked out from those of a document", "computation"),
    _spec("shortdep_qa", "What one place of a document says", "question-answering"),
)
TASKS = (*_LOOGLE, *map(_twin, _LOOGLE))
