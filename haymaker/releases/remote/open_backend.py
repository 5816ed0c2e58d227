"""Selection of the backend by address."""

from __future__ import annotations

from haymaker.releases.pulled.ref import is_address
from haymaker.releases.remote.backend import Backend
from haymaker.releases.remote.hub_backend import HubBackend
from haymaker.releases.remote.store_backend import StoreBackend


def open_backend(address: str, *, public: bool = False) -> Backend:
    """Return the Hub backend for ORG/NAME, or the store backend for other addresses; no network access."""
    return StoreBackend(address, public) if is_address(address) else HubBackend(address, public)
