"""Sources whose licences require a flag of `haymaker publish`, determined from the parameters."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.sources import terms
from corpora.sources.base import Source
from generators.suite import ReleaseSuite
from pipelines.project import Project


@dataclass(frozen=True, slots=True)
class RestrictedSource:
    """A source that requires --allow when publishing.

    Attributes:
        source: name in the parameters.
        why: its terms, in words.
        tasks: (suite, task) built from the source.
    """

    source: str
    why: str
    tasks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LicenceLimits:
    """Effect of the flags --allow and --exclude-restricted.

    Attributes:
        barred: sources that need --allow.
        tasks, of_tasks: number of tasks that --exclude-restricted excludes, and of all tasks.
        rows, of_rows: number of rows that --exclude-restricted excludes, and of all rows.
    """

    barred: tuple[RestrictedSource, ...]
    tasks: int
    of_tasks: int
    rows: int
    of_rows: int


def make(project: Project, suites: list[ReleaseSuite]) -> LicenceLimits:
    """Return the sources with restrictive terms, and the tasks built from them."""
    why = {name: barred(project.inputs.source(name)) for name in project.params.sources}
    rows, made = {}, {}
    for built in suites:
        for entry in built.built().values():
            uses = built.task(entry.name).uses()
            made[built.name, entry.name] = {name for use in uses for name in built.inputs.sources_of(use)}
            rows[built.name, entry.name] = sum(count for _, _, count in entry.rows)
    found = [
        RestrictedSource(name, why[name], tuple(key for key in made if name in made[key])) for name in why if why[name]
    ]
    needed = tuple(each for each in found if each.tasks)
    gone = {key for each in needed for key in each.tasks}
    return LicenceLimits(needed, len(gone), len(rows), sum(rows[key] for key in gone), sum(rows.values()))


def barred(source: Source) -> str:
    """Return the reason why publishing rows of a source needs --allow, or an empty string."""
    return terms.barred(terms.terms(source.info.licences_of(source.licence_words())))


def lines(found: LicenceLimits) -> list[str]:
    """Format the limits for printing."""
    if not found.barred:
        return ["publishing: no source needs --allow; see docs/reference/licences.md for the terms of each source"]
    head = (
        f"publishing: --exclude-restricted leaves out {found.tasks:,} of {found.of_tasks:,} tasks, {found.rows:,} of "
        f"{found.of_rows:,} rows; to keep sources whose terms you meet (docs/reference/licences.md), use:"
    )
    return [head, *(f"  --allow {each.source}: {each.why}; {_named(each.tasks)}" for each in found.barred)]


def _named(tasks: tuple[tuple[str, str], ...]) -> str:
    suites: dict[str, list[str]] = {}
    for suite, task in tasks:
        suites.setdefault(suite, []).append(task)
    return "; ".join(f"{suite} {', '.join(names)}" for suite, names in suites.items())
