"""The documents of a context: the main one (the document of the question), alone or among others, cut at sentence ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from generators.context.sentences import Run, count_units
from generators.documents import cuts
from generators.documents.cuts import Trim

MARK = "\n\n***\n\n[{title}]\n\n"  # title lines of each of several documents
# Among others, the main document is whole if it takes at most 2/3 of the budget (3/4 if its evidence is unknown, so that it cannot
# be cut), else a window of 1/2. So a budget twice as large leaves no less to the others, and none of them is cut shorter or lost.
_WHOLE, _WHOLE_UNKNOWN = 3, 4
_PART = 2


class Shown(NamedTuple):
    """A document of a context, and the units of it that are shown."""

    doc_id: str
    run: Run


@dataclass(frozen=True, slots=True)
class Layout:
    """Documents of a context in order.

    Attributes:
        shown: all documents.
        at: index of the main document.
        missing: tokens of the budget that stay unused because there is no more text.
    """

    shown: tuple[Shown, ...]
    at: int
    missing: int = 0

    @property
    def main(self) -> Run:
        """Units of the main document."""
        return self.shown[self.at].run

    @property
    def units(self) -> int:
        """Number of sentences."""
        return self.before(len(self.shown))

    def before(self, at: int) -> int:
        """Return the number of sentences of the first `at` documents."""
        return count_units(each.run for each in self.shown[:at])


@dataclass(frozen=True, slots=True)
class Subject:
    """The main document.

    Attributes:
        doc_id: name of the document.
        document: its units.
        evidence: units from the first to the last of the evidence; None if unknown, or if the document is cut to its beginning.
        share: share of the text around the evidence that is before it.
        place: share of the other documents that is before this one.
    """

    doc_id: str
    document: Run
    evidence: Run | None
    share: float
    place: float


def alone(sums: memoryview, subject: Subject, budget: int, trim: Trim) -> Layout | None:
    """Return the document without others; None if the evidence does not fit."""
    if subject.evidence is None:
        run: Run | None = cuts.beginning(sums, subject.document, budget)
    else:
        run = cuts.window(sums, subject.document, subject.evidence, subject.share, budget, trim)
    if run is None:
        return None
    missing = budget - (sums[run.last] - sums[run.first]) if run == subject.document else 0
    return Layout((Shown(subject.doc_id, run),), 0, missing)


def _main_run(sums: memoryview, subject: Subject, budget: int, trim: Trim) -> Run | None:
    """Units of the main document among others: all, or a window; never a beginning because it might lack the answer."""
    document, part = subject.document, _WHOLE_UNKNOWN if subject.evidence is None else _WHOLE
    if sums[document.last] - sums[document.first] <= budget - budget // part:
        return document
    if subject.evidence is None:
        return None
    return cuts.window(sums, document, subject.evidence, subject.share, budget // _PART, trim)


def among(
    sums: memoryview, subject: Subject, budget: int, others: Iterable[Shown], mark: Callable[[str], int], trim: Trim
) -> Layout | None:
    """Return the document among others; None if its evidence does not fit, or if it must be whole and does not fit.

    Others are in order of priority; each goes to the side that keeps the shares nearer to `place`. Only the last, outermost one may be
    cut. Neither it nor a window ends with a heading (`trim`). So the context of a larger budget contains the context of a smaller
    one in order. `mark` returns the tokens of the title lines of a document and of the token boundaries around it.
    """
    run = _main_run(sums, subject, budget - mark(subject.doc_id), trim)
    if run is None:
        return None
    left = budget - mark(subject.doc_id) - (sums[run.last] - sums[run.first])
    before, after = list[Shown](), list[Shown]()
    tokens = [0, 0]  # of whole documents before and after
    for other in others:
        cost = mark(other.doc_id) + sums[other.run.last] - sums[other.run.first]
        side = 0 if tokens[0] + cost / 2 <= subject.place * (sum(tokens) + cost) else 1
        part = other.run if cost <= left else trim(cuts.beginning(sums, other.run, max(0, left - mark(other.doc_id))))
        if part.last > part.first:
            (before, after)[side].append(Shown(other.doc_id, part))
        tokens[side] += cost
        left = max(0, left - cost)
        if part != other.run:
            break
    return Layout((*reversed(before), Shown(subject.doc_id, run), *after), len(before), left)
