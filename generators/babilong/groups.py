"""A question on its way into rows: its name, its facts with their sizes and places, and what a row stores of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from corpora.records import StoryQuestion
from generators.babilong.questions import evidence


@dataclass(frozen=True, slots=True)
class Group:
    """One question at one point of its placement: everything that does not depend on the bucket.

    Attributes:
        id: shared by all buckets and points.
        question: the bAbI question.
        facts: per fact: UTF-8 with its space, in-join tokens per tokenizer, characters.
        depths: relative depth per fact.
        point: quarter or grid point; None when placed uniformly.
        draw: names the draws of a question that a training stream uses many times; empty in a release.
    """

    id: str
    question: StoryQuestion
    facts: tuple[tuple[bytes, tuple[int, ...], int], ...]
    depths: tuple[float, ...]
    point: int | None
    draw: str = ""


def extra(
    question: StoryQuestion, vocabulary: str, background: list[tuple[str, int, int]], more: dict[str, Any]
) -> str:
    """What this suite alone has: the facts, which of them support the answer, where in bAbI and in which books."""
    known = {
        "facts": list(question.facts),
        "supporting": list(question.supporting),
        "evidence": evidence(question, vocabulary),
        "vocabulary": vocabulary,
        "story": question.story,
        "position": question.position,
        "background": background,
        **more,
    }
    return json.dumps(known, separators=(",", ":"))


def group_id(of: str, part: str, question: StoryQuestion) -> str:
    """Name of a question wherever it appears: task, part and position in its file."""
    return f"{of}-{part}-{question.position:05d}"
