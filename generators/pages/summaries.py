"""Questions and summaries in rows: from a source (SourceQuestions), or sentences of the paragraphs (Quotations)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from corpora.stores.passages.store import Passages
from corpora.stores.sentences.split import SENTENCES_VERSION, splitter
from generators.context.pieces import Ints
from generators.pages.stock import Stocks
from generators.pool import Pool, endless
from generators.spec import Candidate
from generators.task import Task
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.params import nearest
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import words

_GONE = "its passage was left out of the corpus"
_LENGTH = 4096  # tokens; questions are sorted by the doublings of this number that their pages need
GAP = " [...] "
VERSION = 300 + SENTENCES_VERSION  # changes when a quotation can change
_MOST_WORDS, _FEWEST_WORDS = 40, 8
_LEAST_SENTENCES = 2  # of a passage that has so many
_WHOLE = re.compile(r"[\"'“‘(]?[A-Z0-9][^\n]*[.!?][\"'”’)]?")
_NO_END = re.compile(r"\b(?:r|c|ca|cf|d|b|fl|vs|a\.k\.a|e\.g|i\.e|Dr|Mr|Mrs|Ms|St|No|Jr|Sr|etc)\.$")  # abbreviations
_UNIT = 1_000_000  # weights are whole numbers, so that rounding differences between machines have no effect


class Asked(NamedTuple):
    """A question, and the entries of its passages in a stock: golds, and others that its search returned."""

    question: Question
    golds: list[int]
    others: list[int]


class SourceQuestions:
    """The question set of a source that the settings of a task name.

    If `single`, a question has only the passage of its first evidence, and is left out if the corpus has no such passage. Otherwise
    questions with few passages come first, so that the first rows of every length have the same questions.
    """

    def __init__(self, task: Task[Any], source: str, *, single: bool) -> None:
        self._task, self._source, self._single = task, source, single
        known = task.inputs.source(source).question_sets() if source in task.inputs.params.sources else ()
        if known and (name := task.settings.set) not in known:
            what = f"source {source!r} has no question set {name!r}"
            raise ParamsError(what, where=f"{task.entry.where}.set", fix=nearest(name, known))

    def pool(self, split: Split) -> Pool[Any]:
        asked, _, gone = self._loaded(split)
        name = f"{self._task.entry.name}-{split}"
        return Pool(split, asked, lambda index: f"{name}-{asked[index].question.question_id}", left_out=gone)

    def firsts(self, split: Split) -> tuple[int, ...]:
        """Return the passages of all questions, golds first: if two passages are alike, the first one is kept."""
        return self._loaded(split)[1]

    def asked(self, candidate: Candidate) -> Asked:
        return self._loaded(candidate.split)[0][candidate.number]

    def unmarked(self, split: Split) -> dict[str, set[str]]:
        """Return question -> ids of the pages that its search returned and that are not marked as gold."""
        asked, firsts, _ = self._loaded(split)
        store = self._task.inputs.passages(self._task.settings.passages)
        ids = store.take(list(firsts), ["passage_id"])["passage_id"].to_pylist() if firsts else []
        return {" ".join(each.question.text.split()): {ids[entry] for entry in each.others} for each in asked}

    def _loaded(self, split: Split) -> tuple[list[Asked], tuple[int, ...], Counter[str]]:
        return self._task.inputs.shared((self._task.entry.where, split), lambda: self._load(split))

    def _load(self, split: Split) -> tuple[list[Asked], tuple[int, ...], Counter[str]]:
        """Return the questions of a split, the numbers of their passages, and how many questions were left out, by reason."""
        task, source = self._task, self._task.inputs.source(self._source)
        store, last = task.inputs.passages(task.settings.passages), 1 if self._single else None
        questions = source.questions(task.inputs.raw(self._source), task.settings.set, split)
        every = [Asked(each, numbers(store, each.evidence[:last]), numbers(store, each.shown)) for each in questions]
        found = [each for each in every if each.golds or not self._single]
        if every and not found:
            raise self._not_found(questions[0])
        drawn = task.stream(task.spec.name, split, "order").shuffled(found)
        drawn = drawn if self._single else sorted(drawn, key=lambda each: _doublings(store, each))
        firsts = dict.fromkeys([n for each in drawn for n in each.golds] + [n for each in drawn for n in each.others])
        entries = {number: entry for entry, number in enumerate(firsts)}
        asked = [Asked(each, *([entries[n] for n in numbers] for numbers in rest)) for each, *rest in drawn]
        return asked, tuple(firsts), +Counter({_GONE: len(every) - len(found)})

    def _not_found(self, question: Question) -> BuildError:
        named = question.evidence[0] if question.evidence else Evidence()
        name, corpus = named.passage_id or named.article_id, self._task.settings.passages
        what = f"belongs to passage {name!r}, which is not in corpus {corpus!r}" if name else "has no passage"
        where, fix = f"{self._task.entry.where}.summaries", "set the corpus that the summaries were written from"
        return BuildError(f"summary {question.question_id!r} {what}", where=where, fix=fix)


def numbers(store: Passages, evidence: Iterable[Evidence]) -> list[int]:
    """Return the numbers of passages named by id, or by an article of one passage, without passages that the corpus dropped."""
    found = dict.fromkeys(_number(store, each) for each in evidence)
    return [number for number in found if number is not None]


def _number(store: Passages, evidence: Evidence) -> int | None:
    if evidence.passage_id:
        return store.by_id(evidence.passage_id)
    first, last = store.by_article(evidence.article_id) or (0, 0)
    return first if last == first + 1 else None


def _doublings(store: Passages, asked: Asked) -> int:
    """Return how often the shortest length must be doubled to hold the golds of a question."""
    tokens = int(store.tokens(asked.golds)[:, 0].sum()) if asked.golds else 0
    return (tokens * 3 // 2 // _LENGTH).bit_length()


class Quotations:
    """Quotations of the passages of a corpus, used like SourceQuestions."""

    def __init__(self, task: Task[Any], stocks: Stocks) -> None:
        self._task, self._stocks = task, stocks
        self._orders = lru_cache(maxsize=2)(self._order)
        self.asked = lru_cache(maxsize=64)(self._drawn)

    def pool(self, split: Split) -> Pool[Any]:
        """Return every passage of a small corpus, or endless candidates for a large one."""
        drawn = endless(split, self._task.entry.name)
        return drawn if self._stocks.sampled(split) else replace(drawn, items=range(len(self._stocks.of(split))))

    def firsts(self, split: Split) -> tuple[int, ...]:
        return ()

    def _drawn(self, candidate: Candidate) -> Asked:
        """Return a quotation and its passage; an empty one if a sample has fewer passages than candidates."""
        sample, place = self._stocks.drawn_from(candidate)
        stock = self._stocks.of(candidate.split, sample)
        order = self._orders(candidate.split, sample, len(stock))
        entry = int(order[place]) if place < len(order) else 0
        text = quotation(stock.texts[entry], len(stock), stock.folded.frequency) if place < len(order) else ""
        return Asked(Question("", candidate.split, text, ""), [entry], [])

    def _order(self, split: Split, sample: int, count: int) -> Ints:
        return self._task.stream(self._task.spec.name, split, sample, "golds").permutation(count)


def quotation(text: str, passages: int, frequency: Mapping[str, int]) -> str:
    """Return the whole sentences of a text whose words are rarest in the corpus, in the order of the text: two, or up to 40 words.

    `frequency` is the number of passages that contain a word, out of `passages`.
    """
    sentences = [text[start:end] for start, end in splitter("punkt")(text)]
    fitting = [place for place, sentence in enumerate(sentences) if _fits(sentence)]
    taken, left = list[int](), _MOST_WORDS
    for place in sorted(fitting, key=lambda place: -_rarity(sentences[place], passages, frequency)):
        size = len(sentences[place].split())
        if size <= left or len(taken) < _LEAST_SENTENCES:
            taken.append(place)
            left -= size
    return GAP.join(sentences[place] for place in sorted(taken))


def _fits(sentence: str) -> bool:
    """Return whether a sentence has 8 to 40 words and is whole: not split at an abbreviation or within a quotation."""
    if GAP.strip() in sentence or not _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS:
        return False
    whole = _WHOLE.fullmatch(sentence) is not None and _NO_END.search(sentence) is None
    brackets = all(sentence.count(one) == sentence.count(other) for one, other in ("()", "[]", "“”"))
    return whole and brackets and sentence.count('"') % 2 == 0


def _rarity(sentence: str, passages: int, frequency: Mapping[str, int]) -> int:
    """Return the mean weight of the different words: the logarithm of passages per passage that contains the word."""
    found = set(words(sentence))
    weights = (round(_UNIT * math.log((1 + passages) / (1 + frequency.get(word, 0)))) for word in found)
    return sum(weights) // max(1, len(found))
