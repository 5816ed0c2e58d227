"""Optional sources that cannot be had: what is prepared from them is a note that says so, and a release goes without their tasks.

One question decides it everywhere, `Inputs.unavailable(use)`: it follows the names in the parameters down to the sources and reads the
note that `download` left. What a release goes without is noted once more, by `generate`, in data/reports/tables/<suite>.json: proof,
card and manifest go by that, since a release can be proved without its raw files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from corpora.retrieval.mining.similarity import table
from corpora.sources.transport import absent
from generators.inputs import KINDS, Use
from generators.suite import ReleaseSuite
from haymaker.errors import BuildError, SourceError, UnavailableError
from haymaker.files import remove, write_json, write_text
from pipelines import hashes, lockfile
from pipelines.progress import say
from pipelines.project import Project

_FOLDER_MD5 = re.compile(r"md5: ([0-9a-f]{32}\.dir)$", re.MULTILINE)


def leave_source_out(project: Project, name: str, error: UnavailableError) -> None:
    """Note that a source cannot be had, and say so in one line.

    Raises:
        BuildError: nothing is left of a suite.
    """
    project.inputs.source(name).leave_out(project.inputs.raw(name), absent.reason(error))
    _say(project, name, "not here")
    for built in project.suites():
        demand_some(built)


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


def leave_out(project: Project, use: Use, why: str) -> None:
    """Note in place of a prepared input, and of the reports on it, that its source cannot be had."""
    kind = KINDS[use.kind]
    place = kind.path(project.data, use.name)
    absent.note(place, why)
    for out in project.stages[f"{kind.stage}@{use.name}"].outs:
        report = project.root / out
        if report.is_relative_to(project.counts):
            write_text(report, table([])) if report.suffix == ".csv" else write_json(report, {absent.WHY: why})
    say(f"{kind.stage} {use.name}: left out ({why})")


def clear(project: Project, use: Use) -> None:
    """Remove the note of an input that can be prepared now."""
    place = KINDS[use.kind].path(project.data, use.name)
    if absent.noted(place):
        remove(place)


def demand_some(built: ReleaseSuite) -> None:
    """Something of a suite can be built.

    Raises:
        BuildError: all of its tasks are left out.
    """
    if built.entries and not built.built():
        first = next(iter(built.left_out.values()))
        raise BuildError(
            f"nothing is left of it: {first}", where=f"suites.{built.name}", fix="get that source, or take the suite out of the parameters",
        )  # fmt: skip


def lines(suites: Iterable[ReleaseSuite]) -> list[tuple[str, str, str]]:
    """(suite, task, why) of all that a release goes without."""
    return [(built.name, task, why) for built in suites for task, why in built.left_out.items()]


# --------------------------------------------------------------------------------------------------------- asked again


def ask_again(project: Project) -> None:
    """At each run: an optional source that could not be had and can be now is fetched; one of which nobody can tell stays as it is."""
    optional = [name for name, source in project.params.sources.items() if source.optional]
    if not optional:
        return
    _forget_runs(project)
    missing = [name for name in optional if project.inputs.unavailable(Use("sources", name))]
    found = {f"download@{name}" for name in missing if _can_be_had(project, name)}
    if found & lockfile.read(project).keys():
        lockfile.tidy(project, without=found)


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


def _forget_runs(project: Project) -> None:
    """Take downloads that found nothing out of DVC's list of earlier runs: it would bring the note back instead of asking again."""
    cache = hashes.cache_folder(project)
    for run in hashes.runs_folder(project).glob("*/*/*"):
        made = _FOLDER_MD5.findall(run.read_text(encoding="utf-8", errors="replace"))
        if any(_is_note(hashes.cached(cache, md5)) for md5 in made):
            run.unlink()


def _is_note(listing: Path) -> bool:
    """Whether DVC's listing of a folder names a note and nothing else."""
    try:
        return [entry["relpath"] for entry in json.loads(listing.read_bytes())] == [absent.MARK]
    except (OSError, ValueError, LookupError, TypeError):
        return False
