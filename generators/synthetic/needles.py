"""Needles: RULER's eight NIAH tasks, the needle grid, several needles at once, passkey, number string.

Facts: docs/spec/synthetic.md A1, A2, A3, B, D; docs/spec/helmet.md 10. Differences and reasons: docs/suites/synthetic.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial
from typing import Any

from generators.context.background_checks import ranges, runs
from generators.context.context import Context
from generators.context.sentences import Run, Sentences, in_documents, sentences, slot
from generators.context.writer import Frame
from generators.generated.base import GENERATED_SKIPS, RULER_METRICS, GeneratedTask
from generators.generated.rows import framed
from generators.spec import Allowed, BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic import needles_checks as checks
from generators.synthetic.needles_content import Content, content
from generators.synthetic.needles_haystacks import Essay, Filled, Lines, filler, needle_lines, places
from generators.synthetic.needles_settings import NeedleSettings, Wording
from generators.synthetic.oracles import needles as oracle
from generators.synthetic.phrases import Phrases, check_language, needed_by, phrases_of
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import words


class NeedleTask(GeneratedTask[NeedleSettings]):
    """Sentences hidden in a text, and a question for some of them.

    TaskSpec.kind: setting -> values that the metrics of the task can score; None: all values.
    """

    settings_type = NeedleSettings
    # paraphrase asks for the same in other words; depths leave the order of the needles as it is
    paired = frozenset(
        {"distractors", "decoys", "distractor_similarity", "depths", "unanswerable", "order", "paraphrase"}
    )

    @cached_property
    def phrases(self) -> Phrases:
        """Phrases of the entry."""
        return phrases_of(self.entry, self.inputs)

    @property
    def language(self) -> str:
        return self.phrases.language

    def fingerprint(self) -> dict[str, Any]:
        return self.phrases.fingerprint

    def solve(self, prompt: str) -> list[str]:
        if self.phrases.is_english:
            return oracle.solve(prompt)
        return oracle.solve_in(prompt, self.phrases.said, self.phrases.lists.get("other.wordings", ()))

    def check(self) -> None:
        settings, where = self.settings, self.entry.where
        for key, values in (self.spec.kind or {}).items():
            if (value := getattr(settings, key)) not in values:
                what = f"the metrics of {self.spec.name} need {' or '.join(map(repr, values))}, not {value!r}"
                raise ParamsError(what, where=f"{where}: {key}", fix="change it, or use the task niah")
        if settings.haystack == "essay" and settings.background is None:
            fix = f"set a corpus in suites.{self.entry.suite}.background"
            raise ParamsError("haystack essay requires a corpus", where=where, fix=fix)
        check_language(self.entry, self.inputs, self.phrases, settings.background)
        with needed_by(self.entry):
            Wording(settings, self.phrases).check()

    def limit(self, split: Split = "test") -> int:
        return self._haystack.limit(split)

    @cached_property
    def _sentences(self) -> Sentences:
        return sentences(self.inputs, str(self.settings.background))

    @cached_property
    def _haystack(self) -> Essay | Lines:
        self.check()  # training rows may be requested of a task that the release does not list
        settings, key, tokenizers = self.settings, self.release.stream_key, tuple(self.inputs.tokenizers)
        if settings.haystack == "essay":
            return Essay(self._sentences, tokenizers, self.phrases.key_words, settings.order == "shuffled")
        if settings.haystack == "noise":
            return filler(key, tokenizers, self.phrases)
        return needle_lines(settings, key, tokenizers, self.phrases)

    @cached_property
    def _content(self) -> Callable[[Split, int, int, bool], Content]:
        def draw(split: Split, group: int, point: int, unanswerable: bool) -> Content:
            draws, taken = partial(self.draws, split, group), self._haystack.taken(split)
            return content(self.settings, self.phrases, group, point, unanswerable, draws, taken)

        return lru_cache(maxsize=4)(draw)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        split, group, depths = candidate.split, candidate.number, self.settings.depths
        there = self._content(split, group, variant % depths, False)
        hidden = self._content(split, group, 0, True) if variant == depths else there
        budget = max(self.spec.max_new_tokens, 2 * self.inputs.tokenizers[0].count_part(_listed(there)))
        request = Wording(self.settings, self.phrases).request(list(filter(None, hidden.keys)))
        opener, cue = self._haystack.opener, request.cue
        tail = f"\n</text>\n\n{self.phrases.question(request.question, request.form)}\n{cue}"
        frame = framed(self.writer, request.instruction, f"<text>\n{opener}", tail, cue=cue, opener=opener)
        filled, context, counts = self._filled(table, candidate, hidden, frame, budget)
        unanswerable, at = hidden.depth is None, f"d{hidden.depth_index}" if depths > 1 else ""
        return self.writer.sample(
            table, candidate.key, frame, context, counts,
            point="unanswerable" if unanswerable else at,
            question=request.question,
            answers=[_listed(hidden)],
            answer_groups=hidden.answers(),
            spans=self._spans(hidden, frame, filled, context),
            max_new_tokens=budget,
            variant="unanswerable" if unanswerable else None,
            question_gold_overlap=_overlap(hidden, request.question),
            depth_index=hidden.depth_index,
            **self._columns(hidden, filled),
        )  # fmt: skip

    def _filled(
        self, table: Table, candidate: Candidate, hidden: Content, frame: Frame, budget: int
    ) -> tuple[Filled, Context, list[int]]:
        draws = partial(self.draws, candidate.split, candidate.number)

        def fill(tokens: int) -> tuple[Filled, Context]:
            filled = self._haystack.fill(hidden.statements, tokens, table, draws)
            return filled, filled.context if frame.opener else filled.context.flush(self.inputs.tokenizers)

        filled, context, counts = self.writer.fitted(table, frame, fill, budget)
        if not filled.num_segments or not self.writer.is_full(table, counts, budget):
            full = f"whole lines fill {counts[0]:,} of {self.writer.room(table, budget):,} tokens"
            raise BuildError(f"group {candidate.number}: {full}", where=table.config, fix="drop the length")
        return filled, context, counts

    def _columns(self, hidden: Content, filled: Filled) -> dict[str, Any]:
        kind, n = self.settings.haystack, filled.num_segments
        ranges = in_documents(self._sentences.store, filled.runs) if kind == "essay" else []
        needles = self.inputs.tokenizers[0].count_units([f" {s.text}" for s in hidden.statements if s.kind != "decoy"])
        return {
            "metadata": {"keys": [key for key in hidden.keys if key], **({"background": ranges} if ranges else {})},
            "depth": None if hidden.depth is None else slot(hidden.depth, n) / n,
            "num_segments": n,
            "num_unique_segments": n,
            "num_distractors": sum(s.kind == "distractor" for s in hidden.statements) + (n if kind == "needles" else 0),
            "background_corpus": self.settings.background if kind == "essay" else kind,
            "evidence_density": sum(needles) / filled.context.tokens[0],
            "doc_ids": list(dict.fromkeys(doc for doc, _, _ in ranges)),
        }

    def _spans(self, hidden: Content, frame: Frame, filled: Filled, context: Context) -> Iterator[Span]:
        before = self.writer.tokens_before(frame, context, filled.context.tokens[0])
        places = zip(hidden.statements, context.starts, context.ends, context.token_starts, strict=True)
        for i, (statement, start, end, tokens) in enumerate(places):
            name = "decoy" if statement.kind == "decoy" else "needle"
            yield frame.span(start, end, statement.kind, f"{name}:{i}", before + tokens, statement.key or None)

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        yield from checks.problems(row, self.settings, self.phrases)
        if self.settings.haystack == "essay" and self.inputs.are_here(self.uses()):
            yield from checks.essay_problems(row, self._sentences.store, self._shown(row), self.settings.depths)

    def _shown(self, row: Row) -> list[tuple[int, int]]:
        """Return the background of an essay as runs of units of the corpus, in order."""
        shown = runs(row, self._sentences.store)
        if self.settings.order == "coherent":
            return shown
        order = self.draws(row["split"], int(row["group_id"].rpartition("-")[2]), "order")
        return [(unit, unit + 1) for unit in places([Run(*each) for each in shown], order).tolist()]

    def background(self, row: Row) -> BackgroundUnits:
        if self.settings.order == "shuffled":
            return [str(first) for first, _ in self._shown(row)]
        return ranges(row) or checks.units(row)


def _overlap(hidden: Content, question: str) -> float:
    """Return the share of the question's words that the gold needles contain."""
    terms = set(words(question))
    return len(terms & {word for s in hidden.statements if s.kind == "gold" for word in words(s.text)}) / len(terms)


