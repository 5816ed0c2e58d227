"""Names by which a reader loads rows, and the files behind each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generators.spec import config_name
from haymaker.buckets import bucket_order


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
    return list(_tables(manifest))


def _tables(manifest: Mapping[str, Any]) -> Iterator[Config]:
    for suite, facts in manifest["suites"].items():
        for task in facts["tasks"]:
            for bucket in sorted(task["buckets"], key=bucket_order):
                place = f"data/{suite}/{task['name']}/{bucket}"
                files: dict[str, tuple[str, ...]] = {
                    part: (f"{place}/{part}-*.parquet",) for part in task["buckets"][bucket]
                }
                name = config_name(suite, task["name"], bucket, simulated=task.get("simulated", False))
                yield Config(name, files)
