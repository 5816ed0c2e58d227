"""Fields of JSON records, each looked at before it is used; an error names file, line or record, and key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpora.sources.formats.odd_records import OddRecordError
from haymaker.core.errors import SourceError
from haymaker.core.params import nearest
from haymaker.core.text.strings import words

_MAX_DIGITS = 18
_PAGE = re.compile(r"^List of |\(disambiguation\)$|\bdiscography$", re.IGNORECASE)
_MEND = "fetch the source again, or mend that record"


def value_of(record: dict[str, Any], key: str, where: str) -> Any:
    """The value of a key that must be there.

    Raises:
        SourceError: no such key (names the nearest).
    """
    if key not in record:
        raise SourceError(f"has no key {key!r}", where=where, fix=nearest(key, record))
    return record[key]


def text_of(value: Any, key: str, where: str) -> str:
    """The value, if it is text that UTF-8 can hold.

    Raises:
        SourceError: it is not.
    """
    if not isinstance(value, str):
        raise SourceError(f"{key!r} is {type(value).__name__}, not text", where=where, fix="mend that record")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise SourceError(
            f"{key!r} holds a lone surrogate at character {error.start:,}", where=where, fix="mend that record"
        ) from None
    return value


def id_of(value: Any, key: str, where: str) -> str:
    """The value as a document id.

    Raises:
        SourceError: neither text nor a whole number, or empty.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise SourceError(
            f"{key!r} is {value!r:.40}, not an id (text or whole number)", where=where, fix="mend that record"
        )
    return text_of(str(value), key, where)


def text(record: dict[str, Any], key: str, where: str) -> str:
    """A text that is not blank, stripped.

    Raises:
        SourceError: missing, no text, or blank.
    """
    found = text_of(value_of(record, key, where), key, where).strip()
    if not found:
        raise OddRecordError(f"{key!r} is empty", where=where, fix=_MEND)
    return found


def texts(record: dict[str, Any], key: str, where: str) -> list[str]:
    """A list of texts.

    Raises:
        SourceError: missing, or anything else.
    """
    return [text_of(item, key, where) for item in _items(record, key, where)]


def objects(record: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """A list of objects.

    Raises:
        SourceError: missing, or anything else.
    """
    found = _items(record, key, where)
    if not all(isinstance(item, dict) for item in found):
        raise SourceError(f"{key!r} holds other things than objects", where=where, fix=_MEND)
    return found


def whole(record: dict[str, Any], key: str, where: str) -> int:
    """A whole number, written as one or as its digits.

    Raises:
        SourceError: missing, or anything else.
    """
    return whole_number(value_of(record, key, where), key, where)


def whole_number(value: object, key: str, where: str) -> int:
    """The value, if it is a whole number of 0 or more, or its digits.

    Raises:
        SourceError: it is not.
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**_MAX_DIGITS:
        return value
    if isinstance(value, str) and len(value) <= _MAX_DIGITS and value.isascii() and value.isdigit():
        return int(value)
    raise SourceError(f"{key!r} is {value!r:.40}, not a whole number", where=where, fix=_MEND)


def answers(found: Iterable[str], where: str) -> tuple[str, ...]:
    """Accepted answers in their order: stripped, none twice; those without a word only where there is no other.

    A gold answer without letters or digits can be matched by nothing, or by everything (docs/defects/helmet.md D10). Names of pages
    ("List of ...", "... (disambiguation)") and beginnings of another answer ("polit.") answer nothing: only where there is no other too.

    Raises:
        SourceError: none.
    """
    stripped = (text_of(answer, "answer", where).strip() for answer in found)
    all_of_them = [answer for answer in dict.fromkeys(stripped) if answer]
    if not all_of_them:
        raise OddRecordError("has no answer", where=where, fix=_MEND)
    worded = [answer for answer in all_of_them if words(answer)] or all_of_them
    return tuple(answer for answer in worded if not _is_no_answer(answer, worded)) or tuple(worded)


def _is_no_answer(answer: str, among: list[str]) -> bool:
    """Whether an answer is the name of a page, or another one cut short by a full stop."""
    if _PAGE.search(answer):
        return True
    begun = answer.removesuffix(".").lower()
    cut = begun.isalpha() and len(begun) > 1 and begun != answer.lower()
    return cut and any(other.lower().startswith(begun) and other[len(begun) :][:1].isalpha() for other in among)


def json_array(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Place ("file: record 3", from 1) and object of every record of a file that is one JSON array of objects.

    Raises:
        SourceError: missing, not UTF-8, not JSON (names the line), or of another shape.
    """
    whole_file = _json(path)
    if not isinstance(whole_file, list) or not whole_file:
        raise SourceError("expected an array of objects that is not empty", where=path.name, fix=_MEND)
    records = [(f"{path.name}: record {number}", record) for number, record in enumerate(whole_file, 1)]
    for where, record in records:
        if not isinstance(record, dict):
            raise SourceError(f"expected an object, not {type(record).__name__}", where=where, fix=_MEND)
    return records


def json_object(path: Path) -> dict[str, Any]:
    """A file that is one JSON object.

    Raises:
        SourceError: missing, not UTF-8, not JSON (names the line), or of another shape.
    """
    whole_file = _json(path)
    if not isinstance(whole_file, dict):
        raise SourceError(f"expected an object, not {type(whole_file).__name__}", where=path.name, fix=_MEND)
    return whole_file


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise SourceError("is missing", where=path.name, fix="fetch the source again") from None
    except UnicodeDecodeError as error:
        raise SourceError(f"not UTF-8 at byte {error.start:,}", where=path.name, fix=_MEND) from None
    except json.JSONDecodeError as error:
        where = f"{path.name}:{error.lineno}"
        raise SourceError(f"not JSON, or cut short: {error.msg}", where=where, fix=_MEND) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; nested too deep
        raise SourceError(f"not JSON: {error}", where=path.name, fix=_MEND) from None


def _items(record: dict[str, Any], key: str, where: str) -> list[Any]:
    found = value_of(record, key, where)
    if not isinstance(found, list):
        raise SourceError(f"{key!r} is {type(found).__name__}, not a list", where=where, fix=_MEND)
    return found
