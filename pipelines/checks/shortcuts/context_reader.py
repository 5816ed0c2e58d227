"""Split the context of a finished row into units, and rank them by the question.

The evidence columns of the row are not used: units are the parts the context is built from. A document without units is
split into groups of sentences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from corpora.retrieval.lexical import BM25, ranking
from generators.spec import Row
from haymaker.core.text.word_index import WordIndex
from pipelines.checks.shortcuts.sentences import ENDS, ends

UNIT_WORDS = 100
"""Maximum words per unit of a document split by sentences; a longer sentence is a unit by itself."""
_UNITS = frozenset({"passage", "gold", "distractor", "shot"})
_NEAR = 4000  # characters searched for the end of a sentence
_NEARER = 400  # first, shorter search range, which usually suffices


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a context.

    Attributes:
        start: first character, in the prompt.
        end: end position (exclusive).
        text: text of the unit, preceded by the title, if any.
        kind: kind of the span; empty for a unit of a split document.
        label: label of the span.
        title: title of the span.
    """

    start: int
    end: int
    text: str
    kind: str = ""
    label: str = ""
    title: str = ""


def context(row: Row) -> str:
    """Return the context of a row."""
    return str(row["prompt"][row["context_start"] : row["context_end"]])


def bodies(row: Row) -> str:
    """Return the text of the units of a context, without their titles and numbers; the whole context if it has none."""
    return "\n".join(row["prompt"][unit.start : unit.end] for unit in marked(row)) or context(row)


def marked(row: Row) -> list[Unit]:
    """Return the outermost units marked by spans, in order; empty if they cover less than half of the context.

    Units that are all gold count only if `num_segments` shows that the row has no others. Otherwise they mark the evidence
    in a text, and using them would reveal the answer.
    """
    inside = [
        span
        for span in row["spans"]
        if span["kind"] in _UNITS and row["context_start"] <= span["start"] and span["end"] <= row["context_end"]
    ]
    found: list[Unit] = []
    for span in sorted(inside, key=lambda each: (each["start"], -each["end"])):
        if not found or span["start"] >= found[-1].end:
            found.append(_unit(row, span))
    covered = sum(unit.end - unit.start for unit in found)
    only_gold = all(unit.kind == "gold" for unit in found) and row["num_segments"] != len(found)
    return [] if only_gold or 2 * covered < row["context_end"] - row["context_start"] else found


def _unit(row: Row, span: Row) -> Unit:
    text, title = row["prompt"][span["start"] : span["end"]], span["title"] or ""
    whole = text if text.startswith(title) else f"{title}\n{text}"
    return Unit(span["start"], span["end"], whole, span["kind"], span["label"] or "", title)


def packed(scan: WordIndex, at: int = 0, found: Sequence[tuple[int, int]] | None = None) -> list[Unit]:
    """Return units of a text: sentences and lines, joined up to 100 words.

    Args:
        scan: word index of a document.
        at: start of the document in the prompt.
        found: some of its `pieces`; None = all.
    """
    spans = pieces(scan) if found is None else found
    return [Unit(at + first, at + last, scan.text[first:last]) for first, last in spans]


def pieces(scan: WordIndex) -> list[tuple[int, int]]:
    """Return the start and end (exclusive) of each unit of a text: sentences and lines, joined up to 100 words."""
    import numpy as np

    text = scan.text
    cuts = [0, *ends(scan)[1].tolist(), len(text)]
    words = np.searchsorted(scan.words[0], cuts).tolist()  # before each cut
    bounds, place = [0], 0
    while True:
        full = bisect_right(words, words[place] + UNIT_WORDS) - 1  # the last cut within the limit
        place = full if words[full] > words[place] else full + 1
        if place >= len(cuts) - 1:
            break
        bounds.append(cuts[place])
    spans = [(first, first + len(text[first:last].rstrip())) for first, last in pairwise([*bounds, len(text)])]
    return [(first, last) for first, last in spans if first < last]


def whole_until(text: str, at: int, found: Sequence[Unit], start: int) -> int:
    """Return the end of the last unit or sentence that ends at `at` or before; `at` itself if there is none nearby.

    Args:
        text: a context.
        at: position in the context.
        found: marked units of the context.
        start: start of the context in the prompt.
    """
    if found:
        return max((unit.end - start for unit in found if unit.end - start <= at), default=at)
    for near in (max(0, at - _NEARER), max(0, at - _NEAR)):
        *_, last = -1, *(cut.start() for cut in ENDS.finditer(text, near, at + 1))
        if last > near:  # a match at the start of the range may have begun before it
            return last
    return last if last > 0 else at


def whole_from(text: str, at: int, found: Sequence[Unit], start: int) -> int:
    """Return the start of the first unit or sentence that begins at `at` or later; `at` itself if there is none nearby.

    Args:
        text: a context.
        at: position in the context.
        found: marked units of the context.
        start: start of the context in the prompt.
    """
    if not at or found:
        return min((unit.start - start for unit in found if unit.start - start >= at), default=at)
    cut = ENDS.search(text, at - 1, at + _NEAR)
    return cut.end() if cut and cut.end() < len(text) else at


def nearest(found: Sequence[Unit], question: str) -> Unit | None:
    """Return the first unit in the order of `ranked`; None without units."""
    return next(iter(ranked(found, question)), None)


def ranked(found: Sequence[Unit], question: str) -> list[Unit]:
    """Rank units for a question with BM25; ties keep the order of the context. The terms are words, not characters
    (docs/defects/longbench.md D13).
    """
    import numpy as np

    if not found:
        return []
    texts = [f"{unit.text}\n" for unit in found]
    bounds = np.fromiter(accumulate(map(len, texts), initial=0), np.int64)
    return [found[place] for place in ranking(BM25("".join(texts)).scores(question, bounds))]


def nearest_piece(scan: WordIndex, found: Sequence[tuple[int, int]], question: str) -> int | None:
    """Return the index of the piece of a text that `ranked` would put first; None without pieces."""
    import numpy as np

    if not found:
        return None
    bounds = np.array([*(first for first, _ in found), len(scan.text)])
    return int(np.argmax(BM25(scan).scores(question, bounds)))
