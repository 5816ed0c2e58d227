"""Generate the texts of a release folder from its manifest."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib import resources
from typing import Any

from haymaker.core.files.disk import json_text
from haymaker.releases.manifest import CARD, CITATION, CROISSANT, EVALUATION, MANIFEST, PICTURE
from pipelines.publishing.card.citation import citation
from pipelines.publishing.card.croissant import croissant
from pipelines.publishing.card.evaluation import evaluation, listed
from pipelines.publishing.card.hub_address import is_on_hub
from pipelines.publishing.card.readme import pages


def texts(manifest: dict[str, Any], address: str) -> dict[str, str]:
    """Return file name -> text for the manifest and all texts generated from it; each can be reproduced from a release.

    Args:
        manifest: result of facts.manifest, or read from a release.
        address: address for loading: a folder, or ORG/NAME on the Hub.
    """
    manifest_text = json_text(manifest)
    read = json.loads(manifest_text)  # same key order as in the file
    drawn = resources.files(__package__).joinpath(PICTURE).read_text(encoding="utf-8")
    tables = pages(read, _sha256(manifest_text), address)
    card = tables.pop(CARD)
    others = {
        **tables,
        CITATION: citation(read, address),
        CROISSANT: croissant(read, address),
        EVALUATION: evaluation(read),
        PICTURE: drawn,
    }
    if is_on_hub(address) and not listed(read):  # the Hub rejects an empty list of leaderboards
        del others[EVALUATION]
    return {MANIFEST: manifest_text, CARD: card + _checksums(others), **others}


def _checksums(others: dict[str, str]) -> str:
    """Return the last lines of the card: checksums of the other texts, to verify that they are unchanged."""
    return "".join(f"- `{name}`, SHA-256 `{_sha256(text)}`\n" for name, text in others.items())


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()
