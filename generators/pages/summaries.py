"""Where the summaries that rows ask for come from: a source (SourceSummaries), or sentences of the paragraphs (Quotations)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from corpora.stores.sentences.split import SENTENCES_VERSION, splitter
from generators.pages.stock import numbers
from generators.pool import Pool, endless
from generators.spec import Candidate
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import words

if TYPE_CHECKING:
    from generators.context.pieces import Ints
    from generators.pages.find import FindParagraph

GAP = " [...] "
_MOST_WORDS, _FEWEST_WORDS = 40, 8
_WHOLE = re.compile(r"[\"'“‘(]?[A-Z0-9][^\n]*[.!?][\"'”’)]?")
_SHORTENED = re.compile(
    r"\b(?:r|c|ca|cf|d|b|fl|vs|a\.k\.a|e\.g|i\.e|Dr|Mr|Mrs|Ms|St|No|Jr|Sr|etc)\.$"
)  # abbreviations that end no sentence
_UNIT = 1_000_000  # weights are whole numbers, so that a last digit that differs between machines decides nothing
_GONE = "its passage was left out of the corpus"
_NO_GOLD = "its paragraph is much like that of another summary"


class _Loaded(NamedTuple):
    """Summaries of a split, each with the number of its passage; all these numbers; summaries left out, by reason."""

    asked: list[tuple[Question, int]]
    firsts: tuple[int, ...]
    gone: Counter[str]


class SourceSummaries:
    """Summaries of a source; only their order, their depth and the other paragraphs are drawn.

    Args:
        task: its settings name the source and the set.

    Raises:
        ParamsError: no source is set.
    """

    keys = frozenset({"summaries", "set"})

    def __init__(self, task: FindParagraph) -> None:
        self._task, where = task, task.entry.where
        if task.settings.summaries is None:
            raise ParamsError("key 'summaries' is missing", where=f"{where}: summaries", fix=f"add it to {where}")
        self._source = task.settings.summaries

    def check(self) -> None:
        """Refuse a set that the source does not have."""
        self._task.check_set(self._source, self._task.settings.set)

    def fingerprint(self) -> dict[str, Any]:
        """Return what decides the summaries, besides settings and inputs."""
        return {}

    def pool(self, part: Split) -> Pool[Any]:
        """Return the summaries of a split; those of passages that are not in the corpus are left out."""
        asked, _, gone = self._loaded(part)
        name = f"{self._task.entry.name}-{part}"
        return Pool(part, asked, lambda index: f"{name}-{asked[index][0].question_id}", left_out=gone)

    def firsts(self, part: Split) -> tuple[int, ...]:
        """Return the passages of all summaries: rows show no other passage that is like one of them."""
        return self._loaded(part).firsts

    def asked(self, candidate: Candidate) -> tuple[int, str]:
        """Return the entry of the paragraph asked for and its summary."""
        asked, firsts, _ = self._loaded(candidate.part)
        question, number = asked[candidate.number]
        return firsts.index(number), " ".join(question.text.split())

    def rejection_reason(self, candidate: Candidate) -> str:
        """Return why a summary is never asked for, or an empty string."""
        return _NO_GOLD if self.asked(candidate)[0] in self._task.stock(candidate).alike else ""

    def wrong(self, candidate: Candidate, order: Ints) -> str:
        """Return why a row of these entries has no question, or an empty string."""
        return ""

    def _loaded(self, part: Split) -> _Loaded:
        return self._task.inputs.shared((self._task.entry.where, part), lambda: self._load(part))

    def _load(self, part: Split) -> _Loaded:
        """Read the summaries of a split.

        Raises:
            BuildError: the corpus has none of their passages.
        """
        task, store = self._task, self._task.inputs.passages(self._task.settings.passages)
        questions = task.inputs.source(self._source).questions(
            task.inputs.raw(self._source), task.settings.set, part
        )
        found = [(each, number) for each in questions for number in numbers(store, each.evidence[:1])]
        if questions and not found:
            raise self._strange(questions[0])
        asked = task.stream(task.spec.name, part, "order").shuffled(found)
        gone = +Counter({_GONE: len(questions) - len(found)})
        return _Loaded(asked, tuple(dict.fromkeys(number for _, number in asked)), gone)

    def _strange(self, question: Question) -> BuildError:
        named = question.evidence[0] if question.evidence else Evidence()
        name, corpus = named.passage_id or named.article_id, self._task.settings.passages
        what = f"is of passage {name!r}, which corpus {corpus!r} does not have" if name else "names no passage"
        return BuildError(
            f"summary {question.question_id!r} {what}", where=f"{self._task.entry.where}.summaries",
            fix="name the corpus that the summaries were written from",
        )  # fmt: skip


class Quotations:
    """Sentences of paragraphs that are drawn from the corpus."""

    keys = frozenset[str]()

    def __init__(self, task: FindParagraph) -> None:
        self._task = task
        self._orders = lru_cache(maxsize=2)(self._order)
        self.asked = lru_cache(maxsize=64)(self._asked)

    def check(self) -> None:
        """There is nothing to refuse."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the version of the sentences."""
        return {"writer": 200 + SENTENCES_VERSION}

    def pool(self, part: Split) -> Pool[Any]:
        """Return every passage of a small corpus; of a large one samples without end."""
        drawn = endless(part, self._task.entry.name)
        return drawn if self._task.sampled(part) else replace(drawn, items=range(len(self._task.stock_of(part))))

    def firsts(self, part: Split) -> tuple[int, ...]:
        """Return no passages: all are drawn."""
        return ()

    def _asked(self, candidate: Candidate) -> tuple[int, str]:
        """Return the entry of a passage and its quotation; empty if a sample has fewer passages than candidates."""
        stock = self._task.stock(candidate)
        sample, place = self._task.drawn_from(candidate)
        order = self._orders(candidate.part, sample, len(stock))
        if place >= len(order):
            return 0, ""
        return int(order[place]), quotation(stock.texts[order[place]], len(stock), stock.folded.frequency)

    def _order(self, part: Split, sample: int, count: int) -> Ints:
        return self._task.stream(self._task.spec.name, part, sample, "golds").permutation(count)

    def rejection_reason(self, candidate: Candidate) -> str:
        """Return why a passage has no quotation, or an empty string."""
        return "" if self.asked(candidate)[1] else "no whole sentence of 8 to 40 words"

    def wrong(self, candidate: Candidate, order: Ints) -> str:
        """Return a reason if another paragraph of a row has the same sentences."""
        parts, texts = self.asked(candidate)[1].split(GAP), self._task.stock(candidate).texts
        holding = sum(all(part in texts[entry] for part in parts) for entry in order.tolist())
        return "" if holding == 1 else "another paragraph has the same sentences"


