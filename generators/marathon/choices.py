"""Marathon's five tasks over documents: questions with four options, one of them right (docs/spec/marathon.md 1, 3.1, 3.3).

A natural row has one whole document; other rows show it among other documents, cut only around known evidence. The options of a
question are rotated four times over the same text: every letter is right once, so a letter bias is visible (docs/defects/marathon.md D4).
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
from generators.marathon.letters import MAX_NEW_TOKENS, METRICS, OPTIONS, evenly, misnumbered, turned
from generators.marathon.oracles import chronicles
from generators.spec import Candidate, Entry, Row, Table, TaskSpec
from haymaker.core.errors import BuildError
from haymaker.core.params import nearest
from haymaker.core.rows.config_name import SIMULATED_SUFFIX
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.source_records import DocumentQuestion, Split
from haymaker.core.text.strings import padded

_LISTED = re.compile(r"^[A-Z]\. ", re.MULTILINE)
_ALONE = "the part that fits says the right option and none of the others"
_UNEVEN = "its letter would be right more often than others"


class OptionSettings(DocumentSettings):
    """Settings of questions with four options.

    Attributes:
        sorts: types of questions to use.
        rotations: number of orders of the options; one row each.
        shots: always 0: an example would show a letter.
    """

    sorts: Annotated[tuple[str, ...], Field(min_length=1)]
    rotations: Literal[1, 4] = 4
    shots: Annotated[int, Field(ge=0, le=0)] = 0
    distractor_documents: bool = True
    shared_by: ClassVar[str] = "rotations of each question's options"

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
            "point": f"r{variant}", "order_index": variant, "options_reviewed_by": source.verified or None,
            "metadata": {"sort": source.sort, "origins": _origins(source, query.choices)},
        }  # fmt: skip

    def item_rejection_reason(self, question: PreparedQuestion) -> str:
        """Evidence need not be found: LooGLE's is often not verbatim (docs/spec/marathon.md 2)."""
        source = question.source
        if not _are_different(source.choices):
            return f"it has not {OPTIONS} different options"
        if any("\n" in choice.strip() for choice in source.choices) or _LISTED.search(source.text):
            return "an option takes several lines, or the question lists options of its own"
        return ""

    def cut_rejection_reason(self, text: Text) -> str:
        """The right option must not be the only one in the part that is shown."""
        source, part = text.question.source, padded(text.stock.text(text.found.main))
        there = [choice for choice in source.choices if padded(choice) in part]
        return super().cut_rejection_reason(text) or (_ALONE if there == [source.answers[0]] else "")


