"""Check that outputs are unchanged and up to date. Every file is hashed; DVC only compares time and size."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from corpora.sources.reviews import review_file
from corpora.tokenizers import tokenizer
from generators.suite import SUITES
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import distrust, read_json, remove
from haymaker.core.progress import say
from haymaker.releases.manifest import TEXTS, files_below
from haymaker.releases.pulled.partial_pull import suite_of
from pipelines.project import PHRASES, Project
from pipelines.stages import records
from pipelines.stages.stage_table import STAGES, made_by, outs, record_file

_NAMED = 8  # number of files printed per stage; the others are only counted


def remove_damaged(project: Project) -> bool:
    """Remove files that differ from their stage records, so DVC builds them again; return whether there were any."""
    found = False
    for stage in STAGES:
        record = records.read(project, stage)
        place = record_file(project, stage)
        if record is None:
            wrong, known = [place] if place.exists() else [], {project.name_of(place): ""}
        else:
            wrong, known = records.changed(project, stage, record), record["files"]
        _say(project, [file for file in wrong if file.exists()], known)
        for file in wrong:
            distrust(file)
            remove(file)
        found = found or bool(wrong)
    return found


def _say(project: Project, files: Sequence[Path], known: Collection[str]) -> None:
    for name in [project.name_of(file) for file in files[:_NAMED]]:
        say(
            f"{name}: {'changed since it was built, building it again' if name in known else 'not written by a stage, removed'}"
        )
    if len(files) > _NAMED:
        say(f"{len(files) - _NAMED} more files changed since they were built")


def outdated(project: Project) -> str:
    """Return the first stage that must run again for a reason DVC does not see, or an empty string."""
    for stage in STAGES:
        record = records.read(project, stage)
        if record is None:  # missing or damaged: `remove_damaged` handles it
            continue
        why = "built with other parameters" if record["made_by"] != made_by(project, stage) else ""
        if stage == "download":
            why = why or next(_changed_sources(project), "") or _changed_tokenizer(project)
        if stage == "generate" and record[PHRASES] != {built.name: built.word_files() for built in project.suites()}:
            why = why or "phrase files have changed"
        if why:
            say(f"{stage}: {why}, running it again")
            return stage
    return ""


def _changed_sources(project: Project) -> Iterator[str]:
    """Yield a message for each source whose local files or reviewed questions have changed since the download."""
    for name in project.params.sources:
        source, raw = project.inputs.source(name), project.inputs.raw(name)
        if (
            (source.local_inputs() or review_file(source.kind))
            and not source.unavailable(raw)
            and not source.is_current(raw, project.fetch_context())
        ):
            yield f"files or reviewed questions of source {name} have changed"


def _changed_tokenizer(project: Project) -> str:
    """Return a message if a user-supplied tokenizer file has changed since the download, or an empty string."""
    params = project.params.tokenizer
    user_files = [name for name in (params.release, *params.also) if name.startswith("file:")]
    known = read_json(project.data / "tokenizers" / "tokenizers.json", "tokenizers")["tokenizers"]
    changed = [
        name for name in user_files if known.get(name, {}).get("fingerprint") != tokenizer.load(name).fingerprint
    ]
    return f"tokenizer {changed[0]} has changed" if changed else ""


def check_no_foreign_files(project: Project, *, of_others: bool = False) -> None:
    """Check that a release folder only contains files written by stages: users could execute a foreign loader script.

    Args:
        project: the project.
        of_others: accept rows of suites that are not in this release; a run removes them.

    Raises:
        ReleaseError: names the first file that no stage writes, or that is a link or not a regular file.
    """
    below, state = project.release.relative_to(project.root).as_posix(), (project.root / ".dvc").resolve()
    suites = tuple(SUITES if of_others else project.params.suites)
    for name in files_below(project.release):
        place = project.release / name
        is_plain = place.is_file() and (not place.is_symlink() or place.resolve().is_relative_to(state))
        is_ours = name in TEXTS or suite_of(name) in suites
        if not (is_ours and is_plain) and place.name != ".gitignore":  # written by DVC next to outputs
            raise ReleaseError(
                "is not written by any stage", where=f"{below}/{name}", fix="move it elsewhere, then haymaker run"
            )


def check(project: Project) -> None:
    """Check that every stage was run with the current parameters, and that all its files are unchanged.

    Raw files and prepared inputs are not required: a release can be checked without them.

    Raises:
        ReleaseError: names the first missing or outdated record, or the first missing or changed file.
    """
    for stage in STAGES:
        record = records.read(project, stage)
        if record is None and STAGES[stage].record.startswith("reports/"):
            where = project.name_of(record_file(project, stage))
            raise ReleaseError("missing or damaged", where=where, fix="haymaker run builds it again")
        records.check(project, stage, _here(project, stage, record))


def _here(project: Project, stage: str, record: dict[str, object] | None) -> list[Path] | None:
    """Return the existing inputs and counts of a stage; None for a stage without inputs, which requires all files."""
    if record is None or "inputs" not in record:
        return None
    folders = [out for out in outs(project, stage) if out.is_dir()]
    return [place for folder in folders for place in folder.iterdir() if place.name != ".gitignore"]
