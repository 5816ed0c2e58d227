"""How a piece of a row that was read becomes an output: the words themselves, a label, a number, the letter of an option."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.core.text.strings import folded, text_hash, words
from pipelines.checks.shortcuts.context_reader import Unit, nearest
from pipelines.checks.shortcuts.lengths import first_words
from pipelines.checks.shortcuts.table_stats import COUNTED, NUMBERED, BaselineAnswer, RowView, by_letter, letter, names

_DIGITS = re.compile(r"\d+")
_NUMBERED_UNIT = re.compile(r"Paragraph ([1-9][0-9]{0,5})")


def in_answer_format(said: str, row: Row, tokenizer: Tokenizer) -> str:
    """An output as a model would have to end it: on one line, within the row's tokens, before what stops it."""
    text = first_words(said, tokenizer, row["max_new_tokens"])
    for stop in row["stop"] or ():
        text = text.partition(stop)[0]
    return text


def of_part(seen: RowView, read: str, there: Sequence[Unit]) -> str:
    """What somebody says who has read a part of the context.

    Args:
        seen: the row.
        read: the part.
        there: marked units of which some stands in it.
    """
    row = seen.row
    if COUNTED & set(names(row)):
        return str(len({text_hash(unit.text) for unit in there}))
    if NUMBERED & set(names(row)):
        return numbered(row, seen.marked, nearest(there, row["question"])) or ""
    if there and there[-1].kind == "shot":
        shows = [shown(row, unit) for unit in there]
        most = Counter(shows)
        return max(enumerate(shows), key=lambda each: (most[each[1]], each[0]))[1]
    if by_letter(row):
        return named_choice(row, seen.marked, there) or nearest_choice(row, read)
    return of_piece(seen, read)


def of_piece(seen: RowView, piece: str) -> str:
    """What somebody says who has read one piece: of choices the last one in it, of options to be named the nearest, else its words."""
    if by_letter(seen.row):
        return nearest_choice(seen.row, piece)
    return mentioned(folded(piece), seen.row["choices"], last=True) if seen.row["choices"] else piece


def mentioned(text: str, choices: Sequence[str], *, last: bool) -> str:
    """The choice that stands last, or first, in a folded text as whole words, of those at one place the longest; "" without one."""
    found = [(_place(text, folded(choice), last=last), len(choice), choice) for choice in choices]
    there = [(place if last else -place, size, choice) for place, size, choice in found if place >= 0]
    return max(there, key=lambda each: each[:2])[2] if there else ""


def _place(text: str, words: str, *, last: bool) -> int:
    """Where words stand whole in a text, the last or the first time; -1 nowhere."""
    place = text.rfind(words) if last else text.find(words)
    while place >= 0 and words:
        around = text[place - 1 : place] + text[place + len(words) : place + len(words) + 1]
        if not any(map(str.isalnum, around)):
            return place
        place = text.rfind(words, 0, place + len(words) - 1) if last else text.find(words, place + 1)
    return -1


def shown(row: Row, shot: Unit) -> str:
    """The answer that a shot shows: behind the last of the cues in it, else its label."""
    cue = row["prompt"][row["cue_start"] :].strip()
    _, found, answer = shot.text.rpartition(cue) if cue else ("", "", "")
    return answer.strip() if found else shot.label


def nearest_choice(row: Row, read: str) -> str:
    """The letter of the choice of whose words most stand in what was read, of equal ones the first."""
    there = set(words(read))
    choices = [set(words(choice)) for choice in row["choices"]]
    shares = [len(choice & there) / max(1, len(choice)) for choice in choices]
    return letter(max(range(len(shares)), key=lambda place: (shares[place], -place)))


def named(row: Row, choices: Sequence[str]) -> BaselineAnswer:
    """The letters of some choices that are equally good."""
    said = [letter(row["choices"].index(choice)) for choice in choices]
    return BaselineAnswer(said[0], equal=tuple(said[1:]))


def named_choice(row: Row, found: Sequence[Unit], there: Sequence[Unit]) -> str | None:
    """The letter of the unit nearest to the question, of those that the choices name by number; None where they name none that is there."""
    numbers = numbers_of(row)
    if not numbers:
        return None
    named = [found[number - 1] for number in numbers if found[number - 1 : number] and found[number - 1] in there]
    unit = nearest(named, row["question"])
    return None if unit is None else letter(numbers.index(found.index(unit) + 1))


def numbers_of(row: Row) -> list[int]:
    """Numbers of the units that its choices name; empty where one names none."""
    found = [_NUMBERED_UNIT.fullmatch(choice) for choice in row["choices"]]
    return [int(match[1]) for match in found if match] if all(found) else []


def numbered(row: Row, found: Sequence[Unit], unit: Unit | None) -> str | None:
    """The answer that names a unit, in the words of the row's own answer."""
    return None if unit is None else _DIGITS.sub(str(found.index(unit) + 1), row["answers"][0], count=1)
