"""haymaker sources, haymaker tasks: list the available sources and tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table as Grid

from corpora import sources as registry
from corpora.sources import terms
from generators.inputs import KINDS, Use
from generators.spec import Entry, TaskSpec
from generators.suite import SUITES, ReleaseSuite, suite
from haymaker.core.errors import HaymakerError, ParamsError, SourceError
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
        SourceError: a file is missing or differs.
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
        raise SourceError(
            problems[0], fix="haymaker run fetches it again after rm -r data/raw/" + problems[0].split(":")[0]
        )


def tasks(project: Project) -> None:
    """Print every task of every suite: question, inputs, longest length, and rows in the release."""
    built = {each.name: each for each in project.suites()}
    for name in SUITES:
        known = suite(name)
        out.print(f"[bold]{known.title}[/] (defects of the reference excluded: {known.defects})", markup=True)
        rows_in = f"rows in {project.params.release.name}"
        _print_tasks(rows_in, [cells for spec in known.tasks for cells in _lines(spec, built.get(name))])


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


def _lines(spec: TaskSpec, built: ReleaseSuite | None) -> Iterator[tuple[str, ...]]:
    """Yield the cells of a task: one line per entry of the release, or a single line without entries."""
    oracle = "exact" if Check.ORACLE in spec.checks else ""
    metrics = "\n".join(spec.metrics)
    entries = [(built, entry) for entry in built.entries.values() if entry.spec is spec] if built else []
    if not entries:
        title = spec.titled(simulated=spec.name.endswith(SIMULATED_SUFFIX))
        yield spec.name, title, metrics, oracle, "", "-", spec.ends
    previous = ""
    for of, entry in entries:
        title = spec.titled(entry.settings, simulated=of.simulated(entry.name))
        material = ", ".join(use.name for use in of.task(entry.name).uses()) or "nothing: generated"
        rows = f"left out: {of.left_out[entry.name]}" if entry.name in of.left_out else _rows(entry)
        shown = f"as {spec.name}" if title == previous else title
        yield entry.name, shown, metrics, oracle, material, rows, _longest(of, entry)
        previous, metrics = title, ""


def _rows(entry: Entry[Any]) -> str:
    """Format the rows per length and split."""
    return ", ".join(
        f"{rows}{'' if split == 'test' else ' ' + split} at {length}" for length, split, rows in entry.rows
    )


def _longest(built: ReleaseSuite, entry: Entry[Any]) -> str:
    """Return the reason for the longest length, preceded by the length if the prepared inputs are available."""
    try:
        limit = built.limit(entry.name)
    except HaymakerError:
        limit = None  # not built yet
    return f"{longest_length(limit)}: {entry.spec.ends}" if limit else entry.spec.ends
