"""haymaker sources, haymaker tasks: list the available sources and tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from corpora import sources as registry
from corpora.sources import terms
from generators.inputs import KINDS, Use
from generators.spec import Entry, TaskSpec
from generators.suite import SUITES, ReleaseSuite, suite
from haymaker.core.errors import CheckFailed, HaymakerError, ParamsError
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.lengths import longest_length
from haymaker.core.params import nearest
from haymaker.core.progress import out, say
from haymaker.core.rows.config_name import SIMULATED_SUFFIX
from haymaker.core.rows.row_checks import Check
from pipelines.project import Project

_TABLE_WIDTH = 120  # characters that the table of tasks needs


def sources(project: Project) -> None:
    """Print every kind of source, and its use in the active release."""
    used: dict[str, list[str]] = {}
    for name, source in project.params.sources.items():
        used.setdefault(source.kind, []).append(name)
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("kind", "what", "gives", "licence", "to publish", "size", "in this release"):
        grid.add_column(name)
    for kind in registry.kinds():
        info = registry.info(kind)
        here = ", ".join(f"{n}: {_state(project, n)}" for n in used.get(kind, []))
        size = f"{info.download_bytes / 1e6:,.0f} MB" if info.download_bytes else ""
        flag = "" if info.roles == ("tokenizers",) else _flag(info.licences)  # rows contain no vocabulary
        grid.add_row(kind, info.title, ", ".join(info.roles), info.licence, flag, size, here)
        if info.obtain:
            grid.add_row("", info.obtain)
    out.print(grid)


def _flag(licences: tuple[str, ...]) -> str:
    """Return the reason why publishing rows of these licences needs --allow, or an empty string."""
    why = terms.barred(terms.terms(licences))
    return f"needs --allow: {why}" if why else ""


def _state(project: Project, name: str) -> str:
    """Describe whether the files of a source are available."""
    why = project.inputs.unavailable(Use("sources", name)).partition(": ")[2]
    return f"not here: {why}" if why else "here" if _fetched(project, name) else "not fetched"


def _fetched(project: Project, name: str) -> bool:
    return KINDS["sources"].is_here(project.data, name)


def verify(project: Project, name: str | None) -> None:
    """Hash the raw files of one or all sources.

    Raises:
        CheckFailed: a file is missing or differs.
    """
    names = list(project.params.sources) if name is None else [name]
    problems = []
    for each in names:
        if each not in project.params.sources:
            raise ParamsError(f"unknown source {each!r}", where=project.file, fix=nearest(each, project.params.sources))
        raw = project.data / "raw" / each
        if not _fetched(project, each):
            say(f"{each}: {_state(project, each)}")
            continue
        found = project.inputs.source(each).verify(raw, project.fetch_context())
        problems += [f"{each}: {problem}" for problem in found]
        say(f"{each}: {'unchanged' if not found else f'{len(found)} problems'}")
    if problems:
        raise CheckFailed(
            problems[0], fix=f"rm -r data/raw/{problems[0].split(':')[0]}, then haymaker run downloads it again"
        )


@dataclass(frozen=True, slots=True)
class ListedTask:
    """An entry of the release, or a task without entries.

    Attributes:
        suite, task: suite, and name of the entry or task.
        base: task of an entry with another name, or an empty string.
        title: description of the question.
        metrics: metrics; the first is the primary one.
        has_exact_oracle: whether an exact solver checks its rows.
        inputs: names of its sources and prepared inputs.
        rows: length, split and number of rows.
        left_out: why the release has no rows of this entry, or an empty string.
        longest_length: longest possible length, if its inputs are prepared.
        longest_reason: what limits it.
    """

    suite: str
    task: str
    base: str
    title: str
    metrics: list[str]
    has_exact_oracle: bool
    inputs: list[str]
    rows: list[dict[str, Any]]
    left_out: str
    longest_length: str | None
    longest_reason: str


def tasks(project: Project, json_file: Path | None = None) -> None:
    """Print every task of every suite, or write them as JSON: question, inputs, longest length, rows in the release."""
    built = {each.name: each for each in project.suites()}
    found = {
        name: [each for spec in suite(name).tasks for each in _listed(name, spec, built.get(name))] for name in SUITES
    }
    listed = [asdict(each) for every in found.values() for each in every]
    write_json_or_print(json_file, {"release": project.params.release.name, "tasks": listed})
    for name, every in found.items():
        known = suite(name)
        out.print(f"[bold]{known.title}[/] (defects of the reference excluded: {known.defects})", markup=True)
        previous: Iterable[ListedTask | None] = [None, *every]
        rows_in = f"rows in {project.params.release.name}"
        _print_tasks(rows_in, [_cells(each, before) for each, before in zip(every, previous, strict=False)])


def _print_tasks(rows_in: str, lines: list[tuple[str, ...]]) -> None:
    """Print a table or, in a narrow terminal, a paragraph per task; ids are never shortened, so they can be copied."""
    columns = ("task", "what it asks", "metrics", "oracle", "reads", rows_in, "longest")
    if out.width < _TABLE_WIDTH:
        for cells in lines:
            out.print(f"{cells[0]}: {cells[1]}")
            details = [
                f"{name}: {', '.join(cell.split(chr(10)))}"
                for name, cell in zip(columns[2:], cells[2:], strict=True)
                if cell
            ]
            out.print("\n".join(f"    {line}" for line in details))
        return
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for column in columns:
        grid.add_column(column, no_wrap=column in ("task", "metrics"), overflow="fold")
    for cells in lines:
        grid.add_row(*cells)
    out.print(grid)


def _listed(suite_name: str, spec: TaskSpec, built: ReleaseSuite | None) -> Iterator[ListedTask]:
    """Yield the entries of the release that use a task, or the task alone."""
    oracle, metrics = Check.ORACLE in spec.checks, list(spec.metrics)
    entries = [(built, entry) for entry in built.entries.values() if entry.spec is spec] if built else []
    if not entries:
        title = spec.titled(simulated=spec.name.endswith(SIMULATED_SUFFIX))
        yield ListedTask(suite_name, spec.name, "", title, metrics, oracle, [], [], "", None, spec.ends)
    for of, entry in entries:
        title = spec.titled(entry.settings, simulated=of.simulated(entry.name))
        used = [use.name for use in of.task(entry.name).uses()]
        rows = [{"length": length, "split": split, "rows": rows} for length, split, rows in entry.rows]
        base = spec.name if entry.name != spec.name else ""
        left_out = of.left_out.get(entry.name, "")
        limit = _limit(of, entry)
        yield ListedTask(
            suite_name, entry.name, base, title, metrics, oracle, used, rows, left_out, limit, entry.spec.ends
        )


def _cells(task: ListedTask, before: ListedTask | None) -> tuple[str, ...]:
    """Return the cells of a table row. The title and metrics of the row before are not repeated."""
    oracle, metrics = "exact" if task.has_exact_oracle else "", "\n".join(task.metrics)
    if not task.rows and not task.left_out:
        return task.task, task.title, metrics, oracle, "", "-", task.longest_reason
    is_same = before is not None and before.title == task.title
    title = f"as {task.base or before.task}" if before and is_same else task.title
    rows = ", ".join(
        f"{each['rows']}{'' if each['split'] == 'test' else ' ' + each['split']} at {each['length']}"
        for each in task.rows
    )
    longest = f"{task.longest_length}: {task.longest_reason}" if task.longest_length else task.longest_reason
    material = ", ".join(task.inputs) or "nothing: generated"
    shown = f"left out: {task.left_out}" if task.left_out else rows
    return task.task, title, "" if is_same else metrics, oracle, material, shown, longest


def _limit(built: ReleaseSuite, entry: Entry[Any]) -> str | None:
    """Return the longest length of an entry if the prepared inputs are available."""
    try:
        limit = built.limit(entry.name)
    except HaymakerError:
        return None  # not built yet
    return longest_length(limit) if limit else None
