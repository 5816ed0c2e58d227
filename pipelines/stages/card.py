"""Stage card: the texts of the release and its small set of rows, from what validate proved."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from haymaker.errors import EnvironmentProblem, ReleaseError
from haymaker.files import read_json, sha256_file, write_json, write_text
from haymaker.rng import digest
from pipelines import mini
from pipelines.card import facts
from pipelines.card.texts import texts
from pipelines.progress import say
from pipelines.project import Project
from pipelines.release import MINI

CARD_VERSION = 16


def run(project: Project) -> None:
    """Write the small set of rows and every text of the release."""
    made = _texts(project, _small(project, project.release / MINI))
    for name, text in made.items():
        write_text(project.release / name, text)
    say(f"  {project.name_of(project.release)}: {', '.join(made)}")


def demand(project: Project, *, again: bool = False) -> None:
    """The texts are what the parameters, the tables and the proof make.

    Args:
        project: the project.
        again: choose and copy the small set once more, even where it is known what came of it.

    Raises:
        ReleaseError: one of them is not.
    """
    facts.demand_proof(project)
    noted = {} if again else _noted(project)
    if not noted:
        project.work.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="card-", dir=project.work) as folder:
            noted = _small(project, Path(folder) / MINI)
    for name, text in _texts(project, noted).items():
        place = project.release / name
        if not place.is_file() or place.read_bytes() != text.encode():
            what = "not what the parameters and the proved files make"
            raise ReleaseError(what, where=project.name_of(place), fix="haymaker run builds it again")


def _small(project: Project, folder: Path) -> dict[str, Any]:
    """Put the small set into a folder; its facts are noted, so that a run that has nothing to do reads no rows."""
    facts.demand_proof(project)
    made = mini.build(project, folder)
    write_json(_note(project), {"of": _state(project), "made": made})
    return made


def _noted(project: Project) -> dict[str, Any]:
    """What came of it the last time, from the same files and parameters; empty where that is not known."""
    try:
        note = read_json(_note(project), "of", "made")
    except EnvironmentProblem:
        return {}
    return dict(note["made"]) if note["of"] == _state(project) else {}


def _note(project: Project) -> Path:
    return project.kept / "mini.json"  # of each release: going back to one reads no rows either


def _state(project: Project) -> str:
    """Changes with any proved file and any parameter of the stage."""
    return digest(sha256_file(project.reports / "files.json"), project.stages["card"].made_by).hex()


def _texts(project: Project, small: dict[str, Any]) -> dict[str, str]:
    return texts(facts.manifest(project, small), project.name_of(project.release))
