"""Needles: RULER's eight NIAH tasks, the needle grid, several needles at once, passkey, number string.

Facts: spec/synthetic.md A1-A5, B, D; spec/helmet.md 10. What differs and why: docs/synthetic.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from generators.haystack import Run, in_documents
from generators.pieces import Filling
from generators.rows import Frame
from generators.synthetic import needles_proof as proof
from generators.synthetic.family import Family, Kind, TaskPlan, Tools
from generators.synthetic.needles_content import Content, NeedleParams, PasskeyParams, content
from generators.synthetic.needles_lines import Needles, Noise
from generators.synthetic.needles_stacks import Built, Essay, Stack, places
from generators.synthetic.needles_words import Asking, Wording
from generators.synthetic.oracles import needles as oracle
from generators.task import Table
from haymaker.errors import BuildError
from haymaker.sample import Sample, Span
from haymaker.text import words


class NeedleTask(Family):
    """Sentences hidden in a text, and a question for some of them."""

    settings_type = NeedleParams
    settings: NeedleParams
    # wording asks for the same in other words; depths leave the order of the needles as it is
    paired = frozenset({"distractors", "closeness", "depths", "absent", "order", "wording"})

    def __init__(self, plan: TaskPlan, tools: Tools) -> None:
        super().__init__(plan, tools)
        self._stack = self._make_stack()
        self._wording = Wording(self.settings.style, self.settings.value)
        self._content = lru_cache(maxsize=4)(self._draw)

    def _make_stack(self) -> Stack:
        tools, settings = self.tools, self.settings
        if settings.haystack == "essay":
            return Essay(tools.store, tools.tokenizers, shuffled=settings.order == "shuffled")
        if settings.haystack == "noise":
            return Noise(tools.release.seed, tools.tokenizers)
        return Needles(settings, tools.release.seed, tools.tokenizers)

    @classmethod
    def points(cls, settings: NeedleParams) -> int:
        """Depths, and the row without what is asked for."""
        return settings.depths + settings.absent

    @classmethod
    def needs_background(cls, settings: NeedleParams) -> bool:
        """Essays do."""
        return settings.haystack == "essay"

    # --------------------------------------------------------------------------------------------------------- rows

    def row(self, table: Table, group: int, point: int) -> Sample:
        """See Family."""
        assert table.tokens is not None
        writer, there = self.tools.writer, self._content(table.part, group, point % self.settings.depths, False)
        told = self._content(table.part, group, 0, True) if point == self.settings.depths else there
        wanted = max(self.plan.kind.max_new_tokens, 2 * self.tools.tokenizers[0].count_part(_listed(there)))
        asking = self._asking(told)
        frame = self._frame(asking)

        def fill(budget: int) -> tuple[Built, Filling]:
            stream, order = (self.stream(table.part, group, purpose) for purpose in ("background", "order"))
            return self._stack.fill(told.statements, budget, table.tokens or 0, table.part, stream, order)

        try:
            built, filling, counts = writer.fitted(table, frame, fill, wanted)
        except BuildError as error:
            where = error.where or f"{table.config} {table.part}"
            raise BuildError(error.what, where=where, fix=error.fix or "drop the bucket") from None
        if not built.n_units or not writer.is_full(table, counts, wanted):
            what = f"group {group}: whole lines fill {counts[0]:,} of {writer.room(table, wanted):,} tokens"
            raise BuildError(what, where=table.config, fix="drop the bucket")
        return self._sample(table, group, wanted, told, asking, frame, built, filling, counts)

    def _draw(self, part: str, group: int, step: int, absent: bool) -> Content:
        taken = self._stack.taken(part)
        return content(self.settings, group, step, absent, lambda purpose: self.stream(part, group, purpose), taken)

    def _asking(self, told: Content) -> Asking:
        settings = self.settings
        keys = [] if settings.key == "none" else list(told.keys)
        lines = settings.haystack == "needles"
        return self._wording.asking(keys, settings.values, lines=lines, absent=settings.absent)

    def _frame(self, asking: Asking) -> Frame:
        span = Span(0, len(asking.instruction), "instruction", token_start=0)
        opener = self._stack.opener
        return self.tools.writer.frame(asking.head + opener, asking.tail, cue=asking.cue, opener=opener, spans=[span])

    def _sample(
        self, table: Table, group: int, wanted: int, told: Content, asking: Asking, frame: Frame,
        built: Built, filling: Filling, counts: Sequence[int],
    ) -> Sample:  # fmt: skip
        settings, absent = self.settings, told.first is None
        ranges = self._ranges(built.runs)
        others = sum(not s.asked for s in told.statements)
        at = f"d{told.depth_index}" if settings.depths > 1 else ""
        told_words = {w for s in told.statements if s.asked for w in words(s.text)}
        asked_words = set(words(asking.question))
        return self.tools.writer.sample(
            table, self.group_id(table.part, group), frame, filling, counts,
            point="absent" if absent else at,
            question=asking.question,
            answers=[_listed(told)],
            answer_groups=told.answers(),
            extra={"keys": [key for key in told.keys if key], **({"background": ranges} if ranges else {})},
            spans=self._spans(told, frame, built, filling),
            max_new_tokens=wanted,
            variant="absent" if absent else None,
            depth=None if told.first is None else built.slots[told.statements.index(told.first)] / built.n_units,
            depth_index=told.depth_index,
            n_units=built.n_units,
            n_unique_units=built.n_units,
            n_distractors=others + (built.n_units if settings.haystack == "needles" else 0),
            haystack=self.tools.corpus if settings.haystack == "essay" else settings.haystack,
            overlap=len(asked_words & told_words) / len(asked_words),
            density=self._special_tokens(told) / built.tokens,
            sources=self.tools.sources,
            doc_ids=list(dict.fromkeys(doc for doc, _, _ in ranges)),
        )  # fmt: skip

    def _special_tokens(self, told: Content) -> int:
        return sum(self.tools.tokenizers[0].count_units([f" {s.text}" for s in told.statements]))

    def _spans(self, told: Content, frame: Frame, built: Built, filling: Filling) -> Iterator[Span]:
        """One per statement, in order; tokens by prefix sums, with what the seam of head and context costs."""
        tokenizer = self.tools.tokenizers[0]
        before = tokenizer.joined([frame.heads[0], filling.parts()[0]]) - built.tokens
        for i, (statement, start, end, tokens) in enumerate(
            zip(told.statements, built.starts, built.ends, built.token_starts, strict=True)
        ):
            kind = "gold" if statement.asked else "distractor"
            at = frame.tokens_before if start == 0 else before + tokens
            yield Span(frame.start + start, frame.start + end, kind, f"needle:{i}", at, label=statement.key or None)

    def _ranges(self, runs: Sequence[Run]) -> list[tuple[str, int, int]]:
        """(document, first sentence, one past the last) within each document, in order."""
        if not isinstance(self._stack, Essay):
            return []
        return in_documents(self._stack.store, runs)

    # -------------------------------------------------------------------------------------------------------- proof

    @classmethod
    def solve(cls, prompt: str) -> list[str]:
        """See Family."""
        return oracle.solve(prompt)

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """See Family."""
        yield from proof.problems(row, self.settings)
        yield from proof.place_problems(row, self.settings.depths)
        if isinstance(self._stack, Essay) and self.tools.store is not None:
            yield from proof.essay_problems(row, self._stack.store, self._units(row), self.settings.depths)

    def _units(self, row: dict[str, Any]) -> list[int]:
        """Units of the store in the row's context, in order."""
        assert isinstance(self._stack, Essay)
        first_of = self._stack.store.first_of
        runs = [Run(first_of[doc] + first, first_of[doc] + last) for doc, first, last in proof.ranges(row)]
        if self.settings.order == "coherent":
            return [unit for run in runs for unit in range(run.first, run.last)]
        group = int(row["group_id"].rpartition("-")[2])
        found: list[int] = places(runs, self.stream(row["part"], group, "order")).tolist()
        return found

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """Sentences of the corpus as ranges, or lines, or shuffled sentences one by one."""
        if self.settings.order == "shuffled":
            return [(str(unit), 0, 1) for unit in self._units(row)]
        return proof.ranges(row) or [(unit, 0, 1) for unit in proof.units(row)]

    def limit(self) -> int | None:
        """See Family."""
        return self._stack.limit()


