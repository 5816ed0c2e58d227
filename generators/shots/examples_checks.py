"""What can be said of a finished row of worked examples, read from the prompt itself and held against the prepared collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from generators.shots import checks
from generators.shots.prompts import GAP
from generators.shots.worked import Headers, Worked, folded
from generators.spec import Row
from haymaker.core.text.equivalents import accepted

_SEAMS = 16  # tokens that seams may cost a row
_LOOKED_AT = 48  # shots from the first that is passed over, all of which filling the end looks at


class Shot(NamedTuple):
    """A shot as a reader finds it; `asked` is empty where nothing is."""

    text: str
    asked: str
    answer: str


class Read:
    """A finished row as read from the file.

    Attributes:
        row: all of it.
        headers: that its parts must have.
        spans: of its shots.
    """

    def __init__(self, row: Row, headers: Headers) -> None:
        self.row, self.headers = row, headers
        self.spans: list[dict[str, Any]] = [span for span in row["spans"] if span["kind"] == "shot"]
        question = rf"\n{re.escape(headers.question)} (.+)" if headers.question else "()"
        self._form = re.compile(rf"((?s:.+?)){question}\n{re.escape(headers.cue)} (.+)")

    @property
    def context(self) -> str:
        """The shots alone."""
        return str(self.row["prompt"][self.row["context_start"] : self.row["context_end"]])

    def shot(self, block: str) -> Shot | None:
        """A shot, of what stands between two blank lines; None where it has not the form of one."""
        found = self._form.fullmatch(block.removeprefix(f"{self.headers.opener} "))
        if found is None or not block.startswith(f"{self.headers.opener} ") or self.headers.stand_in(found[1]):
            return None
        return Shot(*found.groups())

    def shots(self) -> list[Shot | None]:
        """All of them in order."""
        return list(map(self.shot, self.context.split(GAP)))


def of_prompt(read: Read, kind: str) -> Iterator[str]:
    """The context is its shots and nothing else, spans stand on them, none gives the answer away."""
    row, at = read.row, read.row["context_start"]
    for n, block in enumerate(read.context.split(GAP)):
        start, end = at + len(read.headers.opener) + 1, at + len(block)
        if read.shot(block) is None:
            yield f"shot {n + 1} is not opened, asked and answered on lines of their own"
        if n >= len(read.spans) or (read.spans[n]["start"], read.spans[n]["end"]) != (start, end):
            yield f"no span stands on shot {n + 1}"
            return
        at = end + len(GAP)
    yield from _numbers(read)
    yield from checks.question(row, read.headers.opener, read.headers.cue)
    if kind == "summary" and row["references"] != row["answers"]:
        yield "the answers are not the references"
    yield from _apart(read)


def _numbers(read: Read) -> Iterator[str]:
    row, count, names = read.row, len(read.spans), {span["ref"] for span in read.spans}
    if len(read.context.split(GAP)) != count or len(names) != count:
        yield f"{len(read.context.split(GAP))} shots, {count} spans of {len(names)} texts"
    if (row["n_units"], row["n_unique_units"]) != (count, count):
        yield f"{count} shots, the row says {row['n_units']} of {row['n_unique_units']}"


def _apart(read: Read) -> Iterator[str]:
    """No shot has the text that is asked about, its question, or an answer that is accepted."""
    row = read.row
    own = read.shot(f"{read.headers.opener} {row['question']}\n{read.headers.cue} {row['answers'][0]}")
    if own is None:
        yield "what is asked has not the form of a shot"
        return
    right = {folded(answer) for answer in row["answers"]} - {""}
    for n, shot in enumerate(filter(None, read.shots()), 1):
        if shot.text.casefold() == own.text.casefold() or (own.asked and folded(shot.asked) == folded(own.asked)):
            yield f"shot {n} has the text or the question that is asked"
        if folded(shot.answer) in right:
            yield f"shot {n} says an accepted answer"


def as_prepared(read: Read, item: Worked, order: Sequence[Worked]) -> Iterator[str]:
    """Shots are the collection's, in the order of what is asked; so are its text and answers.

    Args:
        read: the row.
        item: what is asked.
        order: examples that it may be shown, in its order.
    """
    row, place = read.row, {each.name: number for number, each in enumerate(order)}
    if (row["question"], row["answers"], row["doc_ids"]) != (
        item.shown(read.headers), accepted(item.answers, row["metrics"]), [item.doc_id],
    ):  # fmt: skip
        yield "text, question or answers are not the collection's"
    last = -1
    for span, shot in zip(read.spans, read.shots(), strict=False):
        if (number := place.get(span["ref"], -1)) <= last:
            yield f"shot {span['ref']} does not come in the order of what is asked"
            return
        last, each = number, order[number]
        if shot != Shot(each.text, each.asked, each.answer):
            yield f"shot {span['ref']} is not the collection's"


def nothing_fits(read: Read, order: Sequence[Worked], tokens: Sequence[int]) -> Iterator[str]:
    """Of the shots that filling the end looks at, none is passed over that still fits.

    Args:
        read: the row.
        order: examples in the order of what is asked.
        tokens: of each of them.
    """
    row, shown = read.row, {span["ref"] for span in read.spans}
    held = sum(size for each, size in zip(order, tokens, strict=True) if each.name in shown)
    reach, before, left_out = held + row["slack_tokens"] + row["bucket_tokens"] // 2 - 2 * _SEAMS, 0, -1
    for number, (each, size) in enumerate(zip(order, tokens, strict=True)):
        before += size
        left_out = number if left_out < 0 and each.name not in shown else left_out
        if before > reach or (left_out >= 0 and number >= left_out + _LOOKED_AT):
            return
        if each.name not in shown and size + _SEAMS <= row["slack_tokens"]:
            yield f"{row['slack_tokens']} tokens are left, and example {each.name} has {size}"
            return
