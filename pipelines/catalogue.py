"""haymaker sources, haymaker tasks: what there is to build from and to build."""

from __future__ import annotations

from rich.table import Table as Grid

from corpora import sources as registry
from generators.task import SUITES, Check, suite_class
from haymaker.errors import ParamsError, SourceError
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
    """Every task of every suite, with the buckets that the release asks for."""
    built = {each.name: each for each in project.suites()}
    for name in SUITES:
        kind = suite_class(name)
        asked: dict[str, list[str]] = {}
        for table in built[name].tables():
            part = "" if table.part == "test" else f" {table.part}"
            asked.setdefault(built[name].info(table.task).name, []).append(f"{table.rows}{part} at {table.bucket}")
        out.print(f"[bold]{kind.title}[/] (version {kind.version}; defects of the reference excluded: {kind.defects})")
        grid = Grid(box=None, padding=(0, 2, 0, 0))
        for column in ("task", "what it asks", "metrics", "oracle", f"in {project.params.release.name}"):
            grid.add_column(column)
        for task, info in kind.tasks().items():
            oracle = "exact" if Check.ORACLE in info.checks else ""
            grid.add_row(task, info.title, " ".join(info.metrics), oracle, ", ".join(asked.get(task, ["-"])))
        out.print(grid)
