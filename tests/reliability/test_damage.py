"""Damage to any file is named or mended: never a wrong release in silence, never a traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from haymaker.errors import CorpusError, HaymakerError, ReleaseError, SourceError
from haymaker.rng import Stream
from pipelines import integrity, shards, stages
from pipelines.project import Project
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone

KINDS = {
    "raw file, written": "data/raw/stories/**/*.txt",
    "raw file, fetched": "data/raw/notes/files/**/*.txt",
    "SOURCE.json": "data/raw/*/SOURCE.json",
    "tokenizers.json": "data/tokenizers/tokenizers.json",
    "store: text": "data/corpora/books/text.bin",
    "store: documents": "data/corpora/books/documents.jsonl",
    "store: offsets and sums": "data/corpora/books/*.i64",
    "store: meta.json": "data/corpora/books/meta.json",
    "receipt": "data/prepared/**/*.json",
    "release: Parquet": "data/releases/tiny/data/**/*.parquet",
    "release: manifest.json": "data/releases/tiny/manifest.json",
    "release: README.md": "data/releases/tiny/README.md",
    "report: tables": "data/reports/tiny/tables/*.json",
    "report: counts": "data/reports/tiny/[bg]*.json",
    "report: files.json": "data/reports/tiny/files.json",
    "report: validate.json": "data/reports/tiny/validate.json",
    "report: metrics.json": "data/reports/tiny/metrics.json",
    "report: plots": "data/reports/tiny/plots/*.[cs][sv][vg]",
}
REWRITTEN = ("report: files.json", "report: validate.json", "report: metrics.json", "report: plots")
"""What `haymaker validate` writes anew."""
INJURIES = ("flip", "truncate", "delete", "empty")
SPARED = {("receipt", "delete")}
"""What `haymaker validate` does not ask for: a release can be proved without what it was made of."""


def pick(root: Path, glob: str, stream: Stream) -> Path:
    return stream.choice(sorted(path for path in root.glob(glob) if path.is_file()))


def injure(path: Path, how: str, stream: Stream) -> None:
    """In place, so that hard links get it too, and with size (where it can) and time as they were."""
    if how == "delete":
        path.unlink()
        return
    stat, raw = path.stat(), bytearray(path.read_bytes())
    if how == "flip":
        raw[stream.below(len(raw))] ^= 1 << stream.below(8)
    del raw[0 if how == "empty" else stream.below(len(raw)) if how == "truncate" else len(raw) :]
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.write(raw)
        file.truncate()
    path.chmod(stat.st_mode & 0o777)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@contextmanager
def injured(path: Path, how: str, stream: Stream) -> Iterator[None]:
    """For a moment."""
    before, stat = path.read_bytes(), path.stat()
    injure(path, how, stream)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        path.write_bytes(before)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def twins(root: Path, path: Path) -> set[str]:
    """The same file's names in data/: equal files share one copy, and so their damage."""
    number = path.stat().st_ino
    every = (found for found in (root / "data").rglob("*") if found.is_file() and found.stat().st_ino == number)
    return {found.relative_to(root).as_posix() for found in every}


def duplicate(source: Path, target: Path) -> Path:
    """A copy in which what was linked is linked."""
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)
    return target


@pytest.fixture(scope="module")
def whole(alone: Alone) -> Path:
    """The finished project; to be read only."""
    return alone.root


