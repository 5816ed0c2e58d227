"""How much the program prints on standard error; the stages of a build inherit it."""

from __future__ import annotations

import os

QUIET, DETAILS = "quiet", "details"
_VARIABLE = "HAYMAKER_VERBOSITY"


def set_verbosity(level: str) -> None:
    """Set the level of this process and of the processes that it starts: QUIET, DETAILS or "" (unchanged)."""
    if level:
        os.environ[_VARIABLE] = level


def is_quiet() -> bool:
    """Return whether to print only results and errors."""
    return os.environ.get(_VARIABLE) == QUIET


def has_details() -> bool:
    """Return whether to print details."""
    return os.environ.get(_VARIABLE) == DETAILS
