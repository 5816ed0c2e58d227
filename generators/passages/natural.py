"""Rows as long as their material is by itself: the golds, then others while the words stay within a maximum (docs/spec/longbench.md 2.2, 3).

Bucket `natural`: as many passages as the question's publisher shows, the publisher's own first (mining puts them there), hits of the
search for those that may hold the answer or are not in the corpus. Buckets of words: the same, within the words of the bucket; where
`natural_units` passages have too few words, further hits until there are enough. So all rows of a question are beginnings of one list,
in one order. Differs from the reference, which draws its rows and sorts them by length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from corpora.stores.mined import MinedQuestion
from corpora.stores.passages.store import unit
from generators.context.pieces import Ints
from generators.passages import checks
from generators.passages.material import Material
from generators.passages.questions import PermutedSettings
from generators.passages.rag import Answering
from generators.passages.task import Prepared
from generators.spec import Candidate, Row, Table
from haymaker.core.buckets import WORD_RANGES
from haymaker.core.errors import BuildError


class NaturalSettings(PermutedSettings):
    """Attributes:
    natural_units: passages of a natural row, the golds among them; one more than the golds where these are as many.
    natural_words: most words of question, passages and answers together in a natural row. The reference does not state its
        maximum; the longest of its rows that we have seen has 12,345 words.
    """

    permutations: Annotated[int, Field(ge=1, le=100)] = 1
    shots: Literal[0] = 0
    natural_units: Annotated[int, Field(ge=2, le=1000)] = 10
    natural_words: Annotated[int, Field(ge=100, le=1_000_000)] = 13_000


class Natural(Answering[NaturalSettings]):
    """Numbered passages, all golds among them, in one shuffled order of each question: at natural length and at any other."""

    settings_type = NaturalSettings
    natural = True
    label: ClassVar[str] = " [{n}]"

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Of a natural row: its golds alone are too long, nothing stands beside them, or no number of passages has such a length."""
        if not table.natural:
            return super().rejection_reason_at(table, candidate)
        try:
            self._chosen(table, candidate)
        except BuildError as error:
            return error.what
        return ""

    def _chosen(self, table: Table, candidate: Candidate) -> tuple[list[Ints], list[list[int]]]:
        if not table.natural:
            return super()._chosen(table, candidate)
        prepared = self._prepared(table, candidate)
        if not prepared.rows:
            chosen = np.array(self._within(prepared, table, candidate.key), dtype=np.int64)
            orders = [self.order(prepared.material, chosen, variant) for variant in range(self.variants)]
            counts = [self.writer.count(prepared.frame, prepared.units.edges(order)) for order in orders]
            prepared.rows.append((orders, counts))
        return prepared.rows[0]

    def _within(self, prepared: Prepared, table: Table, where: str) -> list[int]:
        """The passages of a natural row, in order of priority.

        Raises:
            BuildError: there is no such row.
        """
        material, (least, most) = prepared.material, self.bounds(table.bucket)
        words, chosen = self._words_around(material), list(material.fixed)
        words += sum(_words(material, i) for i in chosen)
        units = max(self.settings.natural_units, len(chosen) + 1)
        if words > most:
            raise BuildError("its golds alone have too many words", where=where, fix="drop the bucket")
        for i in material.pool:
            more = _words(material, i)
            if words + more > most or (len(chosen) >= units and words >= least):
                break
            chosen.append(i)
            words += more
        if words < least:
            raise BuildError("no number of its passages has so many words", where=where, fix="drop the bucket")
        if len(chosen) == len(material.fixed):
            raise BuildError("no other passage stays within the words", where=where, fix="raise natural_words")
        return chosen

    def bounds(self, bucket: str) -> tuple[int, int]:
        """Fewest and most words of question, passages and answers in a natural bucket."""
        first, last = WORD_RANGES.get(bucket, (0, None))
        return first, min(self.settings.natural_words, last - 1 if last else self.settings.natural_words)

    def _words_around(self, material: Material) -> int:
        """Words of question and answers."""
        answers = self.answered(material, range(len(material.passages)))["answers"]
        return sum(len(text.split()) for text in (material.question.question, *answers))

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """As for every short answer; `extra.shown` says how many distractors are the publisher's own."""
        found, first = super().answered(material, order), material.n_gold
        shown = sum(first <= i < first + material.question.shown for i in order)
        extra = {**found["extra"], **({"shown": shown} if material.question.shown else {})}
        return {**found, "extra": extra}

    def compared(self, row: Row, spans: checks.Spans, question: MinedQuestion) -> Iterator[str]:
        """Every passage as mined; of a natural row no more and no fewer of them than the rule says."""
        yield from super().compared(row, spans, question)
        if row["bucket_tokens"] is None:
            limits = self.bounds(row["bucket"])
            yield from checks.natural(row, spans, question, self.settings.natural_units, limits)


def _words(material: Material, passage: int) -> int:
    """Words of a passage as it stands in a row: its opener and its number are two."""
    text = unit(material.passages.title[passage], material.passages.text[passage])
    return len(text.split()) + 1
