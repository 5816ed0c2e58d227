"""Turn a finished context into a row: text around it, exact token counts, and the columns that all tasks fill in the same way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from corpora.tokenizers.tokenizer import CountedText, Tokenizer
from generators.context.context import Context
from generators.room import KEY, beyond
from generators.spec import Table, TaskSpec
from haymaker.core.errors import BuildError
from haymaker.core.lengths import MIN_FILL, outside
from haymaker.core.params import ReleaseParams
from haymaker.core.rows.schema import Sample, Span, Spans

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Frame:
    """The text around a context, counted.

    Attributes:
        head: text before the context; ends with `opener`.
        tail: text after the context; ends with `cue`.
        opener: end of the head that belongs to the context, e.g. the first word of a list; may be empty.
        cue: text that a base model continues.
        spans: instruction and worked examples, in prompt coordinates.
        heads, tails: head and tail, counted by each tokenizer.
        tokens_before: release tokens of the head.
        words: words of head and tail.
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
        """First character of the context after the opener: the offset of spans inside the context."""
        return len(self.head)

    @property
    def tokens(self) -> int:
        """Release tokens of head and tail, without token boundaries to the context."""
        return self.heads[0].tokens + self.tails[0].tokens

    def words_asked(self, question: str, answers: Sequence[str]) -> int:
        """Return the words of opener, question and answers: the length of a row without its context."""
        return sum(len(text.split()) for text in (self.opener, question, *answers))

    def places(self, context: Context) -> tuple[Any, Any, Any]:
        """Return start and end in the prompt of each unit of a context, and the tokens before it (head included)."""
        starts, ends, tokens = map(np.asarray, (context.starts, context.ends, context.token_starts))
        return self.start + starts, self.start + ends, self.tokens_before + tokens

    def span(self, start: int, end: int, kind: str, ref: str, tokens: int, label: str | None = None) -> Span:
        """Return a unit of the context as a span in prompt coordinates.

        Args:
            start: first character in the context.
            end: one past the last character.
            kind: see Span.
            ref: see Span.
            tokens: tokens before it (RowWriter.tokens_before and the units before it); at the start of the context those of the head.
            label: see Span.
        """
        before = tokens if start else self.tokens_before
        return Span(self.start + start, self.start + end, kind, ref, before, label=label)


