"""Figures of many outputs: those of the published tables (docs/spec/longgenbench.md 4), and what only our edition counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from scoring.longgen.figures import Form, Output
from scoring.longgen.plan import KINDS, Plan

TENTHS = 10
COMPLETE = 0.8  # of the paper's mean length: rows with at least this share of their entries
MOST_SHORT, SHORT_BLOCKS, SHORT_WORDS = (
    100,
    40,
    2000,
)  # entries of the short tables; the code's mean length: rows with more than these
LEAST_ROWS = 30  # of an entry's figure in the curve
WIDTHS = (8, 15)  # entries that a point of the curve is the mean of: of short tables, of others


@dataclass(slots=True)
class Count:
    """Places where an event must be told.

    Attributes:
        told: by the judge's verdict, or the rule's.
        judged: those whose entry is there.
        demanded: all.
    """

    told: int = 0
    judged: int = 0
    demanded: int = 0

    def add(self, verdict: bool, found: bool) -> None:
        """Count one place."""
        self.told += verdict
        self.judged += found
        self.demanded += 1

    @property
    def of_judged(self) -> float | None:
        """Told of judged; None of none."""
        return self.told / self.judged if self.judged else None

    @property
    def of_demanded(self) -> float | None:
        """Told of demanded; None of none."""
        return self.told / self.demanded if self.demanded else None


@dataclass(slots=True)
class Totals:
    """Sums over outputs. Shares are 0 .. 1; None where they would be of nothing.

    Attributes:
        rows: outputs.
        unjudged: of them, those about which a judge has not replied in full: their events are in no figure.
        shares: CR of each row.
        places: all of them.
        kinds, tenths, entries: places by kind, by tenth of the document from 0, by entry.
        words_complete, words_coded: words of the rows that the paper, and its code, take the mean length of.
        most_entries: the longest plan.
        form: sums of what only our edition counts, by name.
    """

    rows: int = 0
    unjudged: int = 0
    shares: list[float] = field(default_factory=list)
    places: Count = field(default_factory=Count)
    kinds: dict[str, Count] = field(default_factory=lambda: {kind: Count() for kind in KINDS})
    tenths: list[Count] = field(default_factory=lambda: [Count() for _ in range(TENTHS)])
    entries: dict[int, Count] = field(default_factory=lambda: defaultdict(Count))
    words_complete: list[int] = field(default_factory=list)
    words_coded: list[int] = field(default_factory=list)
    most_entries: int = 0
    form: Counter[str] = field(default_factory=Counter)

    def add(self, plan: Plan, output: Output, form: Form | None) -> None:
        """Count an output."""
        done = output.done
        self.rows += 1
        self.shares.append(done.share)
        self.most_entries = max(self.most_entries, plan.entries)
        if done.share >= COMPLETE:
            self.words_complete.append(done.words)
        if done.blocks > SHORT_BLOCKS and done.words > SHORT_WORDS:
            self.words_coded.append(done.words)
        if form:
            self._add_form(done.found, form)
        if None in output.verdicts.values():
            self.unjudged += 1
            return
        for place in plan.places:
            verdict = output.verdicts.get(place)
            tenth = min(TENTHS - 1, (place.entry - 1) * TENTHS // plan.entries)
            kind = self.kinds[plan.checks[place.check].kind]
            for count in (self.places, kind, self.tenths[tenth], self.entries[place.entry]):
                count.add(bool(verdict), place in output.verdicts)

    def forget_events(self) -> None:
        """Nobody judged: outputs without entries, which need no judge, are no figure of the others."""
        self.places = Count()
        self.kinds = {kind: Count() for kind in KINDS}
        self.tenths = [Count() for _ in range(TENTHS)]
        self.entries.clear()

    def _add_form(self, found: int, form: Form) -> None:
        self.form.update(
            found=found, long_enough=form.long_enough, neighbours=form.neighbours, rising=form.rising,
            duplicates=form.duplicates, beyond=form.beyond, strays=form.strays, windows=form.windows,
            repeated=form.repeated, ended=form.ended, right=form.told.right, wrong=form.told.wrong,
        )  # fmt: skip

    @property
    def cr(self) -> float | None:
        """The mean of the rows' CR."""
        return fmean(self.shares) if self.shares else None

    @property
    def wavg(self) -> float | None:
        """CR times STIC-2; None where a row has not been judged."""
        told = self.places.of_demanded
        return None if self.cr is None or told is None or self.unjudged else weighted(self.cr, told)

    @property
    def mean_of_kinds(self) -> float | None:
        """The mean of the kinds' shares of judged places."""
        shares = [count.of_judged for count in self.kinds.values()]
        known = [share for share in shares if share is not None]
        return fmean(known) if known else None

    def share(self, part: str, *whole: str) -> float | None:
        """A share of sums in `form`."""
        total = sum(self.form[name] for name in whole)
        return self.form[part] / total if total else None

    @property
    def precision(self) -> float | None:
        """Of the entries that tell an event, those that should."""
        return self.share("right", "right", "wrong")

    @property
    def curve(self) -> list[dict[str, Any]]:
        """The reference's curve: the mean share told of neighbouring entries, of those with enough judged places."""
        kept = sorted(entry for entry, count in self.entries.items() if count.judged >= LEAST_ROWS)
        shares = [self.entries[entry].told / self.entries[entry].judged for entry in kept]
        width = WIDTHS[self.most_entries > MOST_SHORT]
        return [
            {"first": kept[at], "last": kept[at + width - 1], "told": fmean(shares[at : at + width])}
            for at in range(len(kept) - width + 1)
        ]


def weighted(cr: float, stic2: float) -> float:
    """The published tables' wAvg (docs/spec/longgenbench.md 4)."""
    return cr * stic2


@dataclass(slots=True)
class Agreement:
    """Verdicts of a judge and of the rule on the same entries, those that the reference's reading finds.

    Attributes:
        cells: places by the judge's verdict and the rule's.
        unclear: replies with neither yes nor no.
    """

    cells: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    unclear: int = 0

    def add(self, judge: bool | None, rule: bool) -> None:
        """Count one place that has a reply."""
        if judge is None:
            self.unclear += 1
        else:
            self.cells[judge, rule] += 1

    @property
    def share(self) -> float | None:
        """Of the places, those on which both say the same."""
        total = self.cells.total()
        return (self.cells[True, True] + self.cells[False, False]) / total if total else None
