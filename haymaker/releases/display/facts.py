"""Table rows with facts of a release from its manifest, for the card and the report page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from haymaker.core.rows.row_checks import Check
from haymaker.releases.configs import reading_order
from haymaker.releases.manifest import LEFT_OUT
from haymaker.releases.shortcut_limits import (
    FEWEST,
    FLOORS,
    LIMITS,
    MEASURES,
    OF_SOME,
    SHORTCUTS,
    WorstFigure,
    cell,
    most_questions,
    over_limit,
    worst_figures,
)

_BASELINES = ("random", "majority", "echo", "bm25_top1", "first_1k", "last_1k", "oracle")
_FEW = 4  # maximum tasks named individually
Facts = Mapping[str, Any]


def verification(manifest: Facts) -> dict[str, Any]:
    """Return the checks and their results: checks, skips, fills, unfilled, limits, left_out, over_limit, judged."""
    verification = manifest["verification"]
    suites = {name: facts for name, facts in manifest["suites"].items() if facts["tasks"]}
    left_out = manifest.get(LEFT_OUT, {}).items()
    return {
        "checks": [
            (check.name, check.value, verification["checked"][check.name], verification["failed"].get(check.name, 0))
            for check in Check
            if verification["checked"].get(check.name)
        ],
        "skips": skips(suites),
        "fills": sorted(verification["fill_percent"].items(), key=lambda item: reading_order(item[0])),
        "unfilled": verification.get("unfilled", {}).items(),
        "limits": LIMITS,
        "left_out": [(suite, task, why) for suite, tasks in left_out for task, why in tasks.items()],
        "over_limit": shortcuts_over_limit(manifest),
        "judged": judged(manifest),
    }


def plain(text: object) -> str:
    """Return a text as one line of Markdown, with table, tag, link and emphasis characters escaped."""
    return re.sub(r"([\\|<>\[\]*`])", r"\\\1", " ".join(str(text).split()))


def _ours(text: str) -> str:
    """Escape a text from the source code, but keep its code spans."""
    return plain(text).replace("\\`", "`")


def short(title: str) -> str:
    """Return the short name of a suite: its title up to the colon."""
    return plain(title.partition(":")[0])


def skips(suites: Mapping[str, Facts]) -> list[tuple[str, str, str]]:
    """Return (check, tasks that skip it, reason) for all skipped checks."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for facts in suites.values():
        for task in facts["tasks"]:
            for check, why in task["skips"].items():
                found.setdefault((check, why), {}).setdefault(facts["title"], []).append(task["name"])
    every = {facts["title"]: len(facts["tasks"]) for facts in suites.values()}
    return [
        (check, "; ".join(f"{short(title)}: {_which(names, every[title])}" for title, names in by_suite.items()), plain(why))
        for (check, why), by_suite in sorted(found.items())
    ]  # fmt: skip


def _which(names: list[str], every: int) -> str:
    if len(names) == every:
        return "all tasks"
    return ", ".join(names) if len(names) <= _FEW else f"{len(names)} of {every} tasks"


def shortcut_tables(facts: Facts) -> list[list[list[str]]]:
    """Return a table of the shortcuts of all tasks and one of the others, header first; empty tables are left out.

    Cells show figure and limit at the length with the highest figure relative to the limit.
    """
    measured = facts.get(SHORTCUTS, {})
    found = {task["name"]: worst_figures(measured.get(task["name"], {})) for task in facts["tasks"]}
    every = ([name for name in MEASURES if name not in OF_SOME], OF_SOME)
    return [table for names in every if len(table := _cells(found, names)) > 1]


def baseline_table(facts: Facts) -> list[list[str]]:
    """Return a header and one row per task: baseline scores at the longest measured length."""
    head = ["task", "length", "metric", *_BASELINES]
    lines = []
    for task in facts["tasks"]:
        by_length = facts.get(SHORTCUTS, {}).get(task["name"], {})
        if told := [length for length, found in by_length.items() if found.get("baselines")]:
            longest = max(told, key=reading_order)
            found = by_length[longest]
            scores = {name: each.get("score") for name, each in found.items() if isinstance(each, Mapping)} | found[
                "baselines"
            ]
            shown = ["-" if scores.get(name) is None else f"{scores[name]:.1f}" for name in _BASELINES]
            lines.append([task["name"], longest, found["metric"], *shown])
    return [head, *lines] if lines else []


def floor_tables(facts: Facts) -> list[list[list[str]]]:
    """Return tables of the mean scores of cheap outputs, one per set of outputs: a header, and a row per task and length."""
    found: dict[tuple[str, ...], list[list[str]]] = {}
    for task in facts["tasks"]:
        measured = facts.get(SHORTCUTS, {}).get(task["name"], {})
        floors = {length: measured[length].get(FLOORS, {}) for length in sorted(measured, key=reading_order)}
        names = tuple(dict.fromkeys(name for each in floors.values() for name in each))
        for length, each in floors.items():
            shown = (f"{each[name]:.1f}" if name in each else "-" for name in names)
            found.setdefault(names, []).append([task["name"], length, *shown])
    return [[["task", "length", *names], *lines] for names, lines in found.items() if names]


def _cells(found: Mapping[str, Mapping[str, WorstFigure]], names: Sequence[str]) -> list[list[str]]:
    there = [name for name in names if any(name in each for each in found.values())]
    lines = [
        [task, *map(cell, map(each.get, there))] for task, each in found.items() if not each.keys().isdisjoint(there)
    ]
    return [["task", *there], *lines]


def allowed(facts: Facts) -> list[tuple[str, str, int, str]]:
    """Return (tasks, shortcut, percent, reason) of allowed shortcuts; tasks with equal entries are grouped."""
    found: dict[tuple[str, int, str], list[str]] = {}
    for task in facts["tasks"]:
        for name, each in task.get("allows", {}).items():
            found.setdefault((name, each["percent"], _ours(each["why"])), []).append(task["name"])
    return [(", ".join(tasks), *said) for said, tasks in found.items()]


def shortcuts_over_limit(manifest: Facts) -> list[tuple[str, str]]:
    """Return (task, shortcuts) for tasks with a shortcut above its limit."""
    there = {(suite, task["name"]) for suite, facts in manifest["suites"].items() for task in facts["tasks"]}
    found: dict[str, list[str]] = {}
    measured = {suite: facts.get(SHORTCUTS, {}) for suite, facts in manifest["suites"].items()}
    for suite, task, each in over_limit(measured):
        if (suite, task) in there:
            found.setdefault(f"{suite}/{task}", []).append(each.shortcut)
    return [(task, ", ".join(names)) for task, names in found.items()]


def judged(manifest: Facts) -> int:
    """Return the number of tasks with enough questions at some length for shortcut limits to apply."""
    return sum(
        most_questions(facts.get(SHORTCUTS, {}).get(task["name"], {})) >= FEWEST
        for facts in manifest["suites"].values()
        for task in facts["tasks"]
    )