class RowWriter:
    """Counts and writes the rows of one task.

    Args:
        suite: name of the suite.
        spec: the task.
        release: seed and reserved tokens.
        tokenizers: release tokenizer first.
        answer_room: output token budget of every row, if it is more than the answer takes (generators/room.py).
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
        """Tokens of chat template and answer."""
        return self.release.reserved_template_tokens + self.spec.max_new_tokens

    def tokens(self, table: Table) -> int:
        """Return the tokens of a length for prompt, template and answer; 0 without a target length."""
        return max(0, (table.tokens or 0) - beyond(self._answer_room, self.spec))

    def reserved_output(self, max_new_tokens: int | None = None) -> int:
        """Return the output token budget of a row; its answer may need more than the release keeps."""
        return max(self._answer_room, max_new_tokens or self.spec.max_new_tokens)

    def frame(self, head: str, tail: str, *, cue: str, opener: str = "", spans: Iterable[Span] = ()) -> Frame:
        """Return the counted text around a context; see Frame. `spans` are sorted by start."""
        assert head.endswith(opener) and tail.endswith(cue)
        heads, before, words = self._head(head)
        tails = [t.part(tail) for t in self.tokenizers]
        return Frame(head, tail, opener, cue, tuple(spans), heads, tails, before, words + len(tail.split()))

    def _counted_head(self, head: str) -> tuple[list[CountedText], int, int]:
        heads = [t.part(head) for t in self.tokenizers]
        return heads, self.tokenizers[0].joined(heads[:1]), len(head.split())

    def room(self, table: Table, max_new_tokens: int | None = None) -> int:
        """Return the tokens of a length for the prompt, without template and answer."""
        assert table.tokens is not None
        return table.tokens - self.release.reserved_template_tokens - self.reserved_output(max_new_tokens)

    def count(self, frame: Frame, splits: Sequence[Sequence[CountedText]]) -> list[int]:
        """Return the exact tokens, per tokenizer, of head, context (Context.parts, Units.edges) and tail as one text."""
        every = zip(self.tokenizers, frame.heads, splits, frame.tails, strict=True)
        return [t.joined([head, *between, tail]) for t, head, between, tail in every]

    def tokens_before(self, frame: Frame, context: Context, tokens: int) -> int:
        """Return the release tokens before the context, token boundary included.

        `tokens` is the sum of the tokens of its units, with the first space.
        """
        return self.tokenizers[0].joined([frame.heads[0], context.parts()[0][0]]) - tokens

    def fitted(
        self, table: Table, frame: Frame, fill: Callable[[int], tuple[R, Context]], max_new_tokens: int | None = None
    ) -> tuple[R, Context, list[int]]:
        """Fill the tokens that the frame leaves: return the result of `fill`, its context, and exact counts.

        Args:
            table: table of the row.
            frame: text around the context.
            fill: budget in tokens -> (anything, context of about that many tokens). Called again with less if token boundaries cost
                too much.
            max_new_tokens: value of this row; None: as in the task.

        Raises:
            BuildError: the text around the context alone is too long.
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
        """The same for several rows with the same units in different orders: `fill` returns the parts of each context per tokenizer."""

        def counted(budget: int) -> tuple[R, list[list[int]]]:
            result, contexts = fill(budget)
            return result, [self.count(frame, splits) for splits in contexts]

        return self.within(table, frame.tokens, counted, max_new_tokens)

    def within(
        self,
        table: Table,
        around: int,
        fill: Callable[[int], tuple[R, list[list[int]]]],
        max_new_tokens: int | None = None,
    ) -> tuple[R, list[list[int]]]:
        """The same for rows whose frame depends on the context: `fill` counts the whole prompts itself.

        Args:
            table: table of the rows.
            around: approximate tokens of the frame.
            fill: budget in tokens -> (anything, counts of each prompt).
            max_new_tokens: see fitted.
        """
        room = self.room(table, max_new_tokens)
        budget = room - around
        while budget > 0:
            try:
                result, counts = fill(budget)
            except BuildError as error:
                where, fix = error.where or f"{table.config} {table.split}", error.fix or "drop the length"
                raise BuildError(error.what, where=where, fix=fix) from None
            over = max(each[0] for each in counts) - room
            if over <= 0:
                return result, counts
            budget -= over
        fix = "drop the length" + (f", or lower {KEY}" if self._answer_room else "")
        raise BuildError("instruction, examples and question leave no room", where=table.config, fix=fix)

    def is_full(self, table: Table, counts: Sequence[int], max_new_tokens: int | None = None) -> bool:
        """Whether at least 99.5% of the length is used."""
        return self.room(table, max_new_tokens) - counts[0] <= (1 - MIN_FILL) * (table.tokens or 0)

    def length(self, frame: Frame, context: Context, question: str, answers: Sequence[str]) -> int:
        """Return the words (Chinese: characters) of question, context and answers: the length in LongBench (docs/spec/longbench.md 1)."""
        if (self.spec.language or self.release.language) == "zh":
            return context.characters + sum(map(len, (frame.opener, question, *answers)))
        return context.words + frame.words_asked(question, answers)

    def outside(self, table: Table, frame: Frame, context: Context, question: str, answers: Sequence[str]) -> str:
        """Return why a natural row is outside of a length, or an empty string."""
        return outside(table.length, self.length(frame, context, question, answers))

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
        metadata: dict[str, Any],
        spans: Iterable[Span | Spans] = (),
        max_new_tokens: int | None = None,
        metrics: Sequence[str] | None = None,
        variant: str | None = None,
        **columns: Any,
    ) -> Sample:
        """Return the finished row.

        Args:
            table: table of the row.
            group: id of the question, the same at every length, depth and variant.
            frame: text around the context.
            context: the context.
            counts: tokens of the whole prompt, from fitted() or count().
            point: name of the row among the rows of its group at this length ("d3", "unanswerable"); empty for the only one.
            question: the question alone.
            answers: accepted answers, the canonical one first.
            metadata: facts of this task only.
            spans: spans inside the context, in order, in prompt coordinates.
            max_new_tokens: value of this row; None: as in the task.
            metrics: metrics of this row; None: as in the task.
            variant: variant of this row; None: as in the task.
            columns: other fields of Sample.

        Raises:
            BuildError: nothing to compare an output with.
        """
        if not any(
            (*map(str.strip, answers), *map(columns.get, ("answer_groups", "references", "output_constraints")))
        ):
            raise BuildError(
                f"{group} has no answer, reference or output constraint", where=table.config, fix="leave it out"
            )
        reserved, wanted = self.release.reserved_template_tokens, max_new_tokens or self.spec.max_new_tokens
        output = self.reserved_output(wanted)
        if table.natural:
            metadata = {**metadata, "length": self.length(frame, context, question, answers)}
        end = frame.start + context.characters
        columns = columns if "sources" in columns else {**columns, "sources": self._sources()}
        return Sample(
            id=f"{self._suite}-{table.task}-{table.length}-{group}" + (f"-{point}" if point else ""),
            group_id=group,
            suite=self._suite,
            task=table.task,
            task_version=self.spec.version,
            category=self.spec.category,
            language=self.spec.language or self.release.language,
            split=table.split,
            variant=variant or self.spec.variant,
            length=table.length,
            length_tokens=table.tokens,
            prompt=b"".join((frame.head.encode(), context.text, frame.tail.encode())),
            context_start=frame.start - len(frame.opener),
            context_end=end,
            answer_prefix_start=end + len(frame.tail) - len(frame.cue),
            question=question,
            prompt_tokens=counts[0],
            reserved_output_tokens=output,
            reserved_template_tokens=reserved,
            unused_tokens=None
            if table.tokens is None or table.of_output
            else table.tokens - reserved - output - counts[0],
            length_of="output" if table.of_output else "input",
            token_counts=self._token_counts(frame, context, counts),
            answers=answers,
            metrics=list(self.spec.metrics if metrics is None else metrics),
            max_new_tokens=wanted,
            stop=list(self.spec.stop) or None,
            use_chat_template=self.spec.use_chat_template,
            seed=self.release.seed,
            spans=[*frame.spans, *spans],
            metadata=json.dumps(metadata, ensure_ascii=False, separators=(",", ":")),
            **columns,
        )

    def _token_counts(self, frame: Frame, context: Context, counts: Sequence[int]) -> list[dict[str, Any]]:
        """Counts of the other tokenizers, words and characters. A word may continue from the head into the context, and into the tail."""
        others = [(t.fingerprint, n) for t, n in zip(self.tokenizers, counts, strict=True)][1:]
        parts: Iterable[str | bytes] = filter(None, (frame.head, context.text, frame.tail))
        joined = sum(not (before[-1:].isspace() or after[:1].isspace()) for before, after in pairwise(parts))
        words = frame.words + context.words - joined
        characters = len(frame.head) + context.characters + len(frame.tail)
        return [{"tokenizer": name, "tokens": n} for name, n in (*others, ("words", words), ("characters", characters))]
