"""haymaker run: choose a release, check everything that can be checked, let DVC do the rest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from corpora.sources.remote import local_path
from haymaker.errors import EnvironmentProblem, HaymakerError, ParamsError
from haymaker.files import link_or_copy, sha256_file, written
from pipelines import plan as planning
from pipelines.progress import duration, say
from pipelines.project import Project

ERROR_VARIABLE = "HAYMAKER_ERROR_FILE"


def run(project: Project, release: str | None, *, force: bool = False) -> None:
    """Build a release with DVC.

    Args:
        project: the project of the current folder.
        release: name of a file in params/; None builds what params.yaml says.
        force: run every stage, also those that are up to date.

    Raises:
        HaymakerError: bad parameters, too small a disk, or a stage that failed.
    """
    planned = planning.make(project.with_release(release))
    planning.check_disk(project, planned)
    activate(project, release)
    _clear_dead_locks(project)
    say(
        f"{project.params.release.name} {project.params.release.version}: {planned.rows:,} rows, {planned.tokens:,} tokens, "
        f"about {planned.release_bytes / 1e9:.2f} GB, about {duration(sum(planned.seconds.values()))} with {planned.workers} workers"
    )
    before = _lock_bytes(project)
    _reproduce(project, force=force)
    if force or _lock_bytes(project) != before:
        _share_disk(project)
    _close(project)


def _lock_bytes(project: Project) -> bytes:
    path = project.root / "dvc.lock"
    return path.read_bytes() if path.is_file() else b""


def activate(project: Project, release: str | None) -> None:
    """Copy params/<release>.yaml over params.yaml, byte for byte.

    Raises:
        ParamsError: params.yaml has edits that no file in params/ holds.
    """
    if release is None:
        return
    chosen, active = project.root / "params" / f"{release}.yaml", project.root / "params.yaml"
    text = chosen.read_bytes()
    if active.is_file():
        current = active.read_bytes()
        if current == text:
            return
        if all(current != path.read_bytes() for path in (project.root / "params").glob("*.yaml")):
            raise ParamsError(
                "has edits that would be lost", where="params.yaml",
                fix="cp params.yaml params/<name>.yaml to keep them, or haymaker run without --release to build them",
            )  # fmt: skip
    with written(active) as temporary:
        temporary.write_bytes(text)


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
        dead = all(not Path(f"/proc/{pid}").exists() for pid in pids)
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        dead = True
    if dead:
        path.unlink(missing_ok=True)


def _reproduce(project: Project, *, force: bool) -> None:
    dvc = shutil.which("dvc", path=_path())
    if dvc is None:
        raise EnvironmentProblem("the program dvc is not installed", fix="pip install -c constraints.txt -e .")
    if not (project.root / ".git").exists():
        subprocess.run(
            [dvc, "config", "--local", "core.no_scm", "true"], cwd=project.root, env=_environment(), check=False
        )
    error_file = project.work / "stage-error.txt"
    error_file.parent.mkdir(parents=True, exist_ok=True)
    error_file.unlink(missing_ok=True)
    environment = _environment() | {ERROR_VARIABLE: str(error_file)}
    for name in _changed_sources(project):
        say(f"source {name}: its files have changed, reading them again")
        fetch = [dvc, "repro", "--quiet", "--force", "--single-item", f"download@{name}"]
        if subprocess.run(fetch, cwd=project.root, env=environment, check=False).returncode:
            break
    command = [dvc, "repro", "--quiet", *(["--force"] if force else [])]
    code = subprocess.run(command, cwd=project.root, env=environment, check=False).returncode
    if code == 0:
        return
    if error_file.is_file():
        raise _StageFailed(error_file.read_text(encoding="utf-8").strip())
    again = subprocess.run(
        [dvc, "repro"], cwd=project.root, env=environment, check=False, capture_output=True, text=True
    )
    if error_file.is_file():
        raise _StageFailed(error_file.read_text(encoding="utf-8").strip())
    if again.returncode:
        lines = [line for line in again.stderr.splitlines() if line.startswith("ERROR")] or again.stderr.splitlines()
        raise EnvironmentProblem(
            lines[0].removeprefix("ERROR: ") if lines else "dvc repro failed", where="dvc", fix="dvc repro -v"
        )


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


def _share_disk(project: Project) -> None:
    """One copy on disk: outputs become links into DVC's cache, finished shards links to the release's files."""
    dvc = shutil.which("dvc", path=_path())
    subprocess.run([str(dvc), "checkout", "--relink", "--quiet"], cwd=project.root, env=_environment(), check=False)
    for listing in sorted((project.reports / "tables").glob("*.json")):
        files = json.loads(listing.read_text(encoding="utf-8"))["files"]
        by_sha = {facts["sha256"]: project.release / "data" / listing.stem / name for name, facts in files.items()}
        for receipt in (project.work / "generate" / listing.stem).glob("*/done.json"):
            facts = json.loads(receipt.read_text(encoding="utf-8"))["files"]["rows.parquet"]
            finished, shard = by_sha.get(facts["sha256"]), receipt.parent / "rows.parquet"
            if finished and shard.is_file() and not shard.samefile(finished):
                link_or_copy(finished, shard)


class _StageFailed(HaymakerError):
    """A stage has already said what is wrong."""


def _path() -> str:
    """This interpreter's programs first, so that the right dvc and haymaker are found without an activated environment."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _environment() -> dict[str, str]:
    return os.environ | {"PATH": _path(), "DVC_NO_ANALYTICS": "1"}


def _close(project: Project) -> None:
    manifest = json.loads((project.release / "manifest.json").read_text(encoding="utf-8"))
    rows = sum(facts["rows"] for facts in manifest["files"].values())
    size = sum(facts["bytes"] for facts in manifest["files"].values())
    table = next(table for built in project.suites() for table in built.tables())
    say(f"\nRelease {manifest['name']} {manifest['version']} is ready: data/release  ({rows:,} rows, {size / 1e6:,.0f} MB, "
        "every row proved)")  # fmt: skip
    say(
        f"Next: haymaker show {table.task} --bucket {table.bucket}    or in Python: load_dataset('data/release', '{table.config}')"
    )
