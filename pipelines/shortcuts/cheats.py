"""Four ways to answer without reading the context: each makes an output from a finished row, and says what it has read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.text import text_hash, words
from pipelines.shortcuts.reading import Unit, context, first_words, last_words, marked, nearest, units

LAST_TOKENS = 1000
_COUNTED = frozenset({"longbench_count"})
"""Metrics of answers that say how many different units there are."""
_NUMBERED = frozenset({"longbench_retr"})
"""Metrics of answers that name a unit by its number, from 1."""
_LETTERED = frozenset({"option"})
"""Metrics of answers that name one of the row's choices by its letter."""
_YES_NO = ("yes", "no")
_DIGITS = re.compile(r"\d+")
_NUMBERED_UNIT = re.compile(r"Paragraph ([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Guess:
    """What a cheat makes of a row.

    Attributes:
        said: its output; None where it has nothing to say.
        read: what it has read, in which an answer may stand; None where it read nothing.
        share: of the context's characters, that it has read.
    """

    said: str | None
    read: str | None = None
    share: float = 0.0


@dataclass(frozen=True)
class Known:
    """What is known of a table before any of its rows is looked at.

    Attributes:
        tokenizer: of the release.
        answers: group -> its first answer, of all rows of the table.
        asks: whether its questions differ; a request that is the same in every row asks for nothing in particular.
        constant: place among the answers of a closed set that serves best when it is always taken.
    """

    tokenizer: Tokenizer
    answers: Mapping[str, str]
    asks: bool = True
    constant: int = 0

    @cached_property
    def counts(self) -> Counter[str]:
        """First answer -> groups."""
        return Counter(self.answers.values())

    def commonest(self, group: str) -> str | None:
        """The commonest first answer of the other groups, of equally common ones the first by its letters."""
        own = self.answers.get(group)
        others = [(-count + (answer == own), answer) for answer, count in self.counts.items()]
        return min(((count, answer) for count, answer in others if count), default=(0, None))[1]


def asks(questions: Iterable[str]) -> bool:
    """Whether questions differ in more than numbers ("a summary of about 300 words")."""
    return len({_DIGITS.sub("", " ".join(words(question))) for question in questions}) > 1


def closed(row: Row) -> Sequence[str]:
    """Answers of the closed set that a row's answer is of: its choices or their letters, or yes and no; empty where any text may be right."""
    if row["choices"]:
        return (
            [chr(ord("A") + place) for place in range(len(row["choices"]))] if _by_letter(row) else list(row["choices"])
        )
    return _YES_NO if words(row["answers"][0]) in (["yes"], ["no"]) else ()


def is_about_units(row: Row) -> bool:
    """Whether the answer is a number of units, or of one: a number that stands somewhere says nothing."""
    return bool((_COUNTED | _NUMBERED) & set(_names(row)))


def best_constant(rows: Sequence[Row], score: Callable[[str, Row], float]) -> int:
    """Place among the closed answers that has the best mean when it is always taken, of equally good ones the first."""
    sets = [(row, closed(row)) for row in rows]
    places = range(max((len(choices) for _, choices in sets), default=0))
    gains = {p: sum(score(choices[p], row) for row, choices in sets if p < len(choices)) for p in places}
    return max(places, key=lambda place: (gains[place], -place), default=0)


# ------------------------------------------------------------------------------------------------------- the four


def closed_book(row: Row, known: Known) -> Guess:
    """The question's own words; of a closed set the best constant. Nothing where there is no question."""
    question = row["question"] if known.asks else ""
    if choices := closed(row):
        return Guess(choices[min(known.constant, len(choices) - 1)])
    return Guess(question, question) if question else Guess(None)


def majority(row: Row, known: Known) -> Guess:
    """The commonest first answer of the table's other questions."""
    return Guess(known.commonest(row["group_id"]))


def last_1k(row: Row, known: Known) -> Guess:
    """The last 1,000 tokens: what its units say, or its words."""
    text, found = context(row), marked(row)
    begin = last_words(text, known.tokenizer, LAST_TOKENS)
    there = [unit for unit in found if unit.end > row["context_start"] + begin]
    read, share = text[begin:], (len(text) - begin) / max(1, len(text))
    if _COUNTED & set(_names(row)):
        return Guess(str(len({text_hash(unit.text) for unit in there})), read, share)
    if _NUMBERED & set(_names(row)):
        return Guess(_named(row, found, nearest(there, row["question"])), read, share)
    if there and there[-1].kind == "shot":
        return Guess(shown(row, there[-1]), read, share)
    if _by_letter(row):
        return Guess(_named_choice(row, found, there) or _nearest_choice(row, read), read, share)
    return Guess(read, read, share)


def bm25_top1(row: Row, known: Known) -> Guess:
    """The unit nearest to the question; without a question the beginning. Nothing where units are to be counted."""
    if _COUNTED & set(_names(row)):
        return Guess(None)
    text = context(row)
    if not (known.asks and row["question"]):
        lead = first_words(text, known.tokenizer, row["max_new_tokens"])
        said = _nearest_choice(row, lead) if _by_letter(row) else lead
        return Guess(said, lead, min(1.0, len(lead) / max(1, len(text))))
    found = units(row)
    if (unit := nearest(found, row["question"])) is None:
        return Guess(None)
    share = (unit.end - unit.start) / max(1, len(text))
    if _NUMBERED & set(_names(row)):
        return Guess(_named(row, found, unit), unit.text, share)
    if _by_letter(row):
        return Guess(_named_choice(row, found, found) or _nearest_choice(row, unit.text), unit.text, share)
    return Guess(shown(row, unit) if unit.kind == "shot" else unit.text, unit.text, share)


CHEATS: Mapping[str, Callable[[Row, Known], Guess]] = {
    "closed_book": closed_book,
    "majority": majority,
    "last_1k": last_1k,
    "bm25_top1": bm25_top1,
}


def spoken(said: str, row: Row, tokenizer: Tokenizer) -> str:
    """An output as a model would have to end it: on one line, within the row's tokens, before what stops it."""
    text = first_words(said, tokenizer, row["max_new_tokens"])
    for stop in row["stop"] or ():
        text = text.partition(stop)[0]
    return text


def shown(row: Row, shot: Unit) -> str:
    """The answer that a shot shows: behind the last of the cues in it, else its label."""
    cue = row["prompt"][row["cue_start"] :].strip()
    _, found, answer = shot.text.rpartition(cue) if cue else ("", "", "")
    return answer.strip() if found else shot.label


def _by_letter(row: Row) -> bool:
    return bool(_LETTERED & set(_names(row)))


def _nearest_choice(row: Row, read: str) -> str:
    """The letter of the choice of whose words most stand in what was read, of equal ones the first."""
    there = set(words(read))
    choices = [set(words(choice)) for choice in row["choices"]]
    shares = [len(choice & there) / max(1, len(choice)) for choice in choices]
    return chr(ord("A") + max(range(len(shares)), key=lambda place: (shares[place], -place)))


def _named_choice(row: Row, found: Sequence[Unit], there: Sequence[Unit]) -> str | None:
    """The letter of the unit nearest to the question, of those that the choices name by number; None where they name none that is there."""
    numbers = [int(number[1]) for choice in row["choices"] if (number := _NUMBERED_UNIT.fullmatch(choice))]
    if len(numbers) < len(row["choices"]):
        return None
    named = [found[number - 1] for number in numbers if found[number - 1 : number] and found[number - 1] in there]
    unit = nearest(named, row["question"])
    return None if unit is None else chr(ord("A") + numbers.index(found.index(unit) + 1))


def _named(row: Row, found: Sequence[Unit], unit: Unit | None) -> str | None:
    """The answer that names a unit, in the words of the row's own answer."""
    return None if unit is None else _DIGITS.sub(str(found.index(unit) + 1), row["answers"][0], count=1)


def _names(row: Row) -> Iterator[str]:
    """Metrics of a row, without their editions."""
    return (name.partition("@")[0] for name in row["metrics"])
