"""What `haymaker run` needs of DVC: run it quietly, mend what is damaged, say what went wrong, keep one copy on disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from corpora.sources.transport.remote import local_path
from corpora.tokenizers import tokenizer
from haymaker.errors import EnvironmentProblem, HaymakerError, ReleaseError
from haymaker.files import alive, disk_errors, link_or_copy, read_json, sha256_file, sweep
from pipelines import integrity, lockfile, records
from pipelines.executor import without_ctrl_c
from pipelines.one_run import RUN_VARIABLE, SNAPSHOT_VARIABLE, demand_unchanged
from pipelines.progress import say
from pipelines.project import Project
from pipelines.stages import card

ERROR_VARIABLE = "HAYMAKER_ERROR_FILE"
_GRACE_S = 3.0
_ROOM_BYTES = 4096
_ROUNDS = 4  # a damaged cache may give damaged files back once; what it gave is then gone


class StageFailedError(HaymakerError):
    """A stage has already said what is wrong."""


def reproduce(project: Project, *, force: bool) -> None:
    """Run every stage that is not up to date; leave dvc.lock as this release alone makes it, and one copy on disk.

    Raises:
        StageFailedError: a stage said why it stopped.
        EnvironmentProblem: DVC is missing, or the pipeline itself is wrong.
    """
    for folder in (project.data, project.root / "params"):
        sweep(folder)
    records.forget_others(project)
    looked = integrity.Looked(project.root)
    _mend(project, looked)
    for _ in range(_ROUNDS):
        if not force and _is_finished(project, looked):
            if _has_second_copies(project):
                _share_disk(project)
            return
        _reproduce(project, force=force)
        lockfile.tidy(project)
        _share_disk(project)
        demand_unchanged(project)
        _mend(project, looked)
        force = False
    raise EnvironmentProblem(
        "files change while they are built",
        where="data/",
        fix="look for another program that writes there, then haymaker run",
    )


def _is_finished(project: Project, looked: integrity.Looked) -> bool:
    """Whether DVC has nothing to do, and we have nothing to tidy up after it."""
    if _changed_sources(project) or _changed_tokenizers(project):
        return False
    entries = lockfile.read(project)
    if not lockfile.is_tidy(project, entries) or not integrity.is_up_to_date(project, looked):
        return False
    try:
        card.demand(project)
    except ReleaseError as error:  # edited, and dvc.lock with it
        say(f"{error.where}: {error.what}, building it again")
        integrity.forget(project, "card", entries["card"])
        return False
    return True


def _mend(project: Project, looked: integrity.Looked) -> bool:
    """As integrity.mend; a dvc.lock that a kill cut short goes too: DVC writes it anew from what is here."""
    try:
        return integrity.mend(project, looked)
    except ReleaseError as error:
        if error.where != lockfile.NAME:
            raise
        say(f"{error.where}: {error.what}; making it anew")
        (project.root / lockfile.NAME).unlink()
        return True


def _has_second_copies(project: Project) -> bool:
    """After a plain `dvc repro`: a file of the release that shares its bytes with nothing."""
    return any(path.stat().st_nlink == 1 for path in (project.release / "data").rglob("*.parquet"))


def clear_dead_locks(project: Project) -> None:
    """Remove DVC's list of readers and writers where a kill left it unreadable or held by the dead.

    Raises:
        EnvironmentProblem: DVC is at work here.
    """
    path = project.root / ".dvc" / "tmp" / "rwlock"
    deadline = time.monotonic() + _GRACE_S
    while living := [pid for pid in _writers(path) if alive(pid)]:
        if time.monotonic() > deadline:
            fix = "wait for it, or stop it"
            raise EnvironmentProblem(f"dvc (process {living[0]}) is working here", where=str(project.root), fix=fix)
        time.sleep(0.05)
    path.unlink(missing_ok=True)


def _writers(path: Path) -> list[int]:
    try:
        held = json.loads(path.read_text(encoding="utf-8") or "{}")
        kinds = [kind for lock in held.values() for kind in lock.values()]
        return [int(entry["pid"]) for kind in kinds for entry in (kind if isinstance(kind, list) else [kind])]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _clear_cut_runs(project: Project) -> None:
    """Entries of DVC's list of earlier runs that are cut short or empty: it would stop at them; else it runs the stage."""
    for entry in (project.root / ".dvc" / "cache" / "runs").glob("*/*/"):
        kept = 0
        for path in entry.iterdir():
            if path.name.startswith(".") or b"\nouts:\n" not in path.read_bytes():
                path.unlink()
            else:
                kept += 1
        if not kept:
            entry.rmdir()


def _wait(command: list[str], project: Project, environment: dict[str, str]) -> int:
    """Exit status of DVC. Ctrl-C is for us and the stage: DVC ends when the stage does, or else is ended after a moment.

    A signal to this process alone leaves the stage at work: it ends when DVC does.
    """
    with without_ctrl_c():
        process = subprocess.Popen(command, cwd=project.root, env=environment)
    try:
        return process.wait()
    except KeyboardInterrupt:
        try:
            process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise


