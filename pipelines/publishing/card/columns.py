"""The data dictionary: every column of a row with its type and meaning, from haymaker/core/rows/schema.py."""

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
        name: as in the files.
        kind: its type in words.
        optional: whether it may be null.
        meaning: one line.
    """

    name: str
    kind: str
    optional: bool
    meaning: str


def columns() -> list[Column]:
    """All columns in the order of the files."""
    hints = get_type_hints(Sample)
    return [
        Column(field.name, _kind(field.type), NoneType in get_args(hints[field.name]), FIELD_NOTES[field.name])
        for field in arrow_schema()
    ]


def _kind(arrow: pa.DataType) -> str:
    """A type as a reader of any language knows it."""
    import pyarrow.types as of

    if of.is_list(arrow):
        return f"list of {_kind(arrow.value_type)}"
    if of.is_struct(arrow):
        return "{" + ", ".join(field.name for field in arrow) + "}"
    return _PLAIN.get(str(arrow), str(arrow))
