"""The texts of a release folder, all made from its manifest."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from haymaker.files import json_text
from pipelines.card.readme import readme
from pipelines.manifest import CARD, MANIFEST


def texts(manifest: dict[str, Any], address: str) -> dict[str, str]:
    """File name -> text.

    Args:
        manifest: from facts.manifest, or read from a release.
        address: by which a reader loads it: a folder, or ORG/NAME on the Hub.
    """
    said = json_text(manifest)
    read = json.loads(said)  # the order of its keys is that of the file
    return {MANIFEST: said, CARD: readme(read, sha256(said.encode()).hexdigest(), address)}
