"""Data types for shortcut baselines: views of rows, statistics of tables, and baseline answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from statistics import median
from types import MappingProxyType

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.core.text.strings import folded, words
from haymaker.core.text.word_index import WordIndex
from haymaker.scoring.metrics import Metric
from pipelines.checks.shortcuts.context_reader import Unit, context, marked, nearest_piece, packed, pieces, ranked
from pipelines.checks.shortcuts.markers import lead_ins
from pipelines.checks.shortcuts.outliers import Shape, shape
from pipelines.checks.shortcuts.questions import Learnt

COUNTED = frozenset({"longbench_count"})
"""Metrics for answers that count the distinct units."""
NUMBERED = frozenset({"longbench_retr"})
"""Metrics for answers that name a unit by its number, from 1."""
VERBATIM = frozenset({"mrcr"})
"""Metrics for answers that repeat a text, in which line breaks count."""
RANKED = frozenset({"ndcg10"})
"""Metrics for answers that rank the units."""
_LETTERED = frozenset({"option"})
"""Metrics for answers that name one of the choices by its letter."""
_OPTIONS = _LETTERED | {"mc"}
"""Metrics for answers that select one of several options specific to the row, by letter or by text."""
_YES_NO = ("yes", "no")
_DIGITS = re.compile(r"\d+")
_OPENING = 2  # words in the opening of a question: "who wrote", "in which"


@dataclass(frozen=True, slots=True)
class BaselineAnswer:
    """Answer of a shortcut baseline to a row.

    Attributes:
        said: the output; None if the baseline does not apply to such rows, "" if it found nothing in this row.
        read: the text read, to be searched for an answer; None if nothing was read.
        share: share of the characters of the context that was read.
        equal: equally good outputs; the score is the mean of all outputs.
    """

    said: str | None
    read: str | None = None
    share: float = 0.0
    equal: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableStats:
    """Statistics of a table that baselines may use.

    Attributes:
        tokenizer: tokenizer of the release.
        answers: group -> parts of its answer (`parts`), for all rows of the table.
        questions: group -> question.
        asks: whether the questions differ; a request repeated in every row carries no information.
        constant: index of the closed-set answer with the best mean score when always chosen.
        solve: oracle of the task, called with prompts that contain a part of the context; None = no oracle.
        allows: shortcut -> maximum percent declared by the task.
        right: returns the correct output of a row; None if unknown.
        floors: cheap outputs declared by the task (TaskSpec.floors).
        texts: contexts of the measured rows (context_reader.bodies).
    """

    tokenizer: Tokenizer
    answers: Mapping[str, Sequence[str]]
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    asks: bool = True
    constant: int = 0
    solve: Callable[[str], list[str] | None] | None = None
    allows: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    right: Callable[[Row], str] | None = None
    floors: Mapping[str, Callable[[Row], Sequence[str]]] = field(default_factory=lambda: MappingProxyType({}))
    texts: Sequence[str] = ()
    _scores: dict[tuple[str, str, int], tuple[Row, float]] = field(default_factory=dict)

    def score(self, metric: Metric, output: str, row: Row) -> float:
        """Return the score of an output. Cached, since baselines often agree and some metrics are slow."""
        key = metric.id, output, id(row)  # the row is stored too, so its id is not reused
        if key not in self._scores:
            self._scores[key] = row, float(metric.function(output, row))
        return self._scores[key][1]

    @cached_property
    def openings(self) -> Mapping[str, str]:
        """Group -> opening of its question."""
        return {group: opening(question) for group, question in self.questions.items()}

    @cached_property
    def lead_ins(self) -> Mapping[str, int]:
        """Lead-in that recurs in the contexts -> number of different texts after it."""
        return lead_ins(dict.fromkeys(self.texts))

    def answer_words(self, group: str) -> int:
        """Return the median number of words of the answers of the other groups; of the group itself if there are none."""
        sizes = [len(", ".join(parts).split()) for other, parts in self.answers.items() if other != group]
        return int(median(sizes or [len(", ".join(self.answers.get(group, ())).split())]))

    @cached_property
    def learnt(self) -> Learnt:
        """Classifier that predicts answers from questions."""
        return Learnt(self.questions, self.answers)

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """Opening of a question ("" = any) -> part of an answer -> number of groups."""
        counts: dict[str, Counter[str]] = {"": Counter()}
        for group, parts in self.answers.items():
            for opening in {"", self.openings.get(group, "")}:
                counts.setdefault(opening, Counter()).update(parts)
        return counts

    def commonest(self, group: str, opening: str = "") -> list[str]:
        """Return the answer parts of the other groups, most common first, ties in alphabetical order.

        Args:
            group: group to exclude.
            opening: required opening of the questions; if no other question has it, all questions are used.
        """
        others = Counter(self.counts.get(opening, ()))
        others.subtract(self.answers.get(group, ()))
        found = [part for part, count in others.items() if count > 0]
        return sorted(found, key=lambda part: (-others[part], part)) if found or not opening else self.commonest(group)

    def size(self, group: str) -> int:
        """Return the most common number of answer parts in the other groups."""
        sizes = Counter(len(parts) for other, parts in self.answers.items() if other != group)
        return max(sizes, key=lambda size: (sizes[size], -size), default=1)

    @cached_property
    def shapes(self) -> Counter[Shape | None]:
        """Shape of the first code in the first part of an answer (None = no code) -> number of groups."""
        return Counter(shape(parts[0]) for parts in self.answers.values())

    def shape(self, group: str) -> Shape | None:
        """Return the most common shape in the answers of the other groups; None if most have no code, or none exist."""
        others = self.shapes - Counter([shape(self.answers[group][0])] if group in self.answers else [])
        return max(others, key=lambda each: (others[each], each or (0, False)), default=None)


@dataclass(frozen=True)
class RowView:
    """A row with derived data shared by several baselines, each computed once.

    Attributes:
        row: finished row.
    """

    row: Row

    @cached_property
    def text(self) -> str:
        """The context."""
        return context(self.row)

    @cached_property
    def scan(self) -> WordIndex:
        """Word index of the context, shared by consecutive rows with the same context."""
        return _scanned(self.text)

    @cached_property
    def folded(self) -> str:
        """The context in lower case and without accents."""
        return folded(self.text)

    @cached_property
    def marked(self) -> list[Unit]:
        """Units marked by spans."""
        return marked(self.row)

    @cached_property
    def units(self) -> list[Unit]:
        """Marked units, or the units of a split document."""
        return self.marked or packed(self.scan, self.row["context_start"])

    @cached_property
    def ranked(self) -> list[Unit]:
        """Units in BM25 order for the question, nearest first."""
        return ranked(self.units, self.row["question"])

    @cached_property
    def nearest(self) -> Unit | None:
        """First unit of `ranked`; None without units."""
        if self.marked:
            return self.ranked[0]
        found = pieces(self.scan)
        place = nearest_piece(self.scan, found, self.row["question"])
        return None if place is None else packed(self.scan, self.row["context_start"], found[place : place + 1])[0]

    @cached_property
    def closed(self) -> Sequence[str]:
        """Closed answer set of the row; empty if any text may be right."""
        return closed(self.row)

    def share(self, characters: int) -> float:
        """Return a number of characters as a share of the context."""
        return min(1.0, characters / max(1, len(self.text)))


@lru_cache(maxsize=1)
def _scanned(text: str) -> WordIndex:
    return WordIndex(text)


def asks(questions: Iterable[str]) -> bool:
    """Return whether questions differ in more than numbers ("a summary of about 300 words")."""
    return len({_DIGITS.sub("", " ".join(words(question))) for question in questions}) > 1


def closed(row: Row) -> Sequence[str]:
    """Return the closed answer set of a row: choices, their letters, or yes and no; empty if any text may be right."""
    if row["choices"]:
        return [letter(place) for place in range(len(row["choices"]))] if by_letter(row) else list(row["choices"])
    return _YES_NO if words(row["answers"][0]) in (["yes"], ["no"]) else ()


def letter(place: int) -> str:
    """Return the letter of an option."""
    return chr(ord("A") + place)


def by_letter(row: Row) -> bool:
    """Return whether the answer of a row is the letter of an option."""
    return bool(_LETTERED & set(names(row)))


def has_options(row: Row) -> bool:
    """Return whether the answer of a row is one of several options specific to the row."""
    return bool(row["choices"]) and bool(_OPTIONS & set(names(row)))


def parts(row: Row) -> list[str]:
    """Return the parts of an answer: text of the right option, first name of each requested item, or the answer."""
    if has_options(row):
        return [row["choices"][row["answer_index"]]]
    groups = filter(None, row["answer_groups"] or ())
    return list(dict.fromkeys(group[0] for group in groups)) or row["answers"][:1]


def opening(question: str) -> str:
    """Return the first two words of a question."""
    return " ".join(words(question)[:_OPENING])


def is_about_units(row: Row) -> bool:
    """Return whether the answer is a count of units or a unit number; finding it in a text proves nothing."""
    return bool((COUNTED | NUMBERED) & set(names(row)))


def names(row: Row) -> Iterator[str]:
    """Yield the metric names of a row, without their editions."""
    return (name.partition("@")[0] for name in row["metrics"])


def best_constant(rows: Sequence[Row], score: Callable[[str, Row], float]) -> int:
    """Return the index of the closed-set answer with the best mean score when always chosen; ties go to the first."""
    sets = [(row, closed(row)) for row in rows]
    places = range(max((len(choices) for _, choices in sets), default=0))
    gains = {p: sum(score(choices[p], row) for row, choices in sets if p < len(choices)) for p in places}
    return max(places, key=lambda place: (gains[place], -place), default=0)
