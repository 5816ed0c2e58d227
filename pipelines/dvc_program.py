"""The program dvc: starting it, what a kill leaves of it, and its own words when it fails."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from haymaker.errors import EnvironmentProblem
from haymaker.extras import install
from haymaker.files import alive, disk_errors
from pipelines.graph import PIPELINE
from pipelines.hashes import runs_folder
from pipelines.project import Project
from pipelines.signals import without_ctrl_c

QUICK = (sys.executable, "-P", "-m", "pipelines.dvc_quick")
"""The program for work on many stages; a folder of the project's is no module of it."""
LINKED = ("checkout", "--quiet", "--relink", PIPELINE)
"""Outputs of the stages in dvc.lock, also those that are right, as links into the cache.

Without a target it would remove what dvc.lock does not name: other releases.
"""
_GRACE_S = 3.0


def demand_idle(project: Project) -> None:
    """No other DVC is at work here; its list of readers and writers goes where a kill left it, unreadable or held by the dead.

    Raises:
        EnvironmentProblem: one is, and still is three seconds later.
    """
    folder, deadline = project.root / ".dvc" / "tmp", time.monotonic() + _GRACE_S
    while _is_held(folder / "lock") or any(alive(pid) and _is_dvc(pid) for pid in _writers(folder / "rwlock")):
        if time.monotonic() > deadline:
            fix = "wait for it, or stop it"
            raise EnvironmentProblem("dvc is working here", where=str(project.root), fix=fix)
        time.sleep(0.05)
    with disk_errors(folder):
        (folder / "rwlock").unlink(missing_ok=True)


def _is_held(lock: Path) -> bool:
    """Whether a process holds DVC's lock of the project."""
    try:
        with lock.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _writers(path: Path) -> list[int]:
    try:
        held = json.loads(path.read_text(encoding="utf-8") or "{}")
        kinds = [kind for lock in held.values() for kind in lock.values()]
        return [int(entry["pid"]) for kind in kinds for entry in (kind if isinstance(kind, list) else [kind])]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _is_dvc(pid: int) -> bool:
    """Numbers of processes come again: a daemon that has the number of a dead DVC holds nothing."""
    try:
        return b"dvc" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def clear_cut_runs(project: Project) -> None:
    """Entries of DVC's list of earlier runs that are cut short, empty or no text: it would stop at them; else it runs the stage."""
    for entry in runs_folder(project).glob("*/*/"):
        kept = 0
        for path in entry.iterdir():
            if path.name.startswith(".") or not _is_entry(path):
                path.unlink()
            else:
                kept += 1
        if not kept:
            entry.rmdir()


def _is_entry(path: Path) -> bool:
    """Whether a file is text, and to its end that of an earlier run."""
    try:
        return "\nouts:\n" in path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False


@contextmanager
def running(command: list[str], project: Project, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """DVC, which has ended when the body has; it is ended where the body fails.

    Ctrl-C is for us and the stage: DVC ends when the stage does, or else is ended after a moment.
    """
    with without_ctrl_c():
        process = subprocess.Popen(command, cwd=project.root, env=environment)
    try:
        yield process
    except BaseException as error:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S if isinstance(error, KeyboardInterrupt) else 0)
        process.kill()
        raise
    finally:
        process.wait()


def wait(command: list[str], project: Project, environment: Mapping[str, str]) -> int:
    """Exit status of DVC."""
    with running(command, project, environment) as process:
        return process.wait()


def checkout(project: Project, *, relink: bool = False) -> None:
    """Outputs of the stages in dvc.lock as DVC's cache has them, as far as it does.

    Args:
        project: the project.
        relink: also those that are right: links into the cache where they are copies.
    """
    without_git(project)
    words = LINKED if relink else ("checkout", "--quiet", "--allow-missing", PIPELINE)
    wait([program(), *words], project, environment())


def without_git(project: Project) -> None:
    """DVC asks for git, or to be told that there is none."""
    local = project.root / ".dvc" / "config.local"
    has_no_scm = local.is_file() and "no_scm" in local.read_text(encoding="utf-8", errors="replace")
    if not has_no_scm and not (project.root / ".git").exists():
        wait([program(), "config", "--local", "core.no_scm", "true"], project, environment())


def first_error(project: Project, dvc: str, environment: Mapping[str, str]) -> str:
    """The first line of what is wrong with the pipeline itself (a quick question: nothing is built)."""
    with without_ctrl_c():
        status = subprocess.run(
            [dvc, "status"], cwd=project.root, env=environment, check=False, capture_output=True, text=True
        )
    lines = [line.removeprefix("ERROR: ") for line in status.stderr.splitlines() if line.strip()]
    return lines[0] if status.returncode and lines else "a stage was stopped without a word"


def program() -> str:
    """The program's file.

    Raises:
        EnvironmentProblem: it is not installed.
    """
    dvc = shutil.which("dvc", path=_path())
    if dvc is None:
        raise EnvironmentProblem("the program dvc is not installed", fix=install(".[build]"))
    return dvc


def _path() -> str:
    """This interpreter's programs first, so that the right dvc and haymaker are found without an activated environment."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def environment() -> dict[str, str]:
    """What it is to see: ours, and that it is not to report home."""
    return os.environ | {"PATH": _path(), "DVC_NO_ANALYTICS": "1"}
