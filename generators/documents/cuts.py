"""The sentences of a document that a row shows: a run of whole ones that contains the evidence, if its place is known.

A cut depends on the budget only, so the cut of a larger budget contains the cut of a smaller one. Budgets are tokens; `sums` are the
tokens before each unit of the store; a document and its evidence are runs of units. A run that opens with a paragraph may cost a token
more or less than the sum of its units: this belongs to the token boundary, as at the other end of the run.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from corpora.stores.sentences.store import Background
from generators.context.sentences import Run

_SHIFT = 0.25  # share of the smaller side of the evidence by which a window may move to be filled
_STARTS = 64  # first sentences tried
_CHARACTERS = 80  # longest heading
_IN_A_ROW = 3  # most headings in a row: more lines that end no sentence are a list, a poem or a table
_ENDS = tuple(".!?…。！？\"'”’»」』)]）】》")  # end of a sentence, a quotation or a note


def beginning(sums: Sequence[int], document: Run, budget: int) -> Run:
    """Return the first sentences of a document that fit."""
    return Run(document.first, bisect_right(sums, sums[document.first] + budget, document.first, document.last + 1) - 1)


def window(
    sums: Sequence[int],
    document: Run,
    evidence: Run,
    share: float,
    budget: int,
    closed: Callable[[Run], Run] = lambda run: run,
) -> Run | None:
    """Return the fullest run of sentences around the evidence that fits; None if the evidence alone does not fit.

    A `share` of the tokens that the evidence leaves comes before it; if the document ends earlier on one side, the other side gets the
    rest. To fill the window, its first and last sentence may each move by at most a quarter of the smaller side. A budget that leaves a
    third more around the evidence makes up for this, so its window contains this one, however long single sentences are. Fewer tokens
    stay empty than the two next sentences have. `closed` removes what must not be at the end (without_headings), but never evidence.
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


def without_headings(store: Background, run: Run) -> Run:
    """Return a beginning or window without the headings at its end, of which no text is shown; an empty run if it is nothing else.

    The longer of two beginnings does not end earlier without them. A run to the end of the last document of a store is unchanged.
    """
    last = run.last
    while last > run.first and run.last - last <= _IN_A_ROW and _is_heading(store, last - 1):
        last -= 1
    return run if run.last - last > _IN_A_ROW else Run(run.first, last)


def following(store: Background, run: Run, document: Run) -> Run:
    """Return what a longer beginning of a document has to show next: headings, and the first text below them."""
    for last in range(run.last + 1, document.last):
        if without_headings(store, Run(run.first, last)).last > run.last:
            return Run(run.last, last)
    return Run(run.last, document.last)


def _is_heading(store: Background, unit: int) -> bool:
    """Whether a unit is a short paragraph that ends no sentence."""
    at, text = store.byte_at, store.text
    line, behind = bytes(text[at[unit] : at[unit + 1]]).decode(), text[at[unit + 1] : at[unit + 1] + 1]
    whole, words = line.startswith("\n") and bytes(behind) == b"\n", line.strip()
    return whole and len(words) <= _CHARACTERS and not words.endswith(_ENDS)
