"""Dataset configs and their files: one table, one length of a suite, one length of all suites, or the mini set.

A file can belong to several configs. `datasets` always resolves the files of the first config, so that one is small.
It downloads every split of a config, so each config lists only its own files.

Configs read the columns of `LEAN_COLUMNS`. Those of a whole length and of the mini set have a sibling `NAME_full` that reads
all columns from the same files. Single tasks have none, because twice as many configs would exceed `MOST` earlier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from haymaker.core.choices import SPLITS
from haymaker.core.errors import ReleaseError
from haymaker.core.lengths import NO_BACKGROUND, is_natural, length_order
from haymaker.core.rows.config_name import FULL_SUFFIX, SIMULATED_SUFFIX, config_name
from haymaker.core.rows.schema import LEAN_COLUMNS
from haymaker.releases.exact_tasks import EXACT, exact_tasks
from haymaker.releases.folder import MINI

MOST = 3000  # maximum number of configs in the Hub's viewer
EVERY = "all"


@dataclass(frozen=True, slots=True)
class Config:
    """One config: the files read by `load_dataset(release, name)`.

    Attributes:
        name: config name.
        files: split -> file patterns relative to the release folder.
        group: EVERY or a suite for a config of a whole length; otherwise empty.
        length: length name; empty for the mini set.
        columns: columns to read; empty: all.
    """

    name: str
    files: dict[str, tuple[str, ...]]
    group: str = ""
    length: str = ""
    columns: tuple[str, ...] = LEAN_COLUMNS

    def full(self) -> Config:
        """Return the sibling config that reads all columns."""
        return replace(self, name=f"{self.name}{FULL_SUFFIX}", columns=())


@dataclass(frozen=True, slots=True)
class TaskRows:
    """Rows of one task at one length, from a manifest.

    Attributes:
        suite, task, length: names of the suite, task and length.
        splits: available splits.
        of_output: whether the length refers to the output.
        simulated: whether a simulated source contributed to the rows.
    """

    suite: str
    task: str
    length: str
    splits: tuple[str, ...]
    of_output: bool
    simulated: bool

    @property
    def config(self) -> str:
        """Return the name of the rows' own config (not all rows have one, see unlisted_lengths)."""
        return config_name(self.suite, self.task, self.length, simulated=self.simulated)


def configs(manifest: Mapping[str, Any]) -> list[Config]:
    """Return all configs of a release, the default one first; names are unique, at most MOST configs.

    If a task config and a whole-length config have the same name, the task config is used.

    Raises:
        ReleaseError: two tasks give the same config name.
    """
    tables, unlisted = task_rows(manifest), set(unlisted_lengths(manifest))
    mini = _mini(manifest)
    each = {table: _table(table) for table in tables}
    _check_one_name(config.name for config in (*mini, *each.values()))
    listed = {table: config for table, config in each.items() if table.length not in unlisted}
    single = {config.name: config for config in (*(mini or [each[example_rows(manifest)]]), *listed.values())}
    groups, first = {config.name: config for config in _groups(tables)}, next(iter(single))
    lean = {first: single[first]} | groups | single
    full = [config.full() for config in (*mini[:1], *groups.values()) if lean[config.name] is config]
    return [*lean.values(), *full]


def example_rows(manifest: Mapping[str, Any]) -> TaskRows:
    """Return the example rows: the first of the shortest length with a context built to length, if available."""
    return min(
        task_rows(manifest),
        key=lambda table: (
            "test" not in table.splits or table.length == NO_BACKGROUND or is_natural(table.length) or table.of_output,
            length_order(table.length),
        ),
    )


def unlisted_lengths(manifest: Mapping[str, Any]) -> list[str]:
    """Return lengths without task configs because the total would exceed MOST; those with the fewest tasks first.

    Their rows are available in the whole-length configs.
    """
    tables = task_rows(manifest)
    most = MOST - 2 * sum(1 for _ in _groups(tables)) - 3  # each with its full sibling, and three of the mini set
    sizes, out = Counter(table.length for table in tables), []
    for length in sorted(sizes, key=lambda length: (sizes[length], length_order(length))):
        if sum(sizes.values()) > most:
            out.append(length)
            del sizes[length]
    return out


def task_rows(manifest: Mapping[str, Any]) -> list[TaskRows]:
    """Return the tables of a release in its order, each task's shortest length first."""
    return [
        TaskRows(suite, task["name"], length, tuple(task["lengths"][length]), task["of_output"], task.get("simulated", False))
        for suite, facts in manifest["suites"].items()
        for task in facts["tasks"]
        for length in sorted(task["lengths"], key=reading_order)
    ]  # fmt: skip


def reading_order(length: str) -> tuple[bool, tuple[int, int]]:
    """Return a sort key for display: 0k, increasing length, then natural rows and word ranges."""
    return is_natural(length), length_order(length)


def _table(table: TaskRows) -> Config:
    place = f"data/{table.suite}/{table.task}/{table.length}"
    return Config(table.config, {split: (f"{place}/{split}-*.parquet",) for split in table.splits}, length=table.length)


def _mini(manifest: Mapping[str, Any]) -> list[Config]:
    """Return the configs of the small set: all rows, and the rows counted by leaderboards."""
    whole = [Config(MINI, {"test": (f"{MINI}/*/*/test-*.parquet",)})] if manifest.get(MINI, {}).get("tasks") else []
    exact = tuple(f"{MINI}/{suite}/{task}/test-*.parquet" for suite, task in exact_tasks(manifest))
    return [*whole, *([Config(EXACT, {"test": exact})] if exact else [])]


def _groups(tables: list[TaskRows]) -> Iterator[Config]:
    """Yield whole-length configs of all suites, then per suite; suites with output lengths only get their own."""
    outputs = {table.suite for table in tables if table.of_output}
    yield from _lengths(EVERY, [table for table in tables if table.suite not in outputs])
    for suite in dict.fromkeys(table.suite for table in tables):
        yield from _lengths(suite, [table for table in tables if table.suite == suite])


def _lengths(group: str, tables: list[TaskRows]) -> Iterator[Config]:
    ordered = sorted(tables, key=lambda table: reading_order(table.length))
    for length, of_length in groupby(ordered, key=lambda table: table.length):
        members = list(of_length)
        simulated = any(table.simulated for table in members)
        splits = [split for split in SPLITS if any(split in table.splits for table in members)]
        yield Config(
            f"{group}{SIMULATED_SUFFIX if simulated else ''}_{length}",
            {split: _patterns(length, split, members) for split in splits},
            group,
            length,
        )


def _patterns(length: str, split: str, members: list[TaskRows]) -> tuple[str, ...]:
    """Return one pattern per suite, which takes fewer Hub requests than one per task."""
    suites = dict.fromkeys(table.suite for table in members if split in table.splits)
    return tuple(f"data/{suite}/*/{length}/{split}-*.parquet" for suite in suites)


def _check_one_name(names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ReleaseError(
                f"{count} tasks have the same config name {name!r}", where="suites", fix="rename one of them"
            )
