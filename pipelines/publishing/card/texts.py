"""The texts of a release folder, all made from its manifest."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from haymaker.core.files.disk import json_text
from haymaker.releases.manifest import CARD, CITATION, CROISSANT, EVALUATION, MANIFEST
from pipelines.publishing.card.citation import citation
from pipelines.publishing.card.croissant import croissant
from pipelines.publishing.card.evaluation import evaluation, listed
from pipelines.publishing.card.hub_address import is_on_hub
from pipelines.publishing.card.readme import readme


def texts(manifest: dict[str, Any], address: str) -> dict[str, str]:
    """File name -> text: the manifest, and what is made of it alone. So whoever has a release can make each of them again.

    Args:
        manifest: from facts.manifest, or read from a release.
        address: by which a reader loads it: a folder, or ORG/NAME on the Hub.
    """
    said = json_text(manifest)
    read = json.loads(said)  # the order of its keys is that of the file
    others = {CITATION: citation(read, address), CROISSANT: croissant(read, address), EVALUATION: evaluation(read)}
    if is_on_hub(address) and not listed(read):  # which takes no list of leaderboards without one
        del others[EVALUATION]
    card = readme(read, _sha256(said), address) + _checksums(others)
    return {MANIFEST: said, CARD: card, **others}


def _checksums(others: dict[str, str]) -> str:
    """Last lines of the card: what tells a reader that the texts beside it are those that were released."""
    listed = "".join(f"- `{name}`, SHA-256 `{_sha256(text)}`\n" for name, text in others.items())
    return f"\nThe texts beside this card:\n\n{listed}"


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()
