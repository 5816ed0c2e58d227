"""Marathon's five tasks over documents: a question with four options, one of them right (docs/spec/marathon.md 1, 3.1, 3.3).

A natural row is the document alone and whole; a row of a number of tokens shows it among others of its collection, cut only
around evidence that is known. A question comes with its options in four orders, each the one before moved on by a letter, over
the same text: so every letter is right once, and who guesses by letter is seen (docs/defects/marathon.md D4).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.stores.documents.store import PreparedQuestion
from generators.context.context import Context
from generators.documents import prompts
from generators.documents.items import Item
from generators.documents.kinds import SKIPS, Choices
from generators.documents.prepared import Filled, Prepared
from generators.documents.settings import DocumentSettings
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
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import padded

_LISTED = re.compile(r"^[A-Z]\. ", re.MULTILINE)
_ALONE = "the part that fits says the right option and none of the others"
_UNEVEN = "its letter would be right more often than others"


class OptionSettings(DocumentSettings):
    """Knobs of questions with four options.

    Attributes:
        sorts: which questions of the collection it asks, by what its source says of them.
        rotations: orders of the options that a question comes with, of which each is a row.
        shots: none: an example would show a letter.
    """

    sorts: Annotated[tuple[str, ...], Field(min_length=1)]
    rotations: Literal[1, 4] = 4
    shots: Annotated[int, Field(ge=0, le=0)] = 0
    embedded: bool = True
    shared_by: ClassVar[str] = SHARED_BY

    @property
    def variants(self) -> int:
        """Orders of the options."""
        return self.rotations


class Options(Item, Choices):
    """Rows that ask for one of four options."""

    settings_type = OptionSettings
    settings: OptionSettings
    # LooGLE's evidence is often not word for word (docs/spec/marathon.md 2): where it is not found, nothing is cut.
    trusts_evidence: ClassVar[bool] = False

    def __init__(self, entry: Entry[Any], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._orders = lru_cache(maxsize=4)(self._of_sorts)
        self.rotated = lru_cache(maxsize=64)(self._rotated)
        self.filled = lru_cache(maxsize=1)(self._filled)  # the rows of a question come side by side
        # Of a whole table, so that training rows, which are of none, know nothing of what a selection left out.
        self._uneven: set[tuple[Table, int]] = set()

    # ------------------------------------------------------------------------------------------------- what is asked

    def order(self, part: Split) -> list[PreparedQuestion]:
        """Questions of its sorts alone, small documents first."""
        return self._orders(part)

    def _of_sorts(self, part: Split) -> list[PreparedQuestion]:
        return [each for each in super().order(part) if each.source.sort in self.settings.sorts]

    def check_feasible(self, table: Table) -> None:
        """Refuse a collection that has no question of its sorts; say which it has."""
        if not self.order(table.part):
            found = Counter(each.source.sort or "none" for each in super().order(table.part))
            sorts = ", ".join(f"{sort} {found[sort]}" for sort in sorted(found)) or "no choices at all"
            typeless = set(found) == {"none"} and "use a revision of the source that says the type of its questions"
            raise BuildError(
                f"no question of sort {' or '.join(self.settings.sorts)} in part {table.part} (there are: {sorts})",
                where=f"documents.{self.settings.documents}",
                fix=typeless or (nearest(self.settings.sorts[0], found) if found else "give the collection `choices`"),
            )

    def candidate_order(self, table: Table) -> Iterable[int]:
        """As its kind has it, but so that first rows have each letter equally often, to one; with one row a question, all rows."""
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

    def rejection_reason(self, candidate: Candidate) -> str:
        """Options that cannot be told apart, or that do not stand on a line of their own."""
        source = self.question_of(candidate).source
        if len(source.choices) != OPTIONS or len({_folded(choice) for choice in source.choices}) != OPTIONS:
            return f"it has not {OPTIONS} different options"
        if any("\n" in choice.strip() for choice in source.choices) or _LISTED.search(source.text):
            return "an option takes several lines, or the question lists options of its own"
        return super().rejection_reason(candidate)

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """As its kind has it; or that its letter is right often enough already."""
        if (table, candidate.number) in self._uneven:
            return _UNEVEN
        return super().rejection_reason_at(table, candidate)

    def unshown(self, text: Text) -> str:
        """As its kind has it; or that of the options the right one alone stands in the part."""
        source, said = text.question.source, text.said
        there = [choice for choice in source.choices if padded(choice) in said]
        return super().unshown(text) or (_ALONE if there == [source.answers[0]] else "")

    # ---------------------------------------------------------------------------------------------------------- rows

    def _rotated(self, candidate: Candidate, embedded: bool) -> list[Prepared]:
        """The question with its options in each order."""
        first = super()._prepare(candidate, 0, embedded)
        return [first, *(self._turned(first, by) for by in range(1, self.variants))]

    def _turned(self, first: Prepared, by: int) -> Prepared:
        query, head = turned(first.query, by), first.frame
        tail = prompts.tail(self.wording, query)
        return first._replace(query=query, frame=self.writer.frame(head.head, tail, cue=head.cue, spans=head.spans))

    def _prepare(self, candidate: Candidate, beginning: int, embedded: bool) -> Prepared:
        """The longest of its orders, which decides what fits."""
        return max(self.rotated(candidate, embedded), key=lambda each: each.frame.tokens)

    def _fitted(
        self, table: Table, candidate: Candidate, prepared: Prepared, spare: int = 0
    ) -> tuple[tuple[Text, int], Context, list[int]]:
        """One text for all orders: where a seam makes another one the longest, the text gives way."""
        frames = [each.frame for each in self.rotated(candidate, self.settings.embedded)]
        while True:
            found, context, counts = super()._fitted(table, candidate, prepared, spare)
            over = max(self.writer.count(frame, context.parts())[0] for frame in frames) - self.writer.room(table)
            if over <= 0:
                return found, context, counts
            spare += over

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The text of the bucket with the options in order `variant`."""
        filled: Filled = self.filled(table, candidate)
        prepared = self.rotated(candidate, self.settings.embedded and not table.natural)[variant]
        counts, source = self.writer.count(prepared.frame, filled.context.parts()), prepared.question.source
        return self._sample(
            table, candidate, filled._replace(prepared=prepared, counts=counts),
            noted={"sort": source.sort, "origins": origins(source.choices, source.origins, prepared.query.choices)},
            point=point(variant), permutation=variant, verified=source.verified or None,
        )  # fmt: skip

    # -------------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        """Options that are alike or not in the order that the row's number says, sort, origins and who looked at them."""
        yield from super().problems(row)
        if len(row["choices"]) != OPTIONS or len({_folded(choice) for choice in row["choices"]}) != OPTIONS:
            yield f"not {OPTIONS} different options"
        yield from misnumbered(row, self.variants)
        if self.inputs.are_here(self.uses()):
            yield from self._as_stored(row)

    def _as_stored(self, row: Row) -> Iterator[str]:
        question = self.stock.known.get((self.kind, row["group_id"].removeprefix(f"{self.stock.name}-")))
        if question is None:
            return  # said already
        source, by = question.source, row["permutation"]
        first = self.query(question, (row["answer_index"] - by) % OPTIONS)
        if row["choices"] != list(turned(first, by).choices):
            yield f"the options are not those of the question's first row moved on by {by}"
        extra = json.loads(row["extra"])
        if extra["sort"] != source.sort or source.sort not in self.settings.sorts:
            yield f"the question is of sort {source.sort}, the row says {extra['sort']}"
        if row["verified"] != (source.verified or None):
            yield f"the options are {source.verified or 'of the source'}, the row says {row['verified']}"
        if extra["origins"] != origins(source.choices, source.origins, row["choices"]):
            yield "the origins of the options are not those of the collection"

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """What options give away by themselves."""
        return leaks.measures(rows)


