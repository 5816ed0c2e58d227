"""Tables of the card: what is in a release, task by task, and what was measured of it; from its manifest alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from generators.babilong.retrieval import KS, UNITS
from generators.marathon import leaks
from pipelines.card.configs import EVERY, Rows, by_length, configs, rows
from pipelines.card.facts import RETRIEVAL, SHORTCUTS
from pipelines.release import PARTS
from pipelines.shortcuts.above import Worst, cell, marked, most_questions, worst
from pipelines.shortcuts.figures import MEASURES, OF_SOME
from pipelines.shortcuts.limits import FEWEST

_BASELINES = ("random", "majority", "echo", "bm25_top1", "first_1k", "last_1k", "oracle")

_FEW = 4  # tasks that are named one by one
Facts = Mapping[str, Any]


def plain(text: object) -> str:
    """A text in one line of Markdown that opens no cell, tag, link or emphasis."""
    return re.sub(r"([\\|<>\[\]*`])", r"\\\1", " ".join(str(text).split()))


def _ours(text: str) -> str:
    """A text that the code holds: its code spans stay."""
    return plain(text).replace("\\`", "`")


def linked(source: Facts) -> str:
    """Title of a source, with its homepage where that is an address."""
    page = source.get("homepage", "")
    return (
        f"[{plain(source['title'])}]({page})" if re.fullmatch(r"https?://[^\s()<>|]+", page) else plain(source["title"])
    )


def short(title: str) -> str:
    """Name of a suite: its title up to the colon."""
    return plain(title.partition(":")[0])


def overview(manifest: Facts) -> list[list[str]]:
    """A line per length: name, config of all suites, test rows of each suite, tokens of their prompts and all others'."""
    tables, tokens = rows(manifest), _tokens(manifest)
    of_all = {config.bucket: f"`{config.name}`" for config in configs(manifest) if config.group == EVERY}
    suites = [name for name, facts in manifest["suites"].items() if facts["tasks"]]
    counts = {(suite, task["name"]): task["buckets"] for suite in suites for task in manifest["suites"][suite]["tasks"]}
    lines = []
    for bucket, of_length in groupby(
        sorted(tables, key=lambda table: by_length(table.bucket)), lambda table: table.bucket
    ):
        there = list(of_length)
        sums = {suite: _sum(counts, [table for table in there if table.suite == suite]) for suite in suites}
        lines.append([bucket, of_all.get(bucket, ""), *sums.values(), f"{tokens.get(bucket, 0):,}"])
    return lines  # fmt: skip


def _sum(counts: Mapping[tuple[str, str], Any], tables: Iterable[Rows]) -> str:
    found = [counts[table.suite, table.task][table.bucket] for table in tables]
    parts = {part: sum(each.get(part, 0) for each in found) for part in PARTS}
    return _rows({part: count for part, count in parts.items() if count})


def _rows(parts: Mapping[str, int]) -> str:
    """Test rows, and how many of other parts beside: "50 + 10 train"."""
    ordered = [(part, parts[part]) for part in PARTS if part in parts]
    return " + ".join(f"{count:,}{'' if part == 'test' else f' {part}'}" for part, count in ordered)


def _tokens(manifest: Facts) -> dict[str, int]:
    """Bucket -> tokens of all its prompts."""
    sums: dict[str, int] = {}
    for name, facts in manifest["files"].items():
        if name.startswith("data/"):
            bucket = name.split("/")[3]
            sums[bucket] = sums.get(bucket, 0) + facts["tokens"]
    return sums


def suite(name: str, facts: Facts) -> dict[str, Any]:
    """What the card tells of the tasks of a suite."""
    tasks = facts["tasks"]
    buckets = sorted({bucket for task in tasks for bucket in task["buckets"]}, key=by_length)
    licensed = any("licence" in task for task in tasks)
    first = {task["metrics"][0] for task in tasks}
    return {
        "name": name,
        "title": plain(facts["title"]),
        "buckets": buckets,
        "licensed": licensed,
        "tasks": [
            [task["name"], _title(task), f"`{task['metrics'][0]}`", _room(task), *([plain(task.get("licence", ""))] if licensed else []),
             *(_rows_of(task, bucket) for bucket in buckets)]
            for task in tasks
        ],
        "metrics": [m for m in dict.fromkeys(m for task in tasks for m in task["metrics"]) if m not in first],
    }  # fmt: skip


def _rows_of(task: Facts, bucket: str) -> str:
    """Rows at a length, and in brackets how many different questions there are behind its test rows, where these are fewer."""
    rows, asked = task["buckets"].get(bucket, {}), task.get("questions", {}).get(bucket, {})
    first = next((part for part in PARTS if part in rows), "")
    fewer = first in asked and asked[first] < rows[first]
    return _rows(rows) + (f" ({asked[first]:,})" if fewer else "")


def _title(task: Facts) -> str:
    """What a task asks for, and which task it is a form of: two forms of one have the same title."""
    form = [f"variant {task['variant']}"] if task.get("variant") else []
    form += [f"a form of {task['of']}"] if task.get("of") else []
    return plain(task["title"] + (f" ({', '.join(form)})" if form else ""))


