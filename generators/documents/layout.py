"""What stands in a context: the document that is asked about, cut to whole sentences, alone or among other documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from generators.context.sentences import Run, count_units
from generators.documents import cuts

MARK = "\n\n***\n\n[{title}]\n\n"  # opens each of several documents, whose first unit then stands without its own white space
# Among others a document stands whole where it takes at most 2/3 of the budget: a budget twice as large then leaves
# the others more than the window of a smaller one did, so none of them is cut shorter or lost. At most 3/4 where a window
# is no way out (evidence unknown).
_WHOLE, _WHOLE_UNKNOWN = 3, 4
_PART = 2  # else its window takes 1/2


def openers(text: str, at: int, titles: Iterable[str]) -> list[tuple[int, int]]:
    """Where documents of these titles are opened in a text from a character on, one behind another: first character, one past the last."""
    found = []
    for title in titles:
        opener = MARK.format(title=title).strip()
        start = text.index(opener, at)
        at = start + len(opener)
        found.append((start, at))
    return found


class Shown(NamedTuple):
    """One document of a context, and its units that are shown."""

    doc_id: str
    run: Run


@dataclass(frozen=True, slots=True)
class Layout:
    """Documents in order.

    Attributes:
        shown: all of them.
        at: which of them is asked about.
        missing: tokens of the budget that stay empty because the documents end; 0 where they suffice.
    """

    shown: tuple[Shown, ...]
    at: int
    missing: int = 0

    @property
    def main(self) -> Run:
        """Units of the document asked about."""
        return self.shown[self.at].run

    @property
    def units(self) -> int:
        """Sentences in all."""
        return self.before(len(self.shown))

    def before(self, at: int) -> int:
        """Sentences of the first `at` documents."""
        return count_units(each.run for each in self.shown[:at])


@dataclass(frozen=True, slots=True)
class Subject:
    """The document that is asked about.

    Attributes:
        doc_id: which.
        document: its units.
        evidence: units of the evidence, from the first to the last; None where unknown, or where the beginning is shown anyway.
        share: of the document's text around the evidence that stands before it.
        place: of the other documents, the share that stands before this one.
    """

    doc_id: str
    document: Run
    evidence: Run | None
    share: float
    place: float


def whole(subject: Subject) -> Layout:
    """The document alone, all of it."""
    return Layout((Shown(subject.doc_id, subject.document),), 0)


def alone(sums: memoryview, subject: Subject, budget: int, closed: Callable[[Run], Run]) -> Layout | None:
    """The document alone; None where the evidence does not fit. A window of it does not end with a heading (`closed`, as in `among`)."""
    if subject.evidence is None:
        run: Run | None = cuts.beginning(sums, subject.document, budget)
    else:
        run = cuts.window(sums, subject.document, subject.evidence, subject.share, budget, closed)
    if run is None:
        return None
    missing = budget - (sums[run.last] - sums[run.first]) if run == subject.document else 0
    return Layout((Shown(subject.doc_id, run),), 0, missing)


def _main_run(sums: memoryview, subject: Subject, budget: int, closed: Callable[[Run], Run]) -> Run | None:
    """What is shown of a document among others: all of it, or a window; never a beginning, which might lack the answer."""
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
    """The document among others; None where not even its evidence fits, or it should stand whole.

    Others come in order of priority, each on the side where it keeps the shares nearer to `place`; only the last one, which stands
    outermost, may end early. Neither it nor a window ends with a heading. So a larger budget's context holds a smaller one's in order.

    Args:
        sums: tokens before each unit of the store.
        subject: the document that is asked about.
        budget: tokens.
        others: whole documents, in order of priority.
        mark: document -> tokens of the lines that open it, and of the seams around it.
        closed: a beginning or window -> the same without headings at its end (headings.without).
    """
    run = _main_run(sums, subject, budget - mark(subject.doc_id), closed)
    if run is None:
        return None
    left = budget - mark(subject.doc_id) - (sums[run.last] - sums[run.first])
    sides: tuple[list[Shown], list[Shown]] = [], []  # before and behind
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
    before, behind = sides
    return Layout((*reversed(before), Shown(subject.doc_id, run), *behind), len(before), left)
