"""From a finished context to a row: words around it, exact counts, every column that all tasks fill alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from corpora.tokenizers.tokenizer import CountedText, Tokenizer
from generators.context.context import Context
from generators.room import KEY, beyond
from generators.spec import Table, TaskSpec
from haymaker.core.buckets import MIN_FILL, outside
from haymaker.core.errors import BuildError
from haymaker.core.params import ReleaseParams
from haymaker.core.rows.schema import Sample, Span, Spans

R = TypeVar("R")


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
        words: of both.
    """

    head: str
    tail: str
    opener: str
    cue: str
    spans: tuple[Span, ...]
    heads: list[CountedText]
    tails: list[CountedText]
    tokens_before: int
    words: int

    @property
    def start(self) -> int:
        """First character of the context's text (behind the opener): what spans inside a context are moved by."""
        return len(self.head)

    @property
    def tokens(self) -> int:
        """Release tokens of head and tail, should joining cost nothing."""
        return self.heads[0].tokens + self.tails[0].tokens

    def words_asked(self, question: str, answers: Sequence[str]) -> int:
        """Words that the length of a row has besides its context's: opener, question, answers."""
        return sum(len(text.split()) for text in (self.opener, question, *answers))

    def places(self, context: Context) -> tuple[Any, Any, Any]:
        """Of the units of a context: start and end in the prompt, and the tokens before each as units add up, the head's too."""
        starts, ends, tokens = map(np.asarray, (context.starts, context.ends, context.token_starts))
        return self.start + starts, self.start + ends, self.tokens_before + tokens

    def span(self, start: int, end: int, kind: str, ref: str, tokens: int, label: str | None = None) -> Span:
        """A unit of the context in prompt coordinates.

        Args:
            start: first character, in the context's text.
            end: one past the last.
            kind: see Span.
            ref: see Span.
            tokens: before it as units add up, the head's by RowWriter.tokens_before; at the very start the head's alone count.
            label: see Span.
        """
        before = tokens if start else self.tokens_before
        return Span(self.start + start, self.start + end, kind, ref, before, label=label)


