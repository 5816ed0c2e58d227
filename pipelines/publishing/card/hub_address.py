"""Web addresses of a release on the Hub."""

from __future__ import annotations

from pathlib import PurePosixPath

from haymaker.releases.pulled.ref import tag

_HUB = "https://huggingface.co/datasets"


def is_on_hub(address: str) -> bool:
    """Check whether an address is ORG/NAME; a folder of a project has three parts (data/releases/NAME)."""
    return len(PurePosixPath(address).parts) == 2


def page(address: str, version: str) -> str:
    """Return the web address of a published version, or "" for a folder."""
    return f"{_HUB}/{address}/tree/{tag(version)}" if is_on_hub(address) else ""


def repository(address: str) -> str:
    """Return the web and git address of the repository, or "" for a folder."""
    return f"{_HUB}/{address}" if is_on_hub(address) else ""
