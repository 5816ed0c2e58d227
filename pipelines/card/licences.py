"""Under which terms rows may be given on: per source, and per task, whose rows may be made of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def restricted(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Source -> why its rows may not simply be published (non-commercial, no derivatives, gated, terms not stated)."""
    return {}


def without(manifest: Mapping[str, Any], sources: set[str]) -> dict[str, Any]:
    """The manifest of the same release without the tasks that are made of these sources; it says which, and why."""
    return dict(manifest)
