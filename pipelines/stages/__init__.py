"""One thin file per DVC stage, and the one way to run them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from haymaker.errors import ParamsError
from haymaker.files import sweep
from haymaker.params import nearest

if TYPE_CHECKING:
    from pipelines.project import Project

_WITH_NAME = {
    "download": "sources",
    "background": "corpora",
    "passages": "passages",
    "index": "indexes",
    "mine": "mined",
    "examples": "examples",
    "reading": "readings",
    "generate": "suites",
}
PREPARED = ("mined", "examples", "readings")  # folders that suites depend on as a whole
_ALONE = ("tokenizers", "sets", "validate", "card")


def run(project: Project, name: str, what: str | None) -> None:
    """Run a stage.

    Args:
        project: the project.
        name: of the stage.
        what: the source, corpus or suite, for stages that have one each.

    Raises:
        ParamsError: unknown stage, source, corpus or suite.
    """
    if name not in (*_WITH_NAME, *_ALONE):
        raise ParamsError(f"unknown stage {name!r}", fix=nearest(name, (*_WITH_NAME, *_ALONE)))
    for folder in (
        project.reports,
        *(project.data / kind for kind in PREPARED),
    ):  # DVC takes whatever lies in them for an input
        sweep(folder)
    module = importlib.import_module(f"pipelines.stages.{name}")
    if name in _ALONE:
        module.run(project)
        return
    known = getattr(project.params, _WITH_NAME[name])
    if what not in known:
        raise ParamsError(f"unknown name {what!r}", where=f"haymaker stage {name}", fix=nearest(str(what), known))
    module.run(project, what)
