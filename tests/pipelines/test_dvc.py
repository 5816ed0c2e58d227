"""haymaker run and DVC: what is up to date stays untouched, what changed is built again and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from haymaker.files import alive
from pipelines import lockfile, simulating
from pipelines.project import Project
from pipelines.stages.card import CARD_VERSION
from tests.pipelines import tiny

Result = subprocess.CompletedProcess[str]


def dvc(root: Path, *arguments: str) -> Result:
    done = subprocess.run(
        ["dvc", *arguments], cwd=root, env=tiny.environment(), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done


def ran(result: Result) -> set[str]:
    """Stages that said something."""
    assert result.returncode == 0, result.stderr
    names = ("download", "tokenizer", "background", "generate", "validate")
    found = {
        name for name in names if any(line.startswith((f"{name} ", f"{name}:")) for line in result.stderr.splitlines())
    }
    return found | ({"card"} if ": manifest.json, README.md" in result.stderr else set())


def looks(root: Path) -> dict[str, tuple[int, int]]:
    """Inode and time of change of every file that a stage makes."""
    files = (
        p
        for f in ("raw", "tokenizers", "corpora", "prepared", "releases", "reports", "counts")
        for p in (root / "data" / f).rglob("*")
    )
    return {p.relative_to(root).as_posix(): (p.stat().st_ino, p.stat().st_mtime_ns) for p in files if p.is_file()}


def test_a_release_in_one_command(first: tuple[Path, Result], built: Project) -> None:
    root, result = first
    assert ran(result) == {"download", "tokenizer", "background", "generate", "validate", "card"}
    assert result.stdout == ""
    assert "Release tiny 0.1.0 is ready: data/releases/tiny  (74 rows" in result.stderr
    for below in ("releases", "corpora", "raw", "reports", "counts", "prepared"):
        assert tiny.digests(root, f"data/{below}") == tiny.digests(built.root, f"data/{below}"), below


def test_a_second_run_does_nothing_and_what_another_release_left_is_no_input(again: Path) -> None:
    before, lock = looks(again), (again / "dvc.lock").read_bytes()
    assert simulating.wanted(Project(again), force=False) == []
    left = ("prepared/sources/other.json", "prepared/mined/nq.json", "reports/tables/helmet.json")
    for name in left:
        (again / "data" / name).parent.mkdir(exist_ok=True)
        (again / "data" / name).write_text("{}")
    assert ran(tiny.haymaker(again, "run", "--release", "tiny")) == set()
    assert {name: look for name, look in looks(again).items() if name != f"data/{left[-1]}"} == before
    assert (again / "dvc.lock").read_bytes() == lock
    assert "up to date" in dvc(again, "status").stdout


def test_a_source_that_dvc_has_from_an_earlier_run_leaves_no_parts(again: Path) -> None:
    """As where a kill has emptied dvc.lock: the run writes simulated sources, and DVC takes them, and all else, from its list of runs."""
    before = (again / "dvc.lock").read_bytes()
    (again / "dvc.lock").write_text("")
    shutil.rmtree(again / "data/work/releases")
    done = tiny.haymaker(again, "run", HAYMAKER_WORKERS="2")
    assert "dvc.lock: damaged" in done.stderr and "simulate: " in done.stderr and not ran(done)
    assert (again / "dvc.lock").read_bytes() == before
    assert not list((again / "data/work/simulated").glob("[!.]*"))


@pytest.mark.slow
def test_plain_dvc_repro_elsewhere_leaves_the_lock_file_as_it_is(first: tuple[Path, Result], tmp_path: Path) -> None:
    project = tiny.make(tmp_path / "else where")
    shutil.copyfile(first[0] / "dvc.lock", project.root / "dvc.lock")
    dvc(project.root, "repro", "--force")
    assert (project.root / "dvc.lock").read_bytes() == (first[0] / "dvc.lock").read_bytes()
    assert tiny.digests(project.root) == tiny.digests(first[0])


@pytest.mark.parametrize("kept", ["raw", "nothing"])
def test_the_lock_file_is_lean_while_dvc_is_at_work_and_whole_after_it(again: Path, kept: str) -> None:
    before = (again / "dvc.lock").read_bytes()
    for path in (again / "data").iterdir():
        if path.name != kept:
            shutil.rmtree(path)
    with pytest.raises(KeyboardInterrupt), lockfile.lean(project := Project(again)):
        assert {name.partition("@")[0] for name in lockfile.read(project)} == ({"download"} if kept == "raw" else set())
        raise KeyboardInterrupt
    assert (again / "dvc.lock").read_bytes() == before


@pytest.mark.slow
def test_a_run_from_nothing_but_the_lock_file_leaves_it_as_it_is(first: tuple[Path, Result], tmp_path: Path) -> None:
    project = tiny.make(tmp_path / "elsewhere")
    shutil.copyfile(first[0] / "dvc.lock", project.root / "dvc.lock")
    assert tiny.haymaker(project.root, "run").returncode == 0
    assert (project.root / "dvc.lock").read_bytes() == (first[0] / "dvc.lock").read_bytes()


@pytest.mark.slow
def test_more_rows_of_one_task_build_one_table(again: Path) -> None:
    before = tiny.digests(again, "data/releases/tiny/data")
    tiny.write_params(again, tiny.params(**{"suites.babilong.tasks.qa2": {"buckets": {"0k": 9, "4k": 5}}}))
    result = tiny.haymaker(again, "run")
    assert ran(result) == {"generate", "validate", "card"}
    assert "generate babilong: 13 of 13 shards" in result.stderr
    assert "12 kept from before" in result.stderr
    after = tiny.digests(again, "data/releases/tiny/data")
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"babilong/qa2/0k/test-00000-of-00001.parquet"}
    assert "(75 rows" in result.stderr


@pytest.mark.slow
def test_a_rule_of_cleaning_builds_from_the_background_on(again: Path) -> None:
    raw = looks(again)
    tiny.write_params(again, tiny.params(**{"corpora.books.clean.min_tokens": 11}))
    result = tiny.haymaker(again, "run")
    assert ran(result) == {"background", "generate", "validate", "card"}
    assert "8 kept" not in result.stderr
    assert "3 kept from before" in result.stderr, "tables of 0k have no background"
    after = looks(again)
    for name in raw:
        if name.startswith("data/raw"):
            assert after[name][1] == raw[name][1], "raw files are as old as they were"


def test_a_raised_version_builds_again_and_the_lock_of_a_dead_run_is_cleared(again: Path) -> None:
    text = (again / "versions.yaml").read_text()
    raised = text.replace(f"\ncard: {CARD_VERSION}", f"\ncard: {CARD_VERSION + 1}")
    assert raised != text
    (again / "versions.yaml").write_text(raised)
    held = {"write": {"pid": 4_000_000, "cmd": "dvc repro"}}
    (again / ".dvc/tmp/rwlock").write_text(json.dumps({str(again / "data/releases/tiny/README.md"): held}))
    assert ran(tiny.haymaker(again, "run")) == {"card"}


def test_a_removed_output_comes_back(again: Path) -> None:
    before = tiny.digests(again)
    shutil.rmtree(again / "data/releases/tiny")
    result = tiny.haymaker(again, "run")
    assert result.returncode == 0, result.stderr
    assert tiny.digests(again) == before


@pytest.mark.slow
def test_a_release_chosen_and_left_again_prepares_nothing_twice(again: Path) -> None:
    lock = (again / "dvc.lock").read_bytes()
    values = tiny.params(**{"sources.stories.seed": 4, "sources.novels.seed": 4, "suites.babilong.tasks": {"qa1": {}}})
    (again / "params/other.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    values["suites"]["synthetic"] = {"tasks": {"passkey": {"buckets": {"4k": 2}}}}
    (again / "params/other.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    assert {"download", "background"} <= ran(tiny.haymaker(again, "run", "--release", "other"))
    assert tiny.digests(again, "data/releases/tiny/data/synthetic")
    assert not ran(tiny.haymaker(again, "run", "--release", "tiny")) & {"download", "background"}
    assert (again / "dvc.lock").read_bytes() == lock


def test_lost_receipts_come_back_without_their_stages(again: Path) -> None:
    lock = (again / "dvc.lock").read_bytes()
    shutil.rmtree(again / "data/prepared")
    assert not ran(tiny.haymaker(again, "run")) & {"download", "background", "generate"}
    assert (again / "dvc.lock").read_bytes() == lock


def test_dvc_takes_parameters_in_which_every_block_stands_or_none(again: Path) -> None:
    """What the program itself would refuse is of no selection here: vars of dvc.yaml stand for what is not named."""
    names = {name.partition(":")[0] for name in dvc(again, "stage", "list", "--name-only").stdout.split()}
    assert names == {
        "download@stories",
        "download@novels",
        "tokenizers",
        "background@books",
        "generate@babilong",
        "validate",
        "card",
    }
    few = tiny.params(
        corpora=None, sources=None, suites={"synthetic": {"tasks": {"passkey": None}}}, mined={}, documents={}
    )
    tiny.write_params(again, few)
    assert set(dvc(again, "stage", "list", "--name-only").stdout.split()) == {
        "tokenizers",
        "generate@synthetic",
        "validate",
        "card",
    }


def test_a_process_that_was_never_collected_is_dead() -> None:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert Path(f"/proc/{process.pid}").exists()
    assert not alive(process.pid)
    process.wait()
    assert not alive(process.pid)
    assert alive(os.getpid())


@pytest.mark.slow
def test_ctrl_c_and_again(again: Path, tmp_path: Path) -> None:
    """Interrupted in the middle of generate: one line, status 2; the next run goes on and ends with the same bytes."""
    more = {
        "suites.babilong.tasks.qa1": {"buckets": {"4k": {"test": 40, "train": 30}, "1k": 40, "16k": 30}},
        "suites.babilong.tasks.qa2": {"buckets": {"4k": 40, "16k": 30}},
    }
    tiny.write_params(again, tiny.params(**more))
    known = set((again / "data/work/generate/tiny/babilong").glob("babilong-*"))
    process = subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli", "run"],
        cwd=again,
        env=tiny.environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while set((again / "data/work/generate/tiny/babilong").glob("babilong-*")) <= known and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    line = tiny.one_line(subprocess.CompletedProcess([], process.returncode, "", stderr), 2)
    assert "stopped" in line
    assert not (again / "data/releases/tiny/manifest.json").exists() or "generate babilong:" not in stderr
    for receipt in (again / "data/work/generate/tiny/babilong").glob("*/done.json"):
        json.loads(receipt.read_text())
    after = tiny.haymaker(again, "run")
    assert ran(after) == {"generate", "validate", "card"}, (stderr, after.stderr)
    other = tiny.make(tmp_path / "other", **more)
    tiny.run(other)
    assert tiny.digests(again) == tiny.digests(other.root)
