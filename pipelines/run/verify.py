"""Are the outputs what their stages made, and of what is here now? Every byte is hashed: DVC goes by time and size of files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from corpora.tokenizers import tokenizer
from generators.inputs import KINDS, Use
from haymaker.errors import ReleaseError
from haymaker.files import distrust, read_json, remove
from pipelines.progress import say
from pipelines.project import PHRASES, Project
from pipelines.stages import records
from pipelines.stages.table import STAGES, made_by, record_file

_NAMED = 8  # files of one stage that are named; the rest is counted


def remove_damaged(project: Project) -> bool:
    """Remove files that are not as their stage left them, so that DVC makes them again; whether there were any."""
    found = False
    for stage in STAGES:
        record = records.read(project, stage)
        place = record_file(project, stage)
        if record is None:
            wrong = [place] if place.exists() else []
        else:
            wrong = records.changed(project, stage, record)
        _say(
            project,
            [file for file in wrong if file.exists()],
            {project.name_of(place), *(record or {"files": ()})["files"]},
        )
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
        records.check(project, stage, None if record is None else _here(project, record))


def _here(project: Project, record: dict[str, object]) -> list[Path] | None:
    """Places of the inputs of a stage that are here; None for a stage that makes no inputs: all of its files are looked at."""
    if not isinstance(noted := record.get("inputs"), dict):
        return None
    places = [KINDS[use.kind].path(project.data, use.name) for use in (Use(*name.split("/", 1)) for name in noted)]
    return [place for place in places if place.exists()]