def _folded(choice: str) -> str:
    return " ".join(choice.split()).casefold()


def origins(choices: Sequence[str], written_by: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Who wrote each option, in the order shown; nothing where all are the source's."""
    known = {choice.strip(): origin for choice, origin in zip(choices, written_by, strict=bool(written_by))}
    return [known.get(choice, "") for choice in shown] if known else []


ENDS = "the documents of its collection"


def _spec(name: str, title: str, category: str) -> TaskSpec:
    return TaskSpec(
        name, Options, title, category, METRICS, MAX_NEW_TOKENS, ends=ENDS, wording="choice", skips=SKIPS,
        prompts=Path(__file__).with_suffix(".yaml"), defaults={"sorts": (name,)}, imitates="Marathon", version=3,
    )  # fmt: skip


def _twin(spec: TaskSpec) -> TaskSpec:
    """Its simulated twin: a task of its own, so that nobody takes its rows for those of the named set. Chronicles tell every date,
    number and list in words that can be read exactly.
    """
    twin = replace(spec, name=f"{spec.name}{WORLD}")
    proved: dict[Check, str] = {check: why for check, why in SKIPS.items() if check is not Check.ORACLE}
    return replace(twin, solver=chronicles.solve, skips=proved) if spec.name in _EXACT else twin


_EXACT = ("timeline_reorder", "multiple_information_retrieval", "computation")  # whose twins an oracle solves
_LOOGLE: tuple[TaskSpec, ...] = (
    _spec("comprehension_and_reasoning", "What follows from several places of a document", "question-answering"),
    _spec("multiple_information_retrieval", "What several places of a document say together", "question-answering"),
    _spec("timeline_reorder", "In which order events of a document happened", "timeline-reordering"),
    _spec("computation", "A number worked out from those of a document", "computation"),
    _spec("shortdep_qa", "What one place of a document says", "question-answering"),
)
TASKS = (*_LOOGLE, *map(_twin, _LOOGLE))
