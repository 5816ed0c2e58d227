"""What a published table says beside its means: questions of which every row is right, and how outputs keep to the form."""

from __future__ import annotations

from collections import defaultdict

from haymaker.core.buckets import bucket_order
from haymaker.core.progress import out
from haymaker.evaluation.score.means import Tally
from haymaker.evaluation.score.table import category_lines, print_grid
from haymaker.scoring.published_tables import AggregateTable, Value
from haymaker.scoring.statistics.means import all_right, summarise


def print_reference_table(table: AggregateTable, tally: Tally, edition: str) -> None:
    """Print what the table asks for (its keys consistency and classes), a column per bucket; nothing where it asks for nothing."""
    found = {cell.bucket for cell in tally.scores}
    buckets = [*table.buckets, *sorted(found - set(table.buckets), key=bucket_order)]
    if table.consistency:
        _print_all_right(table, tally, edition, buckets)
    if table.classes:
        _print_classes(table, tally, buckets)


def _print_all_right(table: AggregateTable, tally: Tally, edition: str, buckets: list[str]) -> None:
    """Of how many questions every row is right, laid out like the means."""
    figures: dict[str, dict[Value, float]] = defaultdict(dict)
    for cell, scores in tally.scores.items():
        name, _, of = cell.metric.partition("@")
        if of == edition and (share := all_right(scores)) is not None:
            figures[cell.bucket][Value(cell.suite, cell.task, name)] = share
    out.print()
    lines = category_lines(table, {bucket: summarise(table, figures[bucket]) for bucket in buckets})
    print_grid(["all rows of a question right", "of"], buckets, lines)
    places = {(cell.suite, cell.task, cell.bucket) for cell in tally.scores}
    if silent := sum(tally.silent[place] for place in places):
        out.print(f"rows of these questions without an output: {silent:,}; a question counts by the others")


def _print_classes(table: AggregateTable, tally: Tally, buckets: list[str]) -> None:
    """The share of outputs of each class; they add up to 100 %."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for cell, scores in tally.scores.items():
        found[cell.metric.partition("@")[0], cell.bucket] += (score for _, score in scores)
    lines: list[tuple[list[str], list[str]]] = []
    for metric, title in table.classes.items():
        every = [found[metric, bucket] for bucket in buckets]
        lines.append(([title], [f"{100 * sum(each) / len(each):.1f}" if each else "-" for each in every]))
    lines.append((["outputs"], [str(len(each)) for each in every]))
    out.print()
    print_grid(["percent of outputs"], buckets, lines)
