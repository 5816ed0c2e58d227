"""Are the outputs what their stages made, and of what is here now? Every byte is hashed: DVC goes by time and size of files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from corpora.tokenizers import tokenizer
from generators.suite import SUITES
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import distrust, read_json, remove
from haymaker.core.progress import say
from haymaker.releases.manifest import TEXTS, files_below
from haymaker.releases.pulled.partial_pull import suite_of
from pipelines.project import PHRASES, Project
from pipelines.stages import records
from pipelines.stages.table import STAGES, made_by, outs, record_file

_NAMED = 8  # files of one stage that are named; the rest is counted


def remove_damaged(project: Project) -> bool:
    """Remove files that are not as their stage left them, so that DVC makes them again; whether there were any."""
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
            f"{name}: {'changed since it was made, making it again' if name in known else 'not what a stage made, removed'}"
        )
    if len(files) > _NAMED:
        say(f"{len(files) - _NAMED} more files changed since they were made")


def outdated(project: Project) -> str:
    """The first stage that must run again although DVC does not see why; empty where there is none."""
    for stage in STAGES:
        record = records.read(project, stage)
        if record is None:  # damaged: `remove_damaged` finds it
            continue
        why = "made with other parameters" if record["made_by"] != made_by(project, stage) else ""
        if stage == "download":
            why = why or next(_changed_sources(project), "") or _changed_tokenizer(project)
        if stage == "generate" and record[PHRASES] != {built.name: built.word_files() for built in project.suites()}:
            why = why or "files of phrases have changed"
        if why:
            say(f"{stage}: {why}, running it again")
            return stage
    return ""


def _changed_sources(project: Project) -> Iterator[str]:
    """Sources whose local files have changed since."""
    for name in project.params.sources:
        source, raw = project.inputs.source(name), project.inputs.raw(name)
        if (
            source.local_inputs()
            and not source.unavailable(raw)
            and not source.is_current(raw, project.fetch_context())
        ):
            yield f"files of source {name} have changed"


def _changed_tokenizer(project: Project) -> str:
    """A tokenizer file of the user's own that is no longer the one that was counted with."""
    params = project.params.tokenizer
    user_files = [name for name in (params.release, *params.also) if name.startswith("file:")]
    known = read_json(project.data / "tokenizers" / "tokenizers.json", "tokenizers")["tokenizers"]
    changed = [
        name for name in user_files if known.get(name, {}).get("fingerprint") != tokenizer.load(name).fingerprint
    ]
    return f"tokenizer {changed[0]} has changed" if changed else ""


def check_no_foreign_files(project: Project, *, of_others: bool = False) -> None:
    """The folder of a release holds nothing but what stages make: a loader that lies there would be run by whoever trusts the release.

    Args:
        project: the project.
        of_others: pass over rows of suites that this release does not have; a run removes them.

    Raises:
        ReleaseError: names the first file that no stage makes, or that is a link or no plain file.
    """
    below, state = project.release.relative_to(project.root).as_posix(), (project.root / ".dvc").resolve()
    suites = tuple(SUITES if of_others else project.params.suites)
    for name in files_below(project.release):
        place = project.release / name
        is_plain = place.is_file() and (not place.is_symlink() or place.resolve().is_relative_to(state))
        is_ours = name in TEXTS or suite_of(name) in suites
        if not (is_ours and is_plain) and place.name != ".gitignore":  # which DVC writes beside outputs
            raise ReleaseError("no stage makes it", where=f"{below}/{name}", fix="move it away, then haymaker run")


def check(project: Project) -> None:
    """Every stage was run with the parameters in force, and all files are as it left them.

    Raw files and prepared inputs that are not here at all are not asked for: a release can be checked without them.

    Raises:
        ReleaseError: names the first record or file that is not.
    """
    for stage in STAGES:
        record = records.read(project, stage)
        if record is None and STAGES[stage].record.startswith("reports/"):
            where = project.name_of(record_file(project, stage))
            raise ReleaseError("missing or damaged", where=where, fix="haymaker run builds it again")
        records.check(project, stage, _here(project, stage, record))


def _here(project: Project, stage: str, record: dict[str, object] | None) -> list[Path] | None:
    """The inputs and counts of a stage that are here; None for a stage without inputs: all of its files must be here."""
    if record is None or "inputs" not in record:
        return None
    folders = [out for out in outs(project, stage) if out.is_dir()]
    return [place for folder in folders for place in folder.iterdir() if place.name != ".gitignore"]
