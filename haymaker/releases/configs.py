"""Names by which a reader loads rows, and the files behind each: a table, a length of a suite, a length of all suites, the mini set.

One file stands in several configs and once on the disk. `datasets` looks for the files of the first config whichever is asked for, so
the first is a small one; and it fetches every part of a config, so each names its own files alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from haymaker.core.buckets import NO_BACKGROUND, bucket_order, is_natural
from haymaker.core.errors import ReleaseError
from haymaker.core.rows.config_name import WORLD, config_name
from haymaker.releases.exact_tasks import EXACT, exact_tasks
from haymaker.releases.folder import MINI, PARTS

MOST = 3000  # configs that the Hub's viewer takes
EVERY = "all"


@dataclass(frozen=True, slots=True)
class Config:
    """What `load_dataset(release, name)` reads.

    Attributes:
        name: of the config.
        files: part -> patterns of files below the release.
        group: whose rows of a length they are: EVERY or a suite; empty where it is no whole length.
        bucket: the length; empty for the mini set.
    """

    name: str
    files: dict[str, tuple[str, ...]]
    group: str = ""
    bucket: str = ""


@dataclass(frozen=True, slots=True)
class TaskRows:
    """The rows of a task at a length, as a manifest lists them.

    Attributes:
        suite, task, bucket: that they are of.
        parts: there are.
        of_output: whether the bucket is a length of outputs.
        simulated: whether a simulated source has a part in them.
    """

    suite: str
    task: str
    bucket: str
    parts: tuple[str, ...]
    of_output: bool
    simulated: bool

    @property
    def config(self) -> str:
        """Name of their own config, where they have one (left_out)."""
        return config_name(self.suite, self.task, self.bucket, simulated=self.simulated)


def configs(manifest: Mapping[str, Any]) -> list[Config]:
    """All configs of a release, the default one first; no name twice, and no more than MOST.

    Where the name of a whole length is that of a task's rows too, it is theirs.

    Raises:
        ReleaseError: the names of two tasks make one name.
    """
    tables, unlisted = task_rows(manifest), set(unlisted_buckets(manifest))
    mini = _mini(manifest)
    each = {table: _table(table) for table in tables}
    _check_one_name(config.name for config in (*mini, *each.values()))
    listed = {table: config for table, config in each.items() if table.bucket not in unlisted}
    single = {config.name: config for config in (*(mini or [each[example_rows(manifest)]]), *listed.values())}
    first = next(iter(single))
    return list(({first: single[first]} | {config.name: config for config in _groups(tables)} | single).values())


def example_rows(manifest: Mapping[str, Any]) -> TaskRows:
    """The rows to look at first: the first of the shortest with a context built to length, where there are such."""
    return min(
        task_rows(manifest),
        key=lambda table: (
            "test" not in table.parts or table.bucket == NO_BACKGROUND or is_natural(table.bucket) or table.of_output,
            bucket_order(table.bucket),
        ),
    )


def unlisted_buckets(manifest: Mapping[str, Any]) -> list[str]:
    """Buckets whose tasks have no config of their own, as all together were more than MOST: those of the fewest tasks first.

    Their rows are read by the configs of whole lengths.
    """
    tables = task_rows(manifest)
    most = MOST - sum(1 for _ in _groups(tables)) - 1
    sizes, out = Counter(table.bucket for table in tables), []
    for bucket in sorted(sizes, key=lambda bucket: (sizes[bucket], bucket_order(bucket))):
        if sum(sizes.values()) > most:
            out.append(bucket)
            del sizes[bucket]
    return out


def task_rows(manifest: Mapping[str, Any]) -> list[TaskRows]:
    """What a release has, in its order, the shortest bucket of a task first."""
    return [
        TaskRows(suite, task["name"], bucket, tuple(task["buckets"][bucket]), task["of_output"], task.get("simulated", False))
        for suite, facts in manifest["suites"].items()
        for task in facts["tasks"]
        for bucket in sorted(task["buckets"], key=length_order)
    ]  # fmt: skip


def length_order(bucket: str) -> tuple[bool, tuple[int, int]]:
    """Sort key of columns and lines: 0k, then the shortest first; after them natural rows and ranges of words."""
    return is_natural(bucket), bucket_order(bucket)


def _table(table: TaskRows) -> Config:
    place = f"data/{table.suite}/{table.task}/{table.bucket}"
    return Config(table.config, {part: (f"{place}/{part}-*.parquet",) for part in table.parts}, bucket=table.bucket)


def _mini(manifest: Mapping[str, Any]) -> list[Config]:
    """The small set, whole and what leaderboards count of it."""
    whole = [Config(MINI, {"test": (f"{MINI}/*/*/test-*.parquet",)})] if manifest.get(MINI, {}).get("tasks") else []
    exact = tuple(f"{MINI}/{suite}/{task}/test-*.parquet" for suite, task in exact_tasks(manifest))
    return [*whole, *([Config(EXACT, {"test": exact})] if exact else [])]


def _groups(tables: list[TaskRows]) -> Iterator[Config]:
    """A length of all suites, then of each: outputs of a length are not rows of that length, and stand under their suite alone."""
    outputs = {table.suite for table in tables if table.of_output}
    yield from _lengths(EVERY, [table for table in tables if table.suite not in outputs])
    for suite in dict.fromkeys(table.suite for table in tables):
        yield from _lengths(suite, [table for table in tables if table.suite == suite])


def _lengths(group: str, tables: list[TaskRows]) -> Iterator[Config]:
    ordered = sorted(tables, key=lambda table: length_order(table.bucket))
    for bucket, of_length in groupby(ordered, key=lambda table: table.bucket):
        members = list(of_length)
        world = any(table.simulated for table in members)
        parts = [part for part in PARTS if any(part in table.parts for table in members)]
        yield Config(
            f"{group}{WORLD if world else ''}_{bucket}",
            {part: _patterns(bucket, part, members) for part in parts},
            group,
            bucket,
        )


def _patterns(bucket: str, part: str, members: list[TaskRows]) -> tuple[str, ...]:
    """One pattern a suite: a reader on the Hub asks once a suite and not once a task."""
    suites = dict.fromkeys(table.suite for table in members if part in table.parts)
    return tuple(f"data/{suite}/*/{bucket}/{part}-*.parquet" for suite in suites)


def _check_one_name(names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ReleaseError(
                f"the names of {count} tasks make one config, {name!r}", where="suites", fix="rename one of them"
            )
