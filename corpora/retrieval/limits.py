"""What a search may be asked for; said before work starts."""

from __future__ import annotations

from haymaker.core.errors import CorpusError


def within(k: int, limit: int, *, of: str = "the number of passages in the corpus") -> None:
    """Check the number of requested passages."""
    if k < 1:
        raise CorpusError(f"{k} passages per query were asked for", fix="ask for at least one")
    if k > limit:
        raise CorpusError(f"{k:,} passages per query were asked for, above {of}, {limit:,}", fix="ask for fewer")
