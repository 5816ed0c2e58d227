"""Select the publisher for an address."""

from __future__ import annotations

from haymaker.releases.pulled.ref import is_address
from pipelines.publishing.fsspec_publisher import FsspecPublisher
from pipelines.publishing.hf_publisher import HfPublisher
from pipelines.publishing.publisher import Publisher


def open_publisher(address: str) -> Publisher:
    """Return the publisher for ORG/NAME on the Hub, or for the folder of a store; nothing is requested yet."""
    return FsspecPublisher(address) if is_address(address) else HfPublisher(address)
