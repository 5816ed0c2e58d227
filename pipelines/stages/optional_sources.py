"""Optional sources that cannot be had: nothing is prepared from them, and a release goes without their tasks.

`Inputs.unavailable(use)` decides it everywhere: it follows the names in the parameters down to the sources and reads the note that
`download` left. `generate` notes what a release goes without in tables/<suite>.json; validate and card read that, since a release can be
checked without its raw files.
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
    """Note that a source cannot be had, and say so in one line.

    Raises:
        BuildError: nothing is left of a suite.
    """
    project.inputs.source(name).leave_out(project.inputs.raw(name), absent.reason(error))
    _say(project, name, "not here")
    for built in project.suites():
        check_some_left(built)


def _say(project: Project, name: str, what: str) -> None:
    """The one line: which source, why, and what the release goes without."""
    why = project.inputs.unavailable(Use("sources", name)).partition(": ")[2]
    tasks = tasks_of(project, name)
    verb = "are" if len(tasks) > 1 else "is"
    rest = f"task{'s' * (len(tasks) > 1)} {', '.join(tasks)} {verb} left out" if tasks else "no task needs it"
    say(f"source {name}: {what} ({why}); {rest}")


def tasks_of(project: Project, source: str) -> list[str]:
    """Entries of the release whose rows are made of a source, by the parameters alone."""
    inputs, found = project.inputs, []
    for built in project.suites():
        for name in built.entries:
            if any(source in inputs.sources_of(use) for use in built.task(name).uses()):
                found.append(name)
    return list(dict.fromkeys(found))


def check_some_left(built: ReleaseSuite) -> None:
    """Something of a suite can be built.

    Raises:
        BuildError: all of its tasks are left out.
    """
    if built.entries and not built.built():
        first = next(iter(built.left_out.values()))
        raise BuildError(
            f"nothing is left of it: {first}", where=f"suites.{built.name}", fix="get that source, or take the suite out of the parameters",
        )  # fmt: skip


def left_out_lines(suites: Iterable[ReleaseSuite]) -> list[tuple[str, str, str]]:
    """(suite, task, why) of all that a release goes without."""
    return [(built.name, task, why) for built in suites for task, why in built.left_out.items()]


def can_be_had_now(project: Project) -> list[str]:
    """Optional sources that could not be had and can be now; one of which nobody can tell stays as it is."""
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
        _say(project, name, f"not asked again, {error.what}, and not here before")
        return False
    say(f"source {name}: here now")
    return True
