"""Headings at the end of a beginning or window: nothing of what they head is shown, so they are not shown either."""

from __future__ import annotations

from corpora.stores.sentences.store import Background
from generators.context.sentences import Run

_CHARACTERS = 80  # of a heading, at most
_IN_A_ROW = 3  # at most: more lines that end no sentence are a list, a poem or a table
_ENDS = tuple(".!?…。！？\"'”’»」』)]）】》")  # what a sentence, a quotation or a note ends with


def without(store: Background, run: Run) -> Run:
    """A beginning or window without the headings it ends with; none of it where it is nothing else.

    The longer of two beginnings ends no earlier without them.

    Args:
        store: of the document.
        run: units of it; not to its end, where nothing is headed (nothing is taken off the last document of a store).
    """
    last = run.last
    while last > run.first and run.last - last <= _IN_A_ROW and _is_heading(store, last - 1):
        last -= 1
    return run if run.last - last > _IN_A_ROW else Run(run.first, last)


def following(store: Background, run: Run, document: Run) -> Run:
    """What has to be shown next behind a beginning of a document: headings, and what they head."""
    for last in range(run.last + 1, document.last):
        if without(store, Run(run.first, last)).last > run.last:
            return Run(run.last, last)
    return Run(run.last, document.last)


def _is_heading(store: Background, unit: int) -> bool:
    """Whether a unit is a short paragraph of its own that ends no sentence."""
    at, text = store.byte_at, store.text
    line, behind = bytes(text[at[unit] : at[unit + 1]]).decode(), text[at[unit + 1] : at[unit + 1] + 1]
    whole, words = line.startswith("\n") and bytes(behind) == b"\n", line.strip()
    return whole and len(words) <= _CHARACTERS and not words.endswith(_ENDS)
