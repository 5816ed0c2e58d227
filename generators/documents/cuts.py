"""Which sentences of a document a row shows: always whole ones in a row, the evidence among them where it is known.

Nothing here knows buckets: a cut follows from the budget alone, so that a larger budget's cut holds a smaller one's.
Budgets are tokens, `sums` the tokens before each unit of the store; a document and its evidence are runs of its units. A run that opens
with a paragraph may cost a token more or less than its units add in their document: that is part of the seams, as at its other end.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from generators.context.sentences import Run

_SHIFT = 0.25  # of the smaller side of the evidence: how far a window may move so that it is filled
_STARTS = 64  # first sentences tried


def beginning(sums: Sequence[int], document: Run, budget: int) -> Run:
    """The first sentences of a document that fit."""
    return Run(document.first, bisect_right(sums, sums[document.first] + budget, document.first, document.last + 1) - 1)


def window(
    sums: Sequence[int],
    document: Run,
    evidence: Run,
    share: float,
    budget: int,
    closed: Callable[[Run], Run] = lambda run: run,
) -> Run | None:
    """Sentences around the evidence that fit, as full as any of the starts tried makes them; None where the evidence alone does not.

    `share` of the tokens that the evidence leaves stand before it; where the document ends earlier on one side, the other side
    takes the rest. So that almost nothing stays empty, the first sentence may stand later, and the last one later too, each by at
    most a quarter of what stands on the smaller side: a budget that leaves a third more around the evidence makes up for that, so
    its window holds this one, however long single sentences are. What stays empty is less than the two next sentences together.

    `closed` takes what must not stand at the end off a run (headings.without); what is evidence stays, and so does the document's end.
    """
    slack = budget - (sums[evidence.last] - sums[evidence.first])
    if slack < 0:
        return None
    behind = sums[document.last] - sums[evidence.last]
    before = max(share * slack, slack - behind)  # tokens before the evidence
    first = bisect_left(sums, sums[evidence.first] - before, document.first, evidence.first)
    starts, furthest = range(first, first + 1), float(sums[document.last])
    if share * slack < sums[evidence.first] - sums[document.first] and slack - before < behind:
        # Neither end of the document is in the window.
        shift = _SHIFT * min(share, 1 - share) * slack
        last = bisect_right(sums, sums[evidence.first] - before + shift, first, evidence.first + 1)
        starts = range(first, min(max(first + 1, last), first + _STARTS))
        furthest = sums[evidence.last] + slack - before + shift
    runs = [
        Run(start, bisect_right(sums, min(sums[start] + budget, furthest), start, document.last + 1) - 1)
        for start in starts
    ]
    ended = (run if run.last == document.last else closed(run) for run in runs)
    runs = [end if end.last >= evidence.last else run for run, end in zip(runs, ended, strict=True)]
    return max(runs, key=lambda run: (sums[run.last] - sums[run.first], -run.first))
