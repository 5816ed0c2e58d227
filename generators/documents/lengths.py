"""How long a summary is to be: as long as what it is scored against."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import quantiles

from corpora.stores.documents.store import PreparedQuestion
from haymaker.core.rows.source_records import DocumentQuestion

LEAST = 2
"""Key points of a beginning."""
_WORDS_PER_TOKEN = 0.7  # that a summary may have of the tokens it is given


def told(source: DocumentQuestion, share: float) -> str:
    """What a summary is scored against of which that share of the document is shown: its first key points; of all of it, or without key
    points, the reference.
    """
    points = source.key_points
    if share >= 1 or not points:
        return source.references[0]
    return " ".join(point.text for point in points[: max(LEAST, round(share * len(points)))])


def middle_half(questions: Iterable[PreparedQuestion], share: float) -> tuple[float, float]:
    """Quarter and three quarters of the words of what summaries are scored against.

    Args:
        questions: of a collection, with one summary at least.
        share: of the documents that is shown, 0 .. 1.
    """
    lengths = [len(told(each.source, share).split()) for each in questions if each.source.kind == "summary"]
    low, _, high = quantiles(lengths, n=4) if len(lengths) > 1 else (lengths[0], 0, lengths[0])
    return low, high


def asked_for(middle: tuple[float, float], max_new_tokens: int) -> str:
    """Words as a prompt asks for them ("90 to 110"), as far as the answer has room.

    Args:
        middle: of the collection (middle_half).
        max_new_tokens: of the answer.
    """
    low, high = middle
    step = 50 if high >= 200 else 10
    cap = int(max_new_tokens * _WORDS_PER_TOKEN) // step * step
    top = min(cap, max(2, -(-int(high) // step)) * step)
    return f"{max(step, min(int(low) // step * step, top - step))} to {top}"
