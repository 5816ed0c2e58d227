"""Odd but honest projects: what DVC allows is run, what was cut short is tidied, what rotted is built again; nothing needs --force."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from haymaker.errors import EnvironmentProblem
from haymaker.rng import Stream
from pipelines import dvc_program
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone
from tests.reliability.test_blinding import PARQUET, edited_json
from tests.reliability.test_damage import duplicate, injure

OWN_STAGES = {
    "extra": {"cmd": "echo ${who} > mine.txt", "params": [{"mine.yaml": ["a"]}], "outs": ["mine.txt"]},
    "home": {"cmd": "echo \\${HOME} > home.txt", "outs": [{"home.txt": {"cache": False}}]},
    "below": {"cmd": ["true", "echo 1 > out.txt"], "wdir": "below", "outs": ["out.txt"]},
    "always": {"cmd": "date >> always.txt", "always_changed": True},
}
"""Of a person who adds to dvc.yaml: parameters of their own, braces for the shell, a folder, a list of commands."""


@pytest.mark.slow
def test_odd_projects(alone: Alone, tmp_path: Path) -> None:
    """All at once: a git repository that ignores nothing, DVC's cache elsewhere, stages of one's own, what a kill left, 64.0 for 64."""
    root = duplicate(alone.root, tmp_path / "Größe 1" / "my project")
    shutil.move(root / ".dvc/cache", tmp_path / "cache")
    config = (
        (root / ".dvc/config")
        .read_text()
        .replace("no_scm = true", "")
        .replace("[cache]", f"[cache]\n    dir = {tmp_path / 'cache'}")
    )
    (root / ".dvc/config").write_text(config)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    pipeline = yaml.safe_load((root / "dvc.yaml").read_text())
    (root / "more.yaml").write_text("who: me\n")
    (root / "mine.yaml").write_text("a: 1\n")
    (root / "below").mkdir()
    pipeline["vars"].append("more.yaml")
    pipeline["stages"] |= OWN_STAGES
    (root / "dvc.yaml").write_text(yaml.safe_dump(pipeline, sort_keys=False))
    text = (root / "params.yaml").read_text()
    (root / "params.yaml").write_text(text.replace("reserved_template_tokens: 64", "reserved_template_tokens: 64.0"))
    (root / "data/releases/tiny/.manifest.json.3999999.haymaker.tmp").write_text("x")
    (root / "data/releases/tiny/data/.babilong.3999999.haymaker.tmp").mkdir()
    edited_json("data/prepared/corpora/books.json", lambda receipt: receipt.update(made_by="0" * 32))(root)
    for _ in range(2):
        done = tiny.called(root, "run")
        assert done.returncode == 0, done.stderr
    lines = (root / "always.txt").read_text().splitlines()
    assert len(lines) == 2 and (root / "mine.txt").read_text() == "me\n" and (root / "below/out.txt").is_file()
    assert tiny.called(root, "validate").returncode == 0
    found, wanted = small.promised(root), alone.bytes
    assert {name for name in found if found[name] != wanted.get(name)} <= {
        "dvc.lock",
        "data/releases/tiny/data/.gitignore",
    }


def test_a_false_record_that_dvc_could_bring_back(alone: Alone, tmp_path: Path) -> None:
    """DVC noted other parameters than a stage had read; what it made lies in the cache, in the list of runs and in dvc.lock."""
    root = duplicate(alone.root, tmp_path / "project")
    name = "data/prepared/corpora/books.json"
    edited_json(name, lambda receipt: receipt.update(made_by="0" * 32), noted=True)(root)
    raw = (root / name).read_bytes()
    md5 = hashlib.md5(raw, usedforsecurity=False).hexdigest()
    (root / f".dvc/cache/files/md5/{md5[:2]}").mkdir(exist_ok=True)
    (root / f".dvc/cache/files/md5/{md5[:2]}/{md5[2:]}").write_bytes(raw)
    done = tiny.called(root, "run")
    assert done.returncode == 0, done.stderr
    assert "background@books: not made by the parameters that dvc.lock notes" in done.stderr
    assert small.promised(root) == alone.bytes


@pytest.mark.slow
def test_good_files_are_not_replaced_by_damaged_ones_of_the_cache(alone: Alone, tmp_path: Path) -> None:
    """A copy of the folder in which nothing is linked, a bit of the cache that rotted, and no git anywhere."""
    shutil.copytree(alone.root, tmp_path / "project")
    root = tmp_path / "project"
    shutil.rmtree(root / "data/work")
    (root / ".dvc/config").write_text((root / ".dvc/config").read_text().replace("no_scm = true", ""))
    md5 = hashlib.md5((root / PARQUET).read_bytes(), usedforsecurity=False).hexdigest()
    injure(root / f".dvc/cache/files/md5/{md5[:2]}/{md5[2:]}", "flip", Stream("damage", "cache"))
    done = tiny.called(root, "run")
    assert done.returncode == 0, done.stderr
    assert small.promised(root) == alone.bytes
    again = tiny.called(root, "run")
    assert again.returncode == 0 and small.promised(root) == alone.bytes


def test_a_file_of_the_user_is_not_removed_from_a_release(alone: Alone, tmp_path: Path) -> None:
    root = duplicate(alone.root, tmp_path / "project")
    for place in (
        "data/releases/tiny/NOTES.txt",
        "data/releases/tiny/data/NOTES.txt",
        "data/releases/tiny/data/babilong/qa1/NOTES.txt",
    ):
        (root / place).write_text("mine")
        assert f"haymaker: {place}: no stage makes it. Next: move it away" in tiny.one_line(tiny.called(root, "run"))
        (root / place).unlink()


def test_dvc_at_work_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dvc_program, "_GRACE_S", 0.1)
    project = tiny.make(tmp_path)
    (tmp_path / ".dvc/tmp").mkdir()
    with (tmp_path / ".dvc/tmp/lock").open("w") as lock:
        dvc_program.demand_idle(project)
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(EnvironmentProblem, match="dvc is working here"):
            dvc_program.demand_idle(project)
    held = {str(tmp_path): {"write": {"pid": 1, "cmd": "dvc repro"}}}
    (tmp_path / ".dvc/tmp/rwlock").write_text(json.dumps(held))
    dvc_program.demand_idle(project)
    assert not (tmp_path / ".dvc/tmp/rwlock").exists(), "process 1 lives, but is no DVC"
