"""haymaker compare: models on the same rows of one release, paired row by row (docs/reference/scores.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.choices import MISSING, check_choice
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import written
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.files.output_files import check_replaceable, first_line_has, is_object_with
from haymaker.core.progress import say
from haymaker.evaluation.compare.pooled_test import pooled_test
from haymaker.evaluation.compare.table import print_pooled, print_tests, print_verdicts
from haymaker.evaluation.score.figures import primary_rows
from haymaker.evaluation.score.files import ModelScores
from haymaker.evaluation.score.overall import cells
from haymaker.evaluation.score.row_scores import Cell, RowScore, group_by_cell
from haymaker.scoring.statistics.intervals import METHOD, RESAMPLES, corrected, paired
from haymaker.scoring.statistics.means import mean_over_groups

FORMAT = "haymaker-comparison"
VERSION = 1


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options of a comparison.

    Attributes:
        metric: metric id; None: the primary metric of each row.
        json_file: file for all figures.
        flips: file for the rows that only one of two models got right, as JSON lines.
        missing: policy for rows without an output, one of MISSING.
    """

    metric: str | None = None
    json_file: Path | None = None
    flips: Path | None = None
    missing: str = "exclude"


class Pair(NamedTuple):
    """The scores of two models for one row and metric."""

    first: RowScore
    second: RowScore

    @property
    def more(self) -> float:
        """Score difference: second - first."""
        return (self.second.score or 0.0) - (self.first.score or 0.0)


def compare(files: Sequence[Path], read: Callable[[Path], ModelScores], options: CompareOptions) -> None:
    """Print and write the score differences of each further model from the first.

    Args:
        files: two or more files of outputs or row scores; the first is the baseline.
        read: function that returns the scores of a file.
        options: metric, output files and policy.

    Raises:
        ParamsError: fewer than two files, or a repeated file.
        ReleaseError: files of different releases, or no common row.
    """
    _check(files, options)
    check_replaceable(options.json_file, "--json", "file of haymaker compare --json", is_object_with((), FORMAT))
    flip = first_line_has(("id", "first", "second", "first_score", "second_score"))
    check_replaceable(options.flips, "--flips", "file of haymaker compare --flips", flip)
    given = [read(path) for path in files]
    found = compare_pairs(given, options.metric)
    _write(given, found, options)
    print_pooled(found.pooled, len(given) > 2)
    print_tests(found.tests, len(given) > 2)
    print_verdicts(found.pooled)


class Compared(NamedTuple):
    """Score differences of each further model from the first (docs/reference/scores.md).

    Attributes:
        tests: one per task and length, with p-values corrected for the number of tests.
        pooled: one line over all test rows and one per suite, corrected separately; means are overall scores.
        flips: rows that only one of the two models got right.
    """

    tests: list[dict[str, Any]]
    pooled: list[dict[str, Any]]
    flips: list[dict[str, Any]]


def compare_pairs(given: Sequence[ModelScores], metric: str | None) -> Compared:
    """Compute the score differences of each further model from the first.

    Raises:
        ReleaseError: scores of different releases, or no common row.
    """
    first, found = given[0], Compared([], [], [])
    for other in given[1:]:
        same_release(first, other)
        pairs, unmatched = _pairs(first, other, metric)
        if unmatched:
            say(f"{unmatched} rows have a score in only one of {first.path} and {other.path} and are not compared")
        tests = [_test(cell, those, first, other) for cell, those in _cells(pairs)]
        found.tests.extend(tests)
        found.pooled.extend(_pooled(pairs, tests))
        found.flips.extend(_flips(pairs, first, other))
    for family in (found.tests, found.pooled):
        for test, value in zip(family, corrected([test["p"] for test in family]), strict=True):
            test["p_corrected"] = value
    return found


def _check(files: Sequence[Path], options: CompareOptions) -> None:
    check_choice(options.missing, MISSING, "policy", "--missing")
    if len(files) < 2:
        raise ParamsError("only one file: nothing to compare", where=str(files[0]), fix="give two or more files")
    if len({path.resolve() for path in files}) < len(files):
        raise ParamsError("a file is given twice", where="haymaker compare", fix="give each file once")


def same_release(first: ModelScores, other: ModelScores) -> None:
    """Check that both scores belong to the same release.

    Raises:
        ReleaseError: the releases differ; the message names both.
    """
    if first.release != other.release:
        names = [f"{of.path} belongs to {of.release.get('name') or 'a release without a manifest'} "
                 f"{of.release.get('version', '')} {of.release.get('digest', '')[:8]}".rstrip() for of in (first, other)]  # fmt: skip
        fix = "score both on one release; to compare two editions, use haymaker score --compare-with"
        raise ReleaseError(
            f"the files belong to different releases: {'; '.join(names)}", where="haymaker compare", fix=fix
        )


