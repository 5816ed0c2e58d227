"""Sentences of a background corpus with needles between them: a walk through documents, with known positions.

Nothing is tokenized: with prefix sums, fitting is a bisection, and a context is a few slices and one join.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from corpora.stores.sentences.store import Background, Entry
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.fit import fit, sentence_reach
from generators.context.writer import Frame, RowWriter
from generators.inputs import Inputs
from generators.spec import Table
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Span


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring units [first, last) of the store."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Needle:
    """A text to hide.

    Attributes:
        text: UTF-8, beginning with exactly one space.
        tokens: in-join tokens, one count per tokenizer.
        characters: length of the text.
    """

    text: bytes
    tokens: tuple[int, ...]
    characters: int

    @staticmethod
    def of(texts: Sequence[str], tokenizers: Sequence[Tokenizer]) -> tuple[Needle, ...]:
        """Return texts (without leading space) as needles, encoded and counted."""
        of = tuple(tokenizers)
        return tuple([_needle(text, of) for text in texts])


@lru_cache(maxsize=1 << 14)
def _needle(text: str, tokenizers: tuple[Tokenizer, ...]) -> Needle:
    unit = f" {text}"
    return Needle(unit.encode(), tuple([tokenizer.count_units([unit])[0] for tokenizer in tokenizers]), len(unit))


def walk(documents: Sequence[Entry], stream: Stream) -> Iterator[Run]:
    """Yield all units of `documents` once, in random order of documents: from a random unit of the first document to its end, then
    whole documents, then the beginning of the first. The paper draws documents with replacement (docs/spec/babilong.md 6.2).
    """
    order = stream.walk(len(documents))
    head = documents[next(order)]
    start = head.first + stream.below(head.last - head.first)
    yield Run(start, head.last)
    for i in order:
        yield Run(documents[i].first, documents[i].last)
    if start > head.first:
        yield Run(head.first, start)


def fit_walk(runs: Iterable[Run], tokens: memoryview, budget: int) -> list[Run]:
    """Return the units of a walk that fill `budget` tokens and never exceed it; a budget twice as large takes all of them.

    Args:
        runs: result of walk().
        tokens: prefix sums of the release tokenizer.
        budget: tokens to fill.

    Raises:
        BuildError: the walk ends before the budget is filled.
    """
    read, sums = _laid_out(runs, tokens, budget)
    before = list(accumulate((run.last - run.first for run in read), initial=0))  # units of the walk before each run
    first, chosen = fit(sums, budget, sentence_reach)
    out: list[Run] = []
    for run, start in zip(read, before, strict=False):
        if start < first:
            _append(out, run.first, min(run.last, run.first + first - start))
    for unit in chosen:
        i = bisect_right(before, unit) - 1
        place = read[i].first + unit - before[i]
        _append(out, place, place + 1)
    return out


def _laid_out(runs: Iterable[Run], tokens: memoryview, budget: int) -> tuple[list[Run], memoryview]:
    """Return the runs of a walk that can be chosen from, and prefix sums over their units."""
    import numpy as np

    known, total, read, sums = np.asarray(tokens), 0, [], [np.zeros(1, np.int64)]
    most = budget + budget // 2
    for run in runs:
        read.append(run)
        last = bisect_right(tokens, tokens[run.first] + most - total, run.first, run.last)
        sums.append(known[run.first + 1 : last + 1] + (total - tokens[run.first]))
        total += tokens[last] - tokens[run.first]
        if total > most:
            break
    if total <= budget:
        raise BuildError(f"the corpus contains {total:,} tokens, but {budget:,} are required")
    return read, np.concatenate(sums).data


def _append(runs: list[Run], first: int, last: int) -> None:
    """Append a run; merge it with a neighbour."""
    if runs and runs[-1].last == first:
        first = runs.pop().first
    runs.append(Run(first, last))


def slot(depth: float, num_segments: int) -> int:
    """Return the units before a needle of this depth among `num_segments`: each of the n + 1 places is equally likely."""
    return min(int(depth * (num_segments + 1)), num_segments)


def in_documents(store: Background, runs: Iterable[Run]) -> list[tuple[str, int, int]]:
    """Return (document, first unit, one past the last) within each document, in order of the runs."""
    out = []
    for run in runs:
        first = run.first
        while first < run.last:
            entry = store.documents[bisect_right(store.first_units, first) - 1]
            last = min(run.last, entry.last)
            out.append((entry.doc_id, first - entry.first, last - entry.first))
            first = last
    return out


def count_units(runs: Iterable[Run]) -> int:
    """Return the number of units in some runs."""
    return sum(run.last - run.first for run in runs)


class Sentences:
    """Contexts from the sentences of a store.

    Args:
        store: background corpus.
        tokenizers: release tokenizer first.
    """

    def __init__(self, store: Background, tokenizers: Sequence[Tokenizer]) -> None:
        self.store, self._tokenizers = store, tokenizers
        self.sums = [store.tokens_at(t.fingerprint) for t in tokenizers]
        self._documents = lru_cache(maxsize=3)(store.split)

    def held(self, split: str) -> int:
        """Return the release tokens of the documents of a split."""
        return sum(self.sums[0][entry.last] - self.sums[0][entry.first] for entry in self._documents(split))

    def runs(self, split: str, stream: Stream, budget: int) -> list[Run]:
        """Return background of at most `budget` tokens.

        Raises:
            BuildError: the documents of the split end before the budget.
        """
        documents = self._documents(split)
        if not documents:
            raise BuildError(f"the corpus has no {split} documents")
        return fit_walk(walk(documents, stream), self.sums[0], budget)

    def woven(self, runs: Sequence[Run], needles: Sequence[Needle], depths: Sequence[float]) -> Context:
        """Return background and needles as a context that begins with a space; its named units are the needles.

        Args:
            runs: units of the background, in order.
            needles: needles, sorted by depth.
            depths: depth of each: 0.0 before the first unit, 1.0 after the last.
        """
        n = count_units(runs)
        return weave(self.store, runs, needles, [slot(depth, n) for depth in depths], self.sums)


def sentences(inputs: Inputs, corpus: str) -> Sentences:
    """Return the sentences of a corpus by its name in the parameters, shared by the tasks of a process."""
    store = inputs.background(corpus)
    return inputs.shared(("sentences", corpus), lambda: Sentences(store, inputs.tokenizers))


class Hidden(NamedTuple):
    """A text to hide between the sentences of a corpus.

    Attributes:
        text: one or more sentences.
        depth: 0.0 before the first sentence, 1.0 after the last.
        kind: kind of its span: "needle", or "distractor" if the question does not ask for it.
    """

    text: str
    depth: float
    kind: str = "needle"


def hide(
    inputs: Inputs, writer: RowWriter, table: Table, frame: Frame, corpus: str, texts: Iterable[Hidden], draws: Callable[[str], Stream]
) -> tuple[Context, list[int], dict[str, Any]]:  # fmt: skip
    """Fill a row with sentences of a corpus and hide texts between them.

    Args:
        inputs: prepared inputs.
        writer: writer of the task (Task.writer).
        table: table of the row.
        frame: text around the context; a line break precedes the context.
        corpus: name of the corpus.
        texts: texts to hide, at least one needle.
        draws: purpose -> random stream of the question; it must not depend on the length.

    Returns:
        Context, exact counts of the prompt, and columns for RowWriter.sample: spans, depth of the first needle, num_segments, num_unique_segments,
        num_distractors, background_corpus, doc_ids, metadata (the background). `background_checks.hidden` checks them.

    Raises:
        BuildError: the corpus ends before the length is full.
    """
    hidden, background = sorted(texts, key=lambda each: each.depth), sentences(inputs, corpus)
    needles = Needle.of([each.text for each in hidden], inputs.tokenizers)
    needed = sum(needle.tokens[0] for needle in needles)

    def fill(budget: int) -> tuple[list[Run], Context]:
        runs = background.runs(table.split, draws("background"), budget - needed)
        return runs, background.woven(runs, needles, [each.depth for each in hidden]).flush(inputs.tokenizers)

    runs, context, counts = writer.fitted(table, frame, fill)
    units, shown = count_units(runs), in_documents(background.store, runs)
    places = zip(hidden, context.starts, context.ends, strict=True)
    columns = {
        "spans": [Span(frame.start + start, frame.start + end, each.kind) for each, start, end in places],
        "depth": slot(next(each.depth for each in hidden if each.kind == "needle"), units) / units,
        "num_segments": units, "num_unique_segments": units, "num_distractors": sum(each.kind == "distractor" for each in hidden),
        "background_corpus": corpus, "doc_ids": list(dict.fromkeys(doc for doc, _, _ in shown)), "metadata": {"background": shown},
    }  # fmt: skip
    return context, counts, columns


def weave(
    store: Background, runs: Sequence[Run], needles: Sequence[Needle], slots: Sequence[int], sums: Sequence[memoryview]
) -> Context:
    """Join units and needles: one slice per stretch between needles.

    Args:
        store: background corpus.
        runs: units of the background, in order.
        needles: needles in order.
        slots: number of units before each needle.
        sums: token prefix sums of the store, one per tokenizer.
    """
    text, byte_at, char_at, token_at = store.text, store.byte_at, store.char_at, sums[0]
    pieces: list[bytes | memoryview] = []
    starts, ends, token_starts = [], [], []
    characters, tokens = 0, 0
    for first, last, needle in _stretches(runs, needles, slots):
        if needle:
            starts.append(characters + 1)
            token_starts.append(tokens)
            pieces.append(needle.text)
            characters += needle.characters
            tokens += needle.tokens[0]
            ends.append(characters)
        else:
            pieces.append(text[byte_at[first] : byte_at[last]])
            characters += char_at[last] - char_at[first]
            tokens += token_at[last] - token_at[first]
    words = _held(runs, store.word_at) + sum([needle.text.count(b" ") for needle in needles])
    further = [_held(runs, at) + sum([needle.tokens[j] for needle in needles]) for j, at in enumerate(sums[1:], 1)]
    return Context(b"".join(pieces), (tokens, *further), characters, words, starts, ends, token_starts)


def _held(runs: Sequence[Run], at: memoryview) -> int:
    """Return the size of some runs, by prefix sums over units."""
    return sum([at[run.last] - at[run.first] for run in runs])


def _stretches(
    runs: Sequence[Run], needles: Sequence[Needle], slots: Sequence[int]
) -> Iterator[tuple[int, int, Needle | None]]:
    """Yield needles in their places, and (first unit, one past the last, None) of the stretches between them."""
    waiting = deque(zip(slots, needles, strict=True))
    at = 0  # units before the current place
    for run in runs:
        first = run.first
        while first < run.last:
            while waiting and waiting[0][0] <= at:
                yield 0, 0, waiting.popleft()[1]
            last = min(run.last, first + waiting[0][0] - at) if waiting else run.last
            yield first, last, None
            first, at = last, at + last - first
    yield from ((0, 0, needle) for _, needle in waiting)