class Passkey(NeedleTask):
    """One number, and no key."""

    settings_type = PasskeyParams


def _listed(told: Content) -> str:
    return ", ".join(value for values in told.answers() for value in values)


_METRICS = ("ruler_all@strict", "ruler_all@official", "ruler_f1@strict")
_PASSKEY = ("passkey@strict", "passkey@official")
_BOOKS = "the background corpus ends"
_LINES = "its stock of different lines"


def _ruler(title: str, **settings: Any) -> Kind:
    """A task of RULER or of its kind: 128 tokens for the answer (differs from HELMET: 50 are too few for four UUIDs)."""
    ends = _BOOKS if settings.get("haystack", "essay") == "essay" else _LINES
    return Kind(title, NeedleTask, "recall", _METRICS, 128, ends, settings)


KINDS: dict[str, Kind] = {
    "niah_single_1": _ruler("RULER NIAH single 1: a number among filler sentences", haystack="noise"),
    "niah_single_2": _ruler("RULER NIAH single 2: a number in books"),
    "niah_single_3": _ruler("RULER NIAH single 3: a UUID in books", value="uuid"),
    "niah_multikey_1": _ruler("RULER NIAH multikey 1: one of four numbers in books", distractors=3),
    "niah_multikey_2": _ruler("RULER NIAH multikey 2: one line of many like it", haystack="needles"),
    "niah_multikey_3": _ruler(
        "RULER NIAH multikey 3: one UUID of many by its UUID", haystack="needles", key="uuid", value="uuid"
    ),
    "niah_multivalue": _ruler("RULER NIAH multivalue: four numbers of one name in books", values=4),
    "niah_multiquery": _ruler("RULER NIAH multiquery: the numbers of four names in books", queries=4),
    "niah": _ruler("Needle in a haystack: a number in books at eleven depths", depths=11),
    "niah_multi": _ruler(
        "Needles in a haystack: three of seven numbers, evenly spread behind eleven depths", queries=3, distractors=4, depths=11
    ),
    "passkey": Kind(
        "Passkey: five digits, said twice in one sentence", Passkey, "recall", _PASSKEY, 32, _LINES,
        {"haystack": "noise", "key": "none", "value": "digits"},
    ),
    "number_string": Kind(
        "Number string: ten digits with repetitions", Passkey, "recall", _PASSKEY, 32, _LINES,
        {"haystack": "noise", "key": "none", "value": "runs"},
    ),
}  # fmt: skip
