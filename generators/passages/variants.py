"""Rows with one gold at chosen depths, and rows of natural length (docs/spec/helmet.md 5.4, longbench.md 2.2, 3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corpora.stores.mined import MinedQuestion
from corpora.stores.passages.store import unit
from generators.context.pieces import Ints
from generators.passages import checks
from generators.passages.material import Material, has_words
from generators.passages.settings import NaturalSettings, PlacedSettings
from generators.passages.task import Orders, PassageTask, Prepared
from generators.spec import Candidate, Row, Table
from haymaker.core.errors import BuildError


class PlacedTask(PassageTask[PlacedSettings]):
    """Makes rows with one gold, the decisive one, at each depth among the same passages."""

    settings_type = PlacedSettings
    placed = True

    def order(self, material: Material, chosen: Ints, variant: int) -> Ints:
        others = super().order(material, chosen[~np.isin(chosen, material.fixed)], 0)
        return np.insert(others, place(variant, self.settings.depths, len(others) + 1), material.fixed)

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        yield from checks.placed(row, checks.passages(row), self.settings.depths)


def place(point: int, points: int, count: int) -> int:
    """Return the index among `count` passages that is nearest to depth point / (points - 1); halves go up (docs/spec/helmet.md 5.4)."""
    steps = points - 1
    return (2 * point * (count - 1) + steps) // (2 * steps)


class NaturalTask(PassageTask[NaturalSettings]):
    """Makes rows of any length, including natural ones: the golds, then others up to a maximum of words.

    Length `natural`: as many passages as the publisher shows, the publisher's own first (in the order of mining), then hits of the
    search. Lengths of words: the same, within the words of the length, and further hits if `natural_units` passages have too few words.
    So all rows of a question are prefixes of one list. The reference draws its rows and sorts them by length instead.
    """

    settings_type = NaturalSettings
    natural = True

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        if not table.natural:
            return super().rejection_reason_at(table, candidate)
        try:
            self._chosen(table, candidate)
        except BuildError as error:
            return error.what
        return ""

    def _filled(self, table: Table, where: str, prepared: Prepared) -> Orders:
        if not table.natural:
            return super()._filled(table, where, prepared)
        chosen = _within(prepared.material, self.settings.natural_units, self.settings.bounds(table.length), where)
        orders, parts = self._orders(prepared, chosen)
        return orders, [self.writer.count(prepared.frame, each) for each in parts]

    def compared(self, row: Row, spans: checks.Spans, question: MinedQuestion) -> Iterator[str]:
        yield from super().compared(row, spans, question)
        if row["length_tokens"] is None:
            limits = self.settings.bounds(row["length"])
            order = self.priority(question)
            yield from checks.natural(row, spans, question, order, self.settings.natural_units, limits)


def _within(material: Material, units: int, bounds: tuple[int, int], where: str) -> list[int]:
    """Return the passages of a natural row, in order of priority; raise BuildError if there is no such row."""
    question, chosen, (least, most) = material.question, list(material.fixed), bounds
    asked = (question.question, *filter(has_words, question.answers))
    words = sum(len(text.split()) for text in asked) + sum(_words(material, i) for i in chosen)
    if words > most:
        raise BuildError("its golds alone have too many words", where=where, fix="drop the length")
    for i in material.pool:
        more = _words(material, i)
        if words + more > most or (len(chosen) >= max(units, len(material.fixed) + 1) and words >= least):
            break
        chosen.append(i)
        words += more
    if words < least:
        raise BuildError("no number of its passages has so many words", where=where, fix="drop the length")
    if len(chosen) == len(material.fixed):
        raise BuildError("no other passage stays within the words", where=where, fix="raise natural_words")
    return chosen


def _words(material: Material, passage: int) -> int:
    """Return the words of a passage in a row, with its opener and number."""
    text = unit(material.passages.title[passage], material.passages.text[passage])
    return len(text.split()) + 1
