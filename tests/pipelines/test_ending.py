"""How the program ends on machines that refuse: every time one line at most, exit status 2, no traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.project import Project
from tests.pipelines import tiny


def shell(root: Path, command: str, **more: str | None) -> subprocess.CompletedProcess[str]:
    """A command line of the program as a shell runs it, `haymaker` being this checkout's."""
    text = command.replace("haymaker ", f"{sys.executable} -m haymaker.cli.main ")
    return subprocess.run(["sh", "-c", text], cwd=root, env=tiny.environment(**more), capture_output=True, text=True, timeout=120, check=False)  # fmt: skip


@pytest.mark.parametrize(
    ("command", "place", "unbuffered"),
    [
        ("--help", ">&-", None),
        ("show qa1 --length 4k", ">/dev/full", None),
        ("show qa1 --length 4k", ">/dev/full", "1"),
    ],
)
def test_results_that_cannot_be_printed(built: Project, command: str, place: str, unbuffered: str | None) -> None:
    done = shell(built.root, f"haymaker {command} {place}", PYTHONUNBUFFERED=unbuffered)
    why = "Bad file descriptor" if place == ">&-" else "No space left on device"
    tiny.one_line(done, "standard output or a file", why)


@pytest.mark.parametrize("streams", ["2>/dev/full", ">/dev/full 2>/dev/full", "<&- >&- 2>&-"])
def test_a_mistake_that_nobody_can_be_told(built: Project, streams: str) -> None:
    done = shell(built.root, f"haymaker show nope {streams}")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_closed_standard_error_and_no_home_take_nothing_from_the_result(built: Project) -> None:
    told = tiny.called(built.root, "show", "qa1", "--length", "4k")
    untold = shell(built.root, "haymaker show qa1 --length 4k <&- 2>&-", HOME=None)
    assert untold.returncode == 0 and untold.stdout == told.stdout != ""


@pytest.mark.parametrize("command", ["show qa1", "run", "dev stage card"])
def test_a_folder_that_is_gone(tmp_path: Path, command: str) -> None:
    (tmp_path / "gone").mkdir()
    done = shell(tmp_path / "gone", f'rmdir "$PWD"; haymaker {command}')
    tiny.one_line(done, "", "no longer exists", fix="cd")


@pytest.mark.parametrize("kilobytes", [150_000, 200_000, 300_000])  # traceback, no end, abort before
def test_too_little_memory_is_said_before_libraries_fail(built: Project, kilobytes: int) -> None:
    done = shell(built.root, f"ulimit -v {kilobytes}; haymaker show qa1 --length 4k")
    tiny.one_line(done, "", "memory", fix="ulimit -v unlimited")


def _with(name: str, values: Callable[[int], Any]) -> Callable[[pa.Table], pa.Table]:
    """An edit of a table: another column of a name."""
    return lambda table: table.set_column(table.schema.get_field_index(name), name, values(len(table)))


@pytest.mark.parametrize(
    ("edit", "values", "commands"),
    [
        (lambda table: table.append_column("id", table["id"]), ("'id'", "twice"), ("show", "score")),
        (lambda table: table.drop_columns(["metrics"]), ("'metrics'",), ("score",)),
        (
            _with("id", lambda rows: pa.array([b"\xff"] * rows).view(pa.string())),
            ("damaged", "utf-8", "0xff"),
            ("show", "score"),
        ),
    ],
)
def test_columns_of_a_strangers_release(
    mine: Project, edit: Any, values: tuple[str, ...], commands: tuple[str, ...]
) -> None:
    (path,) = (mine.release / "data/babilong/qa1/4k").glob("test-*.parquet")
    table = edit(pq.read_table(path))
    path.chmod(0o644)
    pq.write_table(table, path)
    (mine.root / "o.jsonl").write_text('{"id": "x", "output": "x"}')
    given = {"show": ("show", "qa1", "--length", "4k"), "score": ("score", "o.jsonl")}
    for command in commands:
        tiny.one_line(tiny.called(mine.root, *given[command]), "test-00000-of-00001.parquet", *values)


@pytest.mark.parametrize("command", [[], ["sources"], ["dev", "options"]])
def test_the_program_alone_shows_its_help(tmp_path: Path, command: list[str]) -> None:
    done = tiny.called(tmp_path, *command)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: " in done.stdout and re.search(r"\n(Commands|Use a release):\n", done.stdout)


def test_ctrl_c_of_the_installed_program_is_reported(built: Project) -> None:
    """Before, the first command that imported `pipelines` removed the handler of `main`: no line, and status -2."""
    code = (
        "import signal, sys; sys.argv = ['bin/haymaker', 'plan']\n"
        "from haymaker.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print(signal.getsignal(signal.SIGINT))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=built.root, env=tiny.environment(), capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    assert "_interrupt" in done.stdout, done.stdout + done.stderr


def test_no_file_gets_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    code = (
        "from haymaker.cli import exit; exit.open_closed_streams(); print(open('a', 'w').fileno(), file=open('b', 'w'))"
    )
    done = shell(tmp_path, f'{sys.executable} -c "{code}" <&- >&- 2>&-')
    assert done.returncode == 0 and int((tmp_path / "b").read_text()) > 2
