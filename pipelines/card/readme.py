"""README.md of a release, the dataset card: from its manifest alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

import yaml

from generators.babilong.retrieval import KS, UNITS
from generators.marathon import leaks
from generators.spec import Check
from haymaker.buckets import bucket_order, is_natural
from pipelines.card.configs import configs
from pipelines.card.facts import RETRIEVAL
from pipelines.card.licences import hub_ids
from pipelines.project import LEFT_OUT
from pipelines.shortcuts.figures import LIMITS, above

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
Manifest = Mapping[str, Any]


def readme(manifest: Manifest, checksum: str, address: str) -> str:
    """The card.

    Args:
        manifest: of the release.
        checksum: SHA-256 of manifest.json.
        address: by which a reader loads it: a folder, or ORG/NAME on the Hub.
    """
    from jinja2 import Environment, StrictUndefined

    template = resources.files(__package__).joinpath("card.md.j2").read_text(encoding="utf-8")
    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701
    )
    suites = {name: facts for name, facts in manifest["suites"].items() if facts["tasks"]}
    tasks = [task for facts in suites.values() for task in facts["tasks"]]
    proof, example = manifest["proof"], configs(manifest)[0]
    return environment.from_string(template).render(
        front_matter=yaml.safe_dump(_front_matter(manifest), sort_keys=False, allow_unicode=True, width=120),
        manifest=manifest,
        address=address,
        checksum=checksum,
        report=proof,
        tokenizer=manifest["tokenizers"][0],
        suites=[_suite_section(facts) for facts in suites.values()],
        checks=[
            (c.name, c.value, proof["checked"][c.name], proof["failed"].get(c.name, 0))
            for c in Check
            if proof["checked"].get(c.name)
        ],
        fills=sorted(proof["fill_percent"].items(), key=lambda item: bucket_order(item[0])),
        left_out=[
            (suite, task, why.replace("|", "\\|"))
            for suite, found in manifest.get(LEFT_OUT, {}).items()
            for task, why in found.items()
        ],
        outputs=[
            facts["title"].partition(":")[0]
            for facts in suites.values()
            if any(task["of_output"] for task in facts["tasks"])
        ],
        natural=any(is_natural(bucket) for task in tasks for bucket in task["buckets"]),
        continued=not all(task["chat"] for task in tasks),
        example=(example.name, next(iter(example.files))),
    )


def _front_matter(manifest: Manifest) -> dict[str, Any]:
    rows = manifest["proof"]["rows"]
    listed: list[dict[str, Any]] = [
        {
            "config_name": config.name,
            **({"default": True} if not i else {}),
            "data_files": [
                {"split": part, "path": paths[0] if len(paths) == 1 else list(paths)}
                for part, paths in config.files.items()
            ],
        }
        for i, config in enumerate(configs(manifest))
    ]
    return {
        "pretty_name": manifest["title"],
        "language": [manifest["language"]],
        "license": _licence(manifest),
        "task_categories": ["question-answering"],
        "tags": ["long-context", "benchmark", "haymaker", f"{manifest['edition']}-edition"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "n>1M")],
        "configs": listed,
    }


def _licence(manifest: Manifest) -> str | list[str]:
    """The Hub's identifiers of all sources, the strictest first; one alone is no list."""
    found = hub_ids(manifest)
    return found[0] if len(found) == 1 else found


def _suite_section(facts: Mapping[str, Any]) -> dict[str, Any]:
    tasks: dict[str, Any] = {task["name"]: task for task in facts["tasks"]}
    buckets = sorted({bucket for task in tasks.values() for bucket in task["buckets"]}, key=bucket_order)
    skips: dict[tuple[str, str], list[str]] = {}
    for name, task in tasks.items():
        for check, why in task["skips"].items():
            skips.setdefault((check, why), []).append(name)
    return {
        "title": facts["title"],
        "buckets": buckets,
        "tasks": [(name, task["title"], [_rows(task["buckets"].get(b, {})) for b in buckets]) for name, task in tasks.items()],
        "metrics": list(dict.fromkeys(metric for task in tasks.values() for metric in task["metrics"])),
        "skips": [
            (check, "every task" if names == list(tasks) else ", ".join(names), why)
            for (check, why), names in skips.items()
        ],
        "retrieval": _retrieval(facts, buckets),
        "shortcuts": _shortcuts(facts),
        "limits": LIMITS,
        "leaks": _leaks(facts),
        "leak_limits": leaks.LIMITS,
    }  # fmt: skip


def _rows(parts: Mapping[str, int]) -> str:
    return " + ".join(f"{rows}{'' if part == 'test' else ' ' + part}" for part, rows in parts.items())


def _places(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(task, bucket) of a suite, shortest bucket first."""
    return [(task["name"], bucket) for task in facts["tasks"] for bucket in sorted(task["buckets"], key=bucket_order)]


def _retrieval(facts: Mapping[str, Any], buckets: list[str]) -> list[tuple[str, str, list[str]]]:
    """(task, unit, per bucket: percent of rows with all facts among the best 1, 5, 10 and 20), where it was measured."""
    return [
        (task, unit, [_percents(by_bucket[b][unit]) if b in by_bucket else "" for b in buckets])
        for task, by_bucket in facts.get(RETRIEVAL, {}).items()
        for unit in UNITS
    ]


def _percents(shares: dict[str, float]) -> str:
    return " / ".join(f"{100 * shares[f'all@{k}']:.0f}" for k in KS)


def _shortcuts(facts: Mapping[str, Any]) -> list[list[str]]:
    """Task, bucket, metric, what each cheat gets, rows: per table of a suite whose shortcuts were measured."""
    by_task, cells = facts.get("baselines", {}), []
    for task, bucket in _places(facts):
        if figures := by_task.get(task, {}).get(bucket):
            measured = [_shortcut(figures, name) for name in LIMITS]
            metric = f"`{figures['metric']}`" if figures["metric"] else "-"
            cells.append([task, bucket, metric, *measured, str(figures["rows"])])
    return cells


def _shortcut(figures: dict[str, Any], name: str) -> str:
    """Score, in brackets the share of rows whose answer stood there, and the mark of what is above its limit."""
    found = figures[name]
    cells = [f"{found['score']:.1f}"] if "score" in found else []
    cells += [f"({found['found']:.0f})"] if "found" in found else []
    return " ".join([*cells, *(["⚠"] if above(figures, name) else [])]) or "-"


def _leaks(facts: Mapping[str, Any]) -> list[list[str]]:
    """Task, bucket, what guesses by question and options alone get, questions; where it was measured."""
    noted = facts.get(leaks.MEASURE, {})
    return [
        [task, bucket, *leaks.shown(found)]
        for task, bucket in _places(facts)
        if (found := noted.get(task, {}).get(bucket))
    ]
