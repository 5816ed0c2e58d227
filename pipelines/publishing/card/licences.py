"""Licence terms for redistributing rows, per source and per task (rows of a task can combine several sources).

The terms are the statements of the publishers, classified by a program; the user who publishes is responsible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from corpora import sources as registry
from corpora.sources import terms
from haymaker.core.errors import ReleaseError
from haymaker.releases.folder import MINI
from haymaker.releases.manifest import LEFT_OUT

_GENERATED = "cc0-1.0"  # licence of rows without a source
_PREPARED = ("corpora", "passages", "retrieval_sets", "classification_sets", "documents")


def known(sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recorded sources with `licences` (keys of corpora.sources.terms.LICENCES) and `terms` added."""
    found = {}
    for name, facts in sources.items():
        keys = registry.info(facts["source"]).licences_of(facts["licence"])
        found[name] = {**facts, "licences": list(keys), "terms": terms.terms(keys)}
    return found


def licence(sources: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return the short licence text of rows built from these sources, the strictest first."""
    keys = {key for name in names for key in sources[name]["licences"]}
    return terms.short(keys or {_GENERATED})


def hub_ids(manifest: Mapping[str, Any]) -> list[str]:
    """Return the identifiers for `license` in the front matter of a Hub card, the strictest first."""
    used = {name for task in _tasks(manifest) for name in task["sources"]}
    keys = {key for name in used for key in manifest["sources"][name]["licences"]}
    return terms.hub_ids(keys or {_GENERATED})


def restricted(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return source -> reason why it needs explicit permission: no commercial use, no derivatives, access on request,
    third-party texts, unstated terms, or local files without terms.
    """
    found = {name: _why(facts) for name, facts in manifest["sources"].items()}
    return {name: why for name, why in found.items() if why}


def without(manifest: Mapping[str, Any], sources: set[str]) -> dict[str, Any]:
    """Return the manifest without the tasks built from these sources; it lists the removed tasks with reasons.

    Rows and tokens count the remaining tasks. The check counts still cover the whole release (`verification.whole`: its rows
    and tokens), because they cannot be split by task.

    Raises:
        ReleaseError: no task is left.
    """
    dropped = _dropped(manifest, sources)
    if not dropped:
        return dict(manifest)
    suites = _without_tasks(manifest["suites"], dropped)
    files = {name: facts for name, facts in manifest["files"].items() if _stays(name, dropped)}
    if not any(name.startswith("data/") for name in files):
        raise ReleaseError(
            "every task uses a source that may not be published: " + ", ".join(sorted(sources)),
            where=manifest["name"], fix="use --allow for each source whose terms permit publication",
        )  # fmt: skip
    tasks = [task for facts in suites.values() for task in facts["tasks"]]
    noted = {suite: {**manifest.get(LEFT_OUT, {}).get(suite, {}), **why} for suite, why in dropped.items()}
    return {
        **{key: value for key, value in manifest.items() if key not in (MINI, *_example_gone(manifest, files))},
        **_small(manifest, dropped),
        "suites": suites,
        LEFT_OUT: {**manifest.get(LEFT_OUT, {}), **noted},
        "sources": _chosen(manifest["sources"], {name for task in tasks for name in task["sources"]}),
        **_prepared(manifest, tasks),
        "verification": _verification(manifest["verification"], files),
        "files": files,
    }


def _example_gone(manifest: Mapping[str, Any], files: Mapping[str, Any]) -> tuple[str, ...]:
    return () if manifest.get("example", {}).get("file") in files else ("example",)


def _why(facts: Mapping[str, Any]) -> str:
    """Return the terms that restrict a source, with its licence text; missing terms count as unstated."""
    why = terms.barred(facts.get("terms", (terms.UNSTATED,)))
    return f"{why} ({facts['licence']})" if why else ""


def _tasks(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [task for facts in manifest["suites"].values() for task in facts["tasks"]]


def _dropped(manifest: Mapping[str, Any], sources: set[str]) -> dict[str, dict[str, str]]:
    """Return suite -> task -> reason for tasks built from these sources."""
    why = {name: _why(manifest["sources"][name]) or "left out by choice" for name in sources & set(manifest["sources"])}
    found: dict[str, dict[str, str]] = {}
    for suite, facts in manifest["suites"].items():
        for task in facts["tasks"]:
            if barring := [f"source {name}: {why[name]}" for name in task["sources"] if name in why]:
                found.setdefault(suite, {})[task["name"]] = "not published here; " + "; ".join(barring)
    return found


def _without_tasks(suites: Mapping[str, Any], dropped: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return the suites with the remaining tasks and their measurements; suites without tasks are removed."""
    left = {}
    for suite, facts in suites.items():
        gone = dropped.get(suite, {})
        tasks = [task for task in facts["tasks"] if task["name"] not in gone]
        measures = {
            key: {task: found for task, found in value.items() if task not in gone}
            if isinstance(value, dict)
            else value
            for key, value in facts.items()
        }
        if tasks:
            left[suite] = {**{key: value for key, value in measures.items() if value != {}}, "tasks": tasks}
    return left


def _stays(name: str, dropped: Mapping[str, Mapping[str, str]]) -> bool:
    rest = name.partition("/")[2]
    suite, _, below = rest.partition("/")
    return below.partition("/")[0] not in dropped.get(suite, {})


def _small(manifest: Mapping[str, Any], dropped: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return the small set without the removed tasks."""
    small = manifest.get(MINI, {"tasks": {}})
    tasks = {suite: _without_keys(found, dropped.get(suite, {})) for suite, found in small["tasks"].items()}
    tasks = {suite: found for suite, found in tasks.items() if found}
    return {MINI: {**small, "tasks": tasks}} if tasks else {}


def _without_keys(found: Mapping[str, Any], gone: Mapping[str, Any]) -> dict[str, Any]:
    return {name: facts for name, facts in found.items() if name not in gone}


def _prepared(manifest: Mapping[str, Any], tasks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the prepared inputs of the remaining tasks."""
    read = {use for task in tasks for use in task["reads"]}
    return {
        kind: _chosen(manifest[kind], {name for name in manifest[kind] if f"{kind}/{name}" in read})
        for kind in _PREPARED
        if kind in manifest
    }


def _chosen(found: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: facts for name, facts in found.items() if name in names}


def _verification(verification: Mapping[str, Any], files: Mapping[str, Any]) -> dict[str, Any]:
    own = [facts for name, facts in files.items() if name.startswith("data/")]  # files of the small set are copies
    rows, tokens = (sum(facts[key] for facts in own) for key in ("rows", "tokens"))
    whole = verification.get("whole", {"rows": verification["rows"], "tokens": verification["tokens"]})
    return {**verification, "rows": rows, "tokens": tokens, "whole": whole}
