"""haymaker run and haymaker validate: select a release, check it, and build it with DVC."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from generators.inputs import KINDS
from haymaker.core.errors import CheckFailed, EnvironmentProblem, HaymakerError, ParamsError, ReleaseError
from haymaker.core.extras import BUILD, require_packages
from haymaker.core.files.disk import read_json, sweep, written
from haymaker.core.files.yaml_file import mapping
from haymaker.core.progress import duration, megabytes, say
from haymaker.core.rng import digest
from pipelines import stages
from pipelines.execution.executor import is_on_ray
from pipelines.plan import plan as planning
from pipelines.project import PARAMS, Project
from pipelines.run import dvc, sbom, verify
from pipelines.stages import card, inputs, optional_sources, records
from pipelines.stages.project_lock import check_unchanged, run_alone
from pipelines.stages.stage_table import STAGES, made_by

_ACTIVATED = "activated"
_SCHEMA, _SCHEMA_FROM_ROOT = b"$schema=schema.json", b"$schema=params/schema.json"
_ROUNDS = 5  # a damaged cache may restore damaged files once; they are then removed


def run(project: Project, release: str | None, *, force: bool = False) -> None:
    """Build a release with DVC.

    Args:
        project: the project of the current folder.
        release: name of a file in params/; None = the release in params.yaml.
        force: run every stage, including stages that are up to date.

    Raises:
        HaymakerError: invalid parameters, not enough disk space, another run in progress, or a failed stage.
    """
    with run_alone(project, " ".join(filter(None, ["haymaker run", release]))):
        chosen = project.with_release(release)
        planned = planning.make_plan(chosen)
        hands = "on this machine only" if is_on_ray() else f"with {planned.workers} workers"
        planning.check_disk(chosen, planned)
        for folder in (project.data, project.root / "params"):
            sweep(folder)
        verify.check_no_foreign_files(chosen, of_others=True)
        activate(chosen)
        say(
            f"{chosen.params.release.name} {chosen.params.release.version}: {planned.rows:,} rows, {planned.tokens:,} tokens, "
            f"about {megabytes(planned.release_bytes)}, about {duration(sum(planned.seconds.values()))} {hands}"
        )
        if planned.rounded:
            say(planned.rounded)
        active = Project(project.root)
        _say_replaced(active)
        before = _state(active)
        _build(active, force=force)
        if _state(active) != before:
            sbom.write(active)
        _close(active)


def _build(project: Project, *, force: bool) -> None:
    """Run all outdated stages with DVC, until all files match the stage records.

    Raises:
        EnvironmentProblem: files keep changing during the build.
    """
    inputs.adopt(project)
    if optional_sources.can_be_had_now(project):
        dvc.repro(project, "--force", "--single-item", "download")
    for _ in range(_ROUNDS):
        if verify.remove_damaged(project):
            dvc.distrust_cache(project)
        try:
            dvc.repro(project, *(["--force"] if force else []))
        except dvc.StageFailedError as error:  # DVC may have recorded newer parameters than an earlier stage used
            if records.OTHER_PARAMETERS not in error.what:
                raise
        force = False
        if stage := verify.outdated(project):
            dvc.repro(project, "--force", "--single-item", stage)
        elif not verify.remove_damaged(project):
            return
    fix = "stop the other program that writes there, then haymaker run"
    raise EnvironmentProblem("files change while the release is built", where="data/", fix=fix)


def _state(project: Project) -> list[object]:
    return [records.read(project, stage) for stage in STAGES]


def _say_replaced(project: Project) -> None:
    """Print one line if the build replaces a release of the same name and version made with other parameters."""
    place, release = project.release / "manifest.json", project.params.release
    noted = {stage: record["made_by"] for stage in STAGES if (record := records.read(project, stage))}
    with suppress(HaymakerError):  # damaged or missing: it is built again anyway
        same = read_json(place, "version")["version"] == release.version
        if same and any(noted.get(stage) != made_by(project, stage) for stage in ("generate", "validate", "card")):
            say(f"{release.name} {release.version} exists already, built with other parameters or code, and is replaced "
                "(change release.version to tell them apart, or release.name to keep both)")  # fmt: skip


def validate_here() -> dict[str, Any]:
    """Validate the active release of the project in the current folder and return its figures."""
    require_packages(*BUILD)
    return validate(Project.here())


def validate(project: Project) -> dict[str, Any]:
    """Check all stage records and files, check every row again, and compare the card with a new one.

    Raises:
        CheckFailed: names the first record, file or row that does not match the current parameters.
        ReleaseError: the release is not built yet.
    """
    with run_alone(project, "haymaker validate"):
        assert project.params  # report invalid parameters before errors in dvc.yaml
        if not any(project.reports.rglob("*.json")) and not any(project.release.rglob("*.parquet")):
            raise ReleaseError("not built yet", where=project.name_of(project.release), fix="haymaker run")
        with CheckFailed.instead_of(ReleaseError):
            sweep(project.release)
            verify.check_no_foreign_files(project)
            verify.check(project)
            stages.perform(project, "validate", fresh=True)
            card.check(project)
            check_unchanged(project)
        said = read_json(project.release / "manifest.json", "verification", "files")
    rows, files = said["verification"]["rows"], len(said["files"])
    say(f"{said['name']} {said['version']}: verified: all {rows:,} rows; parameters, files and card agree")
    return {"name": said["name"], "version": said["version"], "files": files, "rows": rows}


def activate(chosen: Project) -> None:
    """Copy params/<release>.yaml, with the values that it extends, over params.yaml. Absent blocks of inputs are added as empty: DVC requires them.

    Raises:
        ParamsError: params.yaml has edits that are in no file in params/.
    """
    text, active = _whole(chosen.texts[PARAMS]), chosen.root / PARAMS
    if active.is_file() and chosen.file != PARAMS:
        current = active.read_bytes()
        if _whole(current) not in _known_texts(chosen) and digest(current.hex()) != _activated(chosen):
            raise ParamsError(
                "has edits that would be lost", where=PARAMS,
                fix="cp params.yaml params/<name>.yaml to keep them, or haymaker run without NAME to build them",
            )  # fmt: skip
    mark = [] if chosen.file == PARAMS else [(chosen.work / _ACTIVATED, digest(text.hex()))]
    for path, content in ((active, text), *mark):
        if not path.is_file() or path.read_bytes() != content:
            with written(path) as temporary:
                temporary.write_bytes(content)


def _known_texts(project: Project) -> Iterator[bytes]:
    """Yield the text that each readable file in params/ has as params.yaml."""
    for name in project.releases():
        with suppress(HaymakerError):
            yield _whole(project.with_release(name).text)


def _whole(text: bytes) -> bytes:
    """Return the text of a file in params/ as that of params.yaml; an unreadable file is returned unchanged.

    The path of the schema for editors is changed, and a line for every missing kind of input is added.
    """
    with suppress(ParamsError):
        named = mapping(text, name=PARAMS)
        text = text.replace(_SCHEMA, _SCHEMA_FROM_ROOT, 1)
        lacking = "".join(f"{key}: {{}}\n" for key in (*KINDS, "suites") if key not in named).encode()
        return text + b"\n" + lacking if lacking and not text.endswith(b"\n") else text + lacking
    return text


def _activated(project: Project) -> bytes:
    """Return the digest of the text last copied to params.yaml: a later edit of its source file is then no conflict."""
    path = project.work / _ACTIVATED
    return path.read_bytes() if path.is_file() else b""


def _close(project: Project) -> None:
    manifest = read_json(project.release / "manifest.json", "files", "verification")
    rows = manifest["verification"]["rows"]
    size = sum(facts["bytes"] for facts in manifest["files"].values())
    suites = project.built_suites()
    table = next(table for built in suites for table in built.tables())
    say(f"\nRelease {manifest['name']} {manifest['version']} is ready: {project.name_of(project.release)}  ({rows:,} rows, {size / 1e6:,.1f} MB, "
        "every row verified)")  # fmt: skip
    for suite, task, why in optional_sources.left_out_lines(suites):
        say(f"Left out: {suite} {task} ({why})")
    say(
        f"Next: haymaker show {table.task} --length {table.length}    or in Python: load_dataset('{project.name_of(project.release)}', '{table.config}')"
    )
