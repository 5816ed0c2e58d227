"""One BABILong row: head, haystack, tail; filled to its bucket, counted exactly, every fact's place known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from corpora.background import Background, Entry
from corpora.records import StoryQuestion
from corpora.tokenizer import Part as TextPart
from corpora.tokenizer import Tokenizer
from generators.babilong.groups import Group, extra, group_id
from generators.babilong.params import TaskPlan
from generators.babilong.placing import relative_depths
from generators.babilong.prompts import CLOSE_EXAMPLE, CUE, OPEN_EXAMPLE, TaskPrompt, render_head, render_tail
from generators.babilong.retrieval import Retriever
from generators.haystack import Haystack, Needle, Run, count_units, fit, in_documents, slot, walk, weave
from generators.task import Table, TaskInfo
from haymaker.buckets import MIN_FILL
from haymaker.errors import BuildError
from haymaker.params import ReleaseParams
from haymaker.rng import Stream
from haymaker.sample import Sample, Span

_TIGHT = 4096  # tokens of a bucket up to which a row may fail to be filled
_MAX_FIXED_SHARE = 0.9  # of a bucket: above it there is no haystack left to speak of


class RowBuilder:
    """Builds the rows of one task.

    Args:
        plan: the task entry.
        info: of the task.
        prompt: its wording.
        release: seed and reserves.
        tokenizers: release tokenizer first.
        store: background.
        corpus: name of the background corpus.
        sources: names of the sources used.
        version: of the suite.
    """

    def __init__(
        self,
        plan: TaskPlan,
        info: TaskInfo,
        prompt: TaskPrompt,
        release: ReleaseParams,
        tokenizers: Sequence[Tokenizer],
        store: Background,
        corpus: str,
        sources: list[str],
        version: int,
    ) -> None:
        self._plan, self._info, self._prompt, self._release = plan, info, prompt, release
        self._tokenizers, self._store, self._corpus = tokenizers, store, corpus
        self._sources, self._version = sources, version
        self._head = render_head(prompt)
        self._head_utf8 = self._head.encode()
        self._head_words = len(self._head.split())
        self._head_parts = [t.part(self._head) for t in tokenizers]
        self._head_spans = [Span(0, len(prompt.instruction), "instruction", token_start=0)]
        demos = re.finditer(f"{OPEN_EXAMPLE}.*?{CLOSE_EXAMPLE}", self._head, re.DOTALL)
        self._head_spans += [Span(*demo.span(), "demo", f"demo:{i}") for i, demo in enumerate(demos)]
        self._documents: dict[str, list[Entry]] = {}
        self._retriever = None if plan.retrieval == "none" else Retriever(plan.retrieval, store, tokenizers[0])

    @cached_property
    def _sums(self) -> list[memoryview]:
        return [self._store.tokens_at(t.fingerprint) for t in self._tokenizers]

    # ---------------------------------------------------------------------------------------------------- groups

    def groups(self, part: str, question: StoryQuestion, draw: str = "") -> Iterator[Group]:
        """The rows-to-be of one question: one per point of the placement, from the same draws.

        Args:
            part: of the question.
            question: from the pool.
            draw: another name gives other depths and another background.
        """
        units = [f" {fact}" for fact in question.facts]
        counts = zip(*(t.count_units(units) for t in self._tokenizers), strict=True)
        facts = tuple((unit.encode(), count, len(unit)) for unit, count in zip(units, counts, strict=True))
        stream = self._stream(part, question, "depths", draw)
        draws = sorted(stream.unit() for _ in units)
        deciding = max(question.supporting)
        for point in range(self._plan.points):
            depths = relative_depths(self._plan.placement, draws, deciding, point, self._plan.points)
            shown = None if self._plan.placement == "uniform" else point
            name = group_id(self._plan.of, part, question) + (f"-{draw}" if draw else "")
            yield Group(name, question, facts, tuple(depths), shown, draw)

    def leaves_room(self, table: Table, question: StoryQuestion) -> bool:
        """Whether facts, prompt and reserves leave room for background (counted to a few tokens)."""
        if table.tokens is None:
            return True
        tokenizer = self._tokenizers[0]
        facts = sum(tokenizer.count_units([f" {fact}" for fact in question.facts]))
        tail = tokenizer.count_part(render_tail(question.question))
        return self._head_parts[0].tokens + facts + tail + self._reserved <= _MAX_FIXED_SHARE * table.tokens

    def fills(self, table: Table, group: Group) -> bool:
        """Whether sentences were found that fill the bucket. Longer ones always are: the choice grows with the length."""
        if table.tokens is None or table.tokens > _TIGHT:
            return True
        counts = self._filled(table, group, [t.part(render_tail(group.question.question)) for t in self._tokenizers])[2]
        return counts[0] + self._reserved >= MIN_FILL * table.tokens

    @property
    def _reserved(self) -> int:
        return self._release.reserved_template_tokens + self._info.max_new_tokens

    def _stream(self, part: str, question: StoryQuestion, purpose: str, draw: str) -> Stream:
        more = [draw] if draw else []
        return Stream(self._release.seed, "babilong", self._plan.of, part, question.position, purpose, *more)

    # ------------------------------------------------------------------------------------------------------ rows

    def row(self, table: Table, group: Group) -> Sample:
        """The finished row of a group in a bucket.

        Raises:
            BuildError: the corpus is too small for the bucket.
        """
        tail = render_tail(group.question.question)
        tails = [t.part(tail) for t in self._tokenizers]
        if table.tokens is None:
            runs: list[Run] = []
            hay = self._weave(group, runs)
            counts = self._count(hay, tails)
        else:
            runs, hay, counts = self._filled(table, group, tails)
        return self._sample(table, group, tail, runs, hay, counts)

    def _filled(self, table: Table, group: Group, tails: list[TextPart]) -> tuple[list[Run], Haystack, list[int]]:
        """Background to the budget; if a seam costs a token more than its parts, once more with that token less."""
        if table.tokens is None:
            raise AssertionError("0k has no budget")
        room = table.tokens - self._reserved
        budget = room - self._head_parts[0].tokens - tails[0].tokens - sum(tokens[0] for _, tokens, _ in group.facts)
        while True:
            try:
                runs = fit(self._walk(table.part, group), self._sums[0], budget)
            except BuildError as error:
                raise BuildError(
                    f"{error.what} ({table.part} documents of corpus {self._corpus!r})", where=table.config,
                    fix="drop the bucket, or give the corpus more documents",
                ) from None  # fmt: skip
            hay = self._weave(group, runs)
            counts = self._count(hay, tails)
            if counts[0] <= room:
                return runs, hay, counts
            budget -= counts[0] - room

    def _walk(self, part: str, group: Group) -> Iterator[Run]:
        if part not in self._documents:
            self._documents[part] = self._store.part(part)
            if not self._documents[part]:
                raise BuildError(f"the corpus has no {part} documents")
        return walk(self._documents[part], self._stream(part, group.question, "background", group.draw))

    def _weave(self, group: Group, runs: list[Run]) -> Haystack:
        n = count_units(runs)
        needles = [
            Needle(text, tokens, characters, slot(depth, n))
            for (text, tokens, characters), depth in zip(group.facts, group.depths, strict=True)
        ]
        return weave(self._store, runs, needles, self._sums)

    def _count(self, hay: Haystack, tails: list[TextPart]) -> list[int]:
        """Exact tokens of the prompt; the haystack begins right after a line break, so without its space."""
        return [
            t.joined([head, t.drop_leading_space(TextPart(tokens, utf8=hay.text)), tail])
            for t, head, tokens, tail in zip(self._tokenizers, self._head_parts, hay.tokens, tails, strict=True)
        ]

    def _sample(
        self, table: Table, group: Group, tail: str, runs: list[Run], hay: Haystack, counts: list[int]
    ) -> Sample:
        question, start = group.question, len(self._head)
        n = count_units(runs)
        deciding = max(question.supporting)
        end = start + hay.characters - 1
        background = in_documents(self._store, runs)
        slack = None if table.tokens is None else table.tokens - self._reserved - counts[0]
        return Sample(
            id=f"babilong-{table.task}-{table.bucket}-{group.id}" + ("" if group.point is None else f"-p{group.point}"),
            group_id=group.id,
            suite="babilong",
            task=table.task,
            task_version=self._version,
            category=self._info.category,
            language=self._release.language,
            part=table.part,
            variant=None if group.point is None else self._plan.placement,
            bucket=table.bucket,
            bucket_tokens=table.tokens,
            prompt=b"".join((self._head_utf8, memoryview(hay.text)[1:], tail.encode())),
            context_start=start,
            context_end=end,
            cue_start=end + len(tail) - len(CUE),
            question=question.question,
            prompt_tokens=counts[0],
            reserved_output_tokens=self._info.max_new_tokens,
            reserved_template_tokens=self._release.reserved_template_tokens,
            slack_tokens=slack,
            token_counts=self._token_counts(hay, tail, counts),
            answers=[question.answer],
            choices=list(self._prompt.choices),
            answer_index=self._prompt.choices.index(question.answer)
            if question.answer in self._prompt.choices
            else None,
            metrics=list(self._info.metrics),
            max_new_tokens=self._info.max_new_tokens,
            stop=["\n"],
            depth=slot(group.depths[deciding], n) / n if n else None,
            depth_index=group.point,
            n_units=n,
            n_unique_units=n,
            haystack=self._corpus if runs else None,
            density=sum(tokens[0] for _, tokens, _ in group.facts) / hay.tokens[0],
            spans=[*self._head_spans, *self._fact_spans(question, hay, start)],
            sources=self._sources if runs else self._sources[:1],
            doc_ids=list(dict.fromkeys(piece[0] for piece in background)),
            seed=self._release.seed,
            extra=extra(question, self._prompt.vocabulary, background, self._retrieved(group, runs, hay)),
        )

    def _retrieved(self, group: Group, runs: list[Run], hay: Haystack) -> dict[str, Any]:
        """The key `retrieval` of `extra` where the task asks for it; training rows go without."""
        if self._retriever is None or group.draw:
            return {}
        n, question = count_units(runs), group.question
        facts = [(slot(d, n), size, tokens[0]) for d, (_, tokens, size) in zip(group.depths, group.facts, strict=True)]
        start = len(self._head)
        found = self._retriever.found(question.question, question.supporting, hay, runs, facts, start)
        return {"retrieval": found}

    def _fact_spans(self, question: StoryQuestion, hay: Haystack, start: int) -> Iterator[Span]:
        """Facts in prompt coordinates (the haystack's own leading space is not in the prompt)."""
        part = self._tokenizers[0].drop_leading_space(TextPart(hay.tokens[0], utf8=hay.text))
        head = self._head_parts[0]
        before = self._tokenizers[0].joined([head, part]) - hay.tokens[0]  # what the seam between them costs is in it
        for i, placed in enumerate(hay.placed):
            kind = "support" if i in question.supporting else "fact"
            tokens = before + placed.token_start if placed.start > 1 else self._tokenizers[0].joined([head])
            yield Span(start + placed.start - 1, start + placed.end - 1, kind, f"fact:{i}", tokens)

    def _token_counts(self, hay: Haystack, tail: str, counts: list[int]) -> list[dict[str, Any]]:
        others = [(t.fingerprint, count) for t, count in zip(self._tokenizers, counts, strict=True)][1:]
        words = self._head_words + hay.words + len(tail.split())
        characters = len(self._head) + hay.characters - 1 + len(tail)
        return [{"tokenizer": k, "tokens": v} for k, v in (*others, ("words", words), ("characters", characters))]
