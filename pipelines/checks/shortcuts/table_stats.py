"""What a shortcut has to go by: a row as somebody looks at it, what is known of its table, and what comes of both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.core.text.strings import folded, words
from haymaker.core.text.word_index import WordIndex
from haymaker.scoring.metrics import Metric
from pipelines.checks.shortcuts.context_reader import Unit, context, marked, nearest_piece, packed, pieces, ranked
from pipelines.checks.shortcuts.outliers import Shape, shape
from pipelines.checks.shortcuts.questions import Learnt

COUNTED = frozenset({"longbench_count"})
"""Metrics of answers that say how many different units there are."""
NUMBERED = frozenset({"longbench_retr"})
"""Metrics of answers that name a unit by its number, from 1."""
RANKED = frozenset({"ndcg10"})
"""Metrics of answers that put the units in an order."""
_LETTERED = frozenset({"option"})
"""Metrics of answers that name one of the row's choices by its letter."""
_OPTIONS = _LETTERED | {"mc"}
"""Of answers that may do so, of choices that are other ones in each row."""
_YES_NO = ("yes", "no")
_DIGITS = re.compile(r"\d+")
_OPENING = 2  # words that tell what is asked for: "who wrote", "in which"


@dataclass(frozen=True, slots=True)
class BaselineAnswer:
    """What a cheat makes of a row.

    Attributes:
        said: its output; None where it has nothing to say to such rows, "" where it found nothing in this one.
        read: what it has read, in which an answer may stand; None where it read nothing.
        share: of the context's characters, that it has read.
        equal: outputs that are as good by its rule: the mean of all counts.
    """

    said: str | None
    read: str | None = None
    share: float = 0.0
    equal: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableStats:
    """What is known of a table before any of its rows is looked at.

    Attributes:
        tokenizer: of the release.
        answers: group -> what its answer is made of (`parts`), of all rows of the table.
        questions: group -> what it asks.
        asks: whether its questions differ; a request that is the same in every row asks for nothing in particular.
        constant: place among the answers of a closed set that serves best when it is always taken.
        solve: the task's oracle, which is given prompts with a part of their context; None where there is none.
        allows: shortcut -> percent that the task says it may get.
        right: gives the right output of a row; None where nobody knows it.
    """

    tokenizer: Tokenizer
    answers: Mapping[str, Sequence[str]]
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    asks: bool = True
    constant: int = 0
    solve: Callable[[str], list[str] | None] | None = None
    allows: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    right: Callable[[Row], str] | None = None
    _scores: dict[tuple[str, str, int], tuple[Row, float]] = field(default_factory=dict)

    def score(self, metric: Metric, output: str, row: Row) -> float:
        """What an output scores; several cheats say the same to a row, and a metric takes long for some."""
        key = metric.id, output, id(row)  # the row is kept, so that its place in memory is not another's
        if key not in self._scores:
            self._scores[key] = row, float(metric.function(output, row))
        return self._scores[key][1]

    @cached_property
    def openings(self) -> Mapping[str, str]:
        """Group -> how its question begins."""
        return {group: opening(question) for group, question in self.questions.items()}

    @cached_property
    def learnt(self) -> Learnt:
        """What questions say of their answers."""
        return Learnt(self.questions, self.answers)

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """Beginning of a question ("": any) -> part of an answer -> groups."""
        counts: dict[str, Counter[str]] = {"": Counter()}
        for group, parts in self.answers.items():
            for opening in {"", self.openings.get(group, "")}:
                counts.setdefault(opening, Counter()).update(parts)
        return counts

    def commonest(self, group: str, opening: str = "") -> list[str]:
        """Parts of the other groups' answers, the commonest first, of equally common ones in the order of their letters.

        Args:
            group: that is left out.
            opening: of the questions that count; where no other begins so, all do.
        """
        others = Counter(self.counts.get(opening, ()))
        others.subtract(self.answers.get(group, ()))
        found = [part for part, count in others.items() if count > 0]
        return sorted(found, key=lambda part: (-others[part], part)) if found or not opening else self.commonest(group)

    def size(self, group: str) -> int:
        """How many parts most answers of the other groups have."""
        sizes = Counter(len(parts) for other, parts in self.answers.items() if other != group)
        return max(sizes, key=lambda size: (sizes[size], -size), default=1)

    @cached_property
    def shapes(self) -> Counter[Shape | None]:
        """Shape of the first code in an answer's first part, None of one without -> groups."""
        return Counter(shape(parts[0]) for parts in self.answers.values())

    def shape(self, group: str) -> Shape | None:
        """The shape that most answers of the other groups have; None where most have none, or there are none."""
        others = self.shapes - Counter([shape(self.answers[group][0])] if group in self.answers else [])
        return max(others, key=lambda each: (others[each], each or (0, False)), default=None)


