"""eval.yaml of a release: tasks for the Hub's leaderboards (haymaker/releases/exact_tasks.py), with configs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from haymaker.core.lengths import length_order, length_tokens
from haymaker.releases.configs import TaskRows, task_rows, unlisted_lengths
from haymaker.releases.exact_tasks import EXACT, LAST, Rule, exact_tasks, tasks_with_rule

LONGEST = "128k"


def evaluation(manifest: Mapping[str, Any]) -> str:
    """Return the content of eval.yaml: `overall` over the exact rows of mini, then each task with a rule.

    Each leaderboard must be run, so a task has only one, at its longest length up to 128k (supported by most models).
    """
    content = {
        "name": manifest["title"],
        "description": f"{manifest['name']} {manifest['version']}: tasks with one exact answer; haymaker score has all others.",
        "evaluation_framework": "inspect-ai",
        "tasks": listed(manifest),
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def listed(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the leaderboards, possibly none."""
    return list(_tasks(manifest))


def _tasks(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if exact_tasks(manifest):
        yield _task("overall", EXACT, LAST)
    tables = _tables(manifest)
    for suite, task, rule in tasks_with_rule(manifest):
        of_task = [table for table in tables if (table.suite, table.task) == (suite, task["name"])]
        if of_task:
            longest = max(of_task, key=lambda table: length_order(table.length))
            yield _task(f"{suite}_{task['name']}", longest.config, rule)


def _tables(manifest: Mapping[str, Any]) -> list[TaskRows]:
    """Return the tables of test rows up to 128k with a separate config."""
    unlisted, limit = set(unlisted_lengths(manifest)), length_tokens(LONGEST) or 0
    return [
        table
        for table in task_rows(manifest)
        if "test" in table.splits and table.length not in unlisted and (length_tokens(table.length) or 0) <= limit
    ]


def _task(name: str, config: str, rule: Rule) -> dict[str, Any]:
    return {
        "id": name,
        "config": config,
        "split": "test",
        "field_spec": dict(rule.fields),
        "solvers": [{"name": "generate"}],
        "scorers": [{"name": rule.scorer, **({"args": dict(rule.args)} if rule.args else {})}],
    }
