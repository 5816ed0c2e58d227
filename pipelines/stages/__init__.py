"""One thin file per DVC stage, and the one way to run them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from generators.inputs import KINDS, Use
from haymaker.errors import ParamsError
from haymaker.files import sweep
from haymaker.params import nearest
from pipelines import missing, records
from pipelines.one_run import demand_unchanged, stage_alone
from pipelines.signals import signals_wait

if TYPE_CHECKING:
    from pipelines.project import Project

_WITH_NAME = {**{kind.stage: kind.key for kind in KINDS.values()}, "generate": "suites"}  # stage -> key of the names
_ALONE = ("tokenizers", "validate", "card")


def run(project: Project, name: str, what: str | None) -> None:
    """Run a stage, alone in the project.

    Args:
        project: the project.
        name: of the stage.
        what: the source, corpus or suite, for stages that have one each.

    Raises:
        ParamsError: unknown stage, source, corpus or suite; or the parameters were edited while it ran.
        EnvironmentProblem: another run is at work.
        ReleaseError: what it would read was not made by the parameters in force.
    """
    if name not in (*_WITH_NAME, *_ALONE):
        raise ParamsError(f"unknown stage {name!r}", fix=nearest(name, (*_WITH_NAME, *_ALONE)))
    if name in _WITH_NAME:
        known = getattr(project.params, _WITH_NAME[name])
        if what is None or what not in known:
            raise ParamsError(f"unknown name {what!r}", where=f"haymaker stage {name}", fix=nearest(str(what), known))
    with stage_alone(project, f"haymaker stage {name}{f' {what}' if what else ''}"):
        perform(project, name, what if name in _WITH_NAME else None)


def perform(project: Project, name: str, what: str | None) -> None:
    """Run a stage whose names are known, while the project is held."""
    address = f"{name}@{what}" if what else name
    for folder in (
        project.reports,
        project.counts,
        records.folder(project),
    ):  # DVC takes whatever lies in them for an input
        sweep(folder)
    prepared = Use(_WITH_NAME[name], what) if what and _WITH_NAME[name] in KINDS else None
    if prepared:  # beside what it makes; below a run that is done already
        sweep(KINDS[prepared.kind].path(project.data, prepared.name).parent)
    records.demand_read(project, address)
    with signals_wait():
        module = importlib.import_module(f"pipelines.stages.{name}")
    if prepared and name != "download" and (why := project.inputs.unavailable(prepared)):
        missing.leave_out(project, prepared, why)
    else:
        if prepared:
            missing.clear(project, prepared)
        module.run(project, *([what] if what else []))
    if prepared:
        records.write_receipt(project, prepared)
    demand_unchanged(project, address)