@pytest.fixture(scope="module")
def mine(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without links, whose files are injured for a moment each."""
    root = tmp_path_factory.mktemp("mine") / "project"
    shutil.copytree(whole, root)
    return root


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in REWRITTEN])
def test_damage_is_named(mine: Path, kind: str) -> None:
    integrity.demand(Project(mine))
    assert name_all(mine, kind, 0) == sum((kind, how) not in SPARED for how in INJURIES)
    integrity.demand(Project(mine))


def name_all(mine: Path, kind: str, number: int) -> int:
    """What `haymaker validate` does first names a file of a kind, however it was hurt."""
    hurt = [how for how in INJURIES if (kind, how) not in SPARED]
    for how in hurt:
        stream = Stream("damage", kind, how, number)
        path = pick(mine, KINDS[kind], stream)
        with injured(path, how, stream), pytest.raises(ReleaseError) as caught:
            integrity.demand(Project(mine))
        assert str(caught.value).startswith(path.relative_to(mine).as_posix() + ": "), (how, caught.value)
    return len(hurt)


def test_one_run_mends_everything(whole: Path, tmp_path: Path) -> None:
    assert mend_all(whole, tmp_path, 0) == len(KINDS)


def mend_all(whole: Path, tmp_path: Path, number: int) -> int:
    """Hurt a file of every kind, in one way or another, time and links as they were; `validate` names one, `run` mends all."""
    root = duplicate(whole, tmp_path / str(number) / "project")
    stream, names = Stream("damage", "all", number), []
    for at, glob in enumerate(KINDS.values(), number):
        path, how = pick(root, glob, stream), INJURIES[at % len(INJURIES)]
        names += [twins(root, path)] if how != "delete" else []  # what was removed comes back without a word
        injure(path, how, stream)
    line = tiny.one_line(tiny.called(root, "validate"))
    assert any(f"haymaker: {path.relative_to(whole)}: " in line for glob in KINDS.values() for path in whole.glob(glob))
    done = tiny.called(root, "run")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    for same in names:
        assert any(f"{name}: changed since it was built" in done.stderr for name in same), same
    assert small.promised(root) == small.promised(whole)
    again = tiny.called(root, "run")
    assert again.returncode == 0
    assert "changed" not in again.stderr
    shutil.rmtree(root)
    return len(KINDS)


def test_a_damaged_cache_gives_nothing_damaged(whole: Path, tmp_path: Path) -> None:
    assert mend_from_cache(whole, tmp_path, 0) > 10


def mend_from_cache(whole: Path, tmp_path: Path, number: int) -> int:
    """Outputs are gone, and all that DVC and data/work kept of them is damaged: it must not come back so."""
    root = duplicate(whole, tmp_path / str(number) / "project")
    kept = [path for below in (".dvc/cache", "data/work/generate") for path in sorted((root / below).rglob("*"))]
    hurt = [path for path in kept if path.is_file() and path.stat().st_size]
    for path in hurt:
        injure(path, INJURIES[number % len(INJURIES)], Stream("damage", path.name, number))
    for below in ("corpora/books", "releases/tiny/data", "raw/notes"):
        shutil.rmtree(root / "data" / below)
    done = tiny.called(root, "run")
    assert done.returncode == 0, done.stderr
    assert small.promised(root) == small.promised(whole)
    shutil.rmtree(root)
    return len(hurt)


def test_a_lock_file_cut_short_is_made_anew(whole: Path, tmp_path: Path) -> None:
    mend_lock(whole, tmp_path, "truncate", 0)


def mend_lock(whole: Path, tmp_path: Path, how: str, number: int) -> None:
    root = duplicate(whole, tmp_path / f"{how}{number}" / "project")
    injure(root / "dvc.lock", how, Stream("damage", "lock", how, number))
    done = tiny.called(root, "run")
    assert done.returncode == 0, done.stderr
    differs = small.promised(root).items() ^ small.promised(whole).items()
    assert {name for name, _ in differs} <= ({"dvc.lock"} if how == "flip" else set())  # a size may stay as it is
    shutil.rmtree(root)


def test_a_damaged_receipt_is_no_receipt(whole: Path, tmp_path: Path) -> None:
    """Any byte: the shard is taken up with what it said, or built again."""
    folder = duplicate(
        next((whole / "data/work/generate/tiny/babilong").glob("babilong-qa1-1k-test-*")), tmp_path / "shard"
    )
    good = shards.finished(tmp_path, "shard")
    assert good is not None
    receipt = folder / "done.json"
    raw = receipt.read_bytes()
    counts = Counter[bool]()
    for at in range(len(raw)):
        receipt.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        found = shards.finished(tmp_path, "shard")
        assert found is None or found == good
        counts[found is None] += 1
    assert counts[True] > 0.8 * len(raw), counts


@pytest.mark.parametrize(
    ("stage", "glob", "error"),
    [
        (("background", "books"), "data/raw/notes/files/**/*.txt", SourceError),
        (("generate", "babilong"), "data/raw/stories/**/*test.txt", SourceError),
        (("generate", "babilong"), "data/corpora/books/text.bin", CorpusError),
        (("generate", "babilong"), "data/corpora/books/documents.jsonl", CorpusError),
        (("generate", "babilong"), "data/corpora/books/tokens-0.i64", CorpusError),
        (("validate", None), "data/corpora/books/chars.i64", CorpusError),
        (("validate", None), "data/releases/tiny/data/babilong/qa1/4k/*.parquet", ReleaseError),
    ],
)
def test_no_stage_builds_upon_damage(
    mine: Path, stage: tuple[str, str | None], glob: str, error: type[HaymakerError], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stage run by hand, or by a plain `dvc repro`."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    stream = Stream("damage", "by hand", glob)
    path = pick(mine, glob, stream)
    with injured(path, "flip", stream), pytest.raises(error) as caught:
        stages.run(Project(mine), *stage)
    assert path.name in str(caught.value)


@pytest.mark.parametrize("name", ["tables/babilong.json", "files.json", "validate.json"])
def test_a_stage_by_hand_names_a_report_that_is_no_json(mine: Path, name: str) -> None:
    path = mine / "data/reports/tiny" / name
    for how in ("empty", "truncate"):
        with injured(path, how, Stream("damage", name)), pytest.raises(HaymakerError, match=path.name):
            stages.run(Project(mine), "card", None)


# ------------------------------------------------------------------------------------------------------ the long form


@pytest.mark.slow
def test_much_damage(whole: Path, mine: Path, tmp_path: Path) -> None:
    """Every injury to every kind many times over."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in (*KINDS, "dvc.lock", "cache and shards")}
    for number in range(15):
        for kind in (kind for kind in KINDS if kind not in REWRITTEN):
            counts[kind]["named by validate"] += name_all(mine, kind, number)
    for number in range(1, 6):
        mend_all(whole, tmp_path, number)
        for kind in KINDS:
            counts[kind]["mended by run"] += 1
        small.note("damage", json.loads(json.dumps(counts)))
    for number in range(4):
        counts["cache and shards"]["mended by run"] += mend_from_cache(whole, tmp_path, number)
        for how in ("flip", "truncate"):
            mend_lock(whole, tmp_path, how, number)
            counts["dvc.lock"]["mended by run"] += 1
        small.note("damage", json.loads(json.dumps(counts)))
