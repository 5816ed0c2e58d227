"""What a test needs beyond the default install, asked without importing it: to import sentence_transformers takes fifteen seconds."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

Once = Callable[[str, Callable[[Path], object]], Path]
"""Of the fixture `once`: a name, and what fills the folder of that name."""

LONG = "HAYMAKER_LONG"
few = settings(
    max_examples=100 if os.environ.get(LONG) else 8, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
"""For properties of which an example takes long, such as a row of a task; others go by the profile of conftest.py."""


def needs(extra: str, *libraries: str) -> pytest.MarkDecorator:
    """Skip, and say which extra of `pip install 'haymaker[extra]'` brings what is missing."""
    missing = [name for name in libraries if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"NOT RUN: needs haymaker[{extra}] ({', '.join(missing)})")
