"""Data dictionary: name, type and meaning of every column, from haymaker/core/rows/schema.py."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, get_args, get_type_hints

from haymaker.core.rows.schema import FIELD_NOTES, Sample, arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

_PLAIN = {"large_string": "string", "float": "float32"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: column name in the files.
        kind: type in words.
        optional: whether it may be null.
        meaning: description in one line.
    """

    name: str
    kind: str
    optional: bool
    meaning: str


def columns() -> list[Column]:
    """Return all columns in file order."""
    hints = get_type_hints(Sample)
    return [
        Column(field.name, _kind(field.type), NoneType in get_args(hints[field.name]), FIELD_NOTES[field.name])
        for field in arrow_schema()
    ]


def _kind(arrow: pa.DataType) -> str:
    """Return a language-independent name of a type."""
    import pyarrow.types as of

    if of.is_list(arrow):
        return f"list of {_kind(arrow.value_type)}"
    if of.is_struct(arrow):
        return "{" + ", ".join(field.name for field in arrow) + "}"
    return _PLAIN.get(str(arrow), str(arrow))
