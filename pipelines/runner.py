"""haymaker run: choose a release, check everything that can be checked, let DVC do the rest."""

from __future__ import annotations

from haymaker.errors import ParamsError
from haymaker.files import read_json, sweep, written
from haymaker.rng import digest
from pipelines import build_record, dvcrun, integrity, missing, shelf, stages
from pipelines.executor import is_on_ray
from pipelines.graph import PARAMS
from pipelines.manifest import demand_no_strays
from pipelines.one_run import demand_unchanged, run_alone
from pipelines.plan import plan as planning
from pipelines.progress import duration, say
from pipelines.project import Project
from pipelines.stages import card

_ACTIVATED = "activated"


def run(project: Project, release: str | None, *, force: bool = False) -> None:
    """Build a release with DVC.

    Args:
        project: the project of the current folder.
        release: name of a file in params/; None builds what params.yaml says.
        force: run every stage, also those that are up to date.

    Raises:
        HaymakerError: bad parameters, too small a disk, another run at work, or a stage that failed.
    """
    with run_alone(project, "haymaker run" + (f" --release {release}" if release else "")):
        chosen = project.with_release(release)
        planned = planning.make(chosen)
        hands = "on this machine alone" if is_on_ray() else f"with {planned.workers} workers"
        planning.check_disk(chosen, planned)
        for folder in (project.data, project.root / "params"):
            sweep(folder)
        demand_no_strays(chosen, of_others=True)
        if release is not None:
            activate(chosen)
        say(
            f"{chosen.params.release.name} {chosen.params.release.version}: {planned.rows:,} rows, {planned.tokens:,} tokens, "
            f"about {planned.release_bytes / 1e9:.2f} GB, about {duration(sum(planned.seconds.values()))} {hands}"
        )
        active = chosen if release is None else Project(project.root)
        if dvcrun.reproduce(active, force=force, planned_s=sum(planned.seconds.values())):
            build_record.write(active)
        shelf.keep(active)
        _close(active)


def validate(project: Project) -> None:
    """Hold every record against the others and the files, prove every row again, and make the card once more to compare.

    Raises:
        HaymakerError: names the first thing that is not what the parameters in force make.
    """
    with run_alone(project, "haymaker validate"):
        assert project.params  # what is wrong in them is said of them, not of dvc.yaml
        sweep(project.release)
        integrity.demand(project)
        demand_no_strays(project)
        stages.perform(project, "validate", None)
        card.demand(project, again=True)
        demand_unchanged(project)
        said = read_json(project.release / "manifest.json", "proof")
        say(
            f"{said['name']} {said['version']}: proved: all {said['proof']['rows']:,} rows; parameters, dvc.lock, files and card agree"
        )


def activate(chosen: Project) -> None:
    """Copy params/<release>.yaml over params.yaml, byte for byte as it was read.

    Raises:
        ParamsError: params.yaml has edits that no file in params/ holds.
    """
    text, active = chosen.texts[PARAMS], chosen.root / PARAMS
    if active.is_file():
        current = active.read_bytes()
        known = {path.read_bytes() for path in (chosen.root / "params").glob("*.yaml") if path.is_file()}
        if current not in known and digest(current.hex()) != _activated(chosen):
            raise ParamsError(
                "has edits that would be lost", where=PARAMS,
                fix="cp params.yaml params/<name>.yaml to keep them, or haymaker run without --release to build them",
            )  # fmt: skip
    for path, content in ((active, text), (chosen.work / _ACTIVATED, digest(text.hex()))):
        if not path.is_file() or path.read_bytes() != content:
            with written(path) as temporary:
                temporary.write_bytes(content)


def _activated(project: Project) -> bytes:
    """Mark of the text that was last copied to params.yaml: editing the named file afterwards loses nothing."""
    path = project.work / _ACTIVATED
    return path.read_bytes() if path.is_file() else b""


def _close(project: Project) -> None:
    manifest = read_json(project.release / "manifest.json", "files", "proof")
    rows = manifest["proof"]["rows"]
    size = sum(facts["bytes"] for facts in manifest["files"].values())
    suites = project.built_suites()
    table = next(table for built in suites for table in built.tables())
    say(f"\nRelease {manifest['name']} {manifest['version']} is ready: {project.name_of(project.release)}  ({rows:,} rows, {size / 1e6:,.1f} MB, "
        "every row proved)")  # fmt: skip
    for suite, task, why in missing.lines(suites):
        say(f"Not in it: {suite} {task} ({why})")
    say(
        f"Next: haymaker show {table.task} --bucket {table.bucket}    or in Python: load_dataset('{project.name_of(project.release)}', '{table.config}')"
    )
