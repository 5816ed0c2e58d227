"""The place for releases that an address names."""

from __future__ import annotations

from pipelines.hub.remote import Place
from pipelines.hub.repository import Repository
from pipelines.hub.store import Store
from pipelines.storage import is_address


def opened(address: str) -> Place:
    """A repository of the Hub by ORG/NAME, a folder of a store by any other address; nothing is asked yet."""
    return Store(address) if is_address(address) else Repository(address)
