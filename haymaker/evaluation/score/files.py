"""The files of `haymaker score`: figures as JSON, every score of every row as Parquet or JSON lines (docs/reference/scores.md)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.buckets import bucket_order, is_natural
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import sha256_file, write_json, written
from haymaker.core.files.output_files import check_replaceable, is_object_with
from haymaker.core.progress import out
from haymaker.evaluation.score.edition_diff import compare_editions, print_edition_diff
from haymaker.evaluation.score.read import are_scores
from haymaker.evaluation.score.rows import RowScore, cell_figures, release_of
from haymaker.evaluation.score.table import print_grid
from haymaker.releases.folder import manifest
from haymaker.scoring.published_tables import Value, tables
from haymaker.scoring.published_tables import table as aggregate_table
from haymaker.scoring.statistics.means import effective_length, failing_before, mean_over_groups, summarise

FORMAT = "haymaker-scores"
VERSION = 1


class Files(NamedTuple):
    """What is to be written, and what of.

    Attributes:
        figures, rows: where to; None: not.
        beside: figures of another release; None: none.
        share: of effective lengths, 0 .. 1.
        told: how was scored: `missing`, `prompting`, `by`.
    """

    figures: Path | None
    rows: Path | None
    beside: Path | None
    share: float
    told: Mapping[str, str]


def check_files(figures: Path | None, rows: Path | None) -> None:
    """Before anything is scored: the files can be written, and replace none of another kind.

    Raises:
        ReleaseError: one cannot, or both are one.
    """
    check_replaceable(figures, "--json", "file of haymaker score --json", is_object_with((), FORMAT))
    check_replaceable(rows, "--rows", "file of haymaker score --rows", are_scores)
    if figures and rows and figures.resolve() == rows.resolve():
        raise ReleaseError("is named twice", where=str(rows), fix="name one file by --json and another by --rows")


def write(release: Path, outputs: Path, rows: Sequence[RowScore], notes: Iterable[str], files: Files) -> None:
    """Write the files that are wanted; print what stands beside the table of means.

    Args:
        release: its folder.
        outputs: the file that was scored.
        rows: every score.
        notes: what was said of rows that are in no mean.
        files: which.
    """
    of = release_of(release)
    found = list(cell_figures(rows))
    simulated = _simulated(manifest(release))
    figures: dict[str, Any] = {
        "format": FORMAT,
        "format_version": VERSION,
        "release": of,
        "outputs": {"file": outputs.name, "sha256": sha256_file(outputs)},
        **files.told,
        "cells": [cell | {"simulated": (cell["suite"], cell["task"]) in simulated} for cell in found],
        "effective_lengths": list(effective_lengths(found, files.share)),
        "averages": list(averages(rows)),
        "notes": list(notes),
    }
    if files.beside:
        figures["beside"] = compare_editions(figures, files.beside)
        print_edition_diff(figures["beside"])
    _print_averages(figures["averages"])
    _print_lengths(figures["effective_lengths"])
    if files.rows:
        write_rows(files.rows, rows, of)
    if files.figures:
        write_json(files.figures, figures)


def write_rows(path: Path, rows: Sequence[RowScore], release: Mapping[str, str]) -> None:
    """Every score as a line or row of its own, with the release it is of."""
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
        "depth": pa.float32(), "depth_index": pa.int32(), "permutation": pa.int32(), "metric_version": pa.int32(),
        "primary": pa.bool_(), "score": pa.float64(),
    }  # fmt: skip
    columns = (
        dict(zip(RowScore._fields, zip(*rows, strict=True), strict=True))
        if rows
        else dict.fromkeys(RowScore._fields, ())
    )
    arrays = {name: pa.array(values, kinds.get(name, pa.string())) for name, values in columns.items()}
    return pa.table(arrays | {name: pa.array([value] * len(rows), pa.string()) for name, value in of.items()})


def _simulated(facts: Mapping[str, Any]) -> set[tuple[str, str]]:
    every = ((suite, task) for suite, of in facts.get("suites", {}).items() for task in of["tasks"])
    return {(suite, task["name"]) for suite, task in every if task.get("simulated")}


def effective_lengths(found: Iterable[Mapping[str, Any]], share: float) -> Iterator[dict[str, Any]]:
    """The effective length of each task under each metric: the longest that reaches a share of the score at the shortest one."""
    means: dict[tuple[str, str, str, bool], dict[str, float]] = defaultdict(dict)
    for cell in found:
        if not cell["by"] and cell["mean"] is not None and not is_natural(cell["bucket"]):
            means[cell["suite"], cell["task"], cell["metric"], cell["primary"]][cell["bucket"]] = cell["mean"]
    for (suite, task, metric, primary), at in means.items():
        base = min(at, key=bucket_order)
        if len(at) > 1:
            of = {"suite": suite, "task": task, "metric": metric, "primary": primary, "share": share}
            length = effective_length(at, share * at[base]) if at[base] else None
            yield of | {
                "base_bucket": base,
                "base_mean": at[base],
                "bucket": length,
                "below": failing_before(at, share * at[base]),
                "longest": max(at, key=bucket_order),
            }


def averages(rows: Sequence[RowScore]) -> Iterator[dict[str, Any]]:
    """Overall figures and categories of the published tables of which a figure is here, in both editions."""
    for name in tables():
        table = aggregate_table(name)
        wanted = {value for values in table.categories.values() for value in values}
        for edition in ("strict", "official"):
            for bucket, at in _of_table(rows, wanted, edition, ("", *table.variants)).items():
                summary = summarise(table, at)
                for of, each in (("overall", summary.overall), *summary.languages.items(), *summary.categories.items()):
                    if each.have:
                        place = {"table": name, "title": table.title, "edition": edition, "bucket": bucket}
                        yield place | {"of": of, "mean": each.mean, "have": each.have, "should": each.of}


def _of_table(
    rows: Iterable[RowScore], wanted: set[Value], edition: str, variants: tuple[str, ...]
) -> dict[str, dict[Value, float]]:
    """Means of a table's figures by bucket, the shortest first."""
    pairs: dict[tuple[str, Value], list[tuple[str, float]]] = defaultdict(list)
    for row in rows:
        name, _, of = row.metric.partition("@")
        value = Value(row.suite, row.task, name)
        if (
            of == edition
            and row.score is not None
            and row.variant in variants
            and row.part == "test"
            and value in wanted
        ):
            pairs[row.bucket, value].append((row.group, row.score))
    found: dict[str, dict[Value, float]] = {}
    for bucket, value in sorted(pairs, key=lambda key: bucket_order(key[0])):
        found.setdefault(bucket, {})[value] = mean_over_groups(pairs[bucket, value]).mean
    return found


