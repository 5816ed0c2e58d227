"""One row over passages: head with worked examples, passages, question; filled to its bucket, counted exactly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from corpora.passages import OPENER, SEPARATOR
from corpora.tokenizer import Part as TextPart
from corpora.tokenizer import Tokenizer
from generators import units
from generators.passages import prompts
from generators.passages.demos import Demos
from generators.passages.family import Family, Material
from generators.passages.stock import Stock
from generators.task import Table, TaskInfo
from generators.units import Context, Labels, Units
from haymaker.buckets import MIN_FILL
from haymaker.errors import BuildError
from haymaker.params import ReleaseParams
from haymaker.sample import Sample, Span
from haymaker.text import words

_TIGHT = 8192  # tokens of a bucket up to which whole passages may fail to fill it


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with everything that its rows share at every length, encoded and counted.

    Attributes:
        material: its passages.
        units: the same, encoded.
        head: instruction and worked examples.
        head_text: the head and the opener of the first passage.
        heads, tails: the texts around the context, counted by each tokenizer.
        tail: the text behind the context.
        demo_ids: questions of the worked examples.
        fixed_tokens: release tokens of the passages that every row shows.
        sums: prefix sums of the others, in order of priority.
    """

    material: Material
    units: Units
    head: prompts.Head
    head_text: str
    heads: list[TextPart]
    tail: str
    tails: list[TextPart]
    demo_ids: list[str]
    fixed_tokens: int
    sums: memoryview