def _reproduce(project: Project, *, force: bool) -> None:
    dvc = _program()
    _clear_cut_runs(project)
    _without_git(project)
    _check_lock(project)
    error_file = project.work / "stage-error.txt"
    with disk_errors(error_file):
        error_file.parent.mkdir(parents=True, exist_ok=True)
        error_file.write_bytes(b" " * _ROOM_BYTES)  # so that a stage can say that the disk is full
    environment = _environment() | {
        ERROR_VARIABLE: str(error_file),
        RUN_VARIABLE: str(os.getpid()),
        SNAPSHOT_VARIABLE: project.snapshot,
    }
    for stage in [*(f"download@{name}" for name in _changed_sources(project)), *_changed_tokenizers(project)]:
        say(f"{stage}: its files have changed, reading them again")
        if _wait([dvc, "repro", "--quiet", "--force", "--single-item", stage], project, environment):
            break
    command = [dvc, "repro", "--quiet", *(["--force"] if force else [])]
    code = _wait(command, project, environment)
    if code == 0:
        error_file.unlink(missing_ok=True)
        return
    message = error_file.read_text(encoding="utf-8", errors="replace").strip() if error_file.is_file() else ""
    if message:
        raise StageFailedError(message)
    raise EnvironmentProblem(_dvc_error(project, dvc, environment), where="dvc", fix="dvc repro -v shows more")


def _check_lock(project: Project) -> None:
    """What we can read but DVC cannot is made anew too."""
    try:
        lockfile.check_schema(project)
    except ReleaseError as error:
        say(f"{error.where}: {error.what}; making it anew")
        (project.root / lockfile.NAME).unlink()


def _without_git(project: Project) -> None:
    """DVC asks for git, or to be told that there is none."""
    local = project.root / ".dvc" / "config.local"
    has_no_scm = local.is_file() and "no_scm" in local.read_text(encoding="utf-8", errors="replace")
    if not has_no_scm and not (project.root / ".git").exists():
        _wait([_program(), "config", "--local", "core.no_scm", "true"], project, _environment())


def _dvc_error(project: Project, dvc: str, environment: dict[str, str]) -> str:
    """The first line of what is wrong with the pipeline itself (a quick question: nothing is built)."""
    with without_ctrl_c():
        status = subprocess.run(
            [dvc, "status"], cwd=project.root, env=environment, check=False, capture_output=True, text=True
        )
    lines = [line.removeprefix("ERROR: ") for line in status.stderr.splitlines() if line.strip()]
    return lines[0] if status.returncode and lines else "a stage was stopped without a word"


def _changed_sources(project: Project) -> list[str]:
    """Sources whose own local files are no longer those that were fetched: DVC does not watch them for us."""
    changed = []
    for name in project.params.sources:
        source = project.inputs.source(name)
        manifest = project.data / "raw" / name / "SOURCE.json"
        if source.local_inputs() and manifest.is_file():
            fetched = {d["path"]: d["sha256"] for d in read_json(manifest, "downloads")["downloads"]}
            here = {file.path: local_path(file.url) for file in source.raw_files(project.fetch_context())}
            now = {path: sha256_file(place) if place else fetched.get(path) for path, place in here.items()}
            if now != fetched:
                changed.append(name)
    return changed


def _changed_tokenizers(project: Project) -> list[str]:
    """The stage's name when a tokenizer file of the user's own is no longer the one that was counted with."""
    recorded = project.data / "tokenizers" / "tokenizers.json"
    params = project.params.tokenizer
    user_files = [name for name in (params.release, *params.also) if name.startswith("file:")]
    if not user_files or not recorded.is_file():
        return []
    known = read_json(recorded, "tokenizers")["tokenizers"]
    same = all(known.get(name, {}).get("fingerprint") == tokenizer.load(name).fingerprint for name in user_files)
    return [] if same else ["tokenizers"]


def _share_disk(project: Project) -> None:
    """One copy on disk: outputs become links into DVC's cache, finished shards links to the release's files."""
    _wait([_program(), "checkout", "--relink", "--quiet"], project, _environment())
    for listing in sorted((project.reports / "tables").glob("*.json")):
        files = read_json(listing, "files")["files"]
        by_sha = {facts["sha256"]: project.release / "data" / listing.stem / name for name, facts in files.items()}
        for receipt in (project.work / "generate" / listing.stem).glob("*/done.json"):
            facts = json.loads(receipt.read_text(encoding="utf-8"))["files"]["rows.parquet"]
            finished, shard = by_sha.get(facts["sha256"]), receipt.parent / "rows.parquet"
            if finished and shard.is_file() and not shard.samefile(finished):
                link_or_copy(finished, shard)


def _program() -> str:
    dvc = shutil.which("dvc", path=_path())
    if dvc is None:
        raise EnvironmentProblem("the program dvc is not installed", fix='pip install "haymaker[build]"')
    return dvc


def _path() -> str:
    """This interpreter's programs first, so that the right dvc and haymaker are found without an activated environment."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _environment() -> dict[str, str]:
    return os.environ | {"PATH": _path(), "DVC_NO_ANALYTICS": "1"}
