"""Handle unavailable optional sources: inputs and tasks that need them are left out of the release.

`Inputs.unavailable(use)` decides everywhere: it resolves the names in the parameters to sources and reads the note
written by `download`. `generate` records the missing tasks in tables/<suite>.json; `validate` and `card` read that
file, since a release can be checked without its raw files.
"""

from __future__ import annotations

from collections.abc import Iterable

from corpora.sources.transport import absent
from generators.inputs import Use
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError, SourceError, UnavailableError
from haymaker.core.progress import say
from pipelines.project import Project


def leave_source_out(project: Project, name: str, error: UnavailableError) -> None:
    """Record that a source is unavailable, and print one line about it.

    Raises:
        BuildError: a suite has no tasks left.
    """
    project.inputs.source(name).leave_out(project.inputs.raw(name), absent.reason(error))
    _say(project, name, "not here")
    for built in project.suites():
        check_some_left(built)


def _say(project: Project, name: str, what: str) -> None:
    """Print one line: the source, the reason, and the tasks left out of the release."""
    why = project.inputs.unavailable(Use("sources", name)).partition(": ")[2]
    tasks = tasks_of(project, name)
    verb = "are" if len(tasks) > 1 else "is"
    rest = f"task{'s' * (len(tasks) > 1)} {', '.join(tasks)} {verb} left out" if tasks else "no task needs it"
    say(f"source {name}: {what} ({why}); {rest}")


def tasks_of(project: Project, source: str) -> list[str]:
    """Return the tasks of the release that use a source, according to the parameters."""
    inputs, found = project.inputs, []
    for built in project.suites():
        for name in built.entries:
            if any(source in inputs.sources_of(use) for use in built.task(name).uses()):
                found.append(name)
    return list(dict.fromkeys(found))


def check_some_left(built: ReleaseSuite) -> None:
    """Check that at least one task of a suite can be built.

    Raises:
        BuildError: all tasks of the suite are left out.
    """
    if built.entries and not built.built():
        first = next(iter(built.left_out.values()))
        raise BuildError(
            f"none of its tasks can be built: {first}", where=f"suites.{built.name}", fix="get that source, or remove the suite from the parameters",
        )  # fmt: skip


def left_out_lines(suites: Iterable[ReleaseSuite]) -> list[tuple[str, str, str]]:
    """Return (suite, task, reason) for every task left out of a release."""
    return [(built.name, task, why) for built in suites for task, why in built.left_out.items()]


def can_be_had_now(project: Project) -> list[str]:
    """Return the optional sources that have become available; sources that cannot be checked are skipped."""
    optional = [name for name, source in project.params.sources.items() if source.optional]
    lacking = [name for name in optional if project.inputs.unavailable(Use("sources", name))]
    return [name for name in lacking if _can_be_had(project, name)]


def _can_be_had(project: Project, name: str) -> bool:
    try:
        project.inputs.source(name).ask(project.fetch_context())
    except UnavailableError:
        _say(project, name, "still not here")
        return False
    except SourceError as error:
        _say(project, name, f"cannot be checked again, {error.what}, and was not available before")
        return False
    say(f"source {name}: here now")
    return True
