"""Records: what each stage says of itself, and that it was made with the parameters that count.

Every stage leaves one JSON file with the fingerprint of the parameters and versions that it went by (`made_by`): a prepared
input its receipt, data/prepared/<kind>/<name>.json, a suite data/reports/<release>/tables/<suite>.json, `validate` files.json beside, the
card manifest.json. DVC notes parameters when a stage ends; the stage read them when it began: where the two differ, this tells.

Every `generate@<suite>` depends on the one folder data/prepared, so that dvc.yaml need not know which suite reads what: a changed receipt
lets the stage look, and it builds the shards whose own inputs changed. What another release left is removed, or it would count as an
input.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from generators.inputs import KINDS, Use
from haymaker.errors import EnvironmentProblem, ReleaseError
from haymaker.files import read_json, remove, write_json
from pipelines import graph
from pipelines.project import LEFT_OUT, Project

_KEY_OF_STAGE = {kind.stage: kind.key for kind in KINDS.values()}
_AGAIN = "haymaker run builds it again"


def folder(project: Project) -> Path:
    """Where receipts lie."""
    return project.data / "prepared"


def receipt(project: Project, use: Use) -> Path:
    """The receipt of a prepared input."""
    return folder(project) / use.kind / f"{use.name}.json"


def path(project: Project, address: str) -> Path | None:
    """The record of a stage; None for one that is not ours."""
    stage, _, name = address.partition("@")
    if stage in _KEY_OF_STAGE:
        return receipt(project, Use(_KEY_OF_STAGE[stage], name))
    return {
        "tokenizers": folder(project) / "tokenizers.json",
        "generate": project.reports / "tables" / f"{name}.json",
        "validate": project.reports / "files.json",
        "card": project.release / "manifest.json",
    }.get(stage)


def write_receipt(project: Project, use: Use) -> None:
    """Note the state of an input that was just prepared, or why it cannot be had, and what it was made by."""
    kind = KINDS[use.kind]
    if why := project.inputs.unavailable(use):
        state = {LEFT_OUT: why}
    else:
        state = {"digest": kind.store(kind.path(project.data, use.name)).digest} if kind.store else {}
    write_json(receipt(project, use), state | made_by(project, f"{kind.stage}@{use.name}"))


def known(project: Project, use: Use) -> str | None:
    """Digest of an input when it was prepared; None for one that came alone."""
    found = receipt(project, use)
    return str(read_json(found, "digest")["digest"]) if found.is_file() else None


def made_by(project: Project, address: str) -> dict[str, str]:
    """What a stage's record says of the parameters that it was made by."""
    return {"made_by": project.stages[address].made_by}


def noted(project: Project, address: str) -> str | None:
    """Fingerprint in a stage's record; empty when it has none or is damaged, None when there is no record."""
    place = path(project, address)
    if place is None or not place.is_file():
        return None
    try:
        return str(read_json(place, "made_by")["made_by"])
    except EnvironmentProblem:
        return ""


def demand_read(project: Project, address: str) -> None:
    """All that a stage is about to read was made by the parameters in force; what came without a record is not asked.

    Raises:
        ReleaseError: names the first record that says otherwise.
    """
    stage = project.stages[address]
    demand(project, (other.address for other in project.stages.values() if other is not stage and stage.reads(other)))


def demand(project: Project, addresses: Iterable[str]) -> None:
    """The records of stages name the parameters in force.

    Raises:
        ReleaseError: names the first that does not.
    """
    for address in addresses:
        if noted(project, address) not in (None, project.stages[address].made_by):
            where = _relative(project, path(project, address))
            raise ReleaseError(
                f"not made by the parameters in force ({_keys(project, address)})", where=where, fix=_AGAIN
            )


def forget_others(project: Project) -> None:
    """Remove what the active parameters do not name where a whole folder counts: receipts, rows, tables; and reports on them."""
    outs = [out for stage in project.stages.values() for out in stage.outs]
    found = [
        *folder(project).glob("*/*"),
        *(project.release / "data").glob("*"),
        *(project.reports / "tables").glob("*"),
        *project.reports.glob("generate-*.json"),
        *project.counts.glob("similarity-*.csv"),
    ]
    found += [each for stage in _KEY_OF_STAGE for each in project.counts.glob(f"{stage}-*.json")]
    for each in found:
        place = _relative(project, each)
        if not any(graph.covers(out, place) for out in outs):
            remove(each)


def _keys(project: Project, address: str) -> str:
    """What a stage goes by, in short."""
    values: dict[str, Any] = project.stages[address].values
    return ", ".join(key for keys in values.values() for key in keys)


def _relative(project: Project, place: Path | None) -> str:
    return place.relative_to(project.root).as_posix() if place else ""
