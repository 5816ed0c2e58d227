"""The small set of a release: chosen by rule, copied as it is, and as good as the whole for whoever scores it."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from haymaker.core.files.disk import read_json
from haymaker.releases import folder as release_folder
from pipelines.checks import mini_subset
from pipelines.project import Project
from tests.pipelines import tiny


def read(root: Path, files: Iterable[str]) -> list[dict[str, Any]]:
    return [row for name in files for row in pq.ParquetFile(root / name).read().to_pylist()]


def small(folder: Path) -> dict[str, dict[str, Any]]:
    """Its rows by id."""
    found = read(
        folder, (p.relative_to(folder).as_posix() for p in sorted((folder / release_folder.MINI).rglob("*.parquet")))
    )
    rows = {row["id"]: row for row in found}
    assert len(rows) == len(found) > 0
    return rows


def test_lengths_are_chosen_by_rule() -> None:
    for lengths, wanted in (
        ("0k 4k 16k 64k 128k 1M", [("4k", 2), ("16k", 1)]),
        ("1k 2k 32k 64k", [("2k", 2), ("32k", 1)]),
        ("4k", [("4k", 2)]),
        ("16k 128k", [("16k", 2)]),
        ("64k 128k 1M", []),
        ("0k", [("0k", 2)]),
        ("natural 64k 128k", [("natural", 2)]),
        ("natural 16k", [("16k", 2)]),
        ("0-4k 4-8k 8k+", [("0-4k", 2)]),
        ("", []),
    ):
        assert mini_subset.lengths(lengths.split(), of_output=False) == wanted
        assert mini_subset.lengths(reversed(lengths.split()), of_output=False) == wanted
    assert mini_subset.lengths(["16k", "4k", "8k"], of_output=True) == [("4k", 1)]


def test_rows_are_those_of_the_release_and_each_asks_something_else(built: Project) -> None:
    names = [name for name in read_json(built.release / "manifest.json")["files"] if name.startswith("data/")]
    whole = {row["id"]: row for row in read(built.release, names)}
    rows = small(built.release)
    assert rows == {name: whole[name] for name in rows}
    assert {row["split"] for row in rows.values()} == {"test"}
    assert Counter((row["task"], row["length"]) for row in rows.values()) == {
        ("qa1", "4k"): 2, ("qa1", "16k"): 1, ("qa2", "4k"): 2, ("qa3", "1k"): 2, ("qa1_quarter", "4k"): 2, ("qa1_grid", "4k"): 2,
    }  # fmt: skip
    assert len({(row["task"], row["group_id"]) for row in rows.values()}) == len(rows)


def test_which_tasks_have_one_answer(built: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One text in one form, in every row that could have been chosen: leaderboards count longer rows than those of the small set."""
    for answers, groups, choices, one in (
        (["office"], None, None, True),
        (["office", "the office"], None, None, False),
        (["gray", "grey"], None, None, True),
        (["apple,milk"], None, None, False),
        (["a, b"], None, ["a, b", "c"], True),
        (["1", "2"], [1, 1], None, False),
        ([], None, None, False),
    ):
        assert mini_subset._is_one({"answers": answers, "answer_groups": groups, "choices": choices}) is one
    monkeypatch.setattr(mini_subset, "_is_one", lambda row: not row["id"].startswith("babilong-qa2-"))
    made = mini_subset.build_mini(built, tmp_path / "mini")["tasks"]["babilong"]
    assert [task for task, facts in made.items() if not facts["one_answer"]] == ["qa2"]


def test_a_task_chooses_for_itself_and_the_same_again(mine: Project) -> None:
    before = tiny.digests(mine.root, "data/releases/tiny/mini")
    assert mini_subset.build_mini(mine, mine.root / "again") and tiny.digests(mine.root, "again") == before
    tiny.write_params(mine.root, tiny.params(**{"suites.babilong.tasks.qa3": None, "suites.babilong.tasks.qa2": None}))
    mini_subset.build_mini(Project(mine.root), mine.root / "fewer")
    fewer = tiny.digests(mine.root, "fewer")
    assert fewer == {name: sha for name, sha in before.items() if "/qa2/" not in name and "/qa3/" not in name}
    tiny.write_params(mine.root, tiny.params(**{"release.seed": 8}))
    mini_subset.build_mini(Project(mine.root), mine.root / "seed")
    assert tiny.digests(mine.root, "seed") != before, "the choice goes by the seed"


def test_rows_of_a_release_come_once_and_those_of_the_small_set_alone_too(built: Project, tmp_path: Path) -> None:
    def ids(folder: Path) -> set[str]:
        found = [row["id"] for row in release_folder.rows(folder, lambda facts: ())]
        assert len(found) == len(set(found))
        return set(found)

    rows = set(small(built.release))
    assert len(ids(built.release)) == read_json(built.release / "manifest.json")["verification"]["rows"]
    alone, table = tmp_path / "alone", "data/babilong/qa1/4k"
    shutil.copytree(built.release, alone, ignore=shutil.ignore_patterns("data"))
    assert ids(alone) == rows
    shutil.copytree(built.release / table, alone / table)
    assert rows < ids(alone)
    for file in (alone / table).glob("test-*"):
        file.unlink()
    assert rows < ids(alone), "train rows of a table do not stand for its test rows"


def test_it_is_chosen_again_only_when_rows_or_the_rule_change(mine: Project) -> None:
    """Another title changes the card only; a damaged set, other rows and a raised version of the card do more."""

    def kept(*stages: str, **changes: Any) -> tuple[str, int]:
        tiny.write_params(mine.root, tiny.params(**changes))
        tiny.run(mine, *stages)
        (folder,) = (mine.work / "mini").iterdir()
        return folder.name, (folder / "done.json").stat().st_mtime_ns

    first = kept("card")
    assert kept("card", **{"release.title": "Renamed", "release.version": "0.2.0"}) == first
    (file, *_) = (mine.release / "mini").rglob("*.parquet")
    good = file.read_bytes()
    file.write_bytes(good[:-1])
    again = kept("card")
    assert again[0] == first[0] and again != first and file.read_bytes() == good
    number, versions = tiny.version_of("card"), mine.root / "versions.yaml"
    versions.write_text(versions.read_text().replace(f"\ncard: {number}\n", f"\ncard: {number + 1}\n"))
    changed = kept("generate", "validate", "card")[0]
    assert first[0] != changed != kept("generate", "validate", "card", **{"suites.babilong.tasks.qa2": None})[0]