def _print_averages(found: Iterable[Mapping[str, Any]]) -> None:
    """A line a table: the overall figure at each length, and of how many figures where some are missing."""
    lines: dict[str, list[str]] = defaultdict(list)
    for each in found:
        if each["of"] == "overall" and each["edition"] == "strict":
            lacks = "" if each["have"] == each["should"] else f" ({each['have']}/{each['should']})"
            lines[each["title"]].append(f"{each['bucket']} {100 * each['mean']:.1f}{lacks}")
    for title, told in lines.items():
        out.print(f"average of {title} @strict: {', '.join(told)}", markup=False)


def _print_lengths(found: Sequence[Mapping[str, Any]]) -> None:
    """A line a task that has several lengths."""
    lines = [
        ([each["task"], each["metric"]], [each["base_bucket"], each["bucket"] or "none", ", ".join(each["below"])])
        for each in found
        if each["primary"]
    ]
    if lines:
        out.print(
            f"effective length: the longest with {100 * found[0]['share']:g} % of the score at the shortest",
            markup=False,
        )
        lines = lines if any(cells[2] for _, cells in lines) else [(name, cells[:2]) for name, cells in lines]
        print_grid(["task", "metric"], ["shortest", "effective", "yet below it at"][: len(lines[0][1])], lines)
