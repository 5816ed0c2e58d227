"""Run the program dvc and report its errors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from haymaker.core.errors import EnvironmentProblem, HaymakerError, ParamsError
from haymaker.core.extras import install_command
from haymaker.core.files.disk import disk_errors, distrust
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.progress import say
from haymaker.core.verbosity import has_details
from pipelines.execution.signals import without_ctrl_c
from pipelines.project import Project
from pipelines.stages.project_lock import RUN_VARIABLE, SNAPSHOT_VARIABLE, check_unchanged

LOCK = "dvc.lock"
RWLOCK = ".dvc/tmp/rwlock"
"""DVC cannot read this file after a kill at the wrong moment; the error message of DVC names it."""
ERROR_VARIABLE = "HAYMAKER_ERROR_FILE"
_ROOM_BYTES = 4096
_GRACE_S = 3.0


class StageFailedError(HaymakerError):
    """A stage failed and has reported its error; `exit_status` is the one of the stage."""


def repro(project: Project, *options: str) -> None:
    """Run `dvc repro`; its stages use the project lock and the parameter snapshot of this process.

    If DVC itself fails, its cache or dvc.lock may be damaged: all stages run again once, and DVC checks its cache.

    The run cache of DVC is not used: a source that was unavailable in an earlier run may be available now, and a
    damaged copy would be restored.

    Args:
        project: the project.
        options: additional command line options, such as --force.

    Raises:
        StageFailedError: a stage failed and reported its error.
        EnvironmentProblem: DVC is missing or already running, or dvc.yaml is invalid.
        ParamsError: the parameters were edited during the run.
    """
    _without_git(project)
    _check_lock_file(project)
    wrong = _repro(project, options)
    if wrong and "lock" not in wrong.replace(LOCK, ""):  # not a lock that another DVC holds
        say(f"dvc: {wrong}; running all stages again (finished work is reused)")
        if LOCK in wrong:
            (project.root / LOCK).unlink(missing_ok=True)
        distrust_cache(project)
        wrong = _repro(project, ["--force"])
    if wrong:
        fix = (
            f"rm {RWLOCK} if no dvc process is running, then haymaker run"
            if RWLOCK in wrong
            else "run dvc repro -v for details"
        )
        raise EnvironmentProblem(wrong, where="dvc", fix=fix)


def _repro(project: Project, options: Sequence[str]) -> str:
    """Run `dvc repro` once; return the error of DVC itself, or an empty string."""
    error_file = project.work / "stage-error.txt"
    with disk_errors(error_file):
        error_file.parent.mkdir(parents=True, exist_ok=True)
        error_file.write_bytes(b" " * _ROOM_BYTES)  # reserves space for the message that the disk is full
    environment = _environment() | {
        ERROR_VARIABLE: str(error_file),
        RUN_VARIABLE: str(os.getpid()),
        SNAPSHOT_VARIABLE: project.snapshot,
    }
    quiet = [] if has_details() else ["--quiet"]
    code = _wait([_program(), "repro", *quiet, "--no-run-cache", *options], project, environment)
    message = error_file.read_text(encoding="utf-8", errors="replace").strip()
    error_file.unlink()
    if message and code:
        status, _, said = message.partition(" ")
        error = StageFailedError(said)
        error.exit_status = int(status)
        raise error
    check_unchanged(project)  # a file being edited may be the reason why DVC failed
    if not code:
        return ""
    if not (wrong := _own_error(project, environment)):
        raise EnvironmentProblem(
            "a stage was stopped without an error message", where="dvc", fix="run dvc repro -v for details"
        )
    return wrong


def _wait(command: Sequence[str], project: Project, environment: Mapping[str, str]) -> int:
    """Run DVC and return its exit status. DVC gets no Ctrl-C: it ends with its stage, or is killed shortly after."""
    with without_ctrl_c():
        process = subprocess.Popen(command, cwd=project.root, env=environment)
    try:
        return process.wait()
    except BaseException as error:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S if isinstance(error, KeyboardInterrupt) else 0)
        process.kill()
        raise
    finally:
        process.wait()


def distrust_cache(project: Project) -> None:
    """Make all files of the DVC cache writable: DVC reuses read-only files without checking their hash."""
    command = [_program(), "cache", "dir"]
    with without_ctrl_c():
        said = subprocess.run(
            command, cwd=project.root, env=_environment(), check=False, capture_output=True, text=True
        )
    if said.returncode == 0 and said.stdout.strip():
        for path in (project.root / said.stdout.strip()).rglob("*"):
            distrust(path)


def _without_git(project: Project) -> None:
    """Configure DVC for a project without git (core.no_scm)."""
    local = project.root / ".dvc" / "config.local"
    has_no_scm = local.is_file() and "no_scm" in local.read_text(encoding="utf-8", errors="replace")
    if not has_no_scm and not (project.root / ".git").exists():
        _wait([_program(), "config", "--local", "core.no_scm", "true"], project, _environment())


def _check_lock_file(project: Project) -> None:
    """Remove a dvc.lock truncated by a kill: DVC recreates it from the files of the project."""
    place = project.root / LOCK
    if place.is_file():
        try:
            read_yaml(place, name=LOCK)
        except ParamsError as error:
            say(f"{LOCK}: damaged ({error.what}), recreating it")
            place.unlink()


def _own_error(project: Project, environment: Mapping[str, str]) -> str:
    """Return the error of `dvc status` about the pipeline itself, as one line, or an empty string. Nothing is built."""
    with without_ctrl_c():
        status = subprocess.run(
            [_program(), "status"], cwd=project.root, env=environment, check=False, capture_output=True, text=True
        )
    said = status.stderr.partition("Having any troubles")[0]
    return " ".join(said.replace("ERROR: ", "").split()) if status.returncode else ""


def _program() -> str:
    """Return the path of the program dvc.

    Raises:
        EnvironmentProblem: dvc is not installed.
    """
    dvc = shutil.which("dvc", path=_path())
    if dvc is None:
        raise EnvironmentProblem("the program dvc is not installed", fix=install_command(".[build]"))
    return dvc


def _path() -> str:
    """Return PATH with the programs of this interpreter first: dvc and haymaker need no activated environment."""
    return os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])  # noqa: PTH120


def _environment() -> dict[str, str]:
    """Return the environment for DVC: PATH with this interpreter first, analytics disabled."""
    return os.environ | {"PATH": _path(), "DVC_NO_ANALYTICS": "1"}