class Options(DocumentTask):
    """Rows with a question and four options."""

    settings_type = OptionSettings
    settings: OptionSettings

    def __init__(self, entry: Entry[Any], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._uneven: set[tuple[Table, int]] = set()  # by table, so that a selection does not change training rows

    def _order(self, split: Split) -> list[PreparedQuestion]:
        return [each for each in super()._order(split) if each.source.sort in self.settings.sorts]

    def check_feasible(self, table: Table) -> None:
        """Refuse a collection without questions of the sorts."""
        if self.order(table.split):
            return
        wanted, found = self.settings.sorts, Counter(each.source.sort or "none" for each in super()._order(table.split))
        sorts = ", ".join(f"{sort} {found[sort]}" for sort in sorted(found)) or "no choices at all"
        fix = nearest(wanted[0], found) if found else "set `choices`, and `replies` at the source"
        if set(found) == {"none"}:
            fix = "use a revision of the source with the type of its questions"
        what = f"no question of sort {' or '.join(wanted)} in split {table.split} (there are: {sorts})"
        raise BuildError(what, where=f"documents.{self.settings.documents}", fix=fix)

    def candidate_order(self, table: Table) -> Iterable[int]:
        """The first rows have each letter equally often (or one less); with one row per question, all rows do."""
        letter, fits = partial(self._letter, table.split), partial(self._fits, table)
        for number, is_over in evenly(super().candidate_order(table), letter, fits):
            if is_over and self.variants == 1:
                self._uneven.add((table, number))
            yield number

    def _letter(self, split: Split, number: int) -> int:
        return self.stock.letter(split, number, OPTIONS)

    def _fits(self, table: Table, number: int) -> bool:
        candidate = self.pool(table.split).candidate(number)
        return not self.rejection_reason(candidate) and not super().rejection_reason_at(table, candidate)

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        return _UNEVEN if (table, candidate.number) in self._uneven else super().rejection_reason_at(table, candidate)

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        if not _are_different(row["choices"]):
            yield f"not {OPTIONS} different options"
        yield from misnumbered(row, self.variants)
        if self.inputs.are_here(self.uses()):
            question = self.stock.known.get((self.kind.name, row["group_id"].removeprefix(f"{self.stock.name}-")))
            yield from self._as_stored(row, question) if question else ()  # DocumentTask reports an unknown question

    def _as_stored(self, row: Row, question: PreparedQuestion) -> Iterator[str]:
        source, metadata, by = question.source, json.loads(row["metadata"]), row["order_index"]
        first = self.kind.query(question, (row["answer_index"] - by) % OPTIONS, 1.0)
        if row["choices"] != list(turned(first, by).choices):
            yield f"the options are not the options of the question's first row rotated by {by}"
        if metadata["sort"] != source.sort or source.sort not in self.settings.sorts:
            yield f"the question is of sort {source.sort}, the row has {metadata['sort']}"
        if row["options_reviewed_by"] != (source.verified or None):
            yield f"the options are {source.verified or 'of the source'}, the row has {row['options_reviewed_by']}"
        if metadata["origins"] != _origins(source, row["choices"]):
            yield "the origins of the options differ from the collection"

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        return leaks.measures(rows)


def _are_different(choices: Sequence[str]) -> bool:
    return len(choices) == OPTIONS == len({" ".join(choice.split()).casefold() for choice in choices})


def _origins(source: DocumentQuestion, shown: Sequence[str]) -> list[str]:
    """The writer of each option, in the order shown; empty if all are from the source."""
    pairs = zip(source.choices, source.origins, strict=bool(source.origins))
    known = {choice.strip(): origin for choice, origin in pairs}
    return [known.get(choice, "") for choice in shown] if known else []


def _specs(name: str, title: str, category: str, *, solved: bool = False) -> tuple[TaskSpec, TaskSpec]:
    """A task and its simulated version; `solved`: the simulated texts give dates, numbers and lists in words that an exact solver can read."""
    spec = TaskSpec(
        name, Options, title, category, METRICS, MAX_NEW_TOKENS, ends="the documents of its collection", wording="choice", skips=SKIPS,
        prompts=Path(__file__).with_suffix(".yaml"), defaults={"sorts": (name,)}, imitates="Marathon", version=4,
        kind=Asks(RotatedChoices, item=True),
    )  # fmt: skip
    simulated = replace(spec, name=f"{name}{SIMULATED_SUFFIX}")
    skips: dict[Check, str] = {check: why for check, why in SKIPS.items() if check is not Check.ORACLE}
    return spec, replace(simulated, solver=chronicles.solve, skips=skips) if solved else simulated


_PAIRS = (
    _specs("comprehension_and_reasoning", "What follows from several places of a document", "question-answering"),
    _specs("multiple_information_retrieval", "What several places of a document say together", "question-answering", solved=True),
    _specs("timeline_reorder", "In which order events of a document happened", "timeline-reordering", solved=True),
    _specs("computation", "A number worked out from those of a document", "computation", solved=True),
    _specs("shortdep_qa", "What one place of a document says", "question-answering"),
)  # fmt: skip
TASKS = tuple(spec for specs in zip(*_PAIRS, strict=True) for spec in specs)
