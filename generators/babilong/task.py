"""Tasks qa1 to qa20: the facts of a bAbI story, in order, between sentences of books, filled to the length.

A training stream uses every question once before any repeats (except to replace a question that is too long), each time with new
depths and background; the reference draws stories and books with replacement (docs/spec/babilong.md 6.7).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache, partial
from typing import Any

from generators.babilong import checks, oracle
from generators.babilong.prompts import CUE, TaskPrompt, head_parts, load_prompts, render_tail
from generators.babilong.questions import Read, evidence, identity, pool
from generators.babilong.story import BABILongSettings, Story, relative_depths
from generators.context.context import Context
from generators.context.prompt import framed
from generators.context.sentences import Needle, Run, Sentences, count_units, in_documents, sentences
from generators.inputs import Inputs, Use
from generators.pool import Pool
from generators.spec import Candidate, Entry, Row, Table
from generators.task import Task
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split, StoryQuestion

_TIGHT = 4096  # tokens; longer rows can always be filled
_MAX_FIXED_SHARE = 0.9  # of a length, for everything except background
Filled = tuple[tuple[list[Run], Context], Context, list[int]]


class StoryTask(Task[BABILongSettings]):
    """A bAbI task; its candidates are the questions, read once per process."""

    settings_type = BABILongSettings
    no_background = True
    redraws = True

    def __init__(self, entry: Entry[BABILongSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._story = lru_cache(maxsize=64)(self._new_story)
        self._filled = lru_cache(maxsize=1)(self._fill)  # for `rejection_reason_at`, then for `row`

    def check(self) -> None:
        """Refuse a background that may contain facts of the vocabulary `large`.

        Raises:
            ParamsError: the corpus keeps sentences that look like facts.
        """
        params, questions, corpus = self.inputs.params, self.settings.questions, self.settings.background
        if questions not in params.sources or corpus not in params.corpora:
            return  # reported elsewhere, with the unknown name
        if self.vocabulary == "large" and "babi_large" not in self.inputs.corpus(corpus).clean.decontaminate:
            raise ParamsError(
                f"questions of {questions!r} use the vocabulary large, but the corpus keeps sentences that look like theirs",
                where=f"corpora.{corpus}.clean.decontaminate", fix="add babi_large",
            )  # fmt: skip

    def fingerprint(self) -> dict[str, Any]:
        texts = self._prompt.model_dump(mode="json")
        return {"splits": sorted(self._parts), "vocabulary": self.vocabulary, "texts": texts}

    def limit(self, split: Split = "test") -> int:
        return self._sentences.held(split)

    def check_feasible(self, table: Table) -> None:
        what = (
            f"corpus {self.settings.background!r} contains {{limit}} tokens of {table.split} text, but the length is "
        )
        self._check_limit(table, f"{what}{table.tokens or 0:,}", "give the corpus more documents")

    @cached_property
    def vocabulary(self) -> str:
        return self.inputs.source(self.settings.questions).vocabulary_name()

    @cached_property
    def _prompt(self) -> TaskPrompt:
        return load_prompts(self.vocabulary)[self.spec.name]

    @cached_property
    def _sentences(self) -> Sentences:
        return sentences(self.inputs, self.settings.background)

    @cached_property
    def _read(self) -> Read:
        name = self.settings.questions
        read = partial(self.inputs.source(name).stories, self.inputs.raw(name))
        return self.inputs.shared(("bAbI", name), lambda: cache(read))

    @cached_property
    def _parts(self) -> frozenset[Split]:
        """Splits that the release requests of this bAbI task, under any name."""
        alike = (entry for entry in self.entry.siblings.values() if entry.spec.name == self.spec.name)
        return frozenset({"test", *(split for entry in alike for _, split, _ in entry.rows)})

    def pool(self, split: Split) -> Pool[StoryQuestion]:
        """Questions that are decidable and neither repeated nor in another split, numbered by position in their file."""
        of, key, splits = self.spec.name, self.release.stream_key, self._parts
        items, dropped = self.inputs.shared(
            ("bAbI pool", self.settings.questions, of, split, splits),
            lambda: pool(self._read, of, split, stream_key=key, apart_from=splits, vocabulary=self.vocabulary),
        )
        return Pool(
            split, items, lambda i: f"{of}-{split}-{items[i].position:05d}", lambda i: items[i].position, dropped
        )

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        if table.tokens is None:
            return ""
        story, tokens = self._story(candidate), self.writer.tokens(table)
        if story.frame.tokens + story.tokens + self.writer.reserved > _MAX_FIXED_SHARE * tokens:
            return "facts and prompt leave no room for background"
        if tokens > _TIGHT and not candidate.draw:
            return ""
        variants = [self._variant(candidate)] if candidate.draw else range(self.variants)
        full = all(self.writer.is_full(table, self._filled(table, candidate, variant)[2]) for variant in variants)
        return "" if full else "no choice of sentences fills 99.5 %"

    def _variant(self, candidate: Candidate) -> int:
        """Placement of a row of a training stream."""
        return self.stream(self.entry.name, "draw", candidate.draw).below(self.variants)

    def _new_story(self, candidate: Candidate) -> Story:
        question = self._read(self.spec.name, candidate.split)[candidate.number]
        facts, stream = Needle.of(question.facts, self.inputs.tokenizers), self._stream(candidate, "depths")
        draws, deciding = sorted(stream.unit() for _ in facts), max(question.supporting)
        depths = partial(relative_depths, self.settings.placement, draws, deciding, points=self.variants)
        return Story(
            question=question,
            frame=framed(self.writer, head_parts(self._prompt), render_tail(question.question), cue=CUE),
            facts=facts,
            tokens=sum(fact.tokens[0] for fact in facts),
            depths=tuple(depths(point) for point in range(self.variants)),
        )

    def _stream(self, candidate: Candidate, purpose: str) -> Stream:
        """Draws of a question, the same for all entries of its bAbI task."""
        draw = [candidate.draw] if candidate.draw else []
        return self.stream(self.spec.name, candidate.split, candidate.number, purpose, *draw)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        variant = self._variant(candidate) if candidate.draw else variant
        story, ((runs, woven), context, counts) = self._story(candidate), self._filled(table, candidate, variant)
        question, choices, n = story.question, self._prompt.choices, count_units(runs)
        background = in_documents(self._sentences.store, runs)
        placed = self.settings.placement != "uniform"
        return self.writer.sample(
            table, f"{candidate.key}-{candidate.draw}" if candidate.draw else candidate.key, story.frame, context, counts,
            point=f"p{variant}" if placed else "",
            question=question.question, answers=[question.answer],
            metadata={
                "facts": question.facts, "supporting": question.supporting,
                "evidence": evidence(question, self.vocabulary), "vocabulary": self.vocabulary,
                "story": question.story, "position": question.position, "background": background,
            },
            spans=story.spans(self.writer, woven, context),
            variant=self.settings.placement if placed else None,
            choices=list(choices),
            answer_index=choices.index(question.answer) if question.answer in choices else None,
            depth=story.depth(variant, n), depth_index=variant if placed else None,
            num_segments=n, num_unique_segments=n,
            background_corpus=self.settings.background if runs else None,
            evidence_density=story.tokens / woven.tokens[0],
            sources=[self.settings.questions, *([self._background_source] if runs else [])],
            doc_ids=list(dict.fromkeys(doc for doc, _, _ in background)),
        )  # fmt: skip

    @cached_property
    def _background_source(self) -> str:
        return self.inputs.corpus(self.settings.background).source

    def _fill(self, table: Table, candidate: Candidate, variant: int) -> Filled:
        """Return (background, context), the context as it follows a line break, and exact counts."""
        story = self._story(candidate)

        def fill(budget: int) -> tuple[tuple[list[Run], Context], Context]:
            runs = self._background(table, candidate, budget - story.tokens) if table.tokens else []
            woven = self._sentences.woven(runs, story.facts, story.depths[variant])
            return (runs, woven), woven.flush(self.inputs.tokenizers)

        if table.tokens:
            return self.writer.fitted(table, story.frame, fill)
        result, context = fill(0)
        return result, context, self.writer.count(story.frame, context.parts())

    def _background(self, table: Table, candidate: Candidate, budget: int) -> list[Run]:
        try:
            return self._sentences.runs(table.split, self._stream(candidate, "background"), budget)
        except BuildError as error:
            what = f"{error.what} ({table.split} documents of corpus {self.settings.background!r})"
            fix = "drop the length, or give the corpus more documents"
            raise BuildError(what, where=table.config, fix=fix) from None

    def problems(self, row: Row) -> Iterator[str]:
        here = self.inputs.is_here(Use("corpora", self.settings.background))
        store = self.inputs.background(self.settings.background) if here else None
        return checks.problems(row, self.spec.name, store, self._solution(row["prompt"]), self.vocabulary)

    def identity(self, row: Row) -> str:
        return "\n".join(identity(json.loads(row["metadata"])["facts"], row["question"], row["answers"][0]))

    def solve(self, prompt: str) -> list[str]:
        return [self._solution(prompt).answer]

    def _solution(self, prompt: str) -> oracle.Solution:
        """Solution of a prompt, cached for the second check of the same row."""
        of, words = self.spec.name, self.vocabulary
        return self.inputs.held((of, prompt), lambda: oracle.solve(of, prompt, strict=True, vocabulary=words))
