"""The build half: packages of a checkout (pipelines, generators, corpora, worlds) that the wheel does not contain.

A checkout registers its functions as entry points of the distribution `haymaker`, so nothing here imports upward.
"""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from typing import Any

from haymaker.core.errors import EnvironmentProblem

COMMANDS, FUNCTIONS = "haymaker.commands", "haymaker.functions"
"""Groups of entry points: functions that add commands to the program, and functions of the public API."""
CHECKOUT_FIX = "clone the Haymaker repository and run make demo there"


def entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group; an empty list in an install without the build half.

    The wheel names the entry points too, so the install must be editable: only a checkout has their modules.
    """
    try:
        own = distribution("haymaker")
    except PackageNotFoundError:
        return []
    origin = json.loads(own.read_text("direct_url.json") or "{}")
    is_checkout = origin.get("dir_info", {}).get("editable", False)
    return [entry for entry in own.entry_points if entry.group == group] if is_checkout else []


def build_function(name: str) -> Any:
    """Load a function of the build half.

    Args:
        name: name of the entry point.

    Raises:
        EnvironmentProblem: this install has no build half.
    """
    for entry in entry_points(FUNCTIONS):
        if entry.name == name:
            return entry.load()
    raise EnvironmentProblem(
        "requires the build part of Haymaker, which is not installed", where=name, fix=CHECKOUT_FIX
    )
