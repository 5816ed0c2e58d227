"""Stage card: the texts of the release, from what validate proved."""

from __future__ import annotations

from haymaker.errors import ReleaseError
from haymaker.files import write_text
from pipelines.card import facts
from pipelines.card.texts import texts
from pipelines.progress import say
from pipelines.project import Project

CARD_VERSION = 10


def run(project: Project) -> None:
    """Write every text of the release."""
    made = _texts(project)
    for name, text in made.items():
        write_text(project.release / name, text)
    say(f"  {project.name_of(project.release)}: {', '.join(made)}")


def demand(project: Project) -> None:
    """The texts are what the parameters, the tables and the proof make.

    Raises:
        ReleaseError: one of them is not.
    """
    for name, text in _texts(project).items():
        place = project.release / name
        if not place.is_file() or place.read_bytes() != text.encode():
            what = "not what the parameters and the proved files make"
            raise ReleaseError(what, where=project.name_of(place), fix="haymaker run builds it again")


def _texts(project: Project) -> dict[str, str]:
    return texts(facts.manifest(project), project.name_of(project.release))
