"""Logical digest of finished rows, computed from a canonical form that is independent of the file encoding."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from haymaker.core.rows.schema import Span
from haymaker.core.rows.span_columns import SpanColumns

if TYPE_CHECKING:
    import pyarrow as pa

_NO_SPANS = '"spans":[],'  # unique: quotes within strings are escaped
_MANY = 256  # minimum number of spans for the Arrow version
_KEYS = sorted(Span.__slots__)
_PLAIN = bytes(code for code in range(0x20, 0x7F) if chr(code) not in '"\\')  # not escaped in JSON strings


def logical_digest(rows: Iterable[dict[str, Any]]) -> str:
    """Return the hash of canonical rows; it does not change with the file encoding (another pyarrow version)."""
    state = blake2b(digest_size=16)
    for row in rows:
        prompt, rest = row["prompt"].encode(), _canonical(row)
        state.update(f"{len(prompt)} {sum(map(len, rest))}\n".encode())
        for part in (prompt, *rest):
            state.update(part)
    return state.hexdigest()


def _canonical(row: dict[str, Any]) -> list[bytes]:
    """Return all columns except the prompt as JSON with sorted keys, in parts; encoding spans separately is faster.

    A null in `messages` is omitted, so the column changes no digest of a row without messages.
    """
    rest = {name: value for name, value in row.items() if name != "prompt"} | {"spans": []}
    if rest.get("messages") is None:
        rest.pop("messages", None)
    before, here, behind = json.dumps(rest, sort_keys=True, separators=(",", ":")).partition(_NO_SPANS)
    return [f"{before}{here[:-2]}".encode(), _spans(row["spans"]), f"{here[-2:]}{behind}".encode()]


def _span(span: dict[str, Any]) -> str:
    """Return a span as JSON, with the sorted keys of haymaker.core.rows.schema."""
    return (
        f'{{"end":{_json(span["end"])},"kind":{_json(span["kind"])},"label":{_json(span["label"])},"rank":{_json(span["rank"])},'
        f'"ref":{_json(span["ref"])},"score":{_json(span["score"])},"start":{_json(span["start"])},'
        f'"title":{_json(span["title"])},"token_start":{_json(span["token_start"])}}}'
    )


def _json(value: object) -> str:
    """Return the same text as json.dumps, faster for common types."""
    if value is None:
        return "null"
    if type(value) is str:
        return encode_basestring_ascii(value)
    return repr(value) if type(value) is int else json.dumps(value)


def _spans(spans: Sequence[dict[str, Any]]) -> bytes:
    """Return spans as JSON, without the enclosing brackets."""
    if isinstance(spans, SpanColumns) and spans.arrays is not None and len(spans) >= _MANY:
        return _joined(spans.arrays)
    return ",".join(map(_span, spans)).encode()


def _joined(arrays: Mapping[str, pa.Array]) -> bytes:
    """Return the same JSON for spans stored by column, joined by Arrow."""
    from pyarrow import compute

    parts, words = list[Any](), "{"
    for key in _KEYS:
        words += f'"{key}":'
        if arrays[key].null_count == len(arrays[key]):
            words += "null,"
        else:
            parts, words = [*parts, words, _as_json(arrays[key])], ","
    ends = f"{words.rstrip(',')}}},"
    joined = compute.binary_join_element_wise(*parts, ends, "", null_handling="replace", null_replacement="null")
    return _text(joined)[:-1]


def _as_json(array: pa.Array) -> pa.Array:
    """Return the values of a column as JSON; nulls stay null."""
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_integer(array.type):
        return array.cast(pa.string())
    if pa.types.is_string(array.type) and not _text(array).translate(None, _PLAIN):
        return compute.binary_join_element_wise('"', array, '"', "")
    return pa.array(map(_json, array.to_pylist()), type=pa.string())


def _text(array: pa.StringArray) -> bytes:
    """Return the concatenated bytes of all texts of a column."""
    import pyarrow as pa

    _, offsets, data = array.buffers()
    ends = pa.Array.from_buffers(pa.int32(), len(array) + 1, [None, offsets], offset=array.offset)
    return bytes(data[ends[0].as_py() : ends[-1].as_py()]) if data else b""
