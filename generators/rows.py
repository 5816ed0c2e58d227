"""From a finished context to a row: words around it, exact counts, every column that all suites fill alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from corpora.tokenizer import Part as TextPart
from corpora.tokenizer import Tokenizer
from generators.pieces import Filling
from generators.task import Table, TaskInfo
from haymaker.buckets import MIN_FILL
from haymaker.errors import BuildError
from haymaker.params import ReleaseParams
from haymaker.sample import Sample, Span, Spans

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Frame:
    """The words around a context, counted.

    Attributes:
        head: everything before the context; ends with `opener`, where the context's first line is opened there.
        tail: everything behind it; ends with `cue`.
        opener: end of the head that belongs to the context; may be empty.
        cue: what a base model continues.
        spans: instruction and worked examples, in prompt coordinates.
        heads, tails: both, counted by each tokenizer.
        tokens_before: release tokens of the head.
    """

    head: str
    tail: str
    opener: str
    cue: str
    spans: tuple[Span, ...]
    heads: list[TextPart]
    tails: list[TextPart]
    tokens_before: int

    @property
    def start(self) -> int:
        """First character of the context's text (behind the opener): what spans inside a context are moved by."""
        return len(self.head)


class RowWriter:
    """Counts and writes the rows of one task.

    Args:
        suite: name.
        version: of the rows.
        info: of the task.
        release: seed and reserves.
        tokenizers: release tokenizer first.
    """

    def __init__(
        self, suite: str, version: int, info: TaskInfo, release: ReleaseParams, tokenizers: Sequence[Tokenizer]
    ) -> None:
        self.info, self.release, self.tokenizers = info, release, tokenizers
        self._suite, self._version = suite, version

    def frame(self, head: str, tail: str, *, cue: str, opener: str = "", spans: Iterable[Span] = ()) -> Frame:
        """Count the words around a context.

        Args:
            head: ends with `opener`.
            tail: ends with `cue`.
            cue: what a base model continues.
            opener: see Frame.
            spans: instruction and worked examples, in order of start.
        """
        assert head.endswith(opener) and tail.endswith(cue)
        heads, tails = [t.part(head) for t in self.tokenizers], [t.part(tail) for t in self.tokenizers]
        return Frame(head, tail, opener, cue, tuple(spans), heads, tails, self.tokenizers[0].joined(heads[:1]))

    def room(self, table: Table, max_new_tokens: int | None = None) -> int:
        """Tokens of a bucket for the prompt: without template and answer.

        Args:
            table: of a bucket with a length.
            max_new_tokens: of this row; None: as the task says.
        """
        assert table.tokens is not None
        wanted = self.info.max_new_tokens if max_new_tokens is None else max_new_tokens
        return table.tokens - self.release.reserved_template_tokens - wanted

    def count(self, frame: Frame, filling: Filling) -> list[int]:
        """Exact tokens of head, context and tail as one text, per tokenizer; nothing is joined."""
        parts = zip(self.tokenizers, frame.heads, filling.parts(), frame.tails, strict=True)
        return [t.joined([head, part, tail]) for t, head, part, tail in parts]

    def fitted(
        self, table: Table, frame: Frame, fill: Callable[[int], tuple[Made, Filling]], max_new_tokens: int | None = None
    ) -> tuple[Made, Filling, list[int]]:
        """What `fill` makes of the tokens that are left, its context, and exact counts; again with less where seams cost too much.

        Args:
            table: of the row.
            frame: the words around.
            fill: budget in tokens to (anything, context of at most that many tokens).
            max_new_tokens: of this row; None: as the task says.

        Raises:
            BuildError: the words around the context alone are too long.
        """
        room = self.room(table, max_new_tokens)
        budget = room - frame.heads[0].tokens - frame.tails[0].tokens
        while budget > 0:
            made, filling = fill(budget)
            counts = self.count(frame, filling)
            if counts[0] <= room:
                return made, filling, counts
            budget -= counts[0] - room
        raise BuildError("instruction, examples and question leave no room", where=table.config, fix="drop the bucket")

    def is_full(self, table: Table, counts: Sequence[int], max_new_tokens: int | None = None) -> bool:
        """Whether at least 99.5 % of the bucket is used."""
        return self.room(table, max_new_tokens) - counts[0] <= (1 - MIN_FILL) * (table.tokens or 0)

    def sample(
        self,
        table: Table,
        group: str,
        frame: Frame,
        filling: Filling,
        counts: Sequence[int],
        *,
        point: str = "",
        question: str,
        answers: list[str],
        extra: dict[str, Any],
        spans: Iterable[Span | Spans] = (),
        max_new_tokens: int | None = None,
        **columns: Any,
    ) -> Sample:
        """The finished row.

        Args:
            table: of the row.
            group: id of what is asked, the same at every length, depth and variant.
            frame: the words around the context.
            filling: the context.
            counts: of the whole prompt, from fitted() or count().
            point: which of the group's rows it is at this length ("d3", "absent"); empty for the only one.
            question: alone.
            answers: accepted, the canonical one first.
            extra: what the suite alone has.
            spans: inside the context, in order, in prompt coordinates.
            max_new_tokens: of this row; None: as the task says.
            columns: any other fields of Sample.
        """
        reserved, wanted = self.release.reserved_template_tokens, max_new_tokens or self.info.max_new_tokens
        end = frame.start + filling.characters
        return Sample(
            id=f"{self._suite}-{table.task}-{table.bucket}-{group}" + (f"-{point}" if point else ""),
            group_id=group,
            suite=self._suite,
            task=table.task,
            task_version=self._version,
            category=self.info.category,
            language=self.release.language,
            part=table.part,
            bucket=table.bucket,
            bucket_tokens=table.tokens,
            prompt=b"".join((frame.head.encode(), filling.text, frame.tail.encode())),
            context_start=frame.start - len(frame.opener),
            context_end=end,
            cue_start=end + len(frame.tail) - len(frame.cue),
            question=question,
            prompt_tokens=counts[0],
            reserved_output_tokens=wanted,
            reserved_template_tokens=reserved,
            slack_tokens=None if table.tokens is None else table.tokens - reserved - wanted - counts[0],
            token_counts=self._token_counts(frame, filling, counts),
            answers=answers,
            metrics=list(self.info.metrics),
            max_new_tokens=wanted,
            seed=self.release.seed,
            spans=[*frame.spans, *spans],
            extra=json.dumps(extra, ensure_ascii=False, separators=(",", ":")),
            **columns,
        )

    def _token_counts(self, frame: Frame, filling: Filling, counts: Sequence[int]) -> list[dict[str, Any]]:
        """Other tokenizers, words and characters. Context and tail meet in white space; the head's last word may run on."""
        others = [(t.fingerprint, n) for t, n in zip(self.tokenizers, counts, strict=True)][1:]
        apart = filling.text[:1].isspace() or frame.head[-1:].isspace()
        words = len(frame.head.split()) + filling.words + len(frame.tail.split()) - (0 if apart else 1)
        characters = len(frame.head) + filling.characters + len(frame.tail)
        return [{"tokenizer": name, "tokens": n} for name, n in (*others, ("words", words), ("characters", characters))]
