"""Read files of model outputs or scores; errors state the expected format."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from haymaker.core.errors import HaymakerError, ReleaseError
from haymaker.core.files.disk import first_bytes
from haymaker.core.files.json_lines import json_lines, text
from haymaker.core.rows.model_requests import journal_of
from haymaker.releases.folder import ANSWER

_FIX = 'write one JSON object per line: {"id": "row id", "output": "output of the model"}'
_TABLES = (".csv", ".tsv")
_HEAD_BYTES = 1000


def output_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield location and object of every non-blank line.

    Raises:
        ReleaseError: same as `json_lines`, or the file does not exist yet because `haymaker eval` did not finish.
    """
    _check_finished(path)
    try:
        yield from json_lines(path)
    except ReleaseError as error:
        what = "looks like CSV" if _is_table(path) else error.what
        raise ReleaseError(what, where=str(path) if what != error.what else error.where, fix=_FIX) from None


def read_outputs(path: Path) -> dict[str, str]:
    """Return outputs by row id, from JSON lines with `id` and `output` (both text), or replies of `haymaker eval`.

    Raises:
        ReleaseError: the file cannot be read, a field is missing or is not a text, or an id is repeated.
    """
    outputs: dict[str, str] = {}
    for where, record in output_lines(path):
        field = "reply" if record.get("call") == ANSWER and "output" not in record else "output"
        row_id, output = (text(record.get(key, ...), key, where) for key in ("id", field))
        if row_id in outputs:
            raise ReleaseError(f"id {row_id!r} appears twice", where=where, fix="keep one output per row")
        outputs[row_id] = output
    return outputs


def _check_finished(path: Path) -> None:
    """Raise an error if only the journal of an unfinished `haymaker eval` exists."""
    journal = journal_of(path)
    if path.exists() or not journal.is_file():
        return
    model, kept = "NAME", 0
    with contextlib.suppress(HaymakerError):  # the last line may be cut
        for kept, (_, record) in enumerate(json_lines(journal), 1):  # noqa: B007
            model = str(record.get("judge", model))
    what = (
        f"does not exist yet: haymaker eval was stopped or is still running ({kept} replies are kept in {journal.name})"
    )
    fix = f"run the same command to resume: haymaker eval --out {path} --model {model} ..."
    raise ReleaseError(what, where=str(path), fix=fix)


def _is_table(path: Path) -> bool:
    """Check whether a file looks like values separated by commas, semicolons or tabs."""
    if not path.is_file():
        return False
    head = first_bytes(path, _HEAD_BYTES).decode("utf-8-sig", "replace").partition("\n")[0].strip()
    names = [name.strip().strip('"').lower() for name in re.split("[,;\t]", head)]
    return not head.startswith(("{", "[")) and len(names) > 1 and (path.suffix.lower() in _TABLES or "id" in names)
