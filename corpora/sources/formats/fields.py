"""Fields of records, checked before use. Another type of value raises SourceError with file, line or record, and key.

`content` and `own_*` read records of users and raise OddRecordError, because such records are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from corpora.sources.formats.odd_records import OddRecordError
from haymaker.core.errors import SourceError
from haymaker.core.params import nearest
from haymaker.core.text.strings import words

_MAX_DIGITS = 18
_PAGE = re.compile(r"^List of |\(disambiguation\)$|\bdiscography$", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]{2}-[A-Z\d]{1,3}")  # of a country's part
_FIX = "correct that record, or fetch the source again"


def value_of(record: dict[str, Any], key: str, where: str) -> Any:
    """Return the value of a required key."""
    if key not in record:
        raise SourceError(f"has no key {key!r}", where=where, fix=nearest(key, record))
    return record[key]


def text_of(value: Any, key: str, where: str, error: type[SourceError] = SourceError) -> str:
    """Return the value, if it is text that UTF-8 can encode."""
    if not isinstance(value, str):
        raise error(f"{key!r} is {type(value).__name__}, not text", where=where, fix=_FIX)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise error(f"{key!r} holds a lone surrogate", where=where, fix=_FIX) from None
    return value


def id_of(value: Any, key: str, where: str) -> str:
    """Return the value as a document id: text that is not empty, or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise SourceError(f"{key!r} is {value!r:.40}, not an id (text or whole number)", where=where, fix=_FIX)
    return text_of(str(value), key, where)


def text(record: dict[str, Any], key: str, where: str) -> str:
    """Return a text without white space around it; a blank one raises OddRecordError."""
    found = text_of(value_of(record, key, where), key, where).strip()
    if not found:
        raise OddRecordError(f"{key!r} is empty", where=where, fix=_FIX)
    return found


def texts(record: dict[str, Any], key: str, where: str) -> list[str]:
    """Return a list of texts."""
    return [text_of(item, key, where) for item in _items(record, key, where)]


def objects(record: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """Return a list of objects."""
    found = _items(record, key, where)
    if not all(isinstance(item, dict) for item in found):
        raise SourceError(f"{key!r} contains items that are not objects", where=where, fix=_FIX)
    return found


def _items(record: dict[str, Any], key: str, where: str) -> list[Any]:
    found = value_of(record, key, where)
    if not isinstance(found, list):
        raise SourceError(f"{key!r} is {type(found).__name__}, not a list", where=where, fix=_FIX)
    return found


def whole(record: dict[str, Any], key: str, where: str) -> int:
    """Return a whole number of 0 or more, also if it is written as text."""
    return whole_number(value_of(record, key, where), key, where)


def whole_number(value: object, key: str, where: str) -> int:
    """Return the value, if it is a whole number of 0 or more or its digits."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**_MAX_DIGITS:
        return value
    if isinstance(value, str) and len(value) <= _MAX_DIGITS and value.isascii() and value.isdigit():
        return int(value)
    raise SourceError(f"{key!r} is {value!r:.40}, not a whole number", where=where, fix=_FIX)


def answers(found: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the accepted answers, stripped and without duplicates, in their order; none at all raises OddRecordError.

    Answers without letters or digits match nothing or everything (docs/defects/helmet.md D10), and names of pages ("List of ...",
    "... (disambiguation)"), codes of states ("US-TX") and abbreviations of another answer ("polit.") answer nothing: they remain
    only if there is no other. A no-break space becomes a space.
    """
    stripped = (text_of(answer, "answer", where).replace("\xa0", " ").strip() for answer in found)
    every = [answer for answer in dict.fromkeys(stripped) if answer]
    if not every:
        raise OddRecordError("has no answer", where=where, fix=_FIX)
    worded = [answer for answer in every if words(answer)] or every
    return tuple(answer for answer in worded if not _is_no_answer(answer, worded)) or tuple(worded)


def _is_no_answer(answer: str, among: list[str]) -> bool:
    if _PAGE.search(answer) or _CODE.fullmatch(answer):
        return True
    begun = answer.removesuffix(".").lower()
    cut = begun.isalpha() and len(begun) > 1 and begun != answer.lower()
    return cut and any(other.lower().startswith(begun) and other[len(begun) :][:1].isalpha() for other in among)


def content(value: Any, where: str, key: str = "record") -> Any:
    """Return a JSON value in which whole floats are integers, and null and NaN members are removed (in lists: empty texts)."""
    if isinstance(value, dict):
        return {name: content(each, where, name) for name, each in value.items() if not _is_null(each)}
    if isinstance(value, list):
        return ["" if _is_null(each) else content(each, where, key) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return text_of(value, key, where, OddRecordError) if isinstance(value, str) else value


def own_id(record: Mapping[str, Any], key: str, where: str) -> str:
    """Return the id of a record; 3.0 is "3", because tables with a missing id turn the others into floats."""
    value = content(_given(record, key, where), where, key)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise OddRecordError(f"{key!r} is not an id (text or whole number)", where=where, fix=_FIX)
    return str(value)


def own_text(record: Mapping[str, Any], key: str, where: str) -> str:
    """Return the text of a record; missing, null, blank, not text and lone surrogates raise OddRecordError."""
    text = text_of(_given(record, key, where), key, where, OddRecordError)
    if not text.strip():
        raise OddRecordError(f"{key!r} is empty", where=where, fix=_FIX)
    return text


def own_title(record: Mapping[str, Any], key: str, where: str) -> str:
    """Return the title of a record, or an empty string; whole numbers are read as text."""
    value = record.get(key)
    if _is_null(value) or value == "":
        return ""
    return str(value) if type(value) is int else text_of(value, key, where, OddRecordError)


def _given(record: Mapping[str, Any], key: str, where: str) -> Any:
    if key not in record:
        raise OddRecordError(f"has no key {key!r}", where=where, fix=nearest(key, record))
    if _is_null(record[key]):
        raise OddRecordError(f"{key!r} is null", where=where, fix=_FIX)
    return record[key]


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def object_of(value: Any, where: str) -> dict[str, Any]:
    """Return the value, if it is an object."""
    if not isinstance(value, dict):
        raise SourceError(f"expected an object, not {type(value).__name__}", where=where, fix=_FIX)
    return value