def _pairs(first: ModelScores, other: ModelScores, metric: str | None) -> tuple[list[Pair], int]:
    """Return the rows with a score in both files, and the number of rows with a score in only one."""
    ours, theirs = (_scored_rows(each, metric) for each in (first, other))
    both = [Pair(row, theirs[key]) for key, row in ours.items() if key in theirs]
    if not both:
        what = f"no row has a score in both {first.path} and {other.path}"
        raise ReleaseError(what, where="haymaker compare", fix="score outputs for the same rows, by the same metric")
    for pair in both:
        if pair.first.metric_version != pair.second.metric_version:
            what = f"{pair.first.metric} has version {pair.first.metric_version} in one file and {pair.second.metric_version} in the other"
            raise ReleaseError(what, where=str(other.path), fix="score both sets of outputs again")
        if pair.first.judge != pair.second.judge:
            judges = f"{pair.first.judge or 'an unknown judge'} in one file and by {pair.second.judge or 'an unknown judge'} in the other"
            what = f"{pair.first.metric} was judged by {judges}"
            raise ReleaseError(what, where=str(other.path), fix="score both sets of outputs with the same judge")
    return both, len(ours) + len(theirs) - 2 * len(both)


def _scored_rows(given: ModelScores, metric: str | None) -> dict[tuple[str, str], RowScore]:
    return {(row.id, row.metric): row for row in primary_rows(given.rows, metric) if row.score is not None}


def _cells(pairs: Iterable[Pair]) -> Iterator[tuple[Cell, list[Pair]]]:
    """Yield the pairs of every task and length."""
    both = {(pair.first.id, pair.first.metric): pair for pair in pairs}
    for cell, rows in group_by_cell(pair.first._replace(by="") for pair in both.values()).items():
        yield cell, [both[row.id, row.metric] for row in rows]


def _pooled(pairs: Sequence[Pair], tests: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the lines over all tests and per suite; the line over a single test has the bounds of that test."""
    same = {key: tests[0][key] for key in ("first", "second", *(("low", "high", "p") if len(tests) == 1 else ()))}
    for line in pooled_test(cells(pair.first for pair in pairs), cells(pair.second for pair in pairs)):
        yield line | same


def _test(cell: Cell, pairs: Sequence[Pair], first: ModelScores, other: ModelScores) -> dict[str, Any]:
    """Return the figures of one task and length, without the correction over all tests."""
    difference = paired(
        ((pair.first.group, pair.more) for pair in pairs), cell.suite, cell.task, cell.metric, cell.length
    )
    return {
        "first": str(first.path), "second": str(other.path), "suite": cell.suite, "task": cell.task, "metric": cell.metric,
        "judge": pairs[0].first.judge, "length": cell.length, "rows": len(pairs),
        "first_mean": _mean(pair.first for pair in pairs), "second_mean": _mean(pair.second for pair in pairs),
        **difference._asdict(),
        "second_better_rows": sum(pair.more > 0 for pair in pairs), "first_better_rows": sum(pair.more < 0 for pair in pairs),
    }  # fmt: skip


def _mean(rows: Iterable[RowScore]) -> float:
    return mean_over_groups((row.group, row.score or 0.0) for row in rows)


def _flips(pairs: Iterable[Pair], first: ModelScores, other: ModelScores) -> Iterator[dict[str, Any]]:
    """Yield the rows with one score of at least 0.5 and the other below."""
    for one, two in pairs:
        if ((one.score or 0.0) >= 0.5) != ((two.score or 0.0) >= 0.5):
            yield {
                "id": one.id, "group": one.group, "suite": one.suite, "task": one.task, "length": one.length,
                "metric": one.metric, "first": str(first.path), "second": str(other.path),
                "first_score": one.score, "second_score": two.score,
            }  # fmt: skip


def _write(given: Sequence[ModelScores], found: Compared, options: CompareOptions) -> None:
    facts = {"format": FORMAT, "format_version": VERSION, "release": dict(given[0].release)}
    how = {"correction": METHOD, "resamples": RESAMPLES, "missing": options.missing}
    how |= {"pooled": found.pooled, "tests": found.tests, "files": [str(each.path) for each in given]}
    write_json_or_print(options.json_file, facts | how)
    if options.flips:
        with written(options.flips) as temporary:
            temporary.write_text(
                "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in found.flips), encoding="utf-8"
            )
