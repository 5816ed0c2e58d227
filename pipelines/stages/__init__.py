"""One thin file per DVC stage, and the one way to run them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from generators.inputs import KINDS, READ_BY_TASKS, Use
from haymaker.errors import ParamsError
from haymaker.files import sweep
from haymaker.params import nearest
from pipelines import receipts

if TYPE_CHECKING:
    from pipelines.project import Project

_WITH_NAME = {**{kind.stage: kind.key for kind in KINDS.values()}, "generate": "suites"}  # stage -> key of the names
_ALONE = ("tokenizers", "validate", "card")


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
    for folder in (project.reports, receipts.folder(project)):  # DVC takes whatever lies in them for an input
        sweep(folder)
    module = importlib.import_module(f"pipelines.stages.{name}")
    if name in _ALONE:
        module.run(project)
        return
    key = _WITH_NAME[name]
    known = getattr(project.params, key)
    if what is None or what not in known:
        raise ParamsError(f"unknown name {what!r}", where=f"haymaker stage {name}", fix=nearest(str(what), known))
    module.run(project, what)
    if key in READ_BY_TASKS:
        receipts.write(project, Use(key, what))
