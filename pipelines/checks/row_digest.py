"""The canonical form of finished rows, and its digest: the same whatever the file format's bytes are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from haymaker.core.rows.sample import Span
from haymaker.core.rows.span_columns import SpanColumns

if TYPE_CHECKING:
    import pyarrow as pa

_NO_SPANS = '"spans":[],'  # quotes within a string are escaped, so it stands where the column does
_MANY = 256  # spans of a row that are worth going to Arrow for
_KEYS = sorted(Span.__slots__)
_PLAIN = bytes(code for code in range(0x20, 0x7F) if chr(code) not in '"\\')  # what JSON's strings hold as it is


def logical_digest(rows: Iterable[dict[str, Any]]) -> str:
    """Hash of canonical rows: stays the same when only the file format's bytes change (another pyarrow)."""
    state = blake2b(digest_size=16)
    for row in rows:
        prompt, rest = row["prompt"].encode(), _canonical(row)
        state.update(f"{len(prompt)} {sum(map(len, rest))}\n".encode())
        for part in (prompt, *rest):
            state.update(part)
    return state.hexdigest()


def _canonical(row: dict[str, Any]) -> list[bytes]:
    """All columns but the prompt as JSON with sorted keys, in parts; spans, of which there may be thousands, are put in apart: that is quicker."""
    rest = {name: value for name, value in row.items() if name != "prompt"} | {"spans": []}
    before, here, behind = json.dumps(rest, sort_keys=True, separators=(",", ":")).partition(_NO_SPANS)
    return [f"{before}{here[:-2]}".encode(), _spans(row["spans"]), f"{here[-2:]}{behind}".encode()]


def _span(span: dict[str, Any]) -> str:
    """The keys of haymaker.core.rows.sample, sorted."""
    return (
        f'{{"end":{_json(span["end"])},"kind":{_json(span["kind"])},"label":{_json(span["label"])},"rank":{_json(span["rank"])},'
        f'"ref":{_json(span["ref"])},"score":{_json(span["score"])},"start":{_json(span["start"])},'
        f'"title":{_json(span["title"])},"token_start":{_json(span["token_start"])}}}'
    )


def _json(value: object) -> str:
    """What json.dumps says of a value."""
    if value is None:
        return "null"
    if type(value) is str:
        return encode_basestring_ascii(value)
    return repr(value) if type(value) is int else json.dumps(value)


def _spans(spans: Sequence[dict[str, Any]]) -> bytes:
    """Spans as JSON, without the brackets around them."""
    if isinstance(spans, SpanColumns) and spans.arrays is not None and len(spans) >= _MANY:
        return _joined(spans.arrays)
    return ",".join(map(_span, spans)).encode()


def _joined(arrays: Mapping[str, pa.Array]) -> bytes:
    """The same of spans by column: what `_span` says of each, put together by Arrow."""
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
    """The values of a column as JSON, nulls as they are."""
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_integer(array.type):
        return array.cast(pa.string())
    if pa.types.is_string(array.type) and not _text(array).translate(None, _PLAIN):
        return compute.binary_join_element_wise('"', array, '"', "")
    return pa.array(map(_json, array.to_pylist()), type=pa.string())


def _text(array: pa.StringArray) -> bytes:
    """The bytes of all texts of a column, one behind the other."""
    import pyarrow as pa

    _, offsets, data = array.buffers()
    ends = pa.Array.from_buffers(pa.int32(), len(array) + 1, [None, offsets], offset=array.offset)
    return bytes(data[ends[0].as_py() : ends[-1].as_py()]) if data else b""
