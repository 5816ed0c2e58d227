"""haymaker score --aggregate longgenbench: LongGenBench's tables and more figures (docs/spec/longgenbench.md 4, 7)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haymaker.core.errors import ReleaseError
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.files.output_files import check_replaceable, is_object_with
from haymaker.core.lengths import length_order
from haymaker.core.progress import out, say
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score.longgen_json import Table, figures
from haymaker.evaluation.score.table import print_grid
from haymaker.releases.folder import manifest, rows
from haymaker.scoring.judges import judge
from haymaker.scoring.longgen.entries import COLUMNS, KINDS, Plan, read_officially
from haymaker.scoring.longgen.figures import Ruled, by_rule, clear_verdict, is_judged, judged, reply_to
from haymaker.scoring.longgen.totals import TENTHS, Totals, share_equal

ALL = "all"


@dataclass(slots=True)
class LonggenScores:
    """Totals of all outputs.

    Attributes:
        totals: per table, and combined over several tables.
        agreement: number of places by verdict of the judge (None: unclear) and of the rule.
        silent: number of test rows without an output.
        used: number of counted outputs.
    """

    totals: dict[Table, Totals] = field(default_factory=lambda: defaultdict(Totals))
    agreement: Counter[tuple[bool | None, bool]] = field(default_factory=Counter)
    silent: int = 0
    used: int = 0


def show(release: Path, predictions: Path, edition: str, file: Path | None) -> None:
    """Print the tables; judged metrics use the current replies (haymaker/scoring/judges/judge.py).

    Args:
        release: release folder.
        predictions: JSON lines with `id` and `output`.
        edition: strict: our parser and the rule judge; official: the reference's parser and a judge's replies.
        file: JSON file for all figures.

    Raises:
        ReleaseError: no output is for a test row of LongGenBench.
    """
    check_replaceable(
        file, "--json", "file of these figures", is_object_with(("edition", "judge", "tables", "agreement"))
    )
    outputs = read_outputs(predictions)
    found = tally(release, outputs, edition)
    if not found.totals:
        raise ReleaseError("no output belongs to a test row of LongGenBench", where=str(predictions))
    if others := len(outputs) - found.used:
        say(f"outputs for other rows, not counted: {others}")
    if found.silent:
        say(f"test rows of LongGenBench without an output, not counted: {found.silent}")
    _print(found, edition)
    facts = manifest(release)
    out.print(
        "release {name} {version}, {edition} edition".format_map(facts) if facts else "a release without a manifest"
    )
    if file:
        write_json_or_print(file, figures(found.agreement, _ordered(found), edition))
        say(f"all figures, also by entry: {file}")


def tally(release: Path, outputs: Mapping[str, str], edition: str) -> LonggenScores:
    """Return the totals over the plain test rows of a release that have an output."""
    found = LonggenScores()
    for row in rows(release, lambda first: COLUMNS if is_judged(first) else None):
        if row["split"] != "test" or row["variant"]:
            continue
        if row["id"] not in outputs:
            found.silent += 1
            continue
        found.used += 1
        plan, output = Plan.of(row), outputs[row["id"]]
        figures = by_rule(output, plan) if edition == "strict" else (judged(output, row), None)
        for table in _tables(row["task"], row["length"]):
            found.totals[table].add(plan, *figures)
        _compare(found.agreement, row["id"], plan, output)
    if _has_no_judge(edition):
        for totals in found.totals.values():
            totals.forget_events()
    return found


def _has_no_judge(edition: str) -> bool:
    """Check whether events have no judge: the official edition needs replies, and there are none."""
    return edition != "strict" and judge.active_judge().name == judge.NOBODY


def _tables(task: str, length: str) -> tuple[Table, ...]:
    return Table(task, length), Table(ALL, length), Table(ALL, ALL)


def _compare(agreement: Counter[tuple[bool | None, bool]], row_id: str, plan: Plan, output: str) -> None:
    """Count agreement of judge and rule on the entries that the judge received."""
    replies = judge.active_judge()
    if replies.name == judge.NOBODY:
        return
    for place, rule in Ruled(read_officially(output, plan), plan).verdicts.items():
        if (reply := reply_to(replies, row_id, place)) is not None:
            agreement[clear_verdict(reply), rule] += 1


# ------------------------------------------------------------------------------------------------------ tables

Cells = Callable[[Totals], Sequence[str]]


def _print(found: LonggenScores, edition: str) -> None:
    strict = edition == "strict"
    who = "the rule" if strict else judge.active_judge().name
    told = "events have no judge" if _has_no_judge(edition) else f"events judged by {who}"
    out.print(f"LongGenBench @{edition}: {told}; shares in per cent")
    _section(found, "", ["rows", "CR", "STIC-1", "STIC-2", "wAvg", "words", "words (code)"], _main)
    if not _has_no_judge(edition):
        _print_events(found, strict)
    for line in _notes(found, edition):
        out.print(line)


def _print_events(found: LonggenScores, strict: bool) -> None:
    kinds = [*KINDS, "mean", *(f"all {kind}" for kind in KINDS)]
    _section(found, "Events found in the existing entries, by kind; then in all entries:", kinds, _kinds)
    if strict:
        form = ["precise", "long enough", "in order", "repeated", "ended", "double", "beyond", "stray"]
        _section(found, "Form of the outputs:", form, _form)
    tenths = [f"{10 * tenth}-{10 * tenth + 10}" for tenth in range(TENTHS)]
    _section(found, "Events found in all entries, by position in the document (percent):", tenths, _tenths)


def _section(found: LonggenScores, title: str, columns: list[str], cells: Cells) -> None:
    if title:
        out.print(f"\n{title}")
    lines = [([table.task, table.length], list(cells(totals))) for table, totals in _ordered(found)]
    print_grid(["task", "output"], columns, lines)


def _ordered(found: LonggenScores) -> list[tuple[Table, Totals]]:
    """Return the tables by task and length, with combined lines if there are several tables."""

    def order(table: Table) -> tuple[bool, str, bool, tuple[Any, ...]]:
        several = table.length == ALL
        return table.task == ALL, table.task, several, () if several else (length_order(table.length),)

    tasks: dict[str, set[str]] = defaultdict(set)
    for table in found.totals:
        if table.task != ALL:
            tasks[table.length].add(table.task)
    kept = [
        table
        for table in found.totals
        if table.task != ALL or (len(tasks) > 1 if table.length == ALL else len(tasks[table.length]) > 1)
    ]
    return [(table, found.totals[table]) for table in sorted(kept, key=order)]


def _main(totals: Totals) -> list[str]:
    places, words = totals.places, (_mean(totals.words_complete), _mean(totals.words_coded))
    shares = (totals.cr, places.of_judged, places.of_demanded, totals.wavg)
    return [str(totals.rows), *map(_percent, shares), *words]


def _kinds(totals: Totals) -> list[str]:
    counts = totals.kinds.values()
    shares = (*(count.of_judged for count in counts), totals.mean_of_kinds, *(count.of_demanded for count in counts))
    return list(map(_percent, shares))


def _form(totals: Totals) -> list[str]:
    shares = (
        totals.precision, totals.share("long_enough", "found"), totals.share("rising", "neighbours"),
        totals.share("repeated", "windows"), totals.form["ended"] / totals.rows,
    )  # fmt: skip
    return [*map(_percent, shares), *(str(totals.form[name]) for name in ("duplicates", "beyond", "strays"))]


def _tenths(totals: Totals) -> list[str]:
    return [_percent(count.of_demanded) for count in totals.tenths]


def _notes(found: LonggenScores, edition: str) -> Iterator[str]:
    """Yield the notes below the tables."""
    yield "\nwords: mean of outputs with at least 80 % of their entries"
    yield "words (code): mean of outputs with more than 40 blocks and 2,000 words, as in the reference code"
    unjudged = sum(totals.unjudged for table, totals in found.totals.items() if table.task != ALL)
    if _has_no_judge(edition):
        yield "figures of events need a judge's replies: use --judge-prompts FILE, haymaker ask and --replies"
    elif unjudged:
        yield f"{unjudged} of {found.used} outputs have places without a judge's reply: their events are not counted"
    cells = found.agreement
    unclear = cells[None, True] + cells[None, False]
    if (share := share_equal(cells)) is not None:
        yield f"{judge.active_judge().name} and the rule agree on {_percent(share)} % of {cells.total() - unclear} places:"
        yield f"  both yes {cells[True, True]}, both no {cells[False, False]}, only the judge {cells[True, False]}, only the rule {cells[False, True]}"
    if unclear:
        yield f"{unclear} replies contain neither yes nor no"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _mean(words: list[int]) -> str:
    return f"{sum(words) / len(words):,.0f}" if words else "-"
