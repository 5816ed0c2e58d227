"""Selection of the backend by address."""

from __future__ import annotations

from haymaker.releases.pulled.ref import is_address
from haymaker.releases.remote.backend import Backend
from haymaker.releases.remote.fsspec_backend import FsspecBackend
from haymaker.releases.remote.hf_backend import HfBackend


def open_backend(address: str) -> Backend:
    """Return the Hub backend for ORG/NAME, or the store backend for other addresses; no network access."""
    return FsspecBackend(address) if is_address(address) else HfBackend(address)