def _listed(hidden: Content) -> str:
    return ", ".join(value for values in hidden.answers() for value in values)


_PASSKEY = ("passkey@strict", "passkey@official")
_DECOYS = 8  # of our own tasks in books: a search for numbers finds nine
_ONE_NUMBER = {"key": ("none",), "value": ("digits", "runs")}  # all that the metrics of a passkey can score
_BOOKS = "the background corpus ends"
_LINES = "its stock of different lines"
_WHY = "The question names the key and a needle says it: whoever searches for the key finds the needle, as in RULER."
_NAMED = {"bm25_top1": Allowed(100, _WHY)}
_FORMULA = "The needle begins with the same words in every row, as in InfiniteBench; a text of few sentences is soon read through."


def _ruler(name: str, title: str, **defaults: Any) -> TaskSpec:
    """Return a task of RULER or like RULER's: 128 tokens for the answer (differs from HELMET: 50 are too few for four UUIDs)."""
    ends = _BOOKS if defaults.get("haystack", "essay") == "essay" else _LINES
    return TaskSpec(
        name, NeedleTask, f"{title}: {{what}} {{where}}{{how}}", "recall", RULER_METRICS, 128, version=5, ends=ends,
        defaults=defaults, skips=GENERATED_SKIPS, allows=_NAMED,
    )  # fmt: skip


