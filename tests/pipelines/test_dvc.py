"""haymaker run and DVC: what is up to date stays untouched, what changed is built again and nothing else.

A release goes to another clone by push and pull.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from generators.inputs import KINDS
from haymaker.core.files.disk import alive
from haymaker.core.files.yaml_file import read_yaml
from pipelines.stages.stage_table import STAGES
from tests.extras import Once
from tests.pipelines import tiny

Result = subprocess.CompletedProcess[str]
SAID = {
    "download": "  tokenizer tekken",
    "prepare": "  corpora books",
    "generate": "  babilong: ",
    "validate": " rows verified",
    "card": ": manifest.json, README.md",
}
"""What a stage says when it runs; `retrieve` of the tiny project has nothing to do."""
MORE_ROWS = {"suites.babilong.tasks.qa2": {"lengths": {"0k": 9, "4k": 5}}}


def called(root: Path, *words: str) -> Result:
    done = subprocess.run(words, cwd=root, env=tiny.environment(), capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr + done.stdout
    return done


def dvc(root: Path, *arguments: str) -> Result:
    return called(root, "dvc", *arguments)


def ran(result: Result) -> set[str]:
    """Stages that said something."""
    assert result.returncode == 0, result.stderr
    return {stage for stage, words in SAID.items() if words in result.stderr}


def looks(root: Path, *below: str) -> dict[str, tuple[int, int]]:
    """Inode and time of change of every file below some folders of data/."""
    files = [path for folder in below for path in (root / "data" / folder).rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns) for path in files}


def test_dvc_yaml_and_the_table_of_stages_say_the_same() -> None:
    declared = read_yaml(tiny.ROOT / "dvc.yaml")["stages"]
    assert list(declared) == list(STAGES)
    for name, stage in STAGES.items():
        block = declared[name]
        assert block["cmd"] == f"haymaker dev stage {name}"
        params = [entry for entry in block["params"] if isinstance(entry, str)]
        (versions,) = (entry["versions.yaml"] for entry in block["params"] if isinstance(entry, dict))
        assert (sorted(params), sorted(versions)) == (sorted(stage.params), sorted(stage.versions)), name
        outs = {out for key in ("outs", "metrics", "plots") for out in block.get(key, ())}
        ours = {f"data/{out}".replace("{release}", "${release.name}") for out in (*stage.outs, stage.record)}
        assert {next((own for own in ours if out.startswith(f"{own}/")), out) for out in outs} == ours, name
        made = {
            f"data/{out}".replace("{release}", "${release.name}"): of for of in stage.reads for out in STAGES[of].outs
        }
        assert set(block.get("deps", ())) <= set(made), name
        assert {made[dep] for dep in block.get("deps", ())} == set(stage.reads), name
    for kind in KINDS.values():
        assert any(kind.place.startswith(out) for out in STAGES[kind.stage].outs), kind.key


def test_a_release_in_one_command(first: tuple[Path, Result]) -> None:
    _, result = first
    assert ran(result) == set(SAID)
    assert result.stdout == ""
    assert "Release tiny 0.1.0 is ready: data/releases/tiny  (74 rows" in result.stderr


@pytest.mark.slow
def test_plain_repro_builds_the_same_bytes_and_lock_file(first: tuple[Path, Result], tmp_path: Path) -> None:
    root = tiny.make(tmp_path / "else where").root
    dvc(root, "repro")
    for below in ("releases", "raw", "corpora", "tokenizers", "counts", "stages"):
        assert tiny.digests(root, f"data/{below}") == tiny.digests(first[0], f"data/{below}"), below
    assert (root / "dvc.lock").read_bytes() == (first[0] / "dvc.lock").read_bytes()
    assert "up to date" in dvc(root, "status").stdout


def test_a_second_run_does_nothing(again: Path) -> None:
    """Nor if params/tiny.yaml has no block for kinds without entries: they are written into params.yaml as empty."""
    below = ("raw", "tokenizers", "corpora", "stages", "releases", "reports", "counts", "work/inputs", "work/generate")
    before, lock = looks(again, *below), (again / "dvc.lock").read_bytes()
    named = {key: value for key, value in tiny.params().items() if value}
    tiny.write_params(again, named)
    assert ran(tiny.haymaker(again, "run", "tiny")) == set()
    assert read_yaml(again / "params.yaml") == tiny.params() and read_yaml(again / "params/tiny.yaml") == named
    assert looks(again, *below) == before
    assert (again / "dvc.lock").read_bytes() == lock
    assert "up to date" in dvc(again, "repro").stdout


def test_release_shards_and_cache_are_one_copy_on_disk(first: tuple[Path, Result]) -> None:
    for path in (first[0] / "data/releases/tiny/data").rglob("*.parquet"):
        assert path.stat().st_nlink == 3, "shard, output, DVC's cache"


def test_more_rows_of_one_task_build_one_table(again: Path) -> None:
    before, inputs = tiny.digests(again, "data/releases/tiny/data"), looks(again, "work/inputs")
    tiny.write_params(again, tiny.params(**MORE_ROWS))
    result = tiny.haymaker(again, "run")
    assert ran(result) == {"generate", "validate", "card"}
    assert result.stderr.count("13 of 13 shards") == 2 and result.stderr.count("12 kept from before") == 2
    after = tiny.digests(again, "data/releases/tiny/data")
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"babilong/qa2/0k/test-00000-of-00001.parquet"}
    assert "(75 rows" in result.stderr
    assert looks(again, "work/inputs") == inputs


def test_a_process_that_was_never_collected_is_dead() -> None:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert Path(f"/proc/{process.pid}").exists()
    assert not alive(process.pid)
    process.wait()
    assert not alive(process.pid)
    assert alive(os.getpid())


# ---------------------------------------------------------------------------------------------------- push and pull


def git(folder: Path, *words: str) -> str:
    return called(folder, "git", "-c", "user.name=a", "-c", "user.email=a@b", *words).stdout


@pytest.fixture(scope="module")
def pushed(once: Once, built_root: Path) -> Path:
    """A repository `home` whose release was pushed to the folder `store` beside; to be read only."""

    def make(folder: Path) -> None:
        home = folder / "home"
        tiny.copy(built_root, home)
        for name in (".dvc/.gitignore", ".gitignore"):
            shutil.copyfile(tiny.ROOT / name, home / name)
        config = (tiny.ROOT / ".dvc/config").read_text(encoding="utf-8").replace("[core]", "[core]\n    remote = store")
        (home / ".dvc/config").write_text(f"{config}['remote \"store\"']\n    url = ../../store\n", encoding="utf-8")
        git(home, "init", "--quiet")
        dvc(home, "commit", "--quiet", "--force")
        git(home, "add", "--all")
        git(home, "commit", "--quiet", "--message", "A release")
        dvc(home, "push", "--quiet")

    return once("pushed", make)


@pytest.fixture
def clone(pushed: Path, tmp_path: Path) -> Path:
    """A clone beside a link to the store: nothing is built in it."""
    git(tmp_path, "clone", "--quiet", str(pushed / "home"), "clone")
    (tmp_path / "store").symlink_to(pushed / "store")
    return tmp_path / "clone"


def test_a_pulled_release_is_the_built_one_and_nothing_is_left_to_do(clone: Path, built_root: Path) -> None:
    dvc(clone, "pull", "--quiet")
    for below in ("releases", "reports", "counts", "stages", "corpora", "raw", "tokenizers"):
        assert tiny.digests(clone, f"data/{below}") == tiny.digests(built_root, f"data/{below}"), below
    said = tiny.called(clone, "run")
    assert said.returncode == 0 and "Release tiny 0.1.0 is ready" in said.stderr
    assert " shards in " not in said.stderr, said.stderr
    verified = tiny.called(clone, "validate")
    assert (verified.returncode, "74 rows verified, 0 failures" in verified.stderr) == (0, True), verified.stderr
    assert git(clone, "status", "--short") == ""


@pytest.mark.slow
def test_pulled_files_are_read_only_and_yet_the_release_can_be_changed(clone: Path) -> None:
    dvc(clone, "pull", "--quiet")
    before = tiny.digests(clone / ".dvc/cache", "files")
    tiny.write_params(clone, tiny.params(**MORE_ROWS))
    said = tiny.haymaker(clone, "run")
    assert said.returncode == 0 and "(75 rows" in said.stderr, said.stderr
    assert "simulate" not in said.stderr and "prepare" not in said.stderr, "what was pulled is kept"
    assert before.items() <= tiny.digests(clone / ".dvc/cache", "files").items(), "what was pulled is as it was"
