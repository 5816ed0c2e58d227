"""haymaker sources, haymaker tasks: what there is to build from and to build."""

from __future__ import annotations

from rich.table import Table as Grid

from corpora import sources as registry
from generators.task import SUITES, Check, Suite, Table, TaskInfo, suite_class
from haymaker.buckets import longest_bucket
from haymaker.errors import HaymakerError, ParamsError, SourceError
from haymaker.params import nearest
from pipelines.progress import out, say
from pipelines.project import Project


def sources(project: Project) -> None:
    """Every kind of source, and which of them the active release uses."""
    used: dict[str, list[str]] = {}
    for name, source in project.params.sources.items():
        used.setdefault(source.kind, []).append(name)
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("kind", "what", "gives", "licence", "size", "in this release"):
        grid.add_column(name)
    for kind in registry.kinds():
        info = registry.info(kind)
        here = ", ".join(f"{n}: {'here' if _fetched(project, n) else 'not fetched'}" for n in used.get(kind, []))
        size = f"{info.download_bytes / 1e6:,.0f} MB" if info.download_bytes else ""
        grid.add_row(kind, info.title, ", ".join(info.roles), info.licence, size, here)
        if info.obtain:
            grid.add_row("", info.obtain)
    out.print(grid)


def _fetched(project: Project, name: str) -> bool:
    return (project.data / "raw" / name / "SOURCE.json").is_file()


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
            say(f"{each}: not fetched yet")
            continue
        found = project.inputs.source(each).verify(raw, project.fetch_context())
        problems += [f"{each}: {problem}" for problem in found]
        say(f"{each}: {'unchanged' if not found else f'{len(found)} problems'}")
    if problems:
        raise SourceError(
            problems[0], fix="haymaker run fetches it again after rm -r data/raw/" + problems[0].split(":")[0]
        )


def tasks(project: Project) -> None:
    """Every task of every suite: what it asks, what it is made of and where that ends, and the rows that the release asks for."""
    built = {each.name: each for each in project.suites()}
    for name in SUITES:
        kind = suite_class(name)
        entries: dict[str, dict[str, list[Table]]] = {}
        for table in built[name].tables():
            entries.setdefault(built[name].info(table.task).name, {}).setdefault(table.task, []).append(table)
        out.print(f"[bold]{kind.title}[/] (version {kind.version}; defects of the reference excluded: {kind.defects})")
        grid = Grid(box=None, padding=(0, 2, 0, 0))
        columns = (
            "task",
            "what it asks",
            "metrics",
            "oracle",
            "made of",
            f"rows in {project.params.release.name}",
            "longest",
        )
        for column in columns:
            grid.add_column(column)
        for task, info in kind.tasks().items():
            oracle = "exact" if Check.ORACLE in info.checks else ""
            title, metrics = info.title, " ".join(info.metrics)
            for entry, tables in entries.get(task, {task: []}).items():
                made, longest = _material(built[name], entry, tables), _longest(built[name], entry, info, tables)
                grid.add_row(entry, title, metrics, oracle, made, _rows(tables), longest)
                title, metrics = f"as {task}", ""
        out.print(grid)


def _rows(tables: list[Table]) -> str:
    """Rows per bucket and part."""
    shown = (f"{t.rows}{'' if t.part == 'test' else ' ' + t.part} at {t.bucket}" for t in tables)
    return ", ".join(shown) or "-"


def _material(suite: Suite, entry: str, tables: list[Table]) -> str:
    """Names of what the rows of an entry are made of, as the parameters call them."""
    if not tables:
        return ""
    uses = suite.uses_of(entry)
    return ", ".join((*uses.sources, *uses.corpora, *uses.mined, *uses.examples, *uses.readings)) or "drawn by key"


def _longest(suite: Suite, entry: str, info: TaskInfo, tables: list[Table]) -> str:
    """The longest honest bucket and its reason; the number where the prepared inputs are here to tell."""
    try:
        limit = suite.limit(entry) if tables else None
    except HaymakerError:
        limit = None  # not built yet
    return f"{longest_bucket(limit)}: {info.ends}" if limit else info.ends
