"""The place for releases that an address names."""

from __future__ import annotations

from haymaker.releases.pulled.ref import is_address
from haymaker.releases.remote.backend import Backend
from haymaker.releases.remote.fsspec_backend import FsspecBackend
from haymaker.releases.remote.hf_backend import HfBackend


def open_backend(address: str) -> Backend:
    """A repository of the Hub by ORG/NAME, a folder of a store by any other address; nothing is asked yet."""
    return FsspecBackend(address) if is_address(address) else HfBackend(address)