@dataclass(frozen=True)
class RowView:
    """A row with what several cheats look for in it, each found once.

    Attributes:
        row: finished.
    """

    row: Row

    @cached_property
    def text(self) -> str:
        """The context."""
        return context(self.row)

    @cached_property
    def scan(self) -> WordIndex:
        """Its words and white space; of rows of one context that follow one another the same."""
        return _scanned(self.text)

    @cached_property
    def folded(self) -> str:
        """The context in lower case and without accents."""
        return folded(self.text)

    @cached_property
    def marked(self) -> list[Unit]:
        """Units that spans mark."""
        return marked(self.row)

    @cached_property
    def units(self) -> list[Unit]:
        """These, or the document packed."""
        return self.marked or packed(self.scan, self.row["context_start"])

    @cached_property
    def ranked(self) -> list[Unit]:
        """Units as a search by the words of the question puts them, the nearest first."""
        return ranked(self.units, self.row["question"])

    @cached_property
    def nearest(self) -> Unit | None:
        """The first of these; None without units."""
        if self.marked:
            return self.ranked[0]
        found = pieces(self.scan)
        place = nearest_piece(self.scan, found, self.row["question"])
        return None if place is None else packed(self.scan, self.row["context_start"], found[place : place + 1])[0]

    @cached_property
    def closed(self) -> Sequence[str]:
        """Answers of the closed set that its answer is of."""
        return closed(self.row)

    def share(self, characters: int) -> float:
        """So many characters as a share of the context."""
        return min(1.0, characters / max(1, len(self.text)))


@lru_cache(maxsize=1)
def _scanned(text: str) -> WordIndex:
    return WordIndex(text)


def asks(questions: Iterable[str]) -> bool:
    """Whether questions differ in more than numbers ("a summary of about 300 words")."""
    return len({_DIGITS.sub("", " ".join(words(question))) for question in questions}) > 1


def closed(row: Row) -> Sequence[str]:
    """Answers of the closed set that a row's answer is of: its choices or their letters, or yes and no; empty where any text may be right."""
    if row["choices"]:
        return [letter(place) for place in range(len(row["choices"]))] if by_letter(row) else list(row["choices"])
    return _YES_NO if words(row["answers"][0]) in (["yes"], ["no"]) else ()


def letter(place: int) -> str:
    """By which an option is named."""
    return chr(ord("A") + place)


def by_letter(row: Row) -> bool:
    """Whether its answer is the letter of an option."""
    return bool(_LETTERED & set(names(row)))


def has_options(row: Row) -> bool:
    """Whether it asks for one of several options, which are other ones in each row."""
    return bool(row["choices"]) and bool(_OPTIONS & set(names(row)))


def parts(row: Row) -> list[str]:
    """What an answer is made of: the text of the right option, the first name of each thing that is asked for, or itself."""
    if has_options(row):
        return [row["choices"][row["answer_index"]]]
    groups = filter(None, row["answer_groups"] or ())
    return list(dict.fromkeys(group[0] for group in groups)) or row["answers"][:1]


def opening(question: str) -> str:
    """The first two words of a question."""
    return " ".join(words(question)[:_OPENING])


def is_about_units(row: Row) -> bool:
    """Whether the answer is a number of units, or of one: a number that stands somewhere says nothing."""
    return bool((COUNTED | NUMBERED) & set(names(row)))


def names(row: Row) -> Iterator[str]:
    """Metrics of a row, without their editions."""
    return (name.partition("@")[0] for name in row["metrics"])


def best_constant(rows: Sequence[Row], score: Callable[[str, Row], float]) -> int:
    """Place among the closed answers that has the best mean when it is always taken, of equally good ones the first."""
    sets = [(row, closed(row)) for row in rows]
    places = range(max((len(choices) for _, choices in sets), default=0))
    gains = {p: sum(score(choices[p], row) for row, choices in sets if p < len(choices)) for p in places}
    return max(places, key=lambda place: (gains[place], -place), default=0)
