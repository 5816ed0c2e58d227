"""What a task over passages is; each suite has a catalogue of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Kind:
    """What a task is.

    Attributes:
        title: one line.
        family: what makes its material: rag (numbered: passages carry their number), rerank or cite.
        category: ability asked for.
        prompt: key of prompts.yaml.
        metrics: ids, the primary one first.
        max_new_tokens: room for the answer (section 12).
        placed: one gold stands at chosen depths; else all passages are permuted.
        points: rows per group: depths or permutations.
        order: of passages, unless the parameters say otherwise.
        shots: worked examples, likewise.
        shot_passages: passages of each.
        stop: what ends a base model's answer.
        variant: how it differs from the plain task; None for that.
    """

    title: str
    family: Literal["rag", "numbered", "rerank", "cite"]
    category: str
    prompt: str
    metrics: tuple[str, ...]
    max_new_tokens: int
    placed: bool
    points: int
    order: Literal["retrieval", "shuffled"]
    shots: int
    shot_passages: int
    stop: tuple[str, ...] = ()
    variant: str | None = None
