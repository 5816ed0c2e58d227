"""A finished row as somebody looks at it who will not read all of it: units, the unit nearest to its question.

Nothing is taken from what the row knows of its evidence: units are what the context is put together from, and a document that
has none is packed from its own sentences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from corpora.retrieval.lexical import BM25
from corpora.retrieval.scorers import ranking
from generators.spec import Row
from haymaker.core.text.word_index import WordIndex
from pipelines.checks.shortcuts.sentences import ENDS, ends

UNIT_WORDS = 100
"""Words of a unit where a document is packed; a sentence that is longer is a unit of its own."""
_UNITS = frozenset({"passage", "gold", "distractor", "shot"})
_NEAR = 4000  # characters in which the end of a sentence is looked for
_NEARER = 400  # in which there mostly is one


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a context.

    Attributes:
        start: first character, in the prompt.
        end: one past the last.
        text: of it, behind its title where it has one.
        kind: of its span; empty where the document was packed.
        label: of its span.
        title: of its span.
    """

    start: int
    end: int
    text: str
    kind: str = ""
    label: str = ""
    title: str = ""


def context(row: Row) -> str:
    """The long text of a row."""
    return str(row["prompt"][row["context_start"] : row["context_end"]])


def marked(row: Row) -> list[Unit]:
    """Units that spans mark, the outermost ones, in order; none where they make up less than half of the context.

    Where all are gold they are units only if the row says that it has no others. All else marks the evidence in a text, and to
    look there would be to know the answer.
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
    only_gold = all(unit.kind == "gold" for unit in found) and row["n_units"] != len(found)
    return [] if only_gold or 2 * covered < row["context_end"] - row["context_start"] else found


def _unit(row: Row, span: Row) -> Unit:
    text, title = row["prompt"][span["start"] : span["end"]], span["title"] or ""
    whole = text if text.startswith(title) else f"{title}\n{text}"
    return Unit(span["start"], span["end"], whole, span["kind"], span["label"] or "", title)


def packed(scan: WordIndex, at: int = 0, found: Sequence[tuple[int, int]] | None = None) -> list[Unit]:
    """Sentences and lines of a text, put together while they have no more than 100 words.

    Args:
        scan: of a document.
        at: where it begins in the prompt.
        found: some of its `pieces`; None: all.
    """
    spans = pieces(scan) if found is None else found
    return [Unit(at + first, at + last, scan.text[first:last]) for first, last in spans]


def pieces(scan: WordIndex) -> list[tuple[int, int]]:
    """Where each of these begins in its text, and one past its end."""
    import numpy as np

    text = scan.text
    cuts = [0, *ends(scan)[1].tolist(), len(text)]
    words = np.searchsorted(scan.words[0], cuts).tolist()  # before each cut
    bounds, place = [0], 0
    while True:
        full = bisect_right(words, words[place] + UNIT_WORDS) - 1  # the last cut up to which there are no more
        place = full if words[full] > words[place] else full + 1
        if place >= len(cuts) - 1:
            break
        bounds.append(cuts[place])
    spans = [(first, first + len(text[first:last].rstrip())) for first, last in pairwise([*bounds, len(text)])]
    return [(first, last) for first, last in spans if first < last]


def whole_until(text: str, at: int, found: Sequence[Unit], start: int) -> int:
    """The end of the last unit, or sentence, that ends at `at` or before; `at` itself where there is none near.

    Args:
        text: a context.
        at: place in it.
        found: its marked units.
        start: where it begins in the prompt.
    """
    if found:
        return max((unit.end - start for unit in found if unit.end - start <= at), default=at)
    for near in (max(0, at - _NEARER), max(0, at - _NEAR)):
        *_, last = -1, *(cut.start() for cut in ENDS.finditer(text, near, at + 1))
        if last > near:  # at its very beginning it may have begun before
            return last
    return last if last > 0 else at


def whole_from(text: str, at: int, found: Sequence[Unit], start: int) -> int:
    """The beginning of the first unit, or sentence, that begins at `at` or later; `at` itself where there is none near.

    Args:
        text: a context.
        at: place in it.
        found: its marked units.
        start: where it begins in the prompt.
    """
    if not at or found:
        return min((unit.start - start for unit in found if unit.start - start >= at), default=at)
    cut = ENDS.search(text, at - 1, at + _NEAR)
    return cut.end() if cut and cut.end() < len(text) else at


def nearest(found: Sequence[Unit], question: str) -> Unit | None:
    """The unit that `ranked` puts first; None without units."""
    return next(iter(ranked(found, question)), None)


def ranked(found: Sequence[Unit], question: str) -> list[Unit]:
    """Units in the order in which BM25 puts them for a question, of equal ones the first first; by words, never by characters
    (docs/defects/longbench.md D13).
    """
    import numpy as np

    if not found:
        return []
    texts = [f"{unit.text}\n" for unit in found]
    bounds = np.fromiter(accumulate(map(len, texts), initial=0), np.int64)
    return [found[place] for place in ranking(BM25("".join(texts)).scores(question, bounds))]


def nearest_piece(scan: WordIndex, found: Sequence[tuple[int, int]], question: str) -> int | None:
    """Which of the `pieces` of a text `ranked` would put first; None without pieces."""
    import numpy as np

    if not found:
        return None
    bounds = np.array([*(first for first, _ in found), len(scan.text)])
    return int(np.argmax(BM25(scan).scores(question, bounds)))