def _room(task: Facts) -> str:
    """Tokens that are kept free for the answer; the length itself where that is of the output."""
    return "the bucket" if task["of_output"] else f"{task.get('reserved_output_tokens') or task['max_new_tokens']:,}"


def skips(suites: Mapping[str, Facts]) -> list[tuple[str, str, str]]:
    """Check, whose rows are not held to it, and why."""
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


def measures(facts: Facts) -> dict[str, Any]:
    """What was measured of a suite's rows, as lines of tables; empty lists where nothing was."""
    buckets = sorted({bucket for task in facts["tasks"] for bucket in task["buckets"]}, key=by_length)
    return {
        "title": plain(facts["title"]),
        "buckets": buckets,
        "retrieval": _retrieval(facts, buckets),
        "shortcuts": _shortcuts(facts),
        "baselines": _baselines(facts),
        "allowed": _allowed(facts),
        "leaks": _leaks(facts),
    }


def _retrieval(facts: Facts, buckets: list[str]) -> list[tuple[str, str, list[str]]]:
    """(task, unit, per bucket: percent of rows with all facts among the best 1, 5, 10 and 20), where it was measured."""
    return [
        (task, unit, [_percents(by_bucket[b][unit]) if b in by_bucket else "" for b in buckets])
        for task, by_bucket in facts.get(RETRIEVAL, {}).items()
        for unit in UNITS
    ]


def _percents(shares: dict[str, float]) -> str:
    return " / ".join(f"{100 * shares[f'all@{k}']:.0f}" for k in KS)


def _each(facts: Facts, measured: Facts, line: Callable[[Any], list[str]]) -> list[list[str]]:
    """A line per table that was measured: task, bucket and what `line` makes of the figures."""
    return [
        [task["name"], bucket, *line(found)]
        for task in facts["tasks"]
        for bucket in sorted(task["buckets"], key=by_length)
        if (found := measured.get(task["name"], {}).get(bucket))
    ]


def _shortcuts(facts: Facts) -> list[list[list[str]]]:
    """Two tables, head first, of what every task may have and of what some have: per task figure and limit of each shortcut at the length
    where it does best against it. Without tasks and shortcuts that have no figure there.
    """
    measured = facts.get(SHORTCUTS, {})
    found = {task["name"]: worst(measured.get(task["name"], {})) for task in facts["tasks"]}
    every = ([name for name in MEASURES if name not in OF_SOME], OF_SOME)
    return [table for names in every if len(table := _cells(found, names)) > 1]


def _baselines(facts: Facts) -> list[list[str]]:
    """Head, then a line a task: what each baseline scores at the longest length that was measured."""
    head = ["task", "length", "metric", *_BASELINES]
    lines = []
    for task in facts["tasks"]:
        by_bucket = facts.get(SHORTCUTS, {}).get(task["name"], {})
        if told := [bucket for bucket, found in by_bucket.items() if found.get("baselines")]:
            longest = max(told, key=by_length)
            found = by_bucket[longest]
            scores = {name: each.get("score") for name, each in found.items() if isinstance(each, Mapping)} | found[
                "baselines"
            ]
            shown = ["-" if scores.get(name) is None else f"{scores[name]:.1f}" for name in _BASELINES]
            lines.append([task["name"], longest, found["metric"], *shown])
    return [head, *lines] if lines else []


def _cells(found: Mapping[str, Mapping[str, Worst]], names: Sequence[str]) -> list[list[str]]:
    there = [name for name in names if any(name in each for each in found.values())]
    lines = [
        [task, *map(cell, map(each.get, there))] for task, each in found.items() if not each.keys().isdisjoint(there)
    ]
    return [["task", *there], *lines]


def _allowed(facts: Facts) -> list[tuple[str, str, int, str]]:
    """(tasks, shortcut, percent, why) of what tasks allow; tasks that allow the same stand together."""
    found: dict[tuple[str, int, str], list[str]] = {}
    for task in facts["tasks"]:
        for name, each in task.get("allows", {}).items():
            found.setdefault((name, each["percent"], _ours(each["why"])), []).append(task["name"])
    return [(", ".join(tasks), *said) for said, tasks in found.items()]


def over_limit(manifest: Facts) -> list[tuple[str, str]]:
    """(task, shortcuts) of all tasks at which one is above its limit."""
    there = {(suite, task["name"]) for suite, facts in manifest["suites"].items() for task in facts["tasks"]}
    found: dict[str, list[str]] = {}
    measured = {suite: facts.get(SHORTCUTS, {}) for suite, facts in manifest["suites"].items()}
    for suite, task, each in marked(measured):
        if (suite, task) in there:
            found.setdefault(f"{suite}/{task}", []).append(each.shortcut)
    return [(task, ", ".join(names)) for task, names in found.items()]


def judged(manifest: Facts) -> int:
    """Tasks with a length of so many questions that shortcuts are held to limits there."""
    return sum(
        most_questions(facts.get(SHORTCUTS, {}).get(task["name"], {})) >= FEWEST
        for facts in manifest["suites"].values()
        for task in facts["tasks"]
    )


def _leaks(facts: Facts) -> list[list[str]]:
    """Task, bucket, what guesses by question and options alone get, questions; where it was measured."""
    return _each(facts, facts.get(leaks.MEASURE, {}), leaks.shown)
