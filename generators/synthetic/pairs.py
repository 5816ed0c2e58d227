"""To be written."""

from __future__ import annotations

from generators.synthetic.family import Kind

KINDS: dict[str, Kind] = {}
