"""passage_count: how many different paragraphs there are among copies (docs/spec/longbench.md 2.4).

A natural row has M paragraphs drawn, with replacement, from N paragraphs; its answer is the number of different paragraphs that it
shows (docs/defects/longbench.md D19). In a row of given length each further paragraph is new with a chance that is drawn for the
group, else a copy. So the answer grows with the length, and follows neither from the number nor from a part of the paragraphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import model_validator

from generators.context.natural import Bounds
from generators.context.pieces import Ints
from generators.pages import checks
from generators.pages.page import Page
from generators.pages.stock import PagesSettings
from generators.pages.task import PagesTask
from generators.spec import Candidate, Row
from haymaker.core.rows.source_records import Split

_FEWEST = 2  # different paragraphs of a row, which also has a copy


class CountSettings(PagesSettings):
    """Settings of passage_count.

    Attributes:
        natural_passages: minimum and maximum number of paragraphs of a row of natural length; the reference has 17 to 50.
        share: minimum and maximum probability that a further paragraph of a longer row is new, drawn for each group.
        distinct: minimum and maximum number of different paragraphs of a group, the same at every length that they fit. `share` is then
            unused. Small numbers make the task easier.
    """

    natural_passages: Bounds = (17, 50)
    share: tuple[float, float] = (0.2, 0.9)
    distinct: Bounds | None = None

    @model_validator(mode="after")
    def _sensible(self) -> CountSettings:
        least, most = self.natural_passages
        if least < 4 or most > 1000:
            raise ValueError("natural_passages must be between 4 and 1000")
        if not 0.05 <= self.share[0] <= self.share[1] <= 0.95:
            raise ValueError("share must be between 0.05 and 0.95")
        if self.distinct and (self.distinct[0] < _FEWEST or self.distinct[1] >= 10_000):
            raise ValueError("distinct must be between 2 and 10000")
        if self.distinct and self.distinct[0] > least:
            raise ValueError("the first number of distinct must not be above the first number of natural_passages")
        return self


class PassageCount(PagesTask[CountSettings]):
    """Rows of passage_count."""

    settings_type = CountSettings
    copies = True

    def limit(self, split: Split = "test") -> int | None:
        """Use the largest share of new paragraphs; copies of a fixed number of paragraphs have no limit."""
        return None if self.settings.distinct else int(self.stocks.of(split).tokens / self.settings.share[1])

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        return {"answers": [str(len(np.unique(order)))]}

    @property
    def natural_need(self) -> int:
        most = self.settings.natural_passages[1]
        return min(most, self.settings.distinct[1]) if self.settings.distinct else most

    def natural_order(self, candidate: Candidate) -> Ints:
        draws, entries = self.draws(candidate, "natural"), self.permutation(candidate)
        least, most = self.settings.distinct or (_FEWEST, self.settings.natural_passages[1])
        count = draws.between(*self.settings.natural_passages)
        different = draws.between(min(least, count), min(most, count))
        return entries[[draws.below(different) for _ in range(count)]]

    def entries(self, candidate: Candidate, count: int) -> Ints:
        """The first paragraph is new, the second a copy (with `distinct` new), the others are drawn."""
        picks, entries = self._picks(candidate, count), self.permutation(candidate)
        beyond = np.flatnonzero(picks >= len(entries))
        return entries[picks[: beyond[0]] if len(beyond) else picks]

    def _picks(self, candidate: Candidate, count: int) -> Ints:
        """Return the passage of each rank, numbered in order of appearance."""
        chance = self.draws(candidate, "copies").bulk(count)
        if self.settings.distinct:
            new = np.arange(count) < self.draws(candidate, "distinct").between(*self.settings.distinct)
        else:
            low, high = self.settings.share
            share = low + (high - low) * self.draws(candidate, "share").unit()
            new = self.draws(candidate, "new").bulk(count) < np.uint64(int(share * 2.0**64))
            new[:2] = (True, False)[:count]
        seen = np.cumsum(new)
        return np.where(new, seen - 1, (chance % seen.astype(np.uint64)).astype(np.int64))

    def wrong(self, candidate: Candidate, order: Ints, *, natural: bool) -> str:
        different = len(np.unique(order))
        if not _FEWEST <= different < len(order):
            return "nothing to tell apart: one paragraph, or no copy"
        if natural or not self.settings.distinct:
            return ""
        right = different == self.draws(candidate, "distinct").between(*self.settings.distinct)
        return "" if right else "fewer paragraphs than the group has different ones"

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Label each span with the number of its first copy; `metadata` has the figures of `shortcuts`."""
        _, first, at = np.unique(page.order, return_index=True, return_inverse=True)
        labels = [str(number) for number in (first[at] + 1).tolist()]
        metadata = {"answer_depends_on_length": True, "paragraphs": len(page.ids), "different": len(first)}
        metadata["different_in_last_1k"] = len(np.unique(page.order[page.last()]))
        return {"spans": page.spans({}, labels), "metadata": metadata}

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        first = dict[str, int]()
        labels = [str(first.setdefault(text, number)) for number, text in enumerate(checks.paragraphs(row), 1)]
        if labels != [span["label"] for span in row["spans"] if span["kind"] == "passage"]:
            yield "a label is not the number of the paragraph's first copy"
        if row["answers"] != [str(len(first))] or not _FEWEST <= len(first) < len(labels):
            yield f"{len(first)} different paragraphs of {len(labels)}, the answer is {row['answers'][0]}"

    def shortcuts(self, facts: list[dict[str, Any]]) -> dict[str, int]:
        """Answer with the number of paragraphs, one number for all rows, a share of the paragraphs, or the last 1,024 tokens."""
        known = [(each["paragraphs"], each["different"]) for each in facts]
        return {
            "number_of_paragraphs": sum(m == n for m, n in known),
            "commonest_answer": Counter(n for _, n in known).most_common(1)[0][1],
            "best_share_of_paragraphs": max(sum(round(at / 100 * m) == n for m, n in known) for at in range(1, 101)),
            "last_1k_tokens": sum(each["different_in_last_1k"] == each["different"] for each in facts),
        }
