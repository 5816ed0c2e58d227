"""Tables of the card, from the manifest: tasks of a release, and measurements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from generators.marathon import leaks
from haymaker.releases.configs import EVERY, TaskRows, configs, length_order, task_rows
from haymaker.releases.display.facts import allowed, baseline_table, plain, shortcut_tables
from haymaker.releases.folder import PARTS

Facts = Mapping[str, Any]


def linked(source: Facts) -> str:
    """Return the title of a source, linked to its homepage if that is a web address."""
    page = source.get("homepage", "")
    return (
        f"[{plain(source['title'])}]({page})" if re.fullmatch(r"https?://[^\s()<>|]+", page) else plain(source["title"])
    )


def overview(manifest: Facts) -> list[list[str]]:
    """Return a line per length: name, config of all suites, rows of each suite, and total prompt tokens."""
    tables, tokens = task_rows(manifest), _tokens(manifest)
    of_all = {config.bucket: f"`{config.name}`" for config in configs(manifest) if config.group == EVERY}
    suites = [name for name, facts in manifest["suites"].items() if facts["tasks"]]
    counts = {(suite, task["name"]): task["buckets"] for suite in suites for task in manifest["suites"][suite]["tasks"]}
    lines = []
    for bucket, of_length in groupby(
        sorted(tables, key=lambda table: length_order(table.bucket)), lambda table: table.bucket
    ):
        there = list(of_length)
        sums = {suite: _sum(counts, [table for table in there if table.suite == suite]) for suite in suites}
        lines.append([bucket, of_all.get(bucket, ""), *sums.values(), f"{tokens.get(bucket, 0):,}"])
    return lines  # fmt: skip


def _sum(counts: Mapping[tuple[str, str], Any], tables: Iterable[TaskRows]) -> str:
    found = [counts[table.suite, table.task][table.bucket] for table in tables]
    parts = {part: sum(each.get(part, 0) for each in found) for part in PARTS}
    return _rows({part: count for part, count in parts.items() if count})


def _rows(parts: Mapping[str, int]) -> str:
    """Format the number of test rows and rows of other parts: "50 + 10 train"."""
    ordered = [(part, parts[part]) for part in PARTS if part in parts]
    return " + ".join(f"{count:,}{'' if part == 'test' else f' {part}'}" for part, count in ordered)


def _tokens(manifest: Facts) -> dict[str, int]:
    """Return bucket -> tokens of all prompts."""
    sums: dict[str, int] = {}
    for name, facts in manifest["files"].items():
        if name.startswith("data/"):
            bucket = name.split("/")[3]
            sums[bucket] = sums.get(bucket, 0) + facts["tokens"]
    return sums


def suite(name: str, facts: Facts) -> dict[str, Any]:
    """Return the card's table of the tasks of a suite."""
    tasks = facts["tasks"]
    buckets = sorted({bucket for task in tasks for bucket in task["buckets"]}, key=length_order)
    licensed = any("licence" in task for task in tasks)
    first = {task["metrics"][0] for task in tasks}
    return {
        "name": name,
        "title": plain(facts["title"]),
        "buckets": buckets,
        "licensed": licensed,
        "tasks": [
            [task["name"], _title(task), f"`{task['metrics'][0]}`", _output_budget(task), *([plain(task.get("licence", ""))] if licensed else []),
             *(_rows_of(task, bucket) for bucket in buckets)]
            for task in tasks
        ],
        "metrics": [m for m in dict.fromkeys(m for task in tasks for m in task["metrics"]) if m not in first],
    }  # fmt: skip


def _rows_of(task: Facts, bucket: str) -> str:
    """Format the rows at a length, followed by the number of different questions in parentheses if it is smaller."""
    rows, questions = task["buckets"].get(bucket, {}), task.get("questions", {}).get(bucket, {})
    first = next((part for part in PARTS if part in rows), "")
    fewer = first in questions and questions[first] < rows[first]
    return _rows(rows) + (f" ({questions[first]:,})" if fewer else "")


def _title(task: Facts) -> str:
    """Return the title of a task, with its variant and base task, since forms of one task share a title."""
    form = [f"variant {task['variant']}"] if task.get("variant") else []
    form += [f"a form of {task['of']}"] if task.get("of") else []
    return plain(task["title"] + (f" ({', '.join(form)})" if form else ""))


def _output_budget(task: Facts) -> str:
    """Format the output token budget; tasks whose length is the output length reserve the whole length."""
    return "the bucket" if task["of_output"] else f"{task.get('reserved_output_tokens') or task['max_new_tokens']:,}"


def measures(facts: Facts) -> dict[str, Any]:
    """Return the measurements of a suite as table lines; empty lists without measurements."""
    buckets = sorted({bucket for task in facts["tasks"] for bucket in task["buckets"]}, key=length_order)
    return {
        "title": plain(facts["title"]),
        "buckets": buckets,
        "shortcuts": shortcut_tables(facts),
        "baselines": baseline_table(facts),
        "allowed": allowed(facts),
        "leaks": _leaks(facts),
    }


def _each(facts: Facts, measured: Facts, line: Callable[[Any], list[str]]) -> list[list[str]]:
    """Return a line per measured table: task, bucket, and the figures formatted by `line`."""
    return [
        [task["name"], bucket, *line(found)]
        for task in facts["tasks"]
        for bucket in sorted(task["buckets"], key=length_order)
        if (found := measured.get(task["name"], {}).get(bucket))
    ]


def _leaks(facts: Facts) -> list[list[str]]:
    """Return task, bucket, scores of guesses from question and options only, and number of questions."""
    return _each(facts, facts.get(leaks.MEASURE, {}), leaks.shown)
