"""The program itself: groups of commands, examples, short flags, completion, exit statuses, JSON."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from haymaker import __version__
from haymaker.cli.app import app
from pipelines.project import Project
from pipelines.stages.stage_table import STAGES
from tests.pipelines import tiny
from tests.reliability.killing import members

GROUPS = ["Build a release", "Use a release", "Publish a release", "Develop Haymaker"]
JSON_COMMANDS = ("plan", "releases", "tasks", "doctor", "show qa1 --length 4k", "validate")


def commands(command: Any = None, path: str = "haymaker") -> Iterator[tuple[str, Any]]:
    """Every command and group with its words."""
    command = command or get_command(app)
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(each, f"{path} {name}")


# ------------------------------------------------------------------------------------------------------------- help


def test_the_help_shows_four_groups_and_the_package_is_the_program(tmp_path: Path) -> None:
    done = tiny.called(tmp_path, "-h")
    assert [title for title in re.findall(r"^(\w.*):$", done.stdout, re.MULTILINE) if title in GROUPS] == GROUPS
    listed = set(re.findall(r"^  (\w\S*)  ", done.stdout, re.MULTILINE))
    public = {name for name, each in get_command(app).commands.items() if not each.hidden}
    assert done.returncode == 0 and {"run", "score", "publish", "dev"} <= public <= listed
    for flag in ("-V", "--version"):
        assert tiny.called(tmp_path, flag).stdout == f"haymaker {__version__}\n"
    alone = [sys.executable, "-m", "haymaker", "--help"]
    package = subprocess.run(alone, cwd=tmp_path, env=tiny.environment(), capture_output=True, text=True, check=True)
    assert package.stdout == done.stdout


def test_every_help_ends_with_an_example_that_can_be_run(tmp_path: Path) -> None:
    for path, command in commands():
        *before, example = (command.help or "").strip().splitlines()
        assert example.startswith(f"Example: {path}") and len(example) < 77 and before, path
        done = tiny.called(tmp_path, *path.split()[1:], "-h")
        assert done.returncode == 0 and f"Usage: {path} " in done.stdout and "Example: " in done.stdout, path
        words = shlex.split(example.partition(" > ")[0])[2:]
        at = get_command(app)
        while words and words[0] in getattr(at, "commands", {}):
            at = at.commands[words.pop(0)]
        with at.make_context(path, words or ["-h"], resilient_parsing="-h" in (words or ["-h"])) as context:
            assert context.command.name or path == "haymaker"


def completed(root: Path, line: str) -> set[str]:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_HAYMAKER_COMPLETE": "complete_bash"}
    return set(tiny.called(root, **words).stdout.split())


def test_the_shell_completes_commands_flags_choices_and_parameter_files(fresh: Project) -> None:
    shown = tiny.called(
        fresh.root, _HAYMAKER_COMPLETE="source_bash"
    )  # what --install-completion writes, for any parent process
    assert shown.returncode == 0 and "complete " in shown.stdout and "_HAYMAKER_COMPLETE" in shown.stdout
    assert subprocess.run(["bash", "-n"], input=shown.stdout, text=True, check=False).returncode == 0
    for line, wanted in (
        ("haymaker s", {"show", "score", "sources"}),
        ("haymaker run t", {"tiny"}),
        ("haymaker export l", {"lm_eval", "lighteval"}),
    ):
        assert completed(fresh.root, line) == wanted, line


# ---------------------------------------------------------------------------------------------------------- choices


@pytest.mark.parametrize(
    ("arguments", "wrong", "choices", "near"),
    [
        ("eval --out o --model m --prompting bsae", "bsae", ("chat", "base"), "base"),
        ("compare a b --missing zzz", "zzz", ("exclude", "zero"), ""),
        ("pull a/b --split tests", "tests", ("test", "dev", "train", "all"), "test"),
        ("dev stage downlod", "downlod", tuple(STAGES), "download"),
    ],
)
def test_a_wrong_choice_lists_the_right_ones(
    fresh: Project, arguments: str, wrong: str, choices: tuple[str, ...], near: str
) -> None:
    line = tiny.one_line(tiny.called(fresh.root, *shlex.split(arguments)), "", repr(wrong), *choices, fix=repr(near) if near else "")  # fmt: skip
    assert near or "Next:" not in line


# ----------------------------------------------------------------------------------------------------- JSON, -q, -v


def as_json(root: Path, *arguments: str, code: int = 0) -> Any:
    done = tiny.called(root, *arguments, "--json", "-")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_json_is_all_of_standard_output_and_has_the_figures_of_the_release(built: Project, tmp_path: Path) -> None:
    found = {command: as_json(built.root, *command.split()) for command in JSON_COMMANDS}
    plan, tasks, row = found["plan"], found["tasks"], found["show qa1 --length 4k"]
    assert plan["rows"] == sum(table["rows"] for table in plan["tables"]) == 74
    assert plan["cost"] == pytest.approx(plan["prompt_tokens"] / 1e6)
    in_release = [row for task in tasks["tasks"] for row in task["rows"]]
    assert sum(row["rows"] for row in in_release) == 74 and len(in_release) == len(plan["tables"])
    (only,) = found["releases"]["releases"]
    assert (only["name"], only["rows"], only["is_active"], only["verified"]) == ("tiny", 74, True, "yes")
    assert row["prompt"].count("\n") > 5 and row["answers"] and row["task"] == "qa1"
    assert found["doctor"]["passed"] and found["validate"]["rows"] == 74
    for command in ("plan", "show qa1 --length 4k"):
        shown = tiny.called(built.root, *command.split(), "--json", str(tmp_path / "figures.json"))
        assert json.loads((tmp_path / "figures.json").read_bytes()) == found[command]
        assert shown.stdout, "the file comes with the usual text"


# ---------------------------------------------------------------------------------------------------- exit statuses


def test_a_failed_check_is_status_1(mine: Project) -> None:
    (path,) = (mine.release / "data/babilong/qa1/4k").glob("test-*.parquet")
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    for arguments in (("validate",), ("validate", "--release", "tiny")):
        tiny.one_line(tiny.called(mine.root, *arguments), path.relative_to(mine.root).as_posix(), code=1)
        found = as_json(mine.root, *arguments, code=1)
        assert found["passed"] is False and path.name in found["problem"]


def test_a_release_that_is_not_built_is_no_failed_check(fresh: Project) -> None:
    tiny.one_line(tiny.called(fresh.root, "validate"), "data/releases/tiny", fix="haymaker run")


@pytest.mark.parametrize(
    ("victim", "number"),
    [
        ("run", signal.SIGTERM),
        pytest.param("stage", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("run", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("stage", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_a_run_passes_on_the_signal_that_stopped_it(fresh: Project, number: signal.Signals, victim: str) -> None:
    command = [sys.executable, "-m", "haymaker", "run"]
    run = subprocess.Popen(
        command, cwd=fresh.root, env=tiny.environment(), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    stage, deadline = 0, time.monotonic() + 120
    while not stage:
        assert time.monotonic() < deadline and run.poll() is None
        stage = next((member.pid for member in members(run.pid) if member.stage), 0)
        time.sleep(0.01)
    time.sleep(1.0)  # the handlers are set
    try:
        os.kill(stage if victim == "stage" else run.pid, number)
        _, said = run.communicate(timeout=60)
    finally:
        run.kill()
    lines = [line for line in said.splitlines() if line.startswith("haymaker: ")]  # a stage may still print after it
    assert run.returncode == 128 + number and len(lines) == 1 and "stopped" in lines[0], said