Summaries: TypeAlias = SourceSummaries | Quotations


def quotation(text: str, passages: int, frequency: Mapping[str, int]) -> str:
    """Return the sentences of a text whose words are rarest in the corpus, in the order of the text: as many as 40 words allow.

    Only whole sentences are used: they begin with a capital or a digit and end with a full stop.

    Args:
        text: of a passage.
        passages: number of passages of the corpus.
        frequency: word -> passages that contain it.
    """
    sentences = [text[start:end] for start, end in splitter("punkt")(text)]
    ranked = sorted(
        (place for place, sentence in enumerate(sentences) if _fits(sentence)),
        key=lambda place: (-_rarity(sentences[place], passages, frequency), place),
    )
    taken, left = list[int](), _MOST_WORDS
    for place in ranked:
        size = len(sentences[place].split())
        if size <= left:
            taken.append(place)
            left -= size
    return GAP.join(sentences[place] for place in sorted(taken))


def _fits(sentence: str) -> bool:
    enough = _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS
    return enough and GAP.strip() not in sentence and _WHOLE.fullmatch(sentence) is not None and _is_closed(sentence)


def _is_closed(sentence: str) -> bool:
    """Return whether a sentence was not split at an abbreviation or within a quotation."""
    brackets = all(sentence.count(one) == sentence.count(other) for one, other in ("()", "[]", "“”"))
    return brackets and sentence.count('"') % 2 == 0 and _SHORTENED.search(sentence) is None


def _rarity(sentence: str, passages: int, frequency: Mapping[str, int]) -> int:
    """Return the mean weight of the different words: the logarithm of passages per passage that contains the word."""
    found = set(words(sentence))
    weights = (round(_UNIT * math.log((1 + passages) / (1 + frequency.get(word, 0)))) for word in found)
    return sum(weights) // max(1, len(found))
