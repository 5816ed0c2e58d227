"""Print a published table for the outputs of a model: means, missing figures and additional lines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from haymaker.core.errors import ReleaseError
from haymaker.core.progress import out
from haymaker.evaluation.score.figures import table_means, table_pairs
from haymaker.evaluation.score.options import OWN_TABLE
from haymaker.evaluation.score.row_scores import NO_OUTPUT
from haymaker.evaluation.score.score_outputs import ScoredOutputs
from haymaker.evaluation.score.table import print_grid
from haymaker.releases.display.simulated_tasks import simulated_note
from haymaker.releases.manifest import LEFT_OUT
from haymaker.scoring.published_tables import AggregateTable, Value, tables
from haymaker.scoring.published_tables import table as published_table
from haymaker.scoring.statistics.means import (
    Share,
    Summary,
    all_right,
    effective_length,
    failing_before,
    summarise,
    weighted_means,
)


def print_published_table(
    table: AggregateTable, found: ScoredOutputs, edition: str, manifest: Mapping[str, Any]
) -> None:
    """Print the means of a published table per length; an incomplete mean shows the number of its figures.

    Below the table: the release, sources that differ from the published ones, missing figures with their reasons, and
    the additional lines of the table (consistency, classes).

    Raises:
        ReleaseError: no row is of a task of the table.
    """
    pairs = table_pairs(found.rows, table, edition)
    if not pairs:
        raise ReleaseError(f"no row belongs to a task of {table.title}", fix=_other_tables(table, manifest))
    means = table_means(pairs)
    lengths = [*table.lengths, *(length for length in means if length not in table.lengths)]
    summaries = {length: summarise(table, means.get(length, {})) for length in lengths}
    lines = _category_lines(table, summaries)
    for name, share in summaries[lengths[0]].languages.items():
        lines.append(([f"overall {name}", str(share.of)], [_shown(summaries[b].languages[name]) for b in lengths]))
    print_grid([f"{table.title} @{edition}", "of"], lengths, lines)
    _print_lengths(table, summaries)
    for line in (
        *_provenance(table, found, manifest),
        *simulated_note(manifest, found.tasks),
        *_missing(found, summaries, edition, manifest.get(LEFT_OUT, {})),
    ):
        out.print(line, markup=False)
    if table.consistency:
        _print_all_right(table, found, {length: pairs.get(length, {}) for length in lengths})
    if table.classes:
        _print_classes(table, found, lengths)


def _other_tables(table: AggregateTable, manifest: Mapping[str, Any]) -> str:
    """Return advice naming the other tables with tasks of the release; simulated tasks have separate tables."""
    here = {(suite, task["name"]) for suite, facts in manifest.get("suites", {}).items() for task in facts["tasks"]}
    others = {name: other for name in tables() if (other := published_table(name)) != table}
    names = [name for name, other in others.items() if here & {(each.suite, each.task) for each in other.datasets}]
    names += [OWN_TABLE] if OWN_TABLE in manifest.get("suites", {}) else []
    return (
        f"use --aggregate {' or '.join(names)}: its tasks are in this release"
        if names
        else "score outputs for its tasks"
    )


def _category_lines(table: AggregateTable, summaries: Mapping[str, Summary]) -> list[tuple[list[str], list[str]]]:
    """Return a line per category and an overall line: name, number of figures, and the mean per length."""
    every = summaries.values()
    lines = [
        ([name, str(len(values))], [_shown(summary.categories[name]) for summary in every])
        for name, values in table.categories.items()
    ]
    total = next(iter(every)).overall.of
    return [*lines, (["overall", str(total)], [_shown(summary.overall) for summary in every])]


def _print_lengths(table: AggregateTable, summaries: Mapping[str, Summary]) -> None:
    """Print RULER's effective length and weighted means, from complete lengths only."""
    means = {b: 100 * s.overall.mean for b, s in summaries.items() if s.overall.complete and s.overall.mean is not None}
    if table.effective is not None:
        length = effective_length(means, table.effective) or "none"
        below = failing_before(means, table.effective)
        yet = f", but below it at {', '.join(below)}" if below else ""
        out.print(f"effective length (at least {table.effective}): {length}{yet}; complete lengths: {', '.join(means)}")
    if not table.weighted:
        return
    if all(length in means for length in table.weighted):
        rising, falling = weighted_means([means[length] for length in table.weighted])
        out.print(f"weighted means of {', '.join(table.weighted)}: rising {rising:.1f}, falling {falling:.1f}")
    else:
        lacking = ", ".join(length for length in table.weighted if length not in means)
        out.print(f"no weighted means: not complete at {lacking}")


