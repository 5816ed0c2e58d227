"""What `haymaker run` needs of DVC: run it quietly, say in one line what went wrong, keep one copy on disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from corpora import tokenizer
from corpora.sources.remote import local_path
from haymaker.errors import EnvironmentProblem, HaymakerError
from haymaker.files import link_or_copy, sha256_file
from pipelines.progress import say
from pipelines.project import Project

ERROR_VARIABLE = "HAYMAKER_ERROR_FILE"


class StageFailedError(HaymakerError):
    """A stage has already said what is wrong."""


def reproduce(project: Project, *, force: bool) -> None:
    """Run every stage that is not up to date; leave dvc.lock as this release alone makes it, and one copy on disk.

    Raises:
        StageFailedError: a stage said why it stopped.
        EnvironmentProblem: DVC is missing, or the pipeline itself is wrong.
    """
    before = _lock_bytes(project)
    _clear_dead_locks(project)
    _reproduce(project, force=force)
    if force or _lock_bytes(project) != before or _has_second_copies(project):
        _forget_other_stages(project)
        _share_disk(project)


def _has_second_copies(project: Project) -> bool:
    """After a plain `dvc repro`: a file of the release that shares its bytes with nothing."""
    return any(path.stat().st_nlink == 1 for path in (project.release / "data").rglob("*.parquet"))


def _lock_bytes(project: Project) -> bytes:
    path = project.root / "dvc.lock"
    return path.read_bytes() if path.is_file() else b""


def _clear_dead_locks(project: Project) -> None:
    """DVC's list of readers and writers, left unreadable or held by dead processes after a kill."""
    path = project.root / ".dvc" / "tmp" / "rwlock"
    try:
        held = json.loads(path.read_text(encoding="utf-8") or "{}")
        pids = {
            entry["pid"]
            for lock in held.values()
            for kind in lock.values()
            for entry in (kind if isinstance(kind, list) else [kind])
        }
        dead = not any(_alive(pid) for pid in pids)
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        dead = True
    if dead:
        path.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was never collected (common in containers) does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Exit status. After Ctrl-C, which the stage got too, DVC has ten seconds to give its locks back."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise


def _reproduce(project: Project, *, force: bool) -> None:
    dvc = _program()
    if not (project.root / ".git").exists():
        subprocess.run(
            [dvc, "config", "--local", "core.no_scm", "true"], cwd=project.root, env=_environment(), check=False
        )
    error_file = project.work / "stage-error.txt"
    error_file.parent.mkdir(parents=True, exist_ok=True)
    error_file.unlink(missing_ok=True)
    environment = _environment() | {ERROR_VARIABLE: str(error_file)}
    for stage in [*(f"download@{name}" for name in _changed_sources(project)), *_changed_tokenizers(project)]:
        say(f"{stage}: its files have changed, reading them again")
        fetch = [dvc, "repro", "--quiet", "--force", "--single-item", stage]
        if subprocess.run(fetch, cwd=project.root, env=environment, check=False).returncode:
            break
    command = [dvc, "repro", "--quiet", *(["--force"] if force else [])]
    code = _wait(subprocess.Popen(command, cwd=project.root, env=environment))
    if code == 0:
        return
    if error_file.is_file():
        raise StageFailedError(error_file.read_text(encoding="utf-8").strip())
    raise EnvironmentProblem(_dvc_says(project, dvc, environment), where="dvc", fix="dvc repro -v shows more")


def _dvc_says(project: Project, dvc: str, environment: dict[str, str]) -> str:
    """The first line of what is wrong with the pipeline itself (a quick question: nothing is built)."""
    asked = subprocess.run(
        [dvc, "status"], cwd=project.root, env=environment, check=False, capture_output=True, text=True
    )
    lines = [line.removeprefix("ERROR: ") for line in asked.stderr.splitlines() if line.strip()]
    return lines[0] if asked.returncode and lines else "a stage was stopped without a word"


def _changed_sources(project: Project) -> list[str]:
    """Sources whose own local files are no longer those that were fetched: DVC does not watch them for us."""
    changed = []
    for name in project.params.sources:
        source = project.inputs.source(name)
        manifest = project.data / "raw" / name / "SOURCE.json"
        if source.local_inputs() and manifest.is_file():
            fetched = {d["path"]: d["sha256"] for d in json.loads(manifest.read_text(encoding="utf-8"))["downloads"]}
            here = {file.path: local_path(file.url) for file in source.raw_files(project.fetch_context())}
            now = {path: sha256_file(place) if place else fetched.get(path) for path, place in here.items()}
            if now != fetched:
                changed.append(name)
    return changed


def _changed_tokenizers(project: Project) -> list[str]:
    """The stage's name when a tokenizer file of the user's own is no longer the one that was counted with."""
    recorded = project.data / "tokenizers" / "tokenizers.json"
    params = project.params.tokenizer
    own = [name for name in (params.release, *params.also) if name.startswith("file:")]
    if not own or not recorded.is_file():
        return []
    known = json.loads(recorded.read_text(encoding="utf-8"))["tokenizers"]
    same = all(known.get(name, {}).get("fingerprint") == tokenizer.load(name).fingerprint for name in own)
    return [] if same else ["tokenizers"]


def _forget_other_stages(project: Project) -> None:
    """Drop what dvc.lock keeps of stages that this release does not have, and sort: the release alone decides the file."""
    from dvc.repo import Repo
    from dvc.utils.serialize import modify_yaml

    with Repo(str(project.root)) as repo:
        names = {stage.addressing for stage in repo.index.stages}
    with modify_yaml(str(project.root / "dvc.lock")) as lock:
        kept = {name: lock["stages"][name] for name in sorted(names & set(lock["stages"]))}
        lock["stages"].clear()
        lock["stages"].update(kept)


def _share_disk(project: Project) -> None:
    """One copy on disk: outputs become links into DVC's cache, finished shards links to the release's files."""
    subprocess.run([_program(), "checkout", "--relink", "--quiet"], cwd=project.root, env=_environment(), check=False)
    for listing in sorted((project.reports / "tables").glob("*.json")):
        files = json.loads(listing.read_text(encoding="utf-8"))["files"]
        by_sha = {facts["sha256"]: project.release / "data" / listing.stem / name for name, facts in files.items()}
        for receipt in (project.work / "generate" / listing.stem).glob("*/done.json"):
            facts = json.loads(receipt.read_text(encoding="utf-8"))["files"]["rows.parquet"]
            finished, shard = by_sha.get(facts["sha256"]), receipt.parent / "rows.parquet"
            if finished and shard.is_file() and not shard.samefile(finished):
                link_or_copy(finished, shard)


def _program() -> str:
    dvc = shutil.which("dvc", path=_path())
    if dvc is None:
        raise EnvironmentProblem("the program dvc is not installed", fix="pip install -c constraints.txt -e .")
    return dvc


def _path() -> str:
    """This interpreter's programs first, so that the right dvc and haymaker are found without an activated environment."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _environment() -> dict[str, str]:
    return os.environ | {"PATH": _path(), "DVC_NO_ANALYTICS": "1"}
