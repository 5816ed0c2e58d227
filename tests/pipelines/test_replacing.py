"""Files that a person names: what is replaced, what is refused before anything is computed; and outputs that cannot be read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import haymaker
from haymaker.core.errors import ParamsError
from haymaker.core.rows.model_requests import journal_of
from haymaker.evaluation.export import export as exporting
from tests.errors import refused
from tests.pipelines import tiny
from tests.scoring.test_longgen_report import samples
from tests.scoring.test_scorecard import Release, judged_rows, kv_rows

WRITERS = [
    ("score", "a.jsonl", "--json"),
    ("score", "a.jsonl", "--row-scores"),
    ("score", "a.jsonl", "--judge-prompts"),
    ("score", "a.jsonl", "--aggregate", "longgenbench", "--json"),
    ("compare", "a.jsonl", "b.jsonl", "--json"),
    ("compare", "a.jsonl", "b.jsonl", "--flips"),
    ("report", "a.jsonl", "--out"),
    ("eval", "--model", "m", "--endpoint", "http://127.0.0.1:9/v1", "--retries", "0", "--out"),
    ("export", "openai_jsonl", "--model", "m", "--out"),
]


@pytest.fixture
def release(tmp_path: Path) -> Release:
    longgen = (row for row in samples() if row.suite == "longgenbench")
    made = Release(tmp_path, [*judged_rows(), *kv_rows(), *longgen])
    made.manifest()
    for name, said in (("a", made.right()), ("b", made.right() | {row.id: "" for row in kv_rows()})):
        lines = [json.dumps({"id": row_id, "output": output}) for row_id, output in said.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    return made


def called(root: Path, command: tuple[str, ...], target: str) -> subprocess.CompletedProcess[str]:
    first, *others = (*command, target)
    return tiny.called(root, first, "--release", "tiny", *others)


def test_outputs_of_a_model_are_never_replaced(tmp_path: Path, release: Release) -> None:
    before = (tmp_path / "b.jsonl").read_bytes()
    for command in WRITERS:
        tiny.one_line(called(tmp_path, command, "b.jsonl"), "b.jsonl", fix=command[-1])
        assert (tmp_path / "b.jsonl").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl", "data"]


def test_a_folder_that_is_not_there_or_stands_in_the_way(tmp_path: Path, release: Release) -> None:
    """Or one file for two results, or a pipe."""
    for command in WRITERS:
        tiny.one_line(called(tmp_path, command, "nodir/x"), "nodir", fix=command[-1])
        tiny.one_line(called(tmp_path, command, "data"), "data", fix=command[-1])
    done = called(tmp_path, ("score", "a.jsonl", "--json", "x", "--row-scores"), "x")
    tiny.one_line(done, "x", "as both", fix=("--json", "--row-scores"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl", "data"]
    os.mkfifo(tmp_path / "pipe")
    tiny.one_line(called(tmp_path, ("score", "a.jsonl", "--json"), "pipe"), "pipe", "file")


@pytest.mark.parametrize("command", [each for each in WRITERS if each[0] != "eval"], ids="_".join)
def test_what_was_written_for_the_same_is_replaced(tmp_path: Path, release: Release, command: tuple[str, ...]) -> None:
    for target in ("x", "x.parquet") if command[-1] == "--row-scores" else ("x",):
        assert called(tmp_path, command, target).returncode == 0
        written = (tmp_path / target).read_bytes()
        if command[-1] == "--json":
            (tmp_path / target).write_bytes(b"")  # nothing is lost
        assert called(tmp_path, command, target).returncode == 0
        assert (tmp_path / target).read_bytes() == written


def exported(root: Path, *options: str, out: str = "tasks") -> subprocess.CompletedProcess[str]:
    return tiny.called(root, "export", "lm_eval", "--release", "tiny", "--out", out, *options)


def test_an_export_deletes_its_own_files_alone(tmp_path: Path, release: Release) -> None:
    assert exported(tmp_path).returncode == 0
    listed = tmp_path / "tasks/.haymaker-export"
    listed.write_text("lm_eval\n")  # of an older program
    (tmp_path / "tasks/__pycache__").mkdir()  # of the program that read them
    assert exported(tmp_path).returncode == 0 and len(listed.read_text().splitlines()) > 2
    assert exported(tmp_path, "--lengths", "8k").returncode == 0
    here = {path.name for path in (tmp_path / "tasks").iterdir()} - {".haymaker-export", "__pycache__"}
    assert listed.read_text().splitlines() == ["lm_eval", *sorted(here)] and not any("_4k" in name for name in here)
    (tmp_path / "tasks/mine.yaml").write_text("keep")
    before = tiny.digests(tmp_path, "tasks")
    tiny.one_line(exported(tmp_path), "tasks", "mine.yaml", fix="--out")
    assert tiny.digests(tmp_path, "tasks") == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], check=False)
    if done.returncode:
        pytest.skip("NOT RUN: mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("older", [False, True])
def test_an_export_on_a_full_disk_leaves_what_was_there(
    tmp_path: Path, release: Release, small_disk: Path, older: bool
) -> None:
    if older:
        exported(tmp_path, "--lengths", "8k", out="small/tasks")
    before = tiny.digests(small_disk, "tasks")
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free - 8192))
    tiny.one_line(exported(tmp_path, out="small/tasks"), "", "full")
    assert tiny.digests(small_disk, "tasks") == before and (small_disk / "tasks").exists() is older
    (small_disk / "filler").unlink()
    assert exported(tmp_path, out="small/tasks").returncode == 0


def test_an_export_that_was_killed_between_two_files_goes_on(
    tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, begun = Path.replace, count(1)

    def killed(self: Path, target: Path) -> Path:
        if target.parent.name == "tasks" and next(begun) == 4:
            raise KeyboardInterrupt
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(exporting.Path, "replace", killed)
        assert exported(tmp_path).returncode == 130
    assert 1 < len(list((tmp_path / "tasks").iterdir())) < 6
    assert exported(tmp_path).returncode == 0
    assert tiny.leftovers(tmp_path) == []


def scored(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return tiny.called(root, "score", *arguments, "--release", "tiny")


def test_outputs_that_cannot_be_read(tmp_path: Path, release: Release) -> None:
    for name, text, line, value in (
        ("x.csv", "row,answer\n1,2\n", "", "CSV"),
        ("x.txt", '"id"\t"output"\na\tb\n', "", "CSV"),
        ("x.jsonl", "so to say, none\n", ":1", "JSON"),
        ("x.json", '[{"id": "a", "output": "b"}]', ":1", "JSON"),
        ("nothing.jsonl", "", "", "No such file or directory"),
    ):
        if text:
            (tmp_path / name).write_text(text)
        compared = tiny.called(tmp_path, "compare", "a.jsonl", name, "--release", "tiny")
        for done in (scored(tmp_path, name), compared):
            tiny.one_line(done, f"{name}{line}", value, fix='{"id"')


def test_an_eval_that_was_stopped_is_named(tmp_path: Path, release: Release) -> None:
    record = {"reply": "x", "judge": "my-model", "request": "0" * 32}
    journal_of(tmp_path / "evs.jsonl").write_text(f'{json.dumps(record)}\n{json.dumps(record)}\n{{"re')
    fix = "haymaker eval --out evs.jsonl --model my-model"
    tiny.one_line(scored(tmp_path, "evs.jsonl"), "evs.jsonl", 2, "evs.jsonl.journal", fix=fix)


def test_two_files_of_outputs_are_compared(tmp_path: Path, release: Release) -> None:
    tiny.one_line(scored(tmp_path, "a.jsonl", "b.jsonl"), fix="haymaker compare")
    tiny.one_line(tiny.called(tmp_path, "score"), fix="haymaker score --help")


def test_outputs_of_another_release_are_named(tmp_path: Path, release: Release) -> None:
    (tmp_path / "x.jsonl").write_text('{"id": "qa1-7", "output": "x"}\n')
    tiny.one_line(scored(tmp_path, "x.jsonl"), "", "small 1.2.3", "'qa1-7'", "'narrativeqa-8k-0-plain-0'")


def test_outputs_in_python_that_are_none(release: Release) -> None:
    for outputs in (["x"], None, 7):
        with refused(ParamsError, "outputs", type(outputs).__name__):
            haymaker.score(outputs, release.folder)  # type: ignore[arg-type]
