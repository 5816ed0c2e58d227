"""How long a summary is to be: as long as what it is scored against."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import quantiles

from corpora.stores.documents.store import PreparedQuestion

_WORDS_PER_TOKEN = 0.7  # that a summary may have of the tokens it is given


def middle_half(questions: Iterable[PreparedQuestion], beginning: bool) -> tuple[float, float]:
    """Quarter and three quarters of the words of what summaries are scored against.

    Args:
        questions: of a collection, with one summary at least.
        beginning: whether beginnings are scored: against the claims that they tell, not against the reference.
    """
    summaries = [each.source for each in questions if each.source.kind == "summary"]
    claims = [sum(len(point.text.split()) for point in each.key_points) for each in summaries if each.key_points]
    lengths = claims if beginning and claims else [len(each.references[0].split()) for each in summaries]
    low, _, high = quantiles(lengths, n=4) if len(lengths) > 1 else (lengths[0], 0, lengths[0])
    return low, high


def asked_for(middle: tuple[float, float], max_new_tokens: int, share: float = 1.0) -> str:
    """Words as a prompt asks for them ("90 to 110"), as far as the answer has room.

    Args:
        middle: of the collection (middle_half).
        max_new_tokens: of the answer.
        share: of the document that is shown, 0 .. 1: of a beginning less is to be said.
    """
    low, high = (share * words for words in middle)
    step = 50 if high >= 200 else 10
    cap = int(max_new_tokens * _WORDS_PER_TOKEN) // step * step
    top = min(cap, max(2, -(-int(high) // step)) * step)
    return f"{max(step, min(int(low) // step * step, top - step))} to {top}"
