"""The documents of a context: the main one, which the question is about, cut to whole sentences, alone or among others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from generators.context.sentences import Run, count_units
from generators.documents import cuts

MARK = "\n\n***\n\n[{title}]\n\n"  # opens each of several documents, whose first unit then has no white space before it
# Among others a document is shown whole if it takes at most 2/3 of the budget: a budget twice as large then leaves
# the others more than the window of a smaller one did, so none of them is cut shorter or lost. At most 3/4 if it cannot be
# cut because its evidence is unknown.
_WHOLE, _WHOLE_UNKNOWN = 3, 4
_PART = 2  # otherwise its window takes 1/2


class Shown(NamedTuple):
    """One document of a context, and its units that are shown."""

    doc_id: str
    run: Run


@dataclass(frozen=True, slots=True)
class Layout:
    """Documents in order.

    Attributes:
        shown: all documents.
        at: index of the main document.
        missing: tokens of the budget that stay empty because the documents end.
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
        evidence: units from the first to the last of the evidence; None if unknown, or if the beginning is shown anyway.
        share: of the text of the document around the evidence that comes before it.
        place: share of the other documents that comes before this one.
    """

    doc_id: str
    document: Run
    evidence: Run | None
    share: float
    place: float


def alone(sums: memoryview, subject: Subject, budget: int, closed: Callable[[Run], Run]) -> Layout | None:
    """Return the document alone; None if the evidence does not fit. A window does not end with a heading (`closed`, as in `among`)."""
    if subject.evidence is None:
        run: Run | None = cuts.beginning(sums, subject.document, budget)
    else:
        run = cuts.window(sums, subject.document, subject.evidence, subject.share, budget, closed)
    if run is None:
        return None
    missing = budget - (sums[run.last] - sums[run.first]) if run == subject.document else 0
    return Layout((Shown(subject.doc_id, run),), 0, missing)


def _main_run(sums: memoryview, subject: Subject, budget: int, closed: Callable[[Run], Run]) -> Run | None:
    """Units of a document among others: all, or a window; never a beginning, which might lack the answer."""
    document, spared = subject.document, _WHOLE_UNKNOWN if subject.evidence is None else _WHOLE
    if sums[document.last] - sums[document.first] <= budget - budget // spared:
        return document
    if subject.evidence is None:
        return None
    return cuts.window(sums, document, subject.evidence, subject.share, budget // _PART, closed)


def among(
    sums: memoryview,
    subject: Subject,
    budget: int,
    others: Iterable[Shown],
    mark: Callable[[str], int],
    closed: Callable[[Run], Run],
) -> Layout | None:
    """Return the document among others; None if its evidence does not fit, or if it must be whole and does not fit.

    Others come in order of priority, each on the side that keeps the shares nearer to `place`. Only the last, outermost one may end
    early. Neither it nor a window ends with a heading (`closed`). So a larger budget gives a context that contains the
    smaller one in order. `mark` gives the tokens of the lines that open a document, and of the token boundaries around it.
    """
    run = _main_run(sums, subject, budget - mark(subject.doc_id), closed)
    if run is None:
        return None
    left = budget - mark(subject.doc_id) - (sums[run.last] - sums[run.first])
    sides: tuple[list[Shown], list[Shown]] = [], []  # before and after
    tokens = [0, 0]  # tokens of whole documents there
    for other in others:
        cost = mark(other.doc_id) + sums[other.run.last] - sums[other.run.first]
        side = 0 if tokens[0] + cost / 2 <= subject.place * (sum(tokens) + cost) else 1
        if cost > left:
            part = closed(cuts.beginning(sums, other.run, max(0, left - mark(other.doc_id))))
            if part.last > part.first:
                sides[side].append(Shown(other.doc_id, part))
            left = 0
            break
        sides[side].append(other)
        tokens[side] += cost
        left -= cost
    before, after = sides
    return Layout((*reversed(before), Shown(subject.doc_id, run), *after), len(before), left)
