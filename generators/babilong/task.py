"""One class for qa1 .. qa20: the facts of a bAbI story, in order, between sentences of books, filled to the bucket.

A training stream differs from the reference, which draws stories and books with replacement (docs/spec/babilong.md 6.7): every
question of a task comes once before any comes again (but for those that take the place of one too long for its row), each time
with new depths and another walk through the training books.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any

from generators.babilong import checks, oracle, retrieval, retrieval_checks
from generators.babilong.base import BABILongSettings, QuestionTask
from generators.babilong.placing import relative_depths
from generators.babilong.prompts import CUE, TaskPrompt, head_spans, load_prompts, render_head, render_tail
from generators.babilong.questions import identity
from generators.babilong.story import Story
from generators.context.context import Context
from generators.context.sentences import Needle, Run, Sentences, count_units, in_documents, sentences, slot
from generators.inputs import Inputs, Use
from generators.spec import Candidate, Entry, Row, Table
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split, StoryQuestion

_TIGHT = 4096  # tokens of a bucket up to which a row may fail to be filled; for longer ones the choice is large enough
_MAX_FIXED_SHARE = 0.9  # of a bucket: above it there is no haystack left to speak of
_NO_ROOM, _NOT_FULL = "facts and prompt leave no room for background", "no choice of sentences fills 99.5 %"
_KEPT = 64  # questions whose facts stay counted


class StoryTask(QuestionTask):
    """A bAbI task."""

    redraws = True

    def __init__(self, entry: Entry[BABILongSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._story = lru_cache(maxsize=_KEPT)(self._new_story)
        self._filled = lru_cache(maxsize=1)(self._fill)  # counted to see whether it is full, then written

    def limit(self, part: Split = "test") -> int:
        """Tokens of the corpus's documents of a part."""
        return self._sentences.held(part)

    def check_feasible(self, table: Table) -> None:
        """Refuse a bucket that the corpus cannot fill, before any row is built."""
        what = f"corpus {self.settings.background!r} holds {{limit}} tokens of {table.part} text"
        what += f", the bucket {table.tokens or 0:,}"
        self._check_limit(table, what, "give the corpus more documents")

    # ------------------------------------------------------------------------------------------- what it is made of

    @cached_property
    def _prompt(self) -> TaskPrompt:
        return load_prompts(self.vocabulary)[self.spec.name]

    @cached_property
    def _head(self) -> dict[str, Any]:
        """What RowWriter.frame takes besides the tail."""
        head = render_head(self._prompt)
        return {"head": head, "cue": CUE, "spans": head_spans(self._prompt, head)}

    @cached_property
    def _sentences(self) -> Sentences:
        return sentences(self.inputs, self.settings.background)

    @cached_property
    def _retriever(self) -> retrieval.Retriever:
        of = (self.settings.retrieval, self._sentences.store, self.inputs.tokenizers[0])
        return self.inputs.shared(("retriever", of[0], of[1].folder), lambda: retrieval.Retriever(*of))

    # ------------------------------------------------------------------------------- which questions make rows

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Long stories leave no room in a short bucket, and where little is left to choose from, tokens may stay empty."""
        story = self._story(candidate)
        if not self._leaves_room(table, story):
            return _NO_ROOM
        if table.tokens is None or (self.writer.tokens(table) > _TIGHT and not candidate.draw):
            return ""
        variants = [self._variant(candidate)] if candidate.draw else range(self.variants)
        full = all(self.writer.is_full(table, self._filled(table, candidate, variant)[2]) for variant in variants)
        return "" if full else _NOT_FULL

    def _variant(self, candidate: Candidate) -> int:
        """Placement of a row of a training stream, drawn for the row."""
        return self.stream(self.entry.name, "draw", candidate.draw).below(self.variants)

    def _leaves_room(self, table: Table, story: Story) -> bool:
        """Whether there is room for background (counted to a few tokens)."""
        fixed = story.frame.tokens + story.tokens + self.writer.reserved
        return table.tokens is None or fixed <= _MAX_FIXED_SHARE * self.writer.tokens(table)

    def _new_story(self, candidate: Candidate) -> Story:
        """A question with its facts counted; another `draw` gives other depths and another background."""
        question, variants, draw = self.question(candidate), self.variants, candidate.draw
        facts, stream = Needle.of(question.facts, self.inputs.tokenizers), self._stream(question, "depths", draw)
        draws, deciding = sorted(stream.unit() for _ in facts), max(question.supporting)
        return Story(
            id=candidate.key + (f"-{draw}" if draw else ""),
            draw=draw,
            question=question,
            frame=self.writer.frame(tail=render_tail(question.question), **self._head),
            facts=facts,
            tokens=sum(fact.tokens[0] for fact in facts),
            depths=tuple(
                relative_depths(self.settings.placement, draws, deciding, i, variants) for i in range(variants)
            ),
        )

    def _stream(self, question: StoryQuestion, purpose: str, draw: str) -> Stream:
        """Draws of a question, the same for all entries of its bAbI task."""
        return self.stream(self.spec.name, question.part, question.position, purpose, *([draw] if draw else []))

    # --------------------------------------------------------------------------------------------------- rows

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The story at one point of its placement."""
        return self._written(table, candidate, self._variant(candidate) if candidate.draw else variant)

    def _fill(
        self, table: Table, candidate: Candidate, variant: int
    ) -> tuple[tuple[list[Run], Context], Context, list[int]]:
        """(background, facts woven into it), the same as it stands behind a line break, and exact counts."""
        story = self._story(candidate)

        def fill(budget: int) -> tuple[tuple[list[Run], Context], Context]:
            runs = self._background(table, story, budget - story.tokens) if table.tokens else []
            woven = self._sentences.woven(runs, story.facts, story.depths[variant])
            return (runs, woven), woven.flush(self.inputs.tokenizers)

        if table.tokens:
            return self.writer.fitted(table, story.frame, fill)
        result, context = fill(0)
        return result, context, self.writer.count(story.frame, context.parts())

    def _background(self, table: Table, story: Story, budget: int) -> list[Run]:
        try:
            return self._sentences.runs(table.part, self._stream(story.question, "background", story.draw), budget)
        except BuildError as error:
            raise BuildError(
                f"{error.what} ({table.part} documents of corpus {self.settings.background!r})", where=table.config,
                fix="drop the bucket, or give the corpus more documents",
            ) from None  # fmt: skip

    def _written(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        story, ((runs, woven), context, counts) = self._story(candidate), self._filled(table, candidate, variant)
        answer, choices, n = story.question.answer, self._prompt.choices, count_units(runs)
        background = in_documents(self._sentences.store, runs)
        placed = self.settings.placement != "uniform"
        return self.writer.sample(
            table, story.id, story.frame, context, counts,
            point=f"p{variant}" if placed else "",
            question=story.question.question,
            answers=[answer],
            extra=story.described(self.vocabulary, background) | self._retrieved(story, variant, runs, woven),
            spans=story.spans(self.writer, woven, context),
            variant=self.settings.placement if placed else None,
            choices=list(choices),
            answer_index=choices.index(answer) if answer in choices else None,
            depth=story.depth(variant, n),
            depth_index=variant if placed else None,
            n_units=n,
            n_unique_units=n,
            haystack=self.settings.background if runs else None,
            density=story.tokens / woven.tokens[0],
            sources=[self.settings.questions, *([self.inputs.corpus(self.settings.background).source] if runs else [])],
            doc_ids=list(dict.fromkeys(doc for doc, _, _ in background)),
        )  # fmt: skip

    def _retrieved(self, story: Story, variant: int, runs: list[Run], woven: Context) -> dict[str, Any]:
        """The key `retrieval` of `extra` where the task asks for it; training rows go without."""
        if self.settings.retrieval == "none" or story.draw:
            return {}
        n, question, start = count_units(runs), story.question, story.frame.start
        places = zip(story.depths[variant], story.facts, strict=True)
        facts = [(slot(depth, n), fact.characters, fact.tokens[0]) for depth, fact in places]
        return {"retrieval": self._retriever.found(question.question, question.supporting, woven, runs, facts, start)}

    # ------------------------------------------------------------------------------------------------ checks

    def problems(self, row: Row) -> Iterator[str]:
        """Facts, supports, background and ranks, held against the prompt and the store."""
        here = self.inputs.is_here(Use("corpora", self.settings.background))
        store = self.inputs.background(self.settings.background) if here else None
        yield from checks.problems(row, self.spec.name, store, self._solution(row["prompt"]), self.vocabulary)
        yield from retrieval_checks.problems(row, self.settings.retrieval, store, self.inputs.tokenizers[0])

    def identity(self, row: Row) -> str:
        """Facts in whatever order, question and answer."""
        return "\n".join(identity(json.loads(row["extra"])["facts"], row["question"], row["answers"][0]))

    def solve(self, prompt: str) -> list[str]:
        """The exact solver's answer."""
        return [self._solution(prompt).answer]

    def _solution(self, prompt: str) -> oracle.Solution:
        """What the oracle reads in a prompt; the last one is kept, since a row is proved in two checks."""
        of, words = self.spec.name, self.vocabulary
        return self.inputs.held((of, prompt), lambda: oracle.solve(of, prompt, strict=True, vocabulary=words))

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Retrieval accuracy."""
        return {} if self.settings.retrieval == "none" else {"retrieval": retrieval.summary(rows)}
