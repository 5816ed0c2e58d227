"""Damage to any file is named by `haymaker validate` and repaired by `haymaker run`: never a wrong release, never a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from haymaker.core.errors import HaymakerError, ReleaseError
from haymaker.core.rng import Stream
from pipelines import stages
from pipelines.execution import shards
from pipelines.project import Project
from pipelines.run import verify
from tests.errors import refused
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone

CACHE, PARQUET = ".dvc/cache/files/md5", "data/releases/tiny/data/**/*.parquet"
KINDS = {
    "raw file, simulated": "data/raw/stories/**/*.txt",
    "raw file, fetched": "data/raw/notes/files/**/*.txt",
    "SOURCE.json": "data/raw/*/SOURCE.json",
    "tokenizers.json": "data/tokenizers/tokenizers.json",
    "corpus": "data/corpora/books/*.[bji]*",
    "passages": "data/corpora/pumps/*.*",
    "index": "data/indexes/pumps/lexical/*",
    "mined set": "data/retrieval_sets/pumps.parquet",
    "counts": "data/counts/*/*/*/*",
    "record of inputs": "data/stages/*.json",
    "Parquet": PARQUET,
    "mini": "data/releases/tiny/mini/**/*.parquet",
    "README.md": "data/releases/tiny/README.md",
    "manifest.json": "data/releases/tiny/manifest.json",
    "other texts": "data/releases/tiny/*.[cy]*",
    "tables": "data/reports/tiny/tables/*.json",
    "validate.json": "data/reports/tiny/validate.json",
    "metrics.json": "data/reports/tiny/metrics.json",
    "plots": "data/reports/tiny/plots/*.[cs][sv][vg]",
    "record of a release": "data/reports/tiny/stages/*.json",
}
INJURIES = ("flip", "flip, new time", "truncate", "delete", "empty")
NOT_NEEDED = ("tokenizers.json", "mined set", "counts", "record of inputs")
"""Kinds that `haymaker validate` accepts as missing: a release can be validated without its inputs."""


def pick(root: Path, glob: str, stream: Stream) -> Path:
    return stream.choice(sorted(path for path in root.glob(glob) if path.is_file() and path.name != ".gitignore"))


def injure(path: Path, how: str, stream: Stream) -> None:
    """Damage a file in place, so that its hard links get the damage too; the time is restored unless `how` has a new one."""
    if how == "delete":
        path.unlink()
        return
    stat, raw = path.stat(), bytearray(path.read_bytes())
    if how.startswith("flip"):
        raw[stream.below(len(raw))] ^= 1 << stream.below(8)
    else:
        del raw[0 if how == "empty" else stream.below(len(raw)) :]
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.write(raw)
        file.truncate()
    path.chmod(stat.st_mode & 0o777)
    if "new time" not in how:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@contextmanager
def injured(path: Path, how: str, stream: Stream) -> Iterator[None]:
    """Damage a file, and restore it afterwards."""
    before, stat = path.read_bytes(), path.stat()
    injure(path, how, stream)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        path.write_bytes(before)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def same_file(root: Path, path: Path) -> set[str]:
    """All names of a file in data/: equal files may share one inode, and so their damage."""
    number = path.stat().st_ino
    found = (each for each in (root / "data").rglob("*") if each.is_file() and each.stat().st_ino == number)
    return {each.relative_to(root).as_posix() for each in found}


def primed(root: Path) -> Path:
    """The copy after a run that has nothing to do: DVC knows the size and time of each file, and trusts them."""
    done = tiny.called(root, "run")
    assert done.returncode == 0 and "shards" not in done.stderr and "changed" not in done.stderr, done.stderr
    return root


@pytest.fixture(scope="module")
def unlinked(alone: Alone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without hard links, whose files are damaged for a moment each."""
    root = tmp_path_factory.mktemp("unlinked") / "project"
    shutil.copytree(alone.root, root)
    return root


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_named(unlinked: Path, kind: str) -> None:
    """The first step of `haymaker validate` names the damaged file."""
    for how in INJURIES:
        stream = Stream("damage", kind, how)
        path = pick(unlinked, KINDS[kind], stream)
        if how == "delete" and kind in NOT_NEEDED:
            continue
        with injured(path, how, stream), refused(ReleaseError, path.relative_to(unlinked).as_posix()):
            verify.check(Project(unlinked))
    verify.check(Project(unlinked))


