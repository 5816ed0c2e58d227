"""Questions and summaries of a source, on passages of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.stores.passages.store import Passages
from generators.pool import Pool
from generators.spec import Candidate
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.params import nearest
from haymaker.core.rows.source_records import Evidence, Question, Split

if TYPE_CHECKING:
    from generators.pages.task import PagesTask

_GONE = "its passage was left out of the corpus"
_BUCKET = 4096  # tokens: questions are sorted by the doublings of this that their pages need


class Asked(NamedTuple):
    """A question and its passages, by their numbers in the corpus: golds, and others that its search returned."""

    question: Question
    golds: tuple[int, ...]
    others: tuple[int, ...]


Loaded = tuple[list[Asked], dict[int, int], Counter[str]]
"""Questions of a split; the entry of each of their passages in a stock; questions left out, by reason."""


class SourceQuestions:
    """Questions of a source.

    Args:
        task: its settings name the question set (`set`) and the corpus.
        source: name of the source.
        single: whether a question needs a passage, its first evidence; otherwise the questions with few passages come first, so
            that the first rows of every length have the same questions.

    Raises:
        ParamsError: the source has no such question set.
    """

    def __init__(self, task: PagesTask[Any], source: str, *, single: bool) -> None:
        self._task, self._source, self._single = task, source, single
        known = task.inputs.source(source).question_sets() if source in task.inputs.params.sources else ()
        if known and (name := task.settings.set) not in known:
            what = f"source {source!r} has no question set {name!r}"
            raise ParamsError(what, where=f"{task.entry.where}.set", fix=nearest(name, known))

    def pool(self, part: Split) -> Pool[Asked]:
        """Return the questions of a split."""
        asked, _, gone = self._loaded(part)
        name = f"{self._task.entry.name}-{part}"
        return Pool(part, asked, lambda index: f"{name}-{asked[index].question.question_id}", left_out=gone)

    def firsts(self, part: Split) -> tuple[int, ...]:
        """Return the passages of all questions, golds first: of two passages that are alike the first one stays."""
        return tuple(self._loaded(part)[1])

    def question(self, candidate: Candidate) -> Question:
        """Return the question of a candidate."""
        return self._loaded(candidate.part)[0][candidate.number].question

    def text(self, candidate: Candidate) -> str:
        """Return the question of a candidate in one line."""
        return " ".join(self.question(candidate).text.split())

    def entries(self, candidate: Candidate) -> tuple[list[int], list[int]]:
        """Return the entries of the golds and of the other passages of a question."""
        asked, entries, _ = self._loaded(candidate.part)
        _, golds, others = asked[candidate.number]
        return [entries[number] for number in golds], [entries[number] for number in others]

    def _loaded(self, part: Split) -> Loaded:
        return self._task.inputs.shared((self._task.entry.where, part), lambda: self._load(part))

    def _load(self, part: Split) -> Loaded:
        task, inputs, name = self._task, self._task.inputs, self._source
        store = inputs.passages(task.settings.passages)
        questions = inputs.source(name).questions(inputs.raw(name), task.settings.set, part)
        last = 1 if self._single else None
        every = [Asked(each, numbers(store, each.evidence[:last]), numbers(store, each.shown)) for each in questions]
        found = [each for each in every if each.golds or not self._single]
        if every and not found:
            raise self._strange(questions[0])
        asked = task.stream(task.spec.name, part, "order").shuffled(found)
        if not self._single:
            asked.sort(key=lambda each: _doublings(store, each))
        shown = [n for each in asked for n in each.golds] + [n for each in asked for n in each.others]
        entries = {number: entry for entry, number in enumerate(dict.fromkeys(shown))}
        return asked, entries, +Counter({_GONE: len(every) - len(found)})

    def _strange(self, question: Question) -> BuildError:
        named = question.evidence[0] if question.evidence else Evidence()
        name, corpus = named.passage_id or named.article_id, self._task.settings.passages
        what = f"is of passage {name!r}, which corpus {corpus!r} does not have" if name else "names no passage"
        return BuildError(
            f"summary {question.question_id!r} {what}", where=f"{self._task.entry.where}.summaries",
            fix="name the corpus that the summaries were written from",
        )  # fmt: skip


def numbers(store: Passages, evidence: Iterable[Evidence]) -> tuple[int, ...]:
    """Return the numbers of passages named by id, or by an article of one passage; those that the corpus dropped are left out."""
    found = dict.fromkeys(_number(store, each) for each in evidence)
    return tuple(number for number in found if number is not None)


def _number(store: Passages, evidence: Evidence) -> int | None:
    if evidence.passage_id:
        return store.by_id(evidence.passage_id)
    first, last = store.by_article(evidence.article_id) or (0, 0)
    return first if last == first + 1 else None


def _doublings(store: Passages, asked: Asked) -> int:
    """Return the doublings of the shortest bucket until it has room for the passages of a question."""
    shown = [*asked.golds, *asked.others]
    tokens = int(store.tokens(shown)[:, 0].sum()) if shown else 0
    return (tokens * 3 // 2 // _BUCKET).bit_length()
