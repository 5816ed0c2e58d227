"""Stage card: write the texts of the release and its mini subset, from the validated files."""

from __future__ import annotations

import json
from typing import Any

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import link_or_copy, read_json, remove, write_text
from haymaker.core.progress import say
from haymaker.core.rng import digest
from haymaker.releases.folder import MINI
from pipelines.checks import mini_subset
from pipelines.execution.executor import Done, complete, finished_shards
from pipelines.project import Project
from pipelines.publishing.card import facts
from pipelines.publishing.card.texts import texts
from pipelines.stages.stage_table import versions

CARD_VERSION = 20


def run(project: Project) -> tuple[dict[str, str], dict[str, Any]]:
    """Write the mini subset and every text of the release."""
    small = _small(project)
    remove(project.release / MINI)
    (project.release / MINI).mkdir(parents=True)
    for name in small.files:
        link_or_copy(small.folder / name, project.release / name)
    made = _texts(project, small.result)
    for name, text in made.items():
        write_text(project.release / name, text)
    say(f"  {project.name_of(project.release)}: {', '.join(made)}")
    known = {project.name_of(project.release / name): str(each["sha256"]) for name, each in small.files.items()}
    return known, {}


def check(project: Project) -> None:
    """Check that the release texts match the parameters, the tables and the validation report.

    Raises:
        ReleaseError: a text is missing or differs.
    """
    for name, text in _texts(project, _small(project).result).items():
        place = project.release / name
        if not place.is_file() or place.read_bytes() != text.encode():
            what = "differs from the text for the current parameters and files"
            raise ReleaseError(what, where=project.name_of(place), fix="haymaker run builds it again")


def _small(project: Project) -> Done:
    """Return the mini subset; reuse it if files, seed and rules are unchanged."""
    facts.check_validated(project)
    verified = read_json(project.reports / "validate.json", "files")["files"]
    tasks = [(built.name, list(built.built())) for built in project.built_suites()]
    rules = [verified, tasks, project.params.parquet.zstd_level, versions(project, "card")]
    mark = digest(project.params.release.stream_key, json.dumps(rules, sort_keys=True), size=6).hex()
    name = project.params.release.name
    key = f"mini/{name}-{mark}"
    if done := finished_shards(project.work, key):
        return done
    done = complete(key, project.work, lambda folder: mini_subset.build_mini(project, folder / MINI))
    for old in (project.work / "mini").glob(f"{name}-*"):
        if old != done.folder and old.name.rpartition("-")[0] == name:
            remove(old)
    return done


def _texts(project: Project, small: dict[str, Any]) -> dict[str, str]:
    return texts(facts.manifest(project, small), project.name_of(project.release))