class RowWriter:
    """Counts and writes the rows of one task.

    Args:
        suite: name.
        spec: of the task.
        release: seed and reserves.
        tokenizers: release tokenizer first.
        answer_room: tokens kept for the answer in every row, where that is more than it takes (generators/room.py).
        sources: gives the column `sources` of rows that do not set it.
    """

    def __init__(
        self,
        suite: str,
        spec: TaskSpec,
        release: ReleaseParams,
        tokenizers: Sequence[Tokenizer],
        answer_room: int = 0,
        sources: Callable[[], list[str]] = list,
    ) -> None:
        self.spec, self.release, self.tokenizers = spec, release, tokenizers
        self._suite, self._answer_room, self._sources = suite, answer_room, sources
        self._head = lru_cache(maxsize=4)(self._counted_head)  # most tasks have one head for all rows

    @property
    def reserved(self) -> int:
        """Tokens of a row that template and answer take, should no more room be kept."""
        return self.release.reserved_template_tokens + self.spec.max_new_tokens

    def tokens(self, table: Table) -> int:
        """Tokens of a bucket that prompt, template and answer have: all but what is kept beyond; 0 where there is no length."""
        return max(0, (table.tokens or 0) - beyond(self._answer_room, self.spec))

    def reserved_output(self, max_new_tokens: int | None = None) -> int:
        """Tokens kept for the answer of a row; its own answer may take more than the release keeps."""
        return max(self._answer_room, max_new_tokens or self.spec.max_new_tokens)

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
        heads, before, words = self._head(head)
        tails = [t.part(tail) for t in self.tokenizers]
        return Frame(head, tail, opener, cue, tuple(spans), heads, tails, before, words + len(tail.split()))

    def _counted_head(self, head: str) -> tuple[list[CountedText], int, int]:
        heads = [t.part(head) for t in self.tokenizers]
        return heads, self.tokenizers[0].joined(heads[:1]), len(head.split())

    def room(self, table: Table, max_new_tokens: int | None = None) -> int:
        """Tokens of a bucket for the prompt: without template and answer, which may be longer than the task says."""
        assert table.tokens is not None
        return table.tokens - self.release.reserved_template_tokens - self.reserved_output(max_new_tokens)

    def count(self, frame: Frame, parts: Sequence[Sequence[CountedText]]) -> list[int]:
        """Exact tokens, per tokenizer, of head, context (Context.parts, Units.edges) and tail as one text; nothing is joined."""
        every = zip(self.tokenizers, frame.heads, parts, frame.tails, strict=True)
        return [t.joined([head, *between, tail]) for t, head, between, tail in every]

    def tokens_before(self, frame: Frame, context: Context, tokens: int) -> int:
        """Release tokens before the context's text as it stands in the row; what the seam between head and context costs is in it.

        `tokens` are those of the context by its units, its first space included.
        """
        return self.tokenizers[0].joined([frame.heads[0], context.parts()[0][0]]) - tokens

    def fitted(
        self, table: Table, frame: Frame, fill: Callable[[int], tuple[R, Context]], max_new_tokens: int | None = None
    ) -> tuple[R, Context, list[int]]:
        """What `fill` makes of the tokens that are left, its context, and exact counts.

        Args:
            table: of the row.
            frame: the words around.
            fill: budget in tokens to (anything, context of about that many tokens); again with less where seams cost too much.
            max_new_tokens: of this row; None: as the task says.

        Raises:
            BuildError: the words around the context alone are too long.
        """

        def filled(budget: int) -> tuple[tuple[R, Context], list[list[list[CountedText]]]]:
            result, context = fill(budget)
            return (result, context), [context.parts()]

        (result, context), [counts] = self.fitted_all(table, frame, filled, max_new_tokens)
        return result, context, counts

    def fitted_all(
        self,
        table: Table,
        frame: Frame,
        fill: Callable[[int], tuple[R, list[list[list[CountedText]]]]],
        max_new_tokens: int | None = None,
    ) -> tuple[R, list[list[int]]]:
        """The same for several rows of the same units in several orders, whose parts per tokenizer `fill` gives: the largest counts."""

        def counted(budget: int) -> tuple[R, list[list[int]]]:
            result, contexts = fill(budget)
            return result, [self.count(frame, parts) for parts in contexts]

        return self.within(table, frame.tokens, counted, max_new_tokens)

    def within(
        self,
        table: Table,
        around: int,
        fill: Callable[[int], tuple[R, list[list[int]]]],
        max_new_tokens: int | None = None,
    ) -> tuple[R, list[list[int]]]:
        """The same for rows whose words around depend on what stands between them: `fill` counts the whole prompts itself.

        Args:
            table: of the rows.
            around: tokens of the words around, roughly.
            fill: budget in tokens to (anything, counts of each prompt).
            max_new_tokens: see fitted.
        """
        room = self.room(table, max_new_tokens)
        budget = room - around
        while budget > 0:
            try:
                result, counts = fill(budget)
            except BuildError as error:
                where, fix = error.where or f"{table.config} {table.part}", error.fix or "drop the bucket"
                raise BuildError(error.what, where=where, fix=fix) from None
            over = max(each[0] for each in counts) - room
            if over <= 0:
                return result, counts
            budget -= over
        fix = "drop the bucket" + (f", or lower {KEY}" if self._answer_room else "")
        raise BuildError("instruction, examples and question leave no room", where=table.config, fix=fix)

    def is_full(self, table: Table, counts: Sequence[int], max_new_tokens: int | None = None) -> bool:
        """Whether at least 99.5 % of the bucket is used."""
        return self.room(table, max_new_tokens) - counts[0] <= (1 - MIN_FILL) * (table.tokens or 0)

    def length(self, frame: Frame, context: Context, question: str, answers: Sequence[str]) -> int:
        """Words of question, context and answers together, as LongBench gives the length of a row (docs/spec/longbench.md 1);
        of a Chinese row the characters.
        """
        if (self.spec.language or self.release.language) == "zh":
            return context.characters + sum(map(len, (frame.opener, question, *answers)))
        return context.words + frame.words_asked(question, answers)

    def outside(self, table: Table, frame: Frame, context: Context, question: str, answers: Sequence[str]) -> str:
        """Why a natural row is not in a bucket; empty where it is."""
        return outside(table.bucket, self.length(frame, context, question, answers))

    def sample(
        self,
        table: Table,
        group: str,
        frame: Frame,
        context: Context,
        counts: Sequence[int],
        *,
        point: str = "",
        question: str,
        answers: list[str],
        extra: dict[str, Any],
        spans: Iterable[Span | Spans] = (),
        max_new_tokens: int | None = None,
        metrics: Sequence[str] | None = None,
        variant: str | None = None,
        **columns: Any,
    ) -> Sample:
        """The finished row.

        Args:
            table: of the row.
            group: id of what is asked, the same at every length, depth and variant.
            frame: the words around the context.
            context: between them.
            counts: of the whole prompt, from fitted() or count().
            point: which of the group's rows it is at this length ("d3", "absent"); empty for the only one.
            question: alone.
            answers: accepted, the canonical one first.
            extra: what the task alone has.
            spans: inside the context, in order, in prompt coordinates.
            max_new_tokens: of this row; None: as the task says.
            metrics: of this row; None: as the task says.
            variant: how it differs from plain rows of the task; None: as the task says.
            columns: any other fields of Sample.

        Raises:
            BuildError: nothing to compare an output with.
        """
        if not any((*map(str.strip, answers), *map(columns.get, ("answer_groups", "references", "checks")))):
            raise BuildError(f"{group}: nothing says what would be right", where=table.config, fix="leave it out")
        reserved, wanted = self.release.reserved_template_tokens, max_new_tokens or self.spec.max_new_tokens
        output = self.reserved_output(wanted)
        if table.natural:
            extra = {**extra, "length": self.length(frame, context, question, answers)}
        end = frame.start + context.characters
        columns = columns if "sources" in columns else {**columns, "sources": self._sources()}
        return Sample(
            id=f"{self._suite}-{table.task}-{table.bucket}-{group}" + (f"-{point}" if point else ""),
            group_id=group,
            suite=self._suite,
            task=table.task,
            task_version=self.spec.version,
            category=self.spec.category,
            language=self.spec.language or self.release.language,
            part=table.part,
            variant=variant or self.spec.variant,
            bucket=table.bucket,
            bucket_tokens=table.tokens,
            prompt=b"".join((frame.head.encode(), context.text, frame.tail.encode())),
            context_start=frame.start - len(frame.opener),
            context_end=end,
            cue_start=end + len(frame.tail) - len(frame.cue),
            question=question,
            prompt_tokens=counts[0],
            reserved_output_tokens=output,
            reserved_template_tokens=reserved,
            slack_tokens=None
            if table.tokens is None or table.of_output
            else table.tokens - reserved - output - counts[0],
            bucket_of="output" if table.of_output else "window",
            token_counts=self._token_counts(frame, context, counts),
            answers=answers,
            metrics=list(self.spec.metrics if metrics is None else metrics),
            max_new_tokens=wanted,
            stop=list(self.spec.stop) or None,
            chat=self.spec.chat,
            seed=self.release.seed,
            spans=[*frame.spans, *spans],
            extra=json.dumps(extra, ensure_ascii=False, separators=(",", ":")),
            **columns,
        )

    def _token_counts(self, frame: Frame, context: Context, counts: Sequence[int]) -> list[dict[str, Any]]:
        """Other tokenizers, words and characters. Context and tail meet in white space; the head's last word may run on."""
        others = [(t.fingerprint, n) for t, n in zip(self.tokenizers, counts, strict=True)][1:]
        apart = context.text[:1].isspace() or frame.head[-1:].isspace()
        words = frame.words + context.words - (0 if apart else 1)
        characters = len(frame.head) + context.characters + len(frame.tail)
        return [{"tokenizer": name, "tokens": n} for name, n in (*others, ("words", words), ("characters", characters))]
