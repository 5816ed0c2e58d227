"""Shots to learn from with labels by name, as LongBench has them (docs/spec/longbench.md 2.3): at any number of tokens, and so many
as are drawn for a row.

Differs from the reference: shots are taken in rounds of one per label, not at random, so every label is shown however few shots
there are, and questions come in rounds too; the shots of each label stand evenly over the context. A name that stands inside of another is refused: a rule that looks for names in an output
(CLS, docs/defects/longbench.md D5) would find both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar, Literal

from generators.context import natural
from generators.context.context import Context
from generators.context.pieces import Ints, Strip, closed
from generators.context.writer import Frame
from generators.shots import checks, prompts
from generators.shots.deck import Shots
from generators.shots.learning import Learning, LearningSettings, Query
from generators.spec import Candidate, Table
from haymaker.core.errors import BuildError


class NamedSettings(LearningSettings):
    """Keys of a task whose labels are shown by their names.

    Attributes:
        natural_shots: fewest and most shots of a row of natural length; each number is as likely.
        repeats: as there; here a text comes once unless it is set.
    """

    labels: Literal["natural"] = "natural"
    repeats: bool = False
    natural_shots: natural.Bounds

    def title_words(self) -> Mapping[str, object]:
        """Whether texts come again."""
        return {"again": ", each shown as often as it takes" * self.repeats}


class Named(Learning):
    """Rows that ask for the name of a text's label."""

    settings_type: ClassVar[type[NamedSettings]] = NamedSettings
    settings: NamedSettings
    natural: ClassVar[bool] = True

    @property
    def variant(self) -> str | None:
        """Texts more than once; names are the plain task here."""
        return "repeats" if self.repeats else None

    @cached_property
    def names(self) -> list[str]:
        """The set's, made readable.

        Raises:
            BuildError: two are alike, or one stands inside of another.
        """
        where = f"set {self.stock.name}"
        names = prompts.readable(self.stock.labels, where)
        folded = [name.casefold() for name in names]
        for name, own in zip(names, folded, strict=True):
            others = [other for other, text in zip(names, folded, strict=True) if own in text and other != name]
            if others:
                fix = "give them other names (generators/shots/names.yaml, or in the source)"
                raise BuildError(f"label {name!r} stands inside of label {others[0]!r}", where=where, fix=fix)
        return names

    def filled(
        self, table: Table, candidate: Candidate, query: Query, frame: Frame
    ) -> tuple[tuple[Shots, Strip], Context, list[int]]:
        """So many shots as are drawn for the row where it has its natural length."""
        if not table.natural:
            return super().filled(table, candidate, query, frame)
        answers = [self.names[query.label]]

        def lengths(count: int) -> Ints:
            strip = query.deck.strip(query.deck.first(count))
            return natural.row_words(strip, self.stock.ending, frame, query.question, answers)

        stream = self.stream(candidate.key, "natural shots")
        shots = query.deck.first(natural.wanted(table.bucket, stream, self.settings.natural_shots, lengths)).in_place()
        strip = query.deck.strip(shots)
        context = closed(strip, self.stock.ending, self.inputs.tokenizers)
        return (shots, strip), context, self.writer.count(frame, context.parts())

    def query_problems(self, row: checks.Read, known: checks.Known | None) -> Iterator[str]:
        """The same, and the number of shots where it is drawn."""
        yield from super().query_problems(row, known)
        stream = self.stream(row.row["group_id"], "natural shots")
        yield from natural.problems(row.row["bucket"], stream, self.settings.natural_shots, len(row.spans))
