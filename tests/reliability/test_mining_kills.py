"""Killed while it cuts, embeds, searches or mines: the next run goes on from there and ends with the same bytes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from haymaker.rng import Stream
from pipelines.project import Project
from tests.extras import Once, needs
from tests.pipelines import tiny
from tests.reliability import mining_small, small
from tests.reliability.killing import Run, members

pytestmark = needs("embed-cpu", "sentence_transformers")
Stage = tuple[str, str | None]
_POLL_S = 0.002
_END_S = 240
EMBEDDED = "index/few-dense-*/shard-*"
"""Shards of vectors; the work folder keeps them when the index is there, so it shows which were made anew."""


@pytest.fixture(scope="module")
def alone(once: Once) -> dict[str, str]:
    """What one worker makes that nobody disturbs: path -> SHA-256."""

    def make(root: Path) -> None:
        root.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HAYMAKER_WORKERS", "1")
            patch.chdir(root)
            mining_small.run(mining_small.make(root))

    return mining_small.digests(once("mining project", make))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of which nothing is built."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    monkeypatch.setenv(
        "OMP_NUM_THREADS", "1"
    )  # threads of two models on few processors wait for each other for minutes
    monkeypatch.chdir(tmp_path)
    return mining_small.make(tmp_path).root


def start(root: Path, stage: Stage, workers: int) -> subprocess.Popen[bytes]:
    """A stage in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli", "stage", *filter(None, stage)],
        cwd=root, env=tiny.environment(HAYMAKER_WORKERS=str(workers)),
        start_new_session=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def killed(root: Path, stage: Stage, when: Callable[[], bool], workers: int = 1) -> bool:
    """Run a stage and kill it with all its workers as soon as `when` holds; False if it had ended before."""
    process, deadline = start(root, stage, workers), time.monotonic() + _END_S
    while process.poll() is None and not when() and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    hit = process.wait() == -signal.SIGKILL
    while members(process.pid):
        time.sleep(_POLL_S)
    return hit


def finished(root: Path, pattern: str) -> dict[str, int]:
    """Finished shards in data/work -> inode of the receipt: a shard that was made anew has another."""
    work = root / "data/work"
    return {p.parent.relative_to(work).as_posix(): p.stat().st_ino for p in work.glob(f"{pattern}/done.json")}


def whole(root: Path) -> None:
    """Nothing that is half-written has a final name."""
    assert not small.half_written(root)
    for store in ("corpora", "indexes"):
        for folder in (root / "data" / store).glob("*"):
            assert any((folder / mark).is_file() for mark in ("meta.json", "index.json")), folder


def settle(root: Path, *todo: Stage) -> None:
    """Stages to their end, in this process."""
    mining_small.run(Project(root), *todo)


def compare(root: Path, alone: dict[str, str]) -> None:
    found = mining_small.digests(root)
    assert found == alone, {k for k in found.keys() | alone.keys() if found.get(k) != alone.get(k)}
    assert not tiny.leftovers(root)
    assert not list((root / "data/work/passages").iterdir()) and not list((root / "data/work/mine").iterdir())


KILLS: tuple[tuple[Stage, str, int, int, str], ...] = (
    (("passages", "many"), "passages/many-*/batch-*", 3, 20, "data/corpora/many"),
    (("index", "few"), EMBEDDED, 3, 8, "data/indexes/few"),
    (("mine", "words"), "mine/words-*/search-test-*", 1, 2, "data/mined/words.parquet"),
    (("mine", "words"), "mine/words-*/mine-test-*", 5, 17, "data/mined/words.parquet"),
)
"""Stage, its shards, how many are done when it is killed, how many there are, what must not be there yet."""


@pytest.mark.slow
def test_killed_in_passages_embedding_search_and_mining(root: Path, alone: dict[str, str]) -> None:
    """One project, killed once in each step; what was finished is taken up, and all ends as if nobody had come."""
    todo, embedded = list(mining_small.STAGES), dict[str, int]()
    for stage, pattern, least, total, target in KILLS:
        while todo[0] != stage:
            settle(root, todo.pop(0))
        before = finished(root, pattern)
        assert killed(root, stage, lambda p=pattern, n=least: len(finished(root, p)) >= n), stage  # type: ignore[misc]
        kept = finished(root, pattern)
        assert least <= len(kept) <= total and before.items() <= kept.items(), (stage, kept)
        assert not (root / target).exists()
        whole(root)
        embedded = embedded or finished(root, EMBEDDED)
    settle(root, *todo)
    assert 3 <= len(embedded) < 8 and embedded.items() <= finished(root, EMBEDDED).items(), "made anew"
    compare(root, alone)


LONG = (("passages", "many"), ("index", "many"), ("index", "few"), ("mine", "words"), ("mine", "vectors"))


@pytest.mark.slow
@pytest.mark.parametrize("stage", LONG, ids="-".join)
def test_killed_at_any_moment(root: Path, alone: dict[str, str], stage: Stage) -> None:
    """Each stage killed at ten moments in a row, by one and two workers in turn; then left alone."""
    at = mining_small.STAGES.index(stage)
    settle(root, *mining_small.STAGES[:at])
    shutil.copytree(root / "data", root / "before")
    begun = time.monotonic()
    assert start(root, stage, 1).wait() == 0
    length = time.monotonic() - begun
    shutil.rmtree(root / "data")
    (root / "before").rename(root / "data")
    stream, hits = Stream("reliability", "mining", *filter(None, stage)), Counter[bool]()
    for number in range(10):
        moment = time.monotonic() + stream.unit() * length
        hits[killed(root, stage, lambda m=moment: time.monotonic() >= m, workers=1 + number % 2)] += 1  # type: ignore[misc]
        whole(root)
    settle(root, *mining_small.STAGES[at:])
    compare(root, alone)
    small.note(f"mining-kills-{'-'.join(filter(None, stage))}", {"kills": hits[True], "ended before": hits[False]})
    assert hits[True] >= 3


def killed_in(root: Path, name: str, seconds: float) -> bool:
    """Kill a run so long after a stage of that name began; False if it came to none.

    A stage that is worked ahead has no process of its name: it is known by the work folder that it has just locked.
    """
    begun, run = time.time(), Run(root)
    locks = f"data/work/{name}/*/.lock"
    there = run.wait(lambda: any(path.stat().st_mtime > begun for path in root.glob(locks)), seconds=_END_S)
    if there:
        moment = time.monotonic() + seconds
        there = run.wait(lambda: time.monotonic() >= moment) and run.kill("group")
    assert not run.end()
    assert run.process.returncode == (-9 if there else 0), run.output()
    return there


@pytest.mark.slow
def test_a_whole_run_killed_again_and_again(root: Path, alone: dict[str, str]) -> None:
    """`haymaker run` with DVC above the stages, killed whenever it has come to a stage of retrieval."""
    stream, hits = Stream("reliability", "mining", "run"), Counter[str]()
    for name in ("passages", "passages", "index", "index", "mine", "mine"):
        hits[name] += killed_in(root, name, stream.unit())
        whole(root)
    done = tiny.haymaker(root, "run", HAYMAKER_WORKERS="2")
    assert done.returncode == 0, done.stderr
    wanted = {key: value for key, value in alone.items() if key.startswith(("corpora/", "indexes/", "mined/"))}
    found = mining_small.digests(root)
    assert {key: found.get(key) for key in wanted} == wanted
    small.note("mining-kills-run", {"kills": hits})
    assert sum(hits.values()) >= 3
