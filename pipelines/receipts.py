"""Receipts: data/prepared/<kind>/<name>.json names the state of each prepared input that rows are made of.

Every `generate@<suite>` depends on this one folder, so that dvc.yaml need not know which suite reads what: a changed receipt lets the
stage look, and it builds the shards whose own inputs changed. What another release left is removed, or it would count as an input.
"""

from __future__ import annotations

from pathlib import Path

from generators.inputs import KINDS, READ_BY_TASKS, Use
from haymaker.files import read_json, remove, write_json
from pipelines.project import Project


def folder(project: Project) -> Path:
    """Where they all lie."""
    return project.data / "prepared"


def path(project: Project, use: Use) -> Path:
    """The receipt of an input."""
    return folder(project) / use.kind / f"{use.name}.json"


def write(project: Project, use: Use) -> None:
    """Note the state of an input that was just prepared."""
    kind = KINDS[use.kind]
    assert kind.store is not None
    write_json(path(project, use), {"digest": kind.store(kind.path(project.data, use.name)).digest})


def known(project: Project, use: Use) -> str | None:
    """Digest of an input when it was prepared; None for one that came alone."""
    receipt = path(project, use)
    return str(read_json(receipt, "digest")["digest"]) if receipt.is_file() else None


def forget_others(project: Project) -> None:
    """Remove what the active parameters do not name: receipts, and the rows and tables of suites."""
    wanted = {path(project, Use(kind, name)) for kind in READ_BY_TASKS for name in getattr(project.params, kind)}
    others = [found for found in folder(project).glob("*/*") if found not in wanted]
    for place in (project.release / "data", project.reports / "tables"):
        others += [found for found in place.glob("*") if found.stem not in project.params.suites]
    others += [f for f in project.reports.glob("generate-*.json") if f.stem[9:] not in project.params.suites]
    for found in others:
        remove(found)
