"""Under which terms rows may be given on: per source, and per task, whose rows may be made of several.

What is said here is what publishers state, sorted by a program; whoever publishes answers for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from corpora import sources as registry
from corpora.sources import terms
from haymaker.core.errors import ReleaseError
from haymaker.releases.folder import MINI
from haymaker.releases.manifest import LEFT_OUT

_GENERATED = "cc0-1.0"  # rows that are made of no source
_PREPARED = ("corpora", "passages", "mined", "labelled", "documents")


def known(sources: Mapping[str, Any]) -> dict[str, Any]:
    """Sources as their files were recorded, with `licences` (keys of corpora.sources.terms.LICENCES) and `terms`."""
    found = {}
    for name, facts in sources.items():
        keys = registry.info(facts["source"]).licences_of(facts["licence"])
        found[name] = {**facts, "licences": list(keys), "terms": terms.terms(keys)}
    return found


def licence(sources: Mapping[str, Any], names: Iterable[str]) -> str:
    """Licence of rows that are made of these sources, in short, the strictest first."""
    keys = {key for name in names for key in sources[name]["licences"]}
    return terms.short(keys or {_GENERATED})


def hub_ids(manifest: Mapping[str, Any]) -> list[str]:
    """Identifiers for `license` in the front matter of a card on the Hub, the strictest first."""
    used = {name for task in _tasks(manifest) for name in task["sources"]}
    keys = {key for name in used for key in manifest["sources"][name]["licences"]}
    return terms.hub_ids(keys or {_GENERATED})


def restricted(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Source -> why its rows are not published unless the user says so: no commercial use, no derivatives, given out on request,
    texts of others, terms not stated, or files of the user's own that he has stated no terms for.
    """
    found = {name: _why(facts) for name, facts in manifest["sources"].items()}
    return {name: why for name, why in found.items() if why}


def without(manifest: Mapping[str, Any], sources: set[str]) -> dict[str, Any]:
    """The manifest of the same release without the tasks that are made of these sources; it says which, and why.

    Rows and tokens are those that remain. What the proof looked at stays that of the whole release (`proof.whole`: its rows and
    tokens), because a check's count cannot be split; all these rows are among them.

    Raises:
        ReleaseError: nothing is left.
    """
    dropped = _dropped(manifest, sources)
    if not dropped:
        return dict(manifest)
    suites = _without_tasks(manifest["suites"], dropped)
    files = {name: facts for name, facts in manifest["files"].items() if _stays(name, dropped)}
    if not any(name.startswith("data/") for name in files):
        raise ReleaseError(
            "every task is made of what may not be published: " + ", ".join(sorted(sources)),
            where=manifest["name"], fix="publish it with the flag for each source, if its terms allow you to",
        )  # fmt: skip
    tasks = [task for facts in suites.values() for task in facts["tasks"]]
    noted = {suite: {**manifest.get(LEFT_OUT, {}).get(suite, {}), **why} for suite, why in dropped.items()}
    return {
        **{key: value for key, value in manifest.items() if key != MINI},
        **_small(manifest, dropped),
        "suites": suites,
        LEFT_OUT: {**manifest.get(LEFT_OUT, {}), **noted},
        "sources": _chosen(manifest["sources"], {name for task in tasks for name in task["sources"]}),
        **_prepared(manifest, tasks),
        "proof": _proof(manifest["proof"], files),
        "files": files,
    }


def _why(facts: Mapping[str, Any]) -> str:
    """Terms that bar a source, with the words they are read from; a manifest that says no terms is not free of them."""
    why = terms.barred(facts.get("terms", (terms.UNSTATED,)))
    return f"{why} ({facts['licence']})" if why else ""


def _tasks(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [task for facts in manifest["suites"].values() for task in facts["tasks"]]


def _dropped(manifest: Mapping[str, Any], sources: set[str]) -> dict[str, dict[str, str]]:
    """Suite -> task -> why, of tasks made of these sources."""
    why = {name: _why(manifest["sources"][name]) or "left out by choice" for name in sources & set(manifest["sources"])}
    found: dict[str, dict[str, str]] = {}
    for suite, facts in manifest["suites"].items():
        for task in facts["tasks"]:
            if barring := [f"source {name}: {why[name]}" for name in task["sources"] if name in why]:
                found.setdefault(suite, {})[task["name"]] = "not published here; " + "; ".join(barring)
    return found


def _without_tasks(suites: Mapping[str, Any], dropped: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Suites with the tasks that stay, and what was measured of these; a suite without any goes."""
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
    """The small set without the tasks that go: it has a file for each."""
    small = manifest.get(MINI, {"tasks": {}})
    tasks = {suite: _but(found, dropped.get(suite, {})) for suite, found in small["tasks"].items()}
    tasks = {suite: found for suite, found in tasks.items() if found}
    return {MINI: {**small, "tasks": tasks}} if tasks else {}


def _but(found: Mapping[str, Any], gone: Mapping[str, Any]) -> dict[str, Any]:
    return {name: facts for name, facts in found.items() if name not in gone}


def _prepared(manifest: Mapping[str, Any], tasks: list[dict[str, Any]]) -> dict[str, Any]:
    """Prepared inputs that the remaining tasks read."""
    read = {use for task in tasks for use in task["reads"]}
    return {
        kind: _chosen(manifest[kind], {name for name in manifest[kind] if f"{kind}/{name}" in read})
        for kind in _PREPARED
        if kind in manifest
    }


def _chosen(found: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: facts for name, facts in found.items() if name in names}


def _proof(proof: Mapping[str, Any], files: Mapping[str, Any]) -> dict[str, Any]:
    own = [facts for name, facts in files.items() if name.startswith("data/")]  # those of the small set are copies
    rows, tokens = (sum(facts[key] for facts in own) for key in ("rows", "tokens"))
    whole = proof.get("whole", {"rows": proof["rows"], "tokens": proof["tokens"]})
    return {**proof, "rows": rows, "tokens": tokens, "whole": whole}
