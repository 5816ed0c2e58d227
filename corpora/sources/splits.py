"""Which part a document of a user's own corpus belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from corpora.sources.base import Source
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Split

Shares = Annotated[dict[Split, Annotated[int, Field(ge=0, le=1_000_000)]], Field(min_length=1)]


def _some(shares: dict[Split, int]) -> dict[Split, int]:
    if not sum(shares.values()):
        raise ValueError("the shares in `parts` add up to 0")
    return shares


SomeShares = Annotated[Shares, AfterValidator(_some)]  # there is always a part to draw
_ORDER: tuple[Split, ...] = ("test", "dev", "train")


def share_split(doc_id: str, shares: Mapping[Split, int]) -> Split:
    """The part of a document under whole-number shares: decided by its id alone, so new documents move no old one.

    Raises:
        ValueError: the shares add up to 0.
    """
    total = sum(shares.values())
    if total < 1:
        raise ValueError("shares add up to 0")
    at = int.from_bytes(digest("part", doc_id, size=8)) % total
    for part in _ORDER:
        at -= shares.get(part, 0)
        if at < 0:
            return part
    raise AssertionError("unreachable: shares sum to what was drawn from")


class WithSplits(Source):
    """Options that every corpus of the user's own has.

    Attributes:
        part: all documents belong to this part.
        parts: whole-number shares, as {test: 80, dev: 5, train: 15}.
    """

    part: Split | None = None
    parts: Shares | None = None

    @model_validator(mode="after")
    def _one_rule(self) -> Self:
        if self.part and self.parts:
            raise ValueError("give `part` or `parts`, not both")
        if self.parts is not None and not sum(self.parts.values()):
            raise ValueError("the shares in `parts` add up to 0")
        return self

    def split_for(self, doc_id: str) -> Split:
        """The part of a document; without a rule everything is for tests."""
        return share_split(doc_id, self.parts) if self.parts else self.part or "test"
