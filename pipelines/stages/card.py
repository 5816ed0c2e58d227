"""Stage card: the texts of the release and its small set of rows, from what validate proved."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from haymaker.errors import ReleaseError
from haymaker.files import write_text
from pipelines import mini
from pipelines.card import facts
from pipelines.card.texts import texts
from pipelines.progress import say
from pipelines.project import Project
from pipelines.release import MINI

CARD_VERSION = 11


def run(project: Project) -> None:
    """Write the small set of rows and every text of the release."""
    made = _texts(project, project.release / MINI)
    for name, text in made.items():
        write_text(project.release / name, text)
    say(f"  {project.name_of(project.release)}: {', '.join(made)}")


def demand(project: Project) -> None:
    """The texts are what the parameters, the tables and the proof make.

    Raises:
        ReleaseError: one of them is not.
    """
    project.work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="card-", dir=project.work) as folder:
        made = _texts(project, Path(folder) / MINI)
    for name, text in made.items():
        place = project.release / name
        if not place.is_file() or place.read_bytes() != text.encode():
            what = "not what the parameters and the proved files make"
            raise ReleaseError(what, where=project.name_of(place), fix="haymaker run builds it again")


def _texts(project: Project, folder: Path) -> dict[str, str]:
    """File name -> text; the small set of rows is put into the folder."""
    facts.demand_proof(project)
    return texts(facts.manifest(project, mini.build(project, folder)), project.name_of(project.release))
