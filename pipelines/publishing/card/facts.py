"""Build the manifest of a release from parameters, tables and validation: all facts for its texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generators import room
from generators.inputs import READ_BY_TASKS
from generators.marathon import leaks
from generators.spec import Entry
from generators.suite import ReleaseSuite
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import read_json
from haymaker.core.rng import digest
from haymaker.releases.manifest import LEFT_OUT
from haymaker.releases.shortcut_limits import SHORTCUTS
from pipelines.project import PHRASES, Project
from pipelines.publishing.card import licences

_VERIFICATION = ("rows", "tokens", "checked", "failed", "fill_percent", "unfilled")


def manifest(project: Project, mini: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest as JSON values: description, sources, validation results and files.

    Args:
        project: project with a validated release.
        mini: result of mini.build.

    Raises:
        ReleaseError: the release is not validated yet.
    """
    check_validated(project)
    params, built = project.params, project.built_suites()
    report = read_json(project.reports / "validate.json", *_VERIFICATION, SHORTCUTS, "questions")
    prepared = {kind: _inputs(project, kind) for kind in READ_BY_TASKS}
    prepared["sources"] = licences.known(prepared["sources"])
    tokenizers = _inputs(project, "tokenizers")
    return {
        **params.release.model_dump(mode="json"),
        "canary": canary(params.release.name, params.release.version),
        "tokenizers": [
            {"name": name, "fingerprint": tokenizers[name]}
            for name in dict.fromkeys((params.tokenizer.release, *params.tokenizer.also))
        ],
        "suites": {s.name: _suite(project, s, report, prepared["sources"]) for s in built},
        **_left_out(built),
        **prepared,
        "verification": {key: report[key] for key in _VERIFICATION},
        **({"mini": {key: mini[key] for key in ("rule", "tasks")}} if mini["tasks"] else {}),
        "files": {f"data/{name}": facts for name, facts in _files(project).items()} | mini["files"],
    }


def check_validated(project: Project) -> None:
    """Check that the release has been validated.

    Raises:
        ReleaseError: the release is not validated yet.
    """
    path = project.reports / "validate.json"
    if not path.is_file():
        raise ReleaseError("not validated yet", where=str(path), fix="haymaker run")


def canary(name: str, version: str) -> str:
    """Return the canary string for searches in training data, unique per release name and version."""
    raw = digest("canary", name, version).hex()
    return f"haymaker-canary-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"


def _files(project: Project) -> dict[str, Any]:
    return dict(read_json(project.reports / "validate.json", "files")["files"])


def _left_out(suites: list[ReleaseSuite]) -> dict[str, Any]:
    """Return suite -> task -> reason for tasks without rows; empty if no task is left out."""
    found = {built.name: built.left_out for built in suites if built.left_out}
    return {LEFT_OUT: found} if found else {}


def _inputs(project: Project, what: str) -> dict[str, Any]:
    """Return prepared inputs of one kind for all suites, from the records of `generate`."""
    found: dict[str, Any] = {}
    for suite in sorted(project.params.suites):
        found |= read_json(project.reports / "tables" / f"{suite}.json", what)[what]
    return found


def _suite(project: Project, built: ReleaseSuite, report: dict[str, Any], sources: dict[str, Any]) -> dict[str, Any]:
    """Return title, tasks in release order, and measurements of `generate` and `validate`."""
    noted = read_json(project.reports / "tables" / f"{built.name}.json")
    measured = {key: noted[key] for key in (leaks.MEASURE, PHRASES) if key in noted}
    if found := report["shortcuts"].get(built.name):
        measured[SHORTCUTS] = found
    tasks = [_task(built, entry, sources) | _questions(entry, report["questions"]) for entry in built.built().values()]
    return {"title": built.suite.title, "tasks": tasks, **measured}


def _questions(entry: Entry[Any], questions: dict[str, int]) -> dict[str, Any]:
    """Return the number of different questions in the rows: length -> split -> count."""
    found: dict[str, dict[str, int]] = {}
    for length, split, _ in entry.rows:
        found.setdefault(length, {})[split] = questions[f"{entry.suite}/{entry.name}/{length}/{split}"]
    return {"questions": found}


def _task(built: ReleaseSuite, entry: Entry[Any], known: dict[str, Any]) -> dict[str, Any]:
    spec, task, simulated = entry.spec, built.task(entry.name), built.simulated(entry.name)
    lengths: dict[str, dict[str, int]] = {}
    for length, split, rows in entry.rows:
        lengths.setdefault(length, {})[split] = rows
    sources = sorted({name for use in task.uses() for name in built.inputs.sources_of(use)})
    return {
        "name": entry.name,
        **({"base": spec.name} if spec.name != entry.name else {}),
        **({"variant": spec.variant} if spec.variant else {}),
        "version": spec.version,
        "title": spec.titled(entry.settings, simulated=simulated),
        "simulated": simulated,
        "category": spec.category,
        "metrics": list(built.metrics(entry.name)),
        "max_new_tokens": spec.max_new_tokens,
        "reserved_output_tokens": room.asked(entry, built.inputs.params.release) or spec.max_new_tokens,
        "use_chat_template": spec.use_chat_template,
        "of_output": spec.task.of_output,
        "sources": sources,
        "reads": [f"{use.kind}/{use.name}" for use in task.uses()],
        "licence": licences.licence(known, sources),
        "skips": {check.name: why for check, why in spec.skips.items()},
        "allows": {name: {"percent": each.percent, "why": each.why} for name, each in built.allows(entry.name).items()},
        "lengths": lengths,
    }
