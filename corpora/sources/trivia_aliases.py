"""TriviaQA's accepted answers: which of them answer, beside a passage; and examples whose answer readers found wrong.

The lists hold every name under which an encyclopaedia redirects to the answer's article: "General Orlov" to the film Octopussy, "Glisson's
sheath" to the liver. An alias is accepted where it is a form of one that the passage says: has a word of it, its initials, or nearly its
spelling; a number where one is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from types import MappingProxyType

from haymaker.core.rng import digest
from haymaker.core.text.strings import padded, words

_ALIKE = 0.7  # of the spelling: "Chartum" is Khartoum, "Kartoum" too
_IN_UNIT, _COUNTED = re.compile(r"In (\w+), ", re.IGNORECASE), re.compile(r"(\d[\d.,]*) (\w+)")
_FUNCTION_WORDS = frozenset("a an and at by for from in of on or the to with".split())
_FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "be9713c19263": "a prefix, no fraction",
        "647496250557": "the passage is on a record",
        "ef56a7d8d4eb": "a part in the film",
        "a8104fd1f6dc": "where it is set, not who wrote it",
        "0d3acf628967": "a player, no sport",
        "da1143636a74": "half of the name",
        "995d9339c9ad": "another thing than the passage is about",
        "ae0e9b53b82f": "the school, not the series",
    }
)


def answering(accepted: Sequence[str], passage: str) -> tuple[str, ...]:
    """Accepted answers that the passage holds as whole words, then their other forms; all of them where it holds none."""
    whole = padded(passage)
    said = [answer for answer in accepted if padded(answer) in whole]
    others = [answer for answer in accepted if answer not in said and any(_is_form(answer, each) for each in said)]
    return (*said, *others) if said else tuple(accepted)


def without_unit(question: str, accepted: Iterable[str]) -> tuple[str, ...]:
    """Of "5 shillings" the number, where the question names the unit: "In shillings, what was ...?"."""
    asked = _IN_UNIT.match(question)
    counted = [_COUNTED.fullmatch(answer) for answer in accepted] if asked else []
    return tuple(each[1] for each in counted if each and asked and each[2].lower() == asked[1].lower())


def fault(question: str) -> str:
    """What is wrong with the answer of an example, by its question; empty where nothing is known."""
    return _FAULTS.get(name_of(question), "")


def name_of(question: str) -> str:
    """A question's name here: a hash of its words, so that no sentence of TriviaQA stands here."""
    return digest("triviaqa", " ".join(words(question)), size=6).hex()


def _is_form(answer: str, said: str) -> bool:
    mine, other = _content(answer), _content(said)
    if set(mine) & set(other) or all(word.isdigit() for word in other):
        return True
    initials = {"".join(mine), "".join(other)} & {_initials(mine), _initials(other)}
    return bool(initials) or SequenceMatcher(None, "".join(mine), "".join(other), autojunk=False).ratio() >= _ALIKE


def _content(answer: str) -> list[str]:
    return [word for word in words(answer) if word not in _FUNCTION_WORDS]


def _initials(found: Iterable[str]) -> str:
    return "".join(word[0] for word in found)
