"""What `haymaker run` needs of DVC: run it quietly, mend what is damaged, say what went wrong, keep one copy on disk."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from corpora.sources.transport.remote import local_path
from corpora.tokenizers import tokenizer
from haymaker.errors import EnvironmentProblem, HaymakerError, ReleaseError
from haymaker.files import disk_errors, link_or_copy, read_json, sha256_file, write_text
from pipelines import ahead, dvc_program, graph, hashes, integrity, lockfile, missing, records, shelf, simulating, warm
from pipelines.dvc_quick import THEN
from pipelines.one_run import RUN_VARIABLE, SNAPSHOT_VARIABLE, demand_unchanged
from pipelines.progress import say
from pipelines.project import PHRASES, Project
from pipelines.serving import serving
from pipelines.stages import card

ERROR_VARIABLE = "HAYMAKER_ERROR_FILE"
_ROOM_BYTES = 4096
_SHARED = "one-copy"
_ROUNDS = 4  # a damaged cache may give damaged files back once; what it gave is then gone


class StageFailedError(HaymakerError):
    """A stage has already said what is wrong."""


def reproduce(project: Project, *, force: bool, planned_s: float = 0.0) -> bool:
    """Run every stage that is not up to date; leave dvc.lock as this release alone makes it, and one copy on disk.

    Args:
        project: the project.
        force: run also those that are.
        planned_s: seconds that all stages take by the plan.

    Returns:
        Whether there was anything to do.

    Raises:
        StageFailedError: a stage said why it stopped.
        EnvironmentProblem: DVC is missing, or the pipeline itself is wrong.
    """
    shelf.switch(project)
    shelf.say_replaced(project)
    records.forget_others(project)
    looked = hashes.Looked(project.root)
    _mend(project, looked)
    missing.ask_again(project)
    changed = [*_changed_sources(project), *_changed_tokenizers(project), *_changed_phrases(project)]
    built, left = False, ""
    for _ in range(_ROUNDS):
        left = "it is forced" if force else ", ".join(changed) or _left(project, looked, asked=built)
        if left:
            _reproduce(project, looked, changed, force=force, planned_s=planned_s)
            lockfile.tidy(project)
            demand_unchanged(project)
            built, force, changed = True, False, []
        elif not _has_second_copies(project):
            return built
        else:
            dvc_program.checkout(project, relink=True)
        _share_disk(project)  # from DVC's cache, which may be damaged: look again
        _mend(project, looked)
    fix = "look for another program that writes there, then haymaker run"
    raise EnvironmentProblem(f"not finished by what has run ({left})", where="data/", fix=fix)


def _left(project: Project, looked: hashes.Looked, *, asked: bool) -> str:
    """What is left to do for DVC, or to tidy up after it; empty when there is nothing.

    Args:
        project: the project.
        looked: files that were hashed.
        asked: DVC has been asked in this run: stages that are not ours have had their turn.
    """
    if graph.others(project.texts) and not asked:
        return "stages that are not ours"
    if left := integrity.unfinished(project, looked):
        return left
    if not lockfile.is_tidy(project):
        return lockfile.NAME
    try:
        card.demand(project)
    except ReleaseError as error:  # edited, and dvc.lock with it
        say(f"{error.where}: {error.what}, building it again")
        integrity.forget(project, {"card": lockfile.read(project)["card"]})
        return error.where
    return ""


def _mend(project: Project, looked: hashes.Looked) -> None:
    """As integrity.mend, and what DVC's cache has of it comes back at once: stage by stage that takes minutes.

    A dvc.lock that a kill cut short goes too: DVC writes it anew from what is here.
    """
    try:
        shelf.clear_others(project, looked)
        integrity.mend(project, looked)
    except ReleaseError as error:
        if error.where != lockfile.NAME:
            raise
        say(f"{error.where}: {error.what}; making it anew")
        (project.root / lockfile.NAME).unlink()
    if integrity.is_cached(project, looked):
        dvc_program.checkout(project)
        shelf.unlist(project)


def _has_second_copies(project: Project) -> bool:
    """After a plain `dvc repro`: files of the release that share their bytes with nothing, though they might."""
    mark = project.kept / _SHARED
    if mark.is_file() and mark.read_text(encoding="utf-8") == sha256_file(project.release / "manifest.json"):
        return False  # on this disk nothing can be shared, or it has been
    return any(path.stat().st_nlink == 1 for path in (project.release / "data").rglob("*.parquet"))


def _reproduce(
    project: Project, looked: hashes.Looked, changed: Sequence[str], *, force: bool, planned_s: float
) -> None:
    dvc = dvc_program.program()
    dvc_program.clear_cut_runs(project)
    dvc_program.without_git(project)
    _check_lock(project)
    error_file = project.work / "stage-error.txt"
    with disk_errors(error_file):
        error_file.parent.mkdir(parents=True, exist_ok=True)
        error_file.write_bytes(b" " * _ROOM_BYTES)  # so that a stage can say that the disk is full
    environment = dvc_program.environment() | {
        ERROR_VARIABLE: str(error_file),
        RUN_VARIABLE: str(os.getpid()),
        SNAPSHOT_VARIABLE: project.snapshot,
    }
    warm.begin()
    with lockfile.lean(project):
        coming = ahead.Coming() if force or changed else ahead.coming(project, looked, planned_s)
        code = _serve(project, changed, coming, environment, force=force)
    if code == 0:
        error_file.unlink(missing_ok=True)
        return
    message = error_file.read_text(encoding="utf-8", errors="replace").strip() if error_file.is_file() else ""
    if message:
        raise StageFailedError(message)
    demand_unchanged(project)  # DVC may have met a file that was being written
    raise EnvironmentProblem(
        dvc_program.first_error(project, dvc, environment), where="dvc", fix="dvc repro -v shows more"
    )


def _serve(
    project: Project, changed: Sequence[str], coming: ahead.Coming, environment: Mapping[str, str], *, force: bool
) -> int:
    """Exit status of DVC, whose stages are done here. Simulated sources are written while it loads."""
    ready, simulated = threading.Event(), simulating.wanted(project, force=force)
    silent = {key: value for key, value in environment.items() if key != ERROR_VARIABLE}  # who fails there runs again
    with ExitStack() as last, serving(coming, project.root, silent, ready) as served:  # DVC ends when nobody serves it
        asking = {**environment, **served}
        if changed:
            simulating.write(project, simulated)
            ready.set()
            _read_again(project, changed, asking)
        repro = ["repro", "--quiet", *(["--force"] if force else [])]
        command = [*dvc_program.QUICK, *repro, THEN, *dvc_program.LINKED]
        dvc = last.enter_context(dvc_program.running(command, project, asking))
        if not ready.is_set():
            simulating.write(project, simulated)
            ready.set()
        code = dvc.wait()
    for name in simulated if code == 0 else ():
        simulating.forget(project, name)  # DVC may have had the source from its list of earlier runs
    return code


def _read_again(project: Project, stages: Sequence[str], environment: Mapping[str, str]) -> None:
    for stage in stages:
        say(f"{stage}: its files have changed, reading them again")
        single = [*dvc_program.QUICK, "repro", "--quiet", "--force", "--single-item", stage]
        if dvc_program.wait(single, project, environment):
            break


def _check_lock(project: Project) -> None:
    """What we can read but DVC cannot is made anew too."""
    try:
        lockfile.check_schema(project)
    except ReleaseError as error:
        say(f"{error.where}: {error.what}; making it anew")
        (project.root / lockfile.NAME).unlink()


def _changed_sources(project: Project) -> list[str]:
    """Stages of sources whose own local files are no longer those that were fetched: DVC does not watch them for us."""
    changed = []
    for name in project.params.sources:
        source = project.inputs.source(name)
        manifest = project.data / "raw" / name / "SOURCE.json"
        if source.local_inputs() and manifest.is_file():
            fetched = {d["path"]: d["sha256"] for d in read_json(manifest, "downloads")["downloads"]}
            here = {file.path: local_path(file.url) for file in source.raw_files(project.fetch_context())}
            now = {path: sha256_file(place) if place else fetched.get(path) for path, place in here.items()}
            if now != fetched:
                changed.append(f"download@{name}")
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


def _changed_phrases(project: Project) -> list[str]:
    """Suites whose rows were written with other phrases than their files hold now."""
    changed = []
    for suite in project.suites():
        noted = project.reports / "tables" / f"{suite.name}.json"
        if noted.is_file() and (before := read_json(noted).get(PHRASES)) and before != suite.word_files():
            changed.append(f"generate@{suite.name}")
    return changed


def _share_disk(project: Project) -> None:
    """One copy on disk where it allows that: outputs are links into DVC's cache; finished shards become links to the release's files."""
    shelf.unlist(project)
    for listing in sorted((project.reports / "tables").glob("*.json")):
        files = read_json(listing, "files")["files"]
        by_sha = {facts["sha256"]: project.release / "data" / listing.stem / name for name, facts in files.items()}
        for receipt in (project.work / "generate" / project.params.release.name / listing.stem).glob("*/done.json"):
            facts = json.loads(receipt.read_text(encoding="utf-8"))["files"]["rows.parquet"]
            finished, shard = by_sha.get(facts["sha256"]), receipt.parent / "rows.parquet"
            if finished and shard.is_file() and not shard.samefile(finished):
                link_or_copy(finished, shard)
    write_text(project.kept / _SHARED, sha256_file(project.release / "manifest.json"))
