"""Files of `haymaker score`: figures as JSON, and row scores as Parquet or JSON lines (written and read)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import first_bytes, sha256_file, written
from haymaker.core.files.output_files import check_replaceable, first_line_has, is_object_with
from haymaker.evaluation.predictions import output_lines, read_outputs
from haymaker.evaluation.score import needle_table
from haymaker.evaluation.score.edition_diff import compare_editions
from haymaker.evaluation.score.figures import above_floor, averages, cell_figures, effective_lengths, primary_rows
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.overall import summary
from haymaker.evaluation.score.row_scores import RowScore, apply_missing_policy, release_identity, release_of
from haymaker.releases.display.simulated_tasks import simulated_tasks
from haymaker.releases.folder import manifest, release_folder
from haymaker.releases.selection import TEST_ROWS, Selection

FORMAT = "haymaker-scores"
VERSION = 1
_RELEASE = {"release": "name", "release_version": "version", "release_digest": "digest"}
_LATER = RowScore._field_defaults  # optional in files: missing in older versions
_PARQUET = b"PAR1"
_AGAIN = "write it again: haymaker score OUTPUTS --row-scores FILE"


def check_files(figures: Path | None, rows: Path | None) -> None:
    """Check before scoring that the files can be written and replace only files of the same kind.

    Raises:
        ReleaseError: a file cannot be written or replaced, or both paths are the same.
    """
    check_replaceable(figures, "--json", "file of haymaker score --json", is_object_with((), FORMAT))
    check_replaceable(rows, "--row-scores", "file of haymaker score --row-scores", are_scores)
    if figures and rows and figures.resolve() == rows.resolve():
        fix = "choose different files for --json and --row-scores"
        raise ReleaseError("is given as both --json and --row-scores", where=str(rows), fix=fix)


def all_figures(
    release: Path, outputs: Path, rows: Sequence[RowScore], notes: Sequence[str], options: ScoringOptions
) -> dict[str, Any]:
    """Return all figures, from 0 to 1 (fields: docs/reference/scores.md).

    Args:
        release: release folder.
        outputs: the scored file.
        rows: all scores.
        notes: messages about outputs and rows excluded from the means.
        options: metrics and policies.
    """
    cells, facts = list(cell_figures(rows)), manifest(release)
    simulated = simulated_tasks(facts)
    whole = summary(primary_rows(rows, options.metric))
    figures: dict[str, Any] = {
        "format": FORMAT,
        "format_version": VERSION,
        "release": release_of(release),
        "outputs": {"file": outputs.name, "sha256": sha256_file(outputs)},
        "missing": options.missing,
        "prompting": options.prompting,
        "by": options.by or "",
        "selection": "" if options.selection == TEST_ROWS else str(options.selection),
        **(whole.as_json() if whole else {"overall": None, "suites": [], "tasks": []}),
        "cells": [
            cell | {"simulated": (cell["suite"], cell["task"]) in simulated} | above_floor(facts, cell)
            for cell in cells
        ],
        "effective_lengths": list(effective_lengths(cells, options.share)),
        "averages": list(averages(rows)),
        "notes": list(notes),
    }
    if any(row.metric == needle_table.METRIC for row in rows):
        needles = needle_table.given_needles(release, read_outputs(outputs), options.selection)
        figures["needles"] = [each._asdict() for each in needles]
    if options.compare_with:
        figures["comparison"] = compare_editions(figures, options.compare_with)
    return figures


def write_rows(path: Path, rows: Sequence[RowScore], release: Mapping[str, str]) -> None:
    """Write one line or Parquet row per score, with the identity of the release."""
    of = {"release": release["name"], "release_version": release["version"], "release_digest": release["digest"]}
    with written(path) as temporary:
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            pq.write_table(_table(rows, of), temporary, compression="zstd")
        else:
            with temporary.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row._asdict() | of, ensure_ascii=False) + "\n" for row in rows)


def _table(rows: Sequence[RowScore], of: Mapping[str, str]) -> Any:
    import pyarrow as pa

    kinds = {
        "depth": pa.float32(), "depth_index": pa.int32(), "order_index": pa.int32(), "metric_version": pa.int32(),
        "primary": pa.bool_(), "score": pa.float64(),
    }  # fmt: skip
    columns = (
        dict(zip(RowScore._fields, zip(*rows, strict=True), strict=True))
        if rows
        else dict.fromkeys(RowScore._fields, ())
    )
    arrays = {name: pa.array(values, kinds.get(name, pa.string())) for name, values in columns.items()}
    return pa.table(arrays | {name: pa.array([value] * len(rows), pa.string()) for name, value in of.items()})


class ModelScores(NamedTuple):
    """The scores of one model.

    Attributes:
        path: file of the scores or outputs.
        release: name, version and digest.
        rows: all scores.
        notes: messages about outputs and rows excluded from the means.
    """

    path: Path
    release: Mapping[str, str]
    rows: list[RowScore]
    notes: tuple[str, ...] = ()

    def selected(self, selection: Selection, release: str | None, missing: str) -> ModelScores:
        """Return the scores of the selected test rows.

        Args:
            selection: rows to keep.
            missing: policy for rows without an output.
            release: release of the scores, as for `release_folder`; only read if not all rows are selected.

        Raises:
            ParamsError, ReleaseError: no such release, another release, or as in `Selection.names`.
        """
        tested = [row for row in self.rows if row.split == "test"]
        if selection == TEST_ROWS:
            return self._replace(rows=apply_missing_policy(tested, missing))
        folder = release_folder(release)
        if (here := release_identity(folder)) != self.release:
            what = f"the scores belong to {self.release['name']} {self.release['version']}, not to {here['name']} {here['version']}"
            raise ReleaseError(what, where=str(self.path), fix="give their release with --release")
        is_selected = selection.row_filter(folder)
        kept = (row for row in tested if is_selected(row.id, row.table))
        return self._replace(rows=apply_missing_policy(kept, missing))


def holds_scores(path: Path) -> bool:
    """Check whether a file contains scores instead of outputs."""
    if path.suffix == ".parquet":
        return True
    first = next(iter(output_lines(path)))[1]
    return "metric" in first and "output" not in first


def are_scores(path: Path) -> bool:
    """Check from the content whether a file is a score file."""
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
    """Read the scores in a file.

    Raises:
        ReleaseError: not a file of `--row-scores`, empty, several releases in one file, or a repeated row and metric.
    """
    rows: dict[tuple[str, str], RowScore] = {}
    releases: dict[tuple[str, ...], None] = {}
    for where, record in _records(path):
        row, of = _scored(record, where)
        if (row.id, row.metric) in rows:
            raise ReleaseError(f"id {row.id!r} appears twice for {row.metric}", where=where, fix="keep one of them")
        rows[row.id, row.metric] = row
        releases[of] = None
    if len(releases) != 1:
        what = "contains scores of several releases" if releases else "contains no scores"
        raise ReleaseError(what, where=str(path), fix=_AGAIN)
    return ModelScores(path, dict(zip(_RELEASE.values(), next(iter(releases)), strict=True)), list(rows.values()))


def _scored(record: Mapping[str, Any], where: str) -> tuple[RowScore, tuple[str, ...]]:
    try:
        row = RowScore(**{name: record[name] for name in RowScore._fields if name in record or name not in _LATER})
        of = tuple(str(record[name]) for name in _RELEASE)
    except KeyError as error:
        raise ReleaseError(f"has no {error}", where=where, fix=_AGAIN) from None
    if row.score is not None and not isinstance(row.score, int | float):
        raise ReleaseError(f"score is {row.score!r:.80}, not a number", where=where, fix=_AGAIN)
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
