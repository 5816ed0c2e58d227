"""Everything of a TaskSpec that decides the bytes of rows, for the fingerprints of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from generators.spec import TaskSpec

ELSEWHERE: Mapping[str, str] = MappingProxyType({
    "task": "code: a change raises `version`",
    "kind": "code: a change raises `version`",
    "title": "for readers of cards, in no row",
    "imitates": "part of the title",
    "ends": "for error messages and lists",
    "prompts": "its texts are in Task.fingerprint",
    "defaults": "part of the settings",
    "allows": "limits of shortcuts, measured on finished rows",
    "allows_simulated": "limits of shortcuts, measured on finished rows",
    "solver": "reads finished rows",
    "right_output": "reads finished rows",
    "floors": "reads finished rows",
    "repeats": "for the check of repeated questions, on finished rows",
})  # fmt: skip
"""Field of TaskSpec that is not in its fingerprint -> why. A new field is in the fingerprint unless it is listed here."""


def spec_fingerprint(spec: TaskSpec) -> dict[str, Any]:
    """Return the fields of a task that decide the bytes of its rows, as JSON; of `skips` the checks without their reasons."""
    found = {each.name: getattr(spec, each.name) for each in fields(spec) if each.name not in ELSEWHERE}
    return found | {"skips": sorted(check.name for check in spec.skips)}
