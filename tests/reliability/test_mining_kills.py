"""Killed while it embeds, searches or mines: the next run keeps the finished shards and ends with the same bytes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from haymaker.core.rng import Stream
from tests.extras import Once, needs
from tests.pipelines import tiny
from tests.reliability import mining_small, small
from tests.reliability.killing import Run

pytestmark = [needs("embed-cpu", "sentence_transformers"), pytest.mark.slow]
STEPS = {
    "batches/passages/*/batch-*": 1,
    "index/few-dense-*/shard-*": 3,
    "mine/retrieval_sets/words-*/search-test-*": 1,
    "mine/retrieval_sets/words-*/mine-test-*": 5,
}
"""Shards of a step in data/work -> how many are finished when the stage is killed; each step has more."""
EMBEDDED = "index/few-dense-*/shard-*"
FOLDERS = ("raw", "corpora", "indexes", "retrieval_sets", "counts")


def digests(root: Path) -> dict[str, str]:
    return {f"{b}/{k}": v for b in FOLDERS for k, v in tiny.digests(root, f"data/{b}").items()}


def stage(root: Path, name: str, workers: int = 1) -> Run:
    run = Run(root, "haymaker", "dev", "stage", name, workers=workers)
    run.reach(name)
    return run


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with nothing built; two models with many threads on few processors would wait for each other for minutes."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return mining_small.make(tmp_path / "project").root


@pytest.fixture(scope="module")
def alone(once: Once) -> dict[str, str]:
    """SHA-256 of the files of an undisturbed run with one worker."""

    def make(root: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HAYMAKER_WORKERS", "1")
            root.mkdir(exist_ok=True)
            patch.chdir(root)  # paths of sources are relative to the project
            mining_small.run(mining_small.make(root))

    return digests(once("mining project", make))


def finish(root: Path, alone: dict[str, str], kept: dict[str, tuple[int, int]]) -> None:
    """Run the stages to their end; finished inputs and shards of vectors were not built again."""
    for name in ("download", "prepare", "retrieve"):
        assert stage(root, name, workers=2).finish() == 0
    found = digests(root)
    assert found == alone, {key for key in found.keys() | alone.keys() if found.get(key) != alone.get(key)}
    assert kept.items() <= (small.finished(root) | small.finished(root, EMBEDDED)).items()
    assert not tiny.leftovers(root) and not small.finished(root, "mine/*/*/*")


def test_killed_in_passages_embedding_search_and_mining(root: Path, alone: dict[str, str]) -> None:
    """One project, killed once in each step."""
    assert stage(root, "download").finish() == 0
    kept: dict[str, tuple[int, int]] = {}
    for pattern, least in STEPS.items():
        name = "prepare" if "passages" in pattern else "retrieve"
        if name == "retrieve":
            assert stage(root, "prepare").finish() == 0
        run = stage(root, name)
        assert run.wait(lambda p=pattern, n=least: len(small.finished(root, p)) >= n, seconds=240), pattern  # type: ignore[misc]
        assert run.kill("group") and not run.end()
        before = small.finished(root) | small.finished(root, EMBEDDED)
        assert kept.items() <= before.items(), "a finished shard was built again"
        kept = before
        assert not small.half_written(root) and not (root / "data/retrieval_sets/words.parquet").exists()
    finish(root, alone, kept)


def test_killed_at_any_moment(root: Path, alone: dict[str, str]) -> None:
    """Ten kills in a row in the stage `retrieve`, with one and two workers alternately."""
    for name in ("download", "prepare"):
        assert stage(root, name, workers=2).finish() == 0
    stream, hits, kept = Stream("reliability", "mining", 0), 0, dict[str, tuple[int, int]]()
    for count in range(10):
        run = stage(root, "retrieve", workers=1 + count % 2)
        moment = run.since + (2 + count) * stream.unit()  # the stage must not be finished by the first runs
        run.wait(lambda m=moment: time.monotonic() >= m)  # type: ignore[misc]
        hits += run.process.poll() is None and run.kill(stream.choice(("group", "worker")))
        assert not run.end(60) and not small.half_written(root)
        kept |= small.finished(root) | small.finished(root, EMBEDDED)
    finish(root, alone, kept)
    assert hits
