"""What an entry of a needle task asks for, in the words of its title."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from generators.synthetic.needles_content import NeedleSettings
from haymaker.core.text.english_grammar import number_words

_THINGS = {"number": "number", "uuid": "UUID", "digits": "five-digit number", "runs": "ten-digit number"}
_DIGITS = {"digits": "five digits", "runs": "ten digits with repetitions"}
_PLACES = {"essay": "in books", "noise": "among filler sentences", "needles": "among lines that all give one"}


def title_words(settings: NeedleSettings) -> dict[str, object]:
    """What is asked for, where it stands, and how; `how` begins with a comma where it says anything."""
    how = "".join(f", {each}" for each in _how(settings))
    digits = _DIGITS.get(settings.value, "")
    return {"what": _what(settings), "where": _PLACES[settings.haystack], "how": how, "digits": digits}


def _what(settings: NeedleSettings) -> str:
    queries, others, thing = settings.queries, settings.distractors, _THINGS[settings.value]
    asked, every = number_words(queries), number_words(queries + others)
    if settings.values > 1:
        each = "one name" if queries == 1 else f"each of {asked} names"
        among = f" of {every}" if others else ""
        return f"{number_words(settings.values)} {thing}s of {each}{among}"
    if others:
        return f"{asked} of {every} {thing}s"
    return f"a {thing}" if queries == 1 else f"the {thing}s of {asked} names"


def _how(settings: NeedleSettings) -> Iterator[str]:
    if settings.key == "uuid":
        yield "by its UUID" if settings.queries == 1 else "by their UUIDs"
    if settings.depths > 1:
        apart = settings.queries * settings.values > 1
        yield f"{'evenly spread behind' if apart else 'at'} {number_words(settings.depths)} depths"
    if settings.closeness == "near":
        yield "the other names like the one asked for"
    if settings.decoys:
        yield f"among {number_words(settings.decoys)} decoys"
    if settings.absent:
        yield f"not there in one row of {number_words(settings.depths + 1)}"
    if settings.order == "shuffled":
        yield "sentences shuffled"
    if settings.wording == "other":
        yield "asked in other words"
    if settings.phrases:
        yield f"in the words of {Path(settings.phrases).stem!r}"
