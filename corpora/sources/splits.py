"""The split of a document, question or text under whole-number shares."""

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


SomeShares = Annotated[Shares, AfterValidator(_some)]
_ORDER: tuple[Split, ...] = ("test", "dev", "train")


def share_split(doc_id: str, shares: Mapping[Split, int]) -> Split:
    """The split of an id, decided by the id and the shares only, so new documents move no old one.

    Raises:
        ValueError: the shares add up to 0.
    """
    total = sum(shares.values())
    if total < 1:
        raise ValueError("shares add up to 0")
    at = int.from_bytes(digest("part", doc_id, size=8)) % total
    return next(part for part in _ORDER if (at := at - shares.get(part, 0)) < 0)


class WithSplits(Source):
    """Options of every corpus of the user's own.

    Attributes:
        part: all documents belong to this part.
        parts: whole-number shares, as {test: 80, dev: 5, train: 15}.
    """

    part: Split | None = None
    parts: SomeShares | None = None

    @model_validator(mode="after")
    def _one_rule(self) -> Self:
        if self.part and self.parts:
            raise ValueError("give `part` or `parts`, not both")
        return self

    def split_for(self, doc_id: str) -> Split:
        """The split of a document; test if no option is given."""
        return share_split(doc_id, self.parts) if self.parts else self.part or "test"
