"""What an answer names: values of one shape (numbers of a length, UUIDs, coded words), found as whole tokens.

RULER's and InfiniteBench's values are codes that stand in the prompt as they stand in an answer. A substring finds "123" in
"1234567", and an output that lists every candidate holds the right one too (docs/defects/synthetic.md A5 #10);
both are told apart here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from haymaker.text import PART
from scoring.text import said

NONE = "none"  # what rows without an answer ask for

_NOTHING = re.compile(  # `none` with no word behind it that goes on, or with one that begins anew
    rf"(?<!{PART})(?<!-)(?<!\bnot )none(?!{PART}|-)(?! (?!(?:or|and|if|but|unless|nor|when|where|because|as|since|oder|und|wenn)\b)[^\W\d])"
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_MARKUP = str.maketrans("", "", "*`")
_THOUSANDS = re.compile(  # with commas, or as in German with full stops, of which one alone may be a decimal point
    rf"(?<!{PART})(?<![,.])[0-9]{{1,3}}(?:(?:,[0-9]{{3}})+(?!{PART}|,\d)|(?:\.[0-9]{{3}}){{2,}}(?!{PART}|\.\d))"
)
_MOST_UNGROUPED = 3  # digits of a number that is never written with commas
_JOINED_BEFORE, _JOINED_BEHIND = re.compile(rf"{PART}-?\Z"), re.compile(rf"-?{PART}")
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_COMPOUND = r"[^\W\d_]+(?:-[^\W\d_]+)+"
_LETTERS = re.compile(rf"(?:(?=[^\d_]){PART})+")  # Han and kana stand for words of their own
_BREAK = re.compile(r"[,;:()|\n，、；：（）]|\b(?:and|or|und|oder)\b|[和与及或]")
_AROUND = "\"'“”‘’„»«「」『』《》[]{}<>.。!！?？-•"
_TOKEN = re.compile(r"[\w-]+")


def controlled(text: str) -> str:
    """A text whose control characters are line breaks."""
    return _CONTROL.sub("\n", text)


def lines(output: object) -> str:
    """What an output says, without emphasis; control characters are line breaks."""
    return controlled(said(output)).translate(_MARKUP)


def line(output: object) -> str:
    """The same in lower case and on one line, white space folded."""
    return " ".join(lines(output).lower().split())


def wanted(row: Mapping[str, Any]) -> list[list[str]]:
    """Aliases of each value wanted, folded: `answer_groups`, or without them the accepted answers as one value."""
    groups = row["answer_groups"] or [row["answers"]]
    kept = [[" ".join(alias.lower().split()) for alias in group if alias.strip()] for group in groups]
    return [group for group in kept if group]


def is_none(groups: list[list[str]]) -> bool:
    """Whether the right answer is that there is nothing."""
    return groups == [[NONE]]


def plain_numbers(text: str, values: Collection[str]) -> str:
    """A text whose "1,234,567" and "1.234.567" are "1234567", where the values are numbers of more than three digits."""
    if not values or not all(value.isdigit() and len(value) > _MOST_UNGROUPED for value in values):
        return text
    return _THOUSANDS.sub(lambda match: re.sub("[,.]", "", match.group()), text)


def stands(value: str, text: str) -> bool:
    """Whether a folded value stands in a folded text as whole tokens: no letter, digit or joining hyphen beside it; Chinese and
    Japanese characters, which no spaces part from it, may stand there.
    """
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not (_JOINED_BEFORE.search(text[max(0, at - 2) : at]) or _JOINED_BEHIND.match(text[end : end + 2])):
            return True
        at = text.find(value, at + 1)
    return False


def named(output: object, values: Collection[str], question: str) -> set[str]:
    """Values that an output names, right or wrong: those wanted, and all else of their shape.

    What stands in the question is not counted: an answer may repeat the key that it was asked for.

    Args:
        output: what the model wrote.
        values: folded; what is wanted.
        question: of the row.
    """
    text = plain_numbers(line(output), values)
    found = {value for value in values if stands(value, text)}
    return found | (set(_alike(output, values, text)) - _tokens(question))


def codes(output: object, question: str) -> set[str]:
    """Tokens with a digit that the question does not hold: what an answer "none" may not stand beside."""
    return {token for token in _tokens(output) - _tokens(question) if any(letter.isdigit() for letter in token)}


def predicts_none(output: object, question: str) -> bool:
    """Whether an output says that there is nothing, and names nothing."""
    return stands(NONE, line(output)) and not codes(output, question)


def leaves_open(output: object, values: Collection[str]) -> bool:
    """Whether an output says, beside all else, that there is nothing: "5331199 or none" answers nothing.

    Where `none` speaks of others it does not: "5331199 (none of the others fit)", "none other", "not none".

    Args:
        output: what the model wrote.
        values: folded; what is wanted. A wanted word may be `none`.
    """
    return NONE not in values and _NOTHING.search(line(output)) is not None


def _tokens(text: object) -> set[str]:
    return set(_TOKEN.findall(line(text)))


def _alike(output: object, values: Collection[str], text: str) -> Iterable[str]:
    """Items of an output that look like the wanted ones; none where these have no common shape."""
    lengths = sorted({len(value) for value in values})
    numbers = "|".join(rf"[0-9]{{{length}}}" for length in lengths)
    for shape in (numbers, _UUID, _COMPOUND):
        if all(re.fullmatch(shape, value) for value in values):
            return _whole(shape).findall(text)
    if all(_LETTERS.fullmatch(value) for value in values):
        return _listed(lines(output), lengths)
    return ()


def _listed(text: str, lengths: Collection[int]) -> set[str]:
    """Words of given lengths that stand in a list: the last words of each part between commas, "and" and line breaks.

    A sentence is no list: of "the words are abcdef" only the word at its end is an item. Words in capitals always are.
    """
    found = {word.lower() for word in _LETTERS.findall(text) if word.isupper() and len(word) in lengths}
    if not any(letter.islower() for letter in text):
        found.clear()  # all is in capitals: they mark nothing
    for part in _BREAK.split(text.lower()):
        for word in reversed(part.split()):
            bare = word.strip(_AROUND)
            if not bare:
                continue
            if len(bare) not in lengths or not _LETTERS.fullmatch(bare):
                break
            found.add(bare)
    return found


@lru_cache(maxsize=256)
def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!{PART})(?<!{PART}-)(?:{pattern})(?!{PART}|-{PART})")