def _provenance(table: AggregateTable, found: ScoredOutputs, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield the release, and one line per source that differs from the published one, with its tasks."""
    named = "release {name} {version}, {edition} edition" if manifest else "a release without a manifest"
    yield named.format_map(manifest)
    others: dict[str, list[str]] = defaultdict(list)
    for dataset in table.datasets:
        for name in sorted(found.sources.get((dataset.suite, dataset.task), ())):
            if manifest.get("sources", {}).get(name, {}).get("source") not in dataset.published:
                others[name].append(dataset.task)
    for name, tasks in others.items():
        title = manifest.get("sources", {}).get(name, {}).get("title", "unknown")
        yield f"not {table.title}'s data but {name} ({title}): {', '.join(tasks)}"


def _missing(
    found: ScoredOutputs, summaries: Mapping[str, Summary], edition: str, left_out: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield one line per figure that is missing at some lengths: the lengths and the reason."""
    places: dict[tuple[Value, str], list[str]] = defaultdict(list)
    reasons, silent = _reasons(found), found.silent
    for length, summary in summaries.items():
        for value in summary.missing:
            metric, place = f"{value.metric}@{edition}", (value.suite, value.task, length)
            why = found.refused.get(metric) or ", ".join(reasons[place, metric])
            why = why or ("no outputs" if silent[place] else "") or _variants(found, place)
            why = why or left_out.get(value.suite, {}).get(value.task) or "not in this release"
            places[value, why].append(length)
    for (value, why), lengths in places.items():
        yield f"missing at {', '.join(lengths)}: {value.task} {value.metric}@{edition} ({why})"


def _reasons(found: ScoredOutputs) -> Mapping[tuple[tuple[str, str, str], str], Counter[str]]:
    """Count the reasons why rows with an output have no score, by table and metric."""
    reasons: dict[tuple[tuple[str, str, str], str], Counter[str]] = defaultdict(Counter)
    for row in found.rows:
        if row.score is None and row.why != NO_OUTPUT:
            reasons[row.table, row.metric][row.why] += 1
    return reasons


def _variants(found: ScoredOutputs, place: tuple[str, str, str]) -> str:
    return f"only as variant {', '.join(sorted(found.variants[place]))}" if place in found.variants else ""


def _shown(share: Share) -> str:
    """Format a mean, with the number of its figures if some are missing."""
    if share.mean is None:
        return "-"
    return _percent(share.mean) if share.complete else f"{_percent(share.mean)} ({share.have}/{share.of})"


def _percent(mean: float) -> str:
    return f"{100 * mean:.1f}"


def _print_all_right(
    table: AggregateTable, found: ScoredOutputs, pairs: Mapping[str, Mapping[Value, list[tuple[str, float]]]]
) -> None:
    """Print the share of questions with only correct rows, in the layout of the means."""
    shares = {
        length: {value: share for value, scores in of.items() if (share := all_right(scores)) is not None}
        for length, of in pairs.items()
    }
    out.print()
    lines = _category_lines(table, {length: summarise(table, figures) for length, figures in shares.items()})
    print_grid(["all rows of a question right", "of"], list(pairs), lines)
    silent = found.silent
    if count := sum(silent[place] for place in found.tables):
        out.print(f"rows of these questions without an output: {count:,} (a question is scored by its other rows)")


def _print_classes(table: AggregateTable, found: ScoredOutputs, lengths: list[str]) -> None:
    """Print the share of outputs of each class; the shares add up to 100 %."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in found.rows:
        if row.score is not None:
            scores[row.metric.partition("@")[0], row.length].append(row.score)
    lines: list[tuple[list[str], list[str]]] = []
    for metric, title in table.classes.items():
        every = [scores[metric, length] for length in lengths]
        lines.append(([title], [f"{100 * sum(each) / len(each):.1f}" if each else "-" for each in every]))
    lines.append((["outputs"], [str(len(each)) for each in every]))
    out.print()
    print_grid(["percent of outputs"], lengths, lines)