class RowBuilder:
    """Builds the rows of one task.

    Args:
        family: of the task, with its plan.
        info: of the task.
        stock: the mined set.
        release: seed and reserves.
        tokenizers: release tokenizer first.
        version: of the suite.
    """

    def __init__(
        self, family: Family, info: TaskInfo, stock: Stock, release: ReleaseParams,
        tokenizers: Sequence[Tokenizer], version: int,
    ) -> None:  # fmt: skip
        self._family, self._info, self._stock, self._release = family, info, stock, release
        self._tokenizers, self._version = tokenizers, version
        self._wording = prompts.wordings()[family.plan.kind.prompt]
        self._demos = Demos(stock, family, self._wording)
        self._labels = Labels(family.label, tokenizers) if family.label else None
        self.prepared = lru_cache(maxsize=1)(self._prepare)  # the rows of a group stand side by side
        self._orders = lru_cache(maxsize=1)(self._choose)

    # -------------------------------------------------------------------------------------------------- questions

    def unfit(self, index: int) -> str:
        """Why a question cannot be asked at any length; empty when it can."""
        return self._family.unfit(self._stock.stub(index).question)

    def short_of(self, table: Table, index: int) -> str:
        """Why a question makes no row of this bucket; empty when it does. Long buckets need the passages' sizes alone."""
        stub, room = self._stock.stub(index), (table.tokens or 0) - self._reserved
        golds = sum(stub.question.gold.tokens[0][i] for i in self._family.fixed(stub.question))
        if table.tokens and table.tokens > _TIGHT and sum(stub.sizes) >= room and golds <= room // 2:
            return ""
        prepared = self.prepared(index)
        budget = self._budget(prepared, room)
        if budget < 0:
            return "gold and worked examples leave no room"
        if prepared.sums[-1] <= budget:
            return "its distractors end before the bucket is full"
        orders = self._orders(index, table.tokens)
        if self._family.plan.kind.placed and len(orders[0]) < self._family.plan.points:
            return "fewer passages than depths"
        counts = prepared.units.count(orders[0], prepared.heads, prepared.tails)
        return "" if room - counts[0] <= (1 - MIN_FILL) * (table.tokens or 0) else "no choice of passages fills 99.5 %"

    @property
    def _reserved(self) -> int:
        return self._release.reserved_template_tokens + self._info.max_new_tokens

    def _prepare(self, index: int) -> Prepared:
        material = self._family.material(self._stock.whole(index))
        question = material.question.question
        demos = self._demos.choose(material)
        shown = frozenset[str]().union(*(demo.passages for demo in demos))
        material = replace(material, pool=[i for i in material.pool if material.passages.passage_id[i] not in shown])
        head = prompts.head(self._wording, question, [demo.text for demo in demos])
        head_text, tail = head.text + OPENER, prompts.tail(self._wording, question)
        made = Units(
            self._family.texts(material), self._tokens(material), self._tokenizers, SEPARATOR + OPENER,
            self._family.leads(material), self._labels,
        )  # fmt: skip
        return Prepared(
            material, made, head, head_text, [t.part(head_text) for t in self._tokenizers],
            tail, [t.part(tail) for t in self._tokenizers], [demo.question_id for demo in demos],
            *made.sums(material.fixed, material.pool),
        )  # fmt: skip

    def _tokens(self, material: Material) -> list[list[int]]:
        """Tokens of each unit under each tokenizer: as mined, with the id before it where one is shown."""
        if not material.shown_ids:
            return material.passages.tokens
        labels = [f" [ID: {shown}]:" for shown in material.shown_ids]
        return [
            [a + b for a, b in zip(counts, tokenizer.count_units(labels), strict=True)]
            for tokenizer, counts in zip(self._tokenizers, material.passages.tokens, strict=True)
        ]

    def _budget(self, prepared: Prepared, room: int) -> int:
        """Tokens for the passages of the pool; a seam may take one or two of them."""
        around = prepared.heads[0].tokens + prepared.tails[0].tokens + prepared.fixed_tokens
        return room - around + prepared.units.closing_tokens()

    # ------------------------------------------------------------------------------------------------------ rows

    def _choose(self, index: int, bucket: int) -> list[list[int]]:
        """The passages of a question's rows, the same in each, in the order of each point.

        Raises:
            BuildError: too few passages for the bucket, or not even the gold fits.
        """
        prepared, points = self.prepared(index), range(self._family.plan.points)
        room = bucket - self._reserved
        budget = self._budget(prepared, room)
        while budget >= 0:
            chosen = [
                *prepared.material.fixed,
                *(prepared.material.pool[i] for i in units.fit(prepared.sums, budget, bucket)),
            ]
            if not chosen:
                break
            orders = [self._family.order(prepared.material, chosen, point) for point in points]
            used = max(prepared.units.count(order, prepared.heads, prepared.tails)[0] for order in orders)
            if used <= room:
                return orders
            budget -= used - room
        raise BuildError(
            "gold and worked examples leave no room", where=self._stock.group_id(index), fix="drop the bucket"
        )

    def row(self, table: Table, index: int, point: int) -> Sample:
        """The row of a question in a bucket, at a depth or in an order.

        Raises:
            BuildError: the question has too few passages for the bucket.
        """
        assert table.tokens is not None
        prepared = self.prepared(index)
        order = self._orders(index, table.tokens)[point]
        context = prepared.units.context(order)
        counts = prepared.units.count(order, prepared.heads, prepared.tails)
        plan, material, start = self._family.plan, prepared.material, len(prepared.head_text)
        end = start + context.characters
        answer, deciding, group = (
            self._family.answer(material, order),
            self._family.deciding(material),
            self._stock.group_id(index),
        )
        return Sample(
            id=f"{table.suite}-{table.task}-{table.bucket}-{group}-{'d' if plan.kind.placed else 'p'}{point}",
            group_id=group,
            suite=table.suite,
            task=table.task,
            task_version=self._version,
            category=plan.kind.category,
            language=self._release.language,
            part=table.part,
            variant=plan.kind.variant,
            bucket=table.bucket,
            bucket_tokens=table.tokens,
            prompt=b"".join((prepared.head_text.encode(), context.text, prepared.tail.encode())),
            context_start=start - len(OPENER),
            context_end=end,
            cue_start=end + len(prepared.tail) - len(self._wording.cue),
            question=material.question.question,
            prompt_tokens=counts[0],
            reserved_output_tokens=self._info.max_new_tokens,
            reserved_template_tokens=self._release.reserved_template_tokens,
            slack_tokens=table.tokens - self._reserved - counts[0],
            token_counts=self._token_counts(prepared, context, counts),
            answers=answer.answers,
            answer_groups=answer.groups,
            references=material.question.references or None,
            metrics=list(self._info.metrics),
            max_new_tokens=self._info.max_new_tokens,
            stop=list(plan.kind.stop) or None,
            depth=None if deciding is None else order.index(deciding) / max(1, len(order) - 1),
            depth_index=point if plan.kind.placed else None,
            permutation=None if plan.kind.placed else point,
            n_units=len(order),
            n_unique_units=len({material.passages.text[i] for i in order}),
            n_distractors=sum(self._family.is_distractor(material, i) for i in order),
            haystack=self._stock.corpus,
            overlap=None if deciding is None else _overlap(material, order),
            spans=[*self._head_spans(prepared), *self._passage_spans(prepared, order, context)],
            sources=self._stock.sources,
            doc_ids=[material.passages.passage_id[i] for i in order],
            demo_ids=prepared.demo_ids,
            seed=self._release.seed,
            extra=json.dumps({"k": len(order), **answer.extra}, ensure_ascii=False, separators=(",", ":")),
        )

    def _token_counts(self, prepared: Prepared, context: Context, counts: list[int]) -> list[dict[str, int | str]]:
        others = [(t.fingerprint, n) for t, n in zip(self._tokenizers, counts, strict=True)][1:]
        around = f"{prepared.head_text} {prepared.tail}"
        more = (("words", len(around.split()) + context.words),
                ("characters", len(around) - 1 + context.characters))  # fmt: skip
        return [{"tokenizer": name, "tokens": n} for name, n in (*others, *more)]

    def _head_spans(self, prepared: Prepared) -> list[Span]:
        demos = zip(prepared.head.demos, prepared.demo_ids, strict=True)
        spans = [Span(*bounds, "demo", f"demo:{shown}") for bounds, shown in demos]
        return sorted([*spans, Span(*prepared.head.instruction, "instruction")], key=lambda span: span.start)

    def _passage_spans(self, prepared: Prepared, order: list[int], context: Context) -> list[Span]:
        """One per passage, without the number or id before it; tokens by prefix sums from the first passage on."""
        material, passages = prepared.material, prepared.material.passages
        start, before = len(prepared.head_text), self._tokenizers[0].joined([prepared.heads[0]])
        label = self._family.span_label
        return [
            Span(
                start + first, start + last, self._family.kind(material, i), passages.passage_id[i], before + tokens,
                passages.title[i] or None, passages.rank[i], passages.score[i], label(material, i),
            )
            for i, first, last, tokens in zip(order, context.starts, context.ends, context.token_starts, strict=True)
        ]  # fmt: skip


def _overlap(material: Material, order: Sequence[int]) -> float:
    """Share of the question's words that stand in the golds shown, titles included."""
    asked = set(words(material.question.question))
    golds = [i for i in order if i < material.n_gold]
    told = {w for i in golds for w in words(f"{material.passages.title[i]}\n{material.passages.text[i]}")}
    return len(asked & told) / max(1, len(asked))
