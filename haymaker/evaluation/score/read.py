"""Scores of rows, read back from a file of `haymaker score --rows`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import first_bytes
from haymaker.core.files.output_files import first_line_has
from haymaker.evaluation.predictions import output_lines
from haymaker.evaluation.score.rows import RowScore

_RELEASE = {"release": "name", "release_version": "version", "release_digest": "digest"}
_LATER = RowScore._field_defaults  # files written before there were these are read
_PARQUET = b"PAR1"
_AGAIN = "write it again: haymaker score OUTPUTS --rows FILE"


class ModelScores(NamedTuple):
    """The scores of one model.

    Attributes:
        path: of the file that was given.
        release: name, version and digest.
        rows: every score.
        notes: lines on outputs and rows that are in no mean.
    """

    path: Path
    release: Mapping[str, str]
    rows: list[RowScore]
    notes: tuple[str, ...] = ()


def holds_scores(path: Path) -> bool:
    """Whether a file is one of scores and not of outputs."""
    if path.suffix == ".parquet":
        return True
    first = next(iter(output_lines(path)))[1]
    return "metric" in first and "output" not in first


def are_scores(path: Path) -> bool:
    """Whether a file was written as one of scores, whatever it is called."""
    keys = {"id", "metric", "score", *_RELEASE}
    if first_bytes(path, len(_PARQUET)) != _PARQUET:
        return first_line_has(keys)(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return keys <= set(pq.read_schema(path).names)
    except (OSError, pa.ArrowException):
        return False


def read_scores(path: Path) -> ModelScores:
    """The scores that a file holds.

    Raises:
        ReleaseError: it is none of `--rows`, is empty, is of several releases, or has a row and metric twice.
    """
    rows: dict[tuple[str, str], RowScore] = {}
    releases: dict[tuple[str, ...], None] = {}
    for where, record in _records(path):
        row, of = _scored(record, where)
        if (row.id, row.metric) in rows:
            raise ReleaseError(f"id {row.id!r} comes twice under {row.metric}", where=where, fix="keep one of them")
        rows[row.id, row.metric] = row
        releases[of] = None
    if len(releases) != 1:
        what = "holds scores of several releases" if releases else "holds no scores"
        raise ReleaseError(what, where=str(path), fix=_AGAIN)
    return ModelScores(path, dict(zip(_RELEASE.values(), next(iter(releases)), strict=True)), list(rows.values()))


def _scored(record: Mapping[str, Any], where: str) -> tuple[RowScore, tuple[str, ...]]:
    try:
        row = RowScore(**{name: record[name] for name in RowScore._fields if name in record or name not in _LATER})
        of = tuple(str(record[name]) for name in _RELEASE)
    except KeyError as error:
        raise ReleaseError(f"has no {error}", where=where, fix=_AGAIN) from None
    if row.score is not None and not isinstance(row.score, int | float):
        raise ReleaseError(f"score is {row.score!r:.80}, no number", where=where, fix=_AGAIN)
    return row, of


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if path.suffix != ".parquet":
        yield from output_lines(path)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        records = pq.read_table(path).to_pylist()
    except (OSError, pa.ArrowException):
        raise ReleaseError("cannot be read as Parquet", where=str(path), fix=_AGAIN) from None
    yield from ((f"{path} row {number}", record) for number, record in enumerate(records))
