"""Options that are published with the code, so that real questions have options without a model: data/NAME.csv.

A language model wrote and reviewed them (docs/reference/choices.md). One line per question: `question` (llm.request_id), `right` (a
rewritten right option; empty: the answer of the source), the wrong options, `verdict` (review.VERDICTS), `closed_book` and `remark`.
The file has no text of the source. `closed_book` has one word (right or wrong) per reader who saw only question and options, and did not
write them. A question without options has the words of readers who saw the options it had.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from corpora.choices.review import OK

READERS = 2  # readers who must all have found the right option without the document, before a question is left out
GUESSED = "answered without the document"
_FOLDER = Path(__file__).with_name("data")


class Published(NamedTuple):
    """The options of one question; no options if the verdict is not OK. `right` may be empty: the answer of the source."""

    right: str
    wrong: tuple[str, ...]
    verdict: str
    closed_book: tuple[str, ...]

    @property
    def outcome(self) -> str:
        """The verdict, or GUESSED if it is OK and at least READERS readers answered without the document, all of them correctly."""
        is_guessed = len(self.closed_book) >= READERS and set(self.closed_book) == {"right"}
        return GUESSED if self.verdict == OK and is_guessed else self.verdict


@cache
def published(name: str) -> Mapping[str, Published]:
    """Return the options in a file by question; none if `name` is empty."""
    if not name:
        return {}
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {row["question"]: _line(row) for row in csv.DictReader(file)}


def _line(row: Mapping[str, str]) -> Published:
    wrong = (row[f"wrong_{i}"] for i in (1, 2, 3))
    return Published(row["right"], tuple(filter(None, wrong)), row["verdict"], tuple(row["closed_book"].split()))