def _passkey(name: str, title: str, value: str) -> TaskSpec:
    defaults = {"haystack": "noise", "key": "none", "value": value}
    return TaskSpec(
        name, NeedleTask, f"{title} {{where}}{{how}}", "recall", _PASSKEY, 32, version=3, ends=_LINES, defaults=defaults,
        skips=GENERATED_SKIPS, kind=_ONE_NUMBER, allows={"after_markers": Allowed(100, _FORMULA)},
    )  # fmt: skip


TASKS = (
    _ruler("niah_single_1", "RULER NIAH single 1", haystack="noise"),
    _ruler("niah_single_2", "RULER NIAH single 2"),
    _ruler("niah_single_3", "RULER NIAH single 3", value="uuid"),
    _ruler("niah_multikey_1", "RULER NIAH multikey 1", distractors=3),
    _ruler("niah_multikey_2", "RULER NIAH multikey 2", haystack="needles"),
    _ruler("niah_multikey_3", "RULER NIAH multikey 3", haystack="needles", key="uuid", value="uuid"),
    _ruler("niah_multivalue", "RULER NIAH multivalue", values=4),
    _ruler("niah_multiquery", "RULER NIAH multiquery", queries=4),
    _ruler("niah", "Needle in a haystack", depths=11, decoys=_DECOYS),
    _ruler("niah_multi", "Needles in a haystack", queries=3, distractors=4, depths=11, decoys=_DECOYS),
    _passkey("passkey", "Passkey: {digits}, said twice in one sentence", "digits"),
    _passkey("number_string", "Number string: {digits}, said twice in one sentence", "runs"),
)
