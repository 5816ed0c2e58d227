"""haymaker run: choose a release, check everything that can be checked, let DVC do the rest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from haymaker.errors import EnvironmentProblem, HaymakerError, ParamsError
from haymaker.files import written
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
    _reproduce(project, force=force)
    _close(project)


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
    """Sources whose own local files are newer than, or not those of, the last fetch: DVC does not watch them for us."""
    changed = []
    for name in project.params.sources:
        inputs = project.inputs.source(name).local_inputs()
        manifest = project.data / "raw" / name / "SOURCE.json"
        if inputs and manifest.is_file():
            here = [path for place in inputs for path in ([place] if place.is_file() else place.rglob("*"))]
            newest = max((path.stat().st_mtime for path in (*inputs, *here) if path.exists()), default=0.0)
            if newest > manifest.stat().st_mtime:
                changed.append(name)
    return changed


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
    example = sorted(manifest["files"])[0].split("/")
    say(f"\nRelease {manifest['name']} {manifest['version']} is ready: data/release  ({rows:,} rows, {size / 1e6:,.0f} MB, "
        "every row proved)")  # fmt: skip
    say(
        f"Next: haymaker show {example[2]} --bucket {example[3]}    or in Python: load_dataset('data/release', '{'_'.join(example[1:4])}')"
    )
