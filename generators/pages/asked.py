"""Whose summaries rows ask for: those that a source brings (Summarised), or what a writer makes of the paragraph (Written)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, TypeVar

from corpora.stores.passages.store import Passages
from generators.context.pieces import Ints
from generators.inputs import Inputs
from generators.pages.find import FindSettings, PassageRetrieval
from generators.pages.writers import GAP, WRITERS, Corpus
from generators.pool import Pool
from generators.spec import Candidate, Entry
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.params import Name, RefersTo, nearest
from haymaker.core.rows.source_records import Evidence, Question, Split

Summaries = Annotated[Name, RefersTo("sources", ("questions",))]
_GONE = "its passage was left out of the corpus"
_NO_GOLD = "its paragraph is much like that of another summary"


class SummarisedSettings(FindSettings):
    """Knobs of passage_retrieval_en.

    Attributes:
        summaries: source of role questions: each a summary, its evidence a passage of `passages` (or an article of one passage).
        set: of its questions.
    """

    summaries: Summaries
    set: Name = "passage_retrieval_en"


S = TypeVar("S", bound=SummarisedSettings)


class Summarised(PassageRetrieval[S]):
    """Summaries that a source brings; nothing is drawn but their order, depth and what stands around."""

    settings_type: ClassVar[type[SummarisedSettings]] = SummarisedSettings
    patience = None

    def check(self) -> None:
        """Refuse a set that the source of summaries does not have."""
        super().check()
        self.check_set(self.settings.summaries, self.settings.set)

    def pool(self, part: Split) -> Pool[tuple[Question, int]]:
        """Summaries of a part; left out: those of passages that preparing the corpus left out."""
        asked, gone = self._loaded(part)
        return Pool(part, asked, lambda index: f"{self.entry.name}-{part}-{asked[index][0].question_id}", left_out=gone)

    def _asked(self, part: Split) -> list[tuple[Question, int]]:
        """Summaries of a part in their order, each with the number of its passage in the corpus."""
        return self._loaded(part)[0]

    def _loaded(self, part: Split) -> tuple[list[tuple[Question, int]], Counter[str]]:
        return self.inputs.shared((self.entry.where, part), lambda: self._load(part))

    def _load(self, part: Split) -> tuple[list[tuple[Question, int]], Counter[str]]:
        """Those whose passage the corpus has, and how many others there are.

        Raises:
            BuildError: it has none of them.
        """
        settings, store = self.settings, self.inputs.passages(self.settings.passages)
        source = self.inputs.source(settings.summaries)
        questions = source.questions(self.inputs.raw(settings.summaries), settings.set, part)
        found = [(question, number) for question in questions if (number := _passage(store, question)) is not None]
        if questions and not found:
            raise self._strange(questions[0])
        gone = Counter({_GONE: len(questions) - len(found)})
        return self.stream(self.spec.name, part, "order").shuffled(found), +gone

    def _strange(self, question: Question) -> BuildError:
        named = _named(question)
        name, corpus = named.passage_id or named.article_id, self.settings.passages
        what = f"is of passage {name!r}, which corpus {corpus!r} does not have" if name else "names no passage"
        return BuildError(
            f"summary {question.question_id!r} {what}", where=f"{self.entry.where}.summaries",
            fix="name the corpus that the summaries were written from",
        )  # fmt: skip

    def firsts(self, part: Split) -> tuple[int, ...]:
        """All that summaries were written from: nothing that is like them may stand beside them."""
        return tuple(dict.fromkeys(number for _, number in self._asked(part)))

    @property
    def large(self) -> bool:
        return False

    def rejection_reason(self, candidate: Candidate) -> str:
        """A paragraph that is like that of another summary."""
        stock = self.stock(candidate)
        return _NO_GOLD if stock.ids[self.gold(candidate)] in stock.alike else ""

    def gold(self, candidate: Candidate) -> int:
        return self.firsts(candidate.part).index(self._asked(candidate.part)[candidate.number][1])

    def question(self, candidate: Candidate) -> str:
        return " ".join(self._asked(candidate.part)[candidate.number][0].text.split())


def _named(question: Question) -> Evidence:
    return question.evidence[0] if question.evidence else Evidence()


def _passage(store: Passages, question: Question) -> int | None:
    """The passage that a summary was written from: the one named, or the only one of the article named."""
    named = _named(question)
    first, last = store.by_article(named.article_id) or (0, 0)
    return store.by_id(named.passage_id) if named.passage_id else first if last == first + 1 else None


class WrittenSettings(FindSettings):
    """Knobs of summaries that are written here.

    Attributes:
        writer: one of WRITERS.
    """

    writer: Name = "extractive"


W = TypeVar("W", bound=WrittenSettings)


class Written(PassageRetrieval[W]):
    """Summaries that a writer makes of paragraphs drawn from the corpus."""

    settings_type: ClassVar[type[WrittenSettings]] = WrittenSettings

    def __init__(self, entry: Entry[W], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._orders = lru_cache(maxsize=2)(self._order)
        self._asked = lru_cache(maxsize=64)(self._drawn)

    def check(self) -> None:
        """Refuse a writer that nobody registered."""
        super().check()
        if self.settings.writer not in WRITERS:
            raise ParamsError(
                f"unknown writer {self.settings.writer!r}",
                where=self.entry.where,
                fix=nearest(self.settings.writer, WRITERS),
            )

    def fingerprint(self) -> dict[str, Any]:
        """And the writer's version."""
        return {**super().fingerprint(), "writer": WRITERS[self.settings.writer].version}

    def pool(self, part: Split) -> Pool[Any]:
        """Every passage of a small corpus; of a large one samples without end."""
        drawn = super().pool(part)
        return drawn if self.large else replace(drawn, items=range(len(self._stock(part, 0))))

    def _drawn(self, candidate: Candidate) -> tuple[int, str]:
        """Entry of a passage, each of a sample once, and its summary; none where a sample has fewer than candidates share it."""
        stock = self.stock(candidate)
        sample, place = self.drawn_from(candidate)
        order = self._orders(candidate.part, sample, len(stock))
        if place >= len(order):
            return 0, ""
        corpus = Corpus(len(stock), stock.said.frequency)
        return int(order[place]), WRITERS[self.settings.writer].write(stock.texts[order[place]], corpus)

    def _order(self, part: Split, sample: int, count: int) -> Ints:
        return self.stream(self.spec.name, part, sample, "golds").permutation(count)

    def gold(self, candidate: Candidate) -> int:
        return self._asked(candidate)[0]

    def question(self, candidate: Candidate) -> str:
        return self._asked(candidate)[1]

    def rejection_reason(self, candidate: Candidate) -> str:
        """A passage of which no summary can be made."""
        return "" if self.question(candidate) else "no whole sentence of 8 to 40 words"

    def wrong(self, candidate: Candidate, order: Ints, *, natural: bool) -> str:
        """Another paragraph says the same in the same words."""
        parts, texts = self.question(candidate).split(GAP), self.stock(candidate).texts
        holding = sum(all(part in texts[entry] for part in parts) for entry in order.tolist())
        return "" if holding == 1 else "another paragraph has the same sentences"
