"""Tables of the card, from the manifest: tasks of a release, and measurements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from generators.marathon import leaks
from haymaker.core.choices import SPLITS
from haymaker.releases.configs import reading_order, task_rows
from haymaker.releases.display.facts import allowed, baseline_table, floor_tables, plain, short, shortcut_tables

Facts = Mapping[str, Any]


def linked(source: Facts) -> str:
    """Return the title of a source, linked to its homepage if that is a web address."""
    page = source.get("homepage", "")
    return (
        f"[{plain(source['title'])}]({page})" if re.fullmatch(r"https?://[^\s()<>|]+", page) else plain(source["title"])
    )


def overview(manifest: Facts) -> dict[str, Any]:
    """Return the lengths of a release, and table lines: rows of each suite at each length, then prompt tokens."""
    tables, tokens = task_rows(manifest), _tokens(manifest)
    lengths = sorted({table.length for table in tables}, key=reading_order)
    lines = []
    for facts in manifest["suites"].values():
        if facts["tasks"]:
            rows = {length: [task["lengths"].get(length, {}) for task in facts["tasks"]] for length in lengths}
            lines.append([short(facts["title"]), str(len(facts["tasks"])), *map(_sum, rows.values())])
    return {
        "lengths": lengths,
        "lines": [*lines, ["prompt tokens", "", *(_brief(tokens.get(length, 0)) for length in lengths)]],
    }


def _sum(found: Sequence[Mapping[str, int]]) -> str:
    splits = {split: sum(each.get(split, 0) for each in found) for split in SPLITS}
    return _rows({split: count for split, count in splits.items() if count})


def _brief(count: int) -> str:
    """Format a number with three digits: 63.9k, 22.4M."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= 0.9995 * unit:
            return f"{count / unit:.3g}{name}"
    return str(count)


def _rows(splits: Mapping[str, int]) -> str:
    """Format the number of test rows and rows of other splits: "50 + 10 train"."""
    ordered = [(split, splits[split]) for split in SPLITS if split in splits]
    return " + ".join(f"{count:,}{'' if split == 'test' else f' {split}'}" for split, count in ordered)


def _tokens(manifest: Facts) -> dict[str, int]:
    """Return length -> tokens of all prompts."""
    sums: dict[str, int] = {}
    for name, facts in manifest["files"].items():
        if name.startswith("data/"):
            length = name.split("/")[3]
            sums[length] = sums.get(length, 0) + facts["tokens"]
    return sums


def suite(name: str, facts: Facts) -> dict[str, Any]:
    """Return the card's table of the tasks of a suite."""
    tasks = facts["tasks"]
    lengths = sorted({length for task in tasks for length in task["lengths"]}, key=reading_order)
    licensed = any("licence" in task for task in tasks)
    first = {task["metrics"][0] for task in tasks}
    return {
        "name": name,
        "title": plain(facts["title"]),
        "lengths": lengths,
        "licensed": licensed,
        "tasks": [
            [task["name"], _title(task), f"`{task['metrics'][0]}`", _output_budget(task), *([plain(task.get("licence", ""))] if licensed else []),
             *(_rows_of(task, length) for length in lengths)]
            for task in tasks
        ],
        "metrics": [m for m in dict.fromkeys(m for task in tasks for m in task["metrics"]) if m not in first],
    }  # fmt: skip


def _rows_of(task: Facts, length: str) -> str:
    """Format the rows at a length, followed by the number of different questions in parentheses if it is smaller."""
    rows, questions = task["lengths"].get(length, {}), task.get("questions", {}).get(length, {})
    first = next((split for split in SPLITS if split in rows), "")
    fewer = first in questions and questions[first] < rows[first]
    return _rows(rows) + (f" ({questions[first]:,})" if fewer else "")


def _title(task: Facts) -> str:
    """Return the title of a task, with its variant and base task, since forms of one task share a title."""
    form = [f"variant {task['variant']}"] if task.get("variant") else []
    form += [f"a form of {task['base']}"] if task.get("base") else []
    return plain(task["title"] + (f" ({', '.join(form)})" if form else ""))


def _output_budget(task: Facts) -> str:
    """Format the output token budget; tasks whose length is the output length reserve the whole length."""
    return "the length" if task["of_output"] else f"{task.get('reserved_output_tokens') or task['max_new_tokens']:,}"


def measures(facts: Facts) -> dict[str, Any]:
    """Return the measurements of a suite as table lines; empty lists without measurements."""
    lengths = sorted({length for task in facts["tasks"] for length in task["lengths"]}, key=reading_order)
    return {
        "title": plain(facts["title"]),
        "lengths": lengths,
        "shortcuts": shortcut_tables(facts),
        "baselines": baseline_table(facts),
        "floors": floor_tables(facts),
        "allowed": allowed(facts),
        "leaks": _leaks(facts),
    }


def _each(facts: Facts, measured: Facts, line: Callable[[Any], list[str]]) -> list[list[str]]:
    """Return a line per measured table: task, length, and the figures formatted by `line`."""
    return [
        [task["name"], length, *line(found)]
        for task in facts["tasks"]
        for length in sorted(task["lengths"], key=reading_order)
        if (found := measured.get(task["name"], {}).get(length))
    ]


def _leaks(facts: Facts) -> list[list[str]]:
    """Return task, length, scores of guesses from question and options only, and number of questions."""
    return _each(facts, facts.get(leaks.MEASURE, {}), leaks.shown)
