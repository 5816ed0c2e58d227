"""Names by which a reader loads rows, and the files behind each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from haymaker.buckets import bucket_order
from pipelines.card.evaluation import EXACT, counted


@dataclass(frozen=True, slots=True)
class Config:
    """What `load_dataset(release, name)` reads.

    Attributes:
        name: of the config.
        files: part -> patterns of files below the release.
    """

    name: str
    files: dict[str, tuple[str, ...]]


def configs(manifest: Mapping[str, Any]) -> list[Config]:
    """All configs of a release, the default one first: one per task and length, so that nobody fetches more than he reads."""
    return [*_tables(manifest), *_mini(manifest)]


def _tables(manifest: Mapping[str, Any]) -> Iterator[Config]:
    for suite, facts in manifest["suites"].items():
        for task in facts["tasks"]:
            for bucket in sorted(task["buckets"], key=bucket_order):
                place = f"data/{suite}/{task['name']}/{bucket}"
                files: dict[str, tuple[str, ...]] = {
                    part: (f"{place}/{part}-*.parquet",) for part in task["buckets"][bucket]
                }
                yield Config(f"{suite}_{task['name']}_{bucket}", files)


def _mini(manifest: Mapping[str, Any]) -> Iterator[Config]:
    """The small set, whole and what the leaderboard counts of it."""
    if manifest.get("mini", {}).get("tasks"):
        yield Config("mini", {"test": ("mini/*/*/test-*.parquet",)})
    if exact := counted(manifest):
        yield Config(EXACT, {"test": tuple(f"mini/{suite}/{task}/test-*.parquet" for suite, task in exact)})
