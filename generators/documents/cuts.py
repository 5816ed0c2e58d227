"""The part of a document that a row shows: neighbouring sentences that contain the evidence, if its place is known.

The part for a larger budget contains the part for a smaller one. Budgets are tokens; `sums` are the tokens before each unit of the
store; a document and its evidence are runs of units. The token boundaries at both ends of a run are not counted here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from corpora.stores.sentences.store import Background
from generators.context.sentences import Run

_SHIFT = 0.25  # a window may move by this share of the smaller side of the evidence to be fuller
_STARTS = 64  # first sentences tried
_CHARACTERS = 80  # longest heading
_IN_A_ROW = 3  # most headings in a row; more short lines are a list, a poem or a table
_ENDS = tuple(".!?…。！？\"'”’»」』)]）】》")  # end of a sentence, a quotation or a note

Trim = Callable[[Run], Run]
"""Removes headings at the end of a run (without_headings)."""


def beginning(sums: Sequence[int], document: Run, budget: int) -> Run:
    """Return the first sentences of a document that fit."""
    return Run(document.first, bisect_right(sums, sums[document.first] + budget, document.first, document.last + 1) - 1)


def window(
    sums: Sequence[int], document: Run, evidence: Run, share: float, budget: int, trim: Trim = lambda run: run
) -> Run | None:
    """Return the fullest run of sentences around the evidence that fits; None if the evidence does not fit.

    A `share` of the tokens around the evidence is before it; if the document ends earlier on one side, the other side gets the rest. To
    fill the window, its first and last sentence may each move by a quarter of the smaller side. So the window of a budget with a third
    more around the evidence contains this one, and fewer tokens stay unused than the two next sentences have. `trim` removes headings
    at the end (without_headings), but never evidence.
    """
    slack = budget - (sums[evidence.last] - sums[evidence.first])
    if slack < 0:
        return None
    after = sums[document.last] - sums[evidence.last]
    before = max(share * slack, slack - after)  # tokens before the evidence
    first = bisect_left(sums, sums[evidence.first] - before, document.first, evidence.first)
    starts, furthest = range(first, first + 1), float(sums[document.last])
    if share * slack < sums[evidence.first] - sums[document.first] and slack - before < after:
        # Neither end of the document is in the window.
        shift = _SHIFT * min(share, 1 - share) * slack
        last = bisect_right(sums, sums[evidence.first] - before + shift, first, evidence.first + 1)
        starts = range(first, min(max(first + 1, last), first + _STARTS))
        furthest = sums[evidence.last] + slack - before + shift

    def ended(start: int) -> Run:
        run = Run(start, bisect_right(sums, min(sums[start] + budget, furthest), start, document.last + 1) - 1)
        end = run if run.last == document.last else trim(run)
        return end if end.last >= evidence.last else run

    return max(map(ended, starts), key=lambda run: (sums[run.last] - sums[run.first], -run.first))


def without_headings(store: Background, run: Run) -> Run:
    """Return a beginning or window without the headings at its end; it may become empty.

    A longer beginning never becomes shorter than another one. A run to the end of the last document of a store is unchanged.
    """
    last = run.last
    while last > run.first and run.last - last <= _IN_A_ROW and _is_heading(store, last - 1):
        last -= 1
    return run if run.last - last > _IN_A_ROW else Run(run.first, last)


def following(store: Background, run: Run, document: Run) -> Run:
    """Return the next units of a longer beginning of a document: headings, and the first text under them."""
    for last in range(run.last + 1, document.last):
        if without_headings(store, Run(run.first, last)).last > run.last:
            return Run(run.last, last)
    return Run(run.last, document.last)


def _is_heading(store: Background, unit: int) -> bool:
    """Whether a unit is a short paragraph that does not end like a sentence."""
    at, text = store.byte_at, store.text
    line, after = bytes(text[at[unit] : at[unit + 1]]).decode(), text[at[unit + 1] : at[unit + 1] + 1]
    whole, words = line.startswith("\n") and bytes(after) == b"\n", line.strip()
    return whole and len(words) <= _CHARACTERS and not words.endswith(_ENDS)
