"""All metrics, from their registry, and the primary metric of each task, from the suites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from devtools.reference_pages.markdown import table
from generators.suite import SUITES, suite
from haymaker.scoring.metrics import BUDGET, Metric, all_metrics


def metrics() -> Iterator[str]:
    """Yield the lines of the page: a table of metrics, and a table of primary metrics."""
    versions: dict[str, dict[str, Metric]] = defaultdict(dict)
    for each in all_metrics().values():
        name, _, version = each.id.partition("@")
        versions[name][version] = each
    tasks = {(name, spec.name): spec.metrics for name in SUITES for spec in suite(name).tasks}
    yield from (f"## All metrics ({len(versions)})", "")
    yield from table(
        ("metric", "score of a row", "strict", "official", "columns", "suites"),
        (_row(name, found, tasks) for name, found in versions.items()),
    )
    primary: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (suite_name, task), ids in tasks.items():
        primary[suite_name, ids[0]].append(task)
    yield from ("## Primary metrics", "")
    yield from table(
        ("suite", "primary metric", "tasks"),
        ((name, f"`{metric}`", _tasks(found, suite(name).tasks)) for (name, metric), found in primary.items()),
    )


def _row(name: str, found: Mapping[str, Metric], tasks: Mapping[tuple[str, str], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the cells of a metric; suites that use it as a primary metric are bold."""
    first = found.get("official") or found["strict"]
    read = first.columns if "official" in found else [each for each in first.columns if each not in BUDGET]
    versions = [f"{found[each].version}" if each in found else "" for each in ("strict", "official")]
    ids = {each.id for each in found.values()}
    used = {suite_name for (suite_name, _), every in tasks.items() if ids & {*every}}
    primary = {suite_name for (suite_name, _), every in tasks.items() if every[0] in ids}
    suites = ", ".join(f"**{each}**" if each in primary else each for each in SUITES if each in used)
    meaning = (found.get("strict") or first).doc.removesuffix(".")
    return f"`{name}`", meaning, *versions, ", ".join(f"`{each}`" for each in read), suites


def _tasks(found: list[str], every: tuple[object, ...]) -> str:
    return "all" if len(found) == len(every) else ", ".join(f"`{each}`" for each in found)
