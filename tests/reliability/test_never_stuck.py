"""Unusual but valid projects, and what a kill may leave behind: nothing needs --force, and every error names the next command."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone

OWN_STAGES = {
    "metadata": {"cmd": "echo ${who} > mine.txt", "params": [{"mine.yaml": ["a"]}], "outs": ["mine.txt"]},
    "home": {"cmd": "echo \\${HOME} > home.txt", "outs": [{"home.txt": {"cache": False}}]},
    "below": {"cmd": ["true", "echo 1 > out.txt"], "wdir": "below", "outs": ["out.txt"]},
    "always": {"cmd": "date >> always.txt", "always_changed": True},
}
"""Stages that a user adds to dvc.yaml: parameters of their own, braces for the shell, a folder, a list of commands."""


@pytest.mark.slow
def test_a_project_with_more_in_it(alone: Alone, mine: Path, tmp_path: Path) -> None:
    """A git repository, DVC's cache elsewhere, stages of the user, temporary files of a killed run, 64.0 instead of 64."""
    shutil.move(mine / ".dvc/cache", tmp_path / "cache")
    config = (mine / ".dvc/config").read_text().replace("no_scm = true", "")
    (mine / ".dvc/config").write_text(config.replace("[cache]", f"[cache]\n    dir = {tmp_path / 'cache'}"))
    (mine / ".dvc/config.local").unlink()
    subprocess.run(["git", "init", "-q"], cwd=mine, check=True)
    pipeline = yaml.safe_load((mine / "dvc.yaml").read_text())
    (mine / "more.yaml").write_text("who: me\n")
    (mine / "mine.yaml").write_text("a: 1\n")
    (mine / "below").mkdir()
    pipeline["vars"] = [*pipeline.get("vars", []), "more.yaml"]
    pipeline["stages"] |= OWN_STAGES
    (mine / "dvc.yaml").write_text(yaml.safe_dump(pipeline, sort_keys=False))
    text = (mine / "params.yaml").read_text()
    (mine / "params.yaml").write_text(text.replace("reserved_template_tokens: 64", "reserved_template_tokens: 64.0"))
    (mine / "data/releases/tiny/.manifest.json.3999999.haymaker.tmp").write_text("x")
    (mine / "data/releases/tiny/data/.babilong.3999999.haymaker.tmp").mkdir()
    counts = []
    for _ in range(2):
        done = tiny.called(mine, "run")
        assert done.returncode == 0, done.stderr
        counts.append(len((mine / "always.txt").read_text().splitlines()))
    assert counts[1] == counts[0] + 1, "the second run asks DVC once"
    assert (mine / "mine.txt").read_text() == "me\n" and (mine / "below/out.txt").is_file()
    assert tiny.called(mine, "validate").returncode == 0
    records = {name for name in small.differing(mine, alone.bytes) if "/stages/" not in name}
    assert records <= {"dvc.lock"}, records


def test_stale_locks(alone: Alone, mine: Path) -> None:
    """Locks of dead processes are ignored; of a file of locks that was cut short, DVC's error names the file to remove."""
    locks = {"write": {str(mine / "data/releases/tiny/README.md"): {"pid": 4_000_000, "cmd": "dvc repro"}}, "read": {}}
    (mine / ".dvc/tmp/rwlock").write_text(json.dumps(locks))
    for lock in (mine / "data/work").rglob(".lock"):
        lock.write_text("process 4000000, haymaker run, since yesterday")
    shutil.rmtree(mine / "data/releases")
    done = tiny.called(mine, "run")
    assert done.returncode == 0, done.stderr
    assert not small.differing(mine, alone.bytes)
    (mine / ".dvc/tmp/rwlock").write_text('{"write": {"')
    shutil.rmtree(mine / "data/releases")
    tiny.one_line(tiny.called(mine, "run"), "", "RWLock-file", fix="rm .dvc/tmp/rwlock")
    (mine / ".dvc/tmp/rwlock").unlink()
    assert tiny.called(mine, "run").returncode == 0 and not small.differing(mine, alone.bytes)


def test_a_lost_folder_costs_nothing_but_its_files(alone: Alone, mine: Path) -> None:
    """data/work is gone; then DVC's cache and all outputs: the rest is enough."""
    shutil.rmtree(mine / "data/work")
    done = tiny.called(mine, "run")
    assert done.returncode == 0 and "shards" not in done.stderr, done.stderr
    kept = small.finished(mine) | small.finished(mine, "generate/*/*/*")
    assert kept
    for name in (".dvc/cache", *(f"data/{folder}" for folder in small.FOLDERS)):
        shutil.rmtree(mine / name)
    assert tiny.called(mine, "run").returncode == 0 and not small.differing(mine, alone.bytes)
    assert kept.items() <= (small.finished(mine) | small.finished(mine, "generate/*/*/*")).items()


def test_a_file_of_the_user_is_not_removed_from_a_release(mine: Path) -> None:
    for place in ("NOTES.txt", "data/NOTES.txt", "data/babilong/qa1/NOTES.txt", "mini/NOTES.txt"):
        file = mine / "data/releases/tiny" / place
        file.write_text("mine")
        tiny.one_line(tiny.called(mine, "run"), f"haymaker: data/releases/tiny/{place}", fix="haymaker run")
        assert file.read_text() == "mine"
        file.unlink()