@pytest.mark.parametrize("number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(1, 5))])
def test_one_run_repairs_everything(alone: Alone, mine: Path, number: int) -> None:
    """A file of each kind is damaged, and with it DVC's cache and data/work, to which it is hard-linked.

    Of a stage whose record is damaged too, everything is made again: only even numbers can ask for the name of each file.
    """
    stream, names = Stream("damage", "all", number), []
    primed(mine)
    kinds = [kind for kind in KINDS if number % 2 or not kind.startswith("record")]
    for at, kind in enumerate(kinds, number):
        path, how = pick(mine, KINDS[kind], stream), INJURIES[at % len(INJURIES)]
        names += [same_file(mine, path)] if how != "delete" else []  # a missing file comes back without a message
        injure(path, how, stream)
    line = tiny.one_line(tiny.called(mine, "validate"), code=1)
    assert any(path.relative_to(alone.root).as_posix() in line for path in alone.root.glob("data/raw/**/*")), line
    injure(mine / "dvc.lock", "truncate", stream)
    done = tiny.called(mine, "run")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    for same in names if number % 2 == 0 else ():
        assert any(f"{name}: changed since it was built" in done.stderr for name in same), (same, done.stderr)
    assert not small.differing(mine, alone.bytes)
    primed(mine)


def damaged_cache(root: Path, how: str) -> int:
    """Damage all files of DVC's cache, and all rows and inputs in data/work; how many."""
    folders = (CACHE, "data/work/generate", "data/work/inputs")
    kept = [path for below in folders for path in sorted((root / below).rglob("*"))]
    hurt = [path for path in kept if path.is_file() and path.stat().st_size]
    for path in hurt:
        injure(path, how, Stream("damage", path.name))
    return len(hurt)


@pytest.mark.slow  # test_one_run_repairs_everything damages the cache too
@pytest.mark.parametrize("how", INJURIES)
def test_a_damaged_cache_gives_back_nothing_damaged(alone: Alone, mine: Path, how: str) -> None:
    """Outputs are gone, and all copies of them are damaged."""
    primed(mine)
    for below in ("corpora/books", "releases/tiny/data", "raw/notes", "retrieval_sets", "reports/tiny/validate.json"):
        place = mine / "data" / below
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    assert damaged_cache(mine, how) > 30
    tiny.one_line(tiny.called(mine, "validate"), code=1)
    done = tiny.called(mine, "run")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert not small.differing(mine, alone.bytes)


@pytest.mark.slow
@pytest.mark.parametrize("how", INJURIES)
def test_good_files_are_not_replaced_by_damaged_copies(alone: Alone, tmp_path: Path, how: str) -> None:
    """DVC's cache holds separate copies: a damaged copy is not used, also if a file next to it must be built again."""
    root = tmp_path / "project"
    shutil.copytree(alone.root, root)
    primed(root)
    injure(pick(root, PARQUET, Stream("damage", "one")), how, Stream("damage", "one"))
    assert damaged_cache(root, how) > 30
    done = tiny.called(root, "run")
    assert done.returncode == 0, done.stderr
    assert not small.differing(root, alone.bytes)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["folders", *range(5)])
def test_a_truncated_dvc_lock_or_folder_of_the_cache(alone: Alone, mine: Path, where: str | int) -> None:
    """The descriptions of folders in DVC's cache are cut short, or dvc.lock is, at any place."""
    primed(mine)
    stream = Stream("damage", "lock", where)
    for path in (
        [*sorted((mine / CACHE).rglob("*.dir")), mine / "dvc.lock"] if where == "folders" else [mine / "dvc.lock"]
    ):
        injure(path, "truncate", stream)
    done = tiny.called(mine, "run")
    assert done.returncode == 0, done.stderr
    assert not small.differing(mine, alone.bytes)


