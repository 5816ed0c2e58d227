"""Figures over many outputs: the published tables (docs/spec/longgenbench.md 4), and counts of the strict edition."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from haymaker.scoring.longgen.entries import KINDS, Plan
from haymaker.scoring.longgen.figures import Output

TENTHS = 10
COMPLETE = 0.8  # minimum share of entries for rows in the paper's mean length
MOST_SHORT = 100  # maximum entries of the short tables
SHORT_BLOCKS, SHORT_WORDS = 40, 2000  # rows with more of both are in the mean length of the reference's code
LEAST_ROWS = 30  # minimum rows per entry of the curve
WIDTHS = (8, 15)  # entries per point of the curve: short tables, others


@dataclass(slots=True)
class Count:
    """Counts of places: with their event (told), with an existing entry (judged), and all required ones."""

    told: int = 0
    judged: int = 0
    demanded: int = 0

    @property
    def of_judged(self) -> float | None:
        """Return told / judged; None if no place is judged."""
        return self.told / self.judged if self.judged else None

    @property
    def of_demanded(self) -> float | None:
        """Return told / demanded; None without places."""
        return self.told / self.demanded if self.demanded else None


@dataclass(slots=True)
class Totals:
    """Sums over outputs. Shares are 0 .. 1, or None without a denominator."""

    unjudged: int = 0  # outputs with missing judge replies: their events are not counted
    shares: list[float] = field(default_factory=list)  # CR of each row
    places: Count = field(default_factory=Count)
    kinds: dict[str, Count] = field(default_factory=lambda: {kind: Count() for kind in KINDS})
    tenths: list[Count] = field(default_factory=lambda: [Count() for _ in range(TENTHS)])  # of the document
    entries: dict[int, Count] = field(default_factory=lambda: defaultdict(Count))
    words_complete: list[int] = field(default_factory=list)  # of the rows in the mean length of the paper
    words_coded: list[int] = field(default_factory=list)  # of the rows in the mean length of its code
    most_entries: int = 0
    form: Counter[str] = field(default_factory=Counter)  # sums of `Ruled.form`, by name

    def add(self, plan: Plan, output: Output, form: Mapping[str, int] | None) -> None:
        """Add an output."""
        self.shares.append(output.share)
        self.most_entries = max(self.most_entries, plan.entries)
        if output.share >= COMPLETE:
            self.words_complete.append(output.words)
        if output.blocks > SHORT_BLOCKS and output.words > SHORT_WORDS:
            self.words_coded.append(output.words)
        if form:
            self.form.update(form)
        if None in output.verdicts.values():
            self.unjudged += 1
            return
        for place in plan.places:
            verdict = output.verdicts.get(place)
            tenth = min(TENTHS - 1, (place.entry - 1) * TENTHS // plan.entries)
            kind = self.kinds[plan.checks[place.check].kind]
            for count in (self.places, kind, self.tenths[tenth], self.entries[place.entry]):
                count.told += bool(verdict)
                count.judged += place in output.verdicts
                count.demanded += 1

    def forget_events(self) -> None:
        """Drop the event figures: without a judge they would only cover outputs without entries."""
        empty = Totals()
        self.places, self.kinds, self.tenths, self.entries = empty.places, empty.kinds, empty.tenths, empty.entries

    @property
    def rows(self) -> int:
        """Return the number of outputs."""
        return len(self.shares)

    @property
    def cr(self) -> float | None:
        """Return the mean CR of the rows."""
        return fmean(self.shares) if self.shares else None

    @property
    def wavg(self) -> float | None:
        """Return wAvg (docs/spec/longgenbench.md 4): CR times STIC-2; None if the events of a row are not judged."""
        told = self.places.of_demanded
        return None if self.cr is None or told is None or self.unjudged else self.cr * told

    @property
    def mean_of_kinds(self) -> float | None:
        """Return the mean over kinds of told / judged."""
        shares = [share for count in self.kinds.values() if (share := count.of_judged) is not None]
        return fmean(shares) if shares else None

    def share(self, part: str, *whole: str) -> float | None:
        """Return a sum of `form` / the total of other sums."""
        total = sum(self.form[name] for name in whole)
        return self.form[part] / total if total else None

    @property
    def precision(self) -> float | None:
        """Return the share of events that occur in a required entry."""
        return self.share("right", "right", "wrong")

    @property
    def curve(self) -> list[dict[str, Any]]:
        """Return the reference's curve: mean told / judged over consecutive entries with enough judged places."""
        kept = sorted(entry for entry, count in self.entries.items() if count.judged >= LEAST_ROWS)
        shares = [self.entries[entry].told / self.entries[entry].judged for entry in kept]
        width = WIDTHS[self.most_entries > MOST_SHORT]
        return [
            {"first": kept[at], "last": kept[at + width - 1], "told": fmean(shares[at : at + width])}
            for at in range(len(kept) - width + 1)
        ]


def share_equal(verdicts: Counter[tuple[bool | None, bool]]) -> float | None:
    """Return the share of equal verdicts of a judge and the rule; unclear verdicts (None) are not counted."""
    equal = verdicts[True, True] + verdicts[False, False]
    total = equal + verdicts[True, False] + verdicts[False, True]
    return equal / total if total else None
