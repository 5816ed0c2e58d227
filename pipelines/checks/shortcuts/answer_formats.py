"""Turn a piece of context into an output in the answer format of the row: text, label, number or option letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.core.text.strings import folded, text_hash, words
from pipelines.checks.shortcuts.context_reader import Unit, nearest
from pipelines.checks.shortcuts.lengths import first_words
from pipelines.checks.shortcuts.table_stats import (
    COUNTED,
    NUMBERED,
    VERBATIM,
    BaselineAnswer,
    RowView,
    by_letter,
    letter,
    names,
)

_DIGITS = re.compile(r"\d+")
_NUMBERED_UNIT = re.compile(r"Paragraph ([1-9][0-9]{0,5})")


def in_answer_format(said: str, row: Row, tokenizer: Tokenizer) -> str:
    """Format an output like model output: one line, at most `max_new_tokens` tokens, cut at the first stop string.

    An output that should repeat a text keeps its line breaks if it is short enough.
    """
    most = row["max_new_tokens"]
    is_kept = VERBATIM & set(names(row)) and tokenizer.count(said) <= most
    text = said if is_kept else first_words(said, tokenizer, most)
    for stop in row["stop"] or ():
        text = text.partition(stop)[0]
    return text


def of_part(seen: RowView, read: str, there: Sequence[Unit]) -> str:
    """Return the output for a part of the context.

    Args:
        seen: the row.
        read: text of the part.
        there: marked units that overlap the part.
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
    """Return the output for one piece: letter of the nearest option, the last choice mentioned, or the piece itself."""
    if by_letter(seen.row):
        return nearest_choice(seen.row, piece)
    return mentioned(folded(piece), seen.row["choices"], last=True) if seen.row["choices"] else piece


def mentioned(text: str, choices: Sequence[str], *, last: bool) -> str:
    """Return the choice mentioned last or first in a folded text, as whole words (the longest at a tie), or ""."""
    found = [(_place(text, folded(choice), last=last), len(choice), choice) for choice in choices]
    there = [(place if last else -place, size, choice) for place, size, choice in found if place >= 0]
    return max(there, key=lambda each: each[:2])[2] if there else ""


def _place(text: str, words: str, *, last: bool) -> int:
    """Return the position of the last or first match of whole words in a text, or -1."""
    place = text.rfind(words) if last else text.find(words)
    while place >= 0 and words:
        around = text[place - 1 : place] + text[place + len(words) : place + len(words) + 1]
        if not any(map(str.isalnum, around)):
            return place
        place = text.rfind(words, 0, place + len(words) - 1) if last else text.find(words, place + 1)
    return -1


def shown(row: Row, shot: Unit) -> str:
    """Return the answer in a few-shot example: the text after the last answer cue, or the label of the example."""
    cue = row["prompt"][row["answer_prefix_start"] :].strip()
    _, found, answer = shot.text.rpartition(cue) if cue else ("", "", "")
    return answer.strip() if found else shot.label


def nearest_choice(row: Row, read: str) -> str:
    """Return the letter of the choice with the largest share of its words in the text read; ties go to the first."""
    there = set(words(read))
    choices = [set(words(choice)) for choice in row["choices"]]
    shares = [len(choice & there) / max(1, len(choice)) for choice in choices]
    return letter(max(range(len(shares)), key=lambda place: (shares[place], -place)))


def named(row: Row, choices: Sequence[str]) -> BaselineAnswer:
    """Return an answer with the letters of several equally good choices."""
    said = [letter(row["choices"].index(choice)) for choice in choices]
    return BaselineAnswer(said[0], equal=tuple(said[1:]))


def named_choice(row: Row, found: Sequence[Unit], there: Sequence[Unit]) -> str | None:
    """Return the letter of the choice whose numbered unit is nearest to the question; None without such a unit."""
    numbers = numbers_of(row)
    if not numbers:
        return None
    named = [found[number - 1] for number in numbers if found[number - 1 : number] and found[number - 1] in there]
    unit = nearest(named, row["question"])
    return None if unit is None else letter(numbers.index(found.index(unit) + 1))


def numbers_of(row: Row) -> list[int]:
    """Return the unit numbers named by the choices of a row; empty if any choice names no unit."""
    found = [_NUMBERED_UNIT.fullmatch(choice) for choice in row["choices"]]
    return [int(match[1]) for match in found if match] if all(found) else []


def numbered(row: Row, found: Sequence[Unit], unit: Unit | None) -> str | None:
    """Return the answer of the row with its number replaced by the number of a unit; None without a unit."""
    return None if unit is None else _DIGITS.sub(str(found.index(unit) + 1), row["answers"][0], count=1)