FOREIGN = (
    "data/raw/notes/x.txt", "data/corpora/books/x.bin", "data/corpora/new/x.bin", "data/indexes/x", "data/retrieval_sets/x.parquet",
    "data/counts/prepare/x.json", "data/reports/tiny/tables/x.json", "data/reports/tiny/plots/x.svg",
)  # fmt: skip


def test_foreign_files_are_named_and_removed(alone: Alone, mine: Path) -> None:
    """In a release they stop the run instead (test_blinding.py)."""
    for name in FOREIGN:
        (mine / name).parent.mkdir(exist_ok=True)
        (mine / name).write_text("mine")
    tiny.one_line(tiny.called(mine, "validate"), "x.txt", code=1)
    done = tiny.called(mine, "run")
    assert done.returncode == 0, done.stderr
    assert all(f"{name}: not written by a stage, removed" in done.stderr for name in FOREIGN), done.stderr
    assert not small.differing(mine, alone.bytes)


@pytest.mark.parametrize(
    "how", ["flip", *(pytest.param(how, marks=pytest.mark.slow) for how in ("flip, new time", "delete"))]
)
def test_plain_dvc_repro(alone: Alone, mine: Path, how: str) -> None:
    """DVC compares sizes and times of files: what it does not see, or brings back damaged, the next `haymaker run` repairs."""
    primed(mine)
    injure(pick(mine, PARQUET, Stream("damage", "repro")), how, Stream("damage", "repro"))
    subprocess.run(["dvc", "repro", "--quiet"], cwd=mine, env=tiny.environment(), check=False, capture_output=True)
    healed = not small.differing(mine, alone.bytes)
    assert healed == (how == "delete")
    assert (tiny.called(mine, "validate").returncode == 0) == healed
    assert tiny.called(mine, "run").returncode == 0 and not small.differing(mine, alone.bytes)


def test_a_damaged_receipt_is_no_receipt(alone: Alone, tmp_path: Path) -> None:
    """Any byte is changed: the shard is reused with the same facts, or built again."""
    folder = next((alone.root / "data/work/generate/tiny/babilong").glob("babilong-qa1-1k-test-*"))
    shutil.copytree(folder, tmp_path / "shard")
    good = shards.finished_shards(tmp_path, "shard")
    assert good is not None
    receipt = tmp_path / "shard/done.json"
    raw, counts = receipt.read_bytes(), Counter[bool]()
    for at in range(len(raw)):
        receipt.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        found = shards.finished_shards(tmp_path, "shard")
        assert found is None or found == good
        counts[found is None] += 1
    assert counts[True] > 0.8 * len(raw), counts


@pytest.mark.parametrize(
    ("stage", "glob", "how"),
    [
        ("prepare", "data/raw/notes/files/**/*.txt", "flip"),
        ("retrieve", "data/corpora/pumps/*.arrow", "flip"),
        ("generate", "data/raw/stories/**/*test.txt", "flip"),
        ("generate", "data/corpora/books/tokens-0.i64", "flip"),
        ("validate", "data/corpora/books/chars.i64", "flip"),
        ("validate", "data/releases/tiny/data/babilong/qa1/4k/*.parquet", "flip"),
        ("card", "data/reports/tiny/tables/babilong.json", "empty"),
        ("card", "data/reports/tiny/validate.json", "truncate"),
    ],
)  # fmt: skip
def test_no_stage_builds_upon_damage(
    mine: Path, stage: str, glob: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stage run by hand, or by a plain `dvc repro`."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    if stage in ("prepare", "retrieve"):
        shutil.rmtree(mine / "data/work/inputs")  # otherwise nothing is to be built
    stream = Stream("damage", "by hand", glob)
    path = pick(mine, glob, stream)
    injure(path, how, stream)
    with pytest.raises(HaymakerError) as caught:
        stages.run(Project(mine), stage)
    assert any(Path(name).name in str(caught.value) for name in same_file(mine, path)), caught.value
