"""Prompt with only the top-ranked retrieved pieces of the context."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from haymaker.core.errors import ReleaseError

UNITS = ("sentence", "chunk")
ORDERS = ("document", "score")
KS = (1, 5, 10, 20)
"""Values of k for which recall is reported; a row stores as many pieces as the largest."""


def retrieved_prompt(row: Mapping[str, Any], unit: str = "sentence", k: int = 5, order: str = "document") -> str:
    """Return the prompt with the context replaced by the best k pieces, separated by blank lines.

    Args:
        row: row read from a release file.
        unit: "sentence" or "chunk".
        k: number of pieces, 1 to 20.
        order: "document" (text order) or "score" (best first).

    Raises:
        ReleaseError: the row was built without retrieval, or unit, k or order is invalid.
    """
    found = json.loads(row["extra"]).get("retrieval")
    if found is None:
        raise ReleaseError("built without retrieval", where=row["id"], fix="set `retrieval: bm25` in suites.babilong")
    for value, known, what in ((unit, UNITS, "unit"), (order, ORDERS, "order")):
        if value not in known:
            raise ReleaseError(f"no {what} {value!r}", where="retrieved prompt", fix=f"choose {' or '.join(known)}")
    if not 1 <= k <= max(KS):
        raise ReleaseError(f"cannot show {k} pieces", where="retrieved prompt", fix=f"choose 1 to {max(KS)}")
    top = found[unit]["top"][:k]
    prompt: str = row["prompt"]
    pieces = [prompt[start:end] for start, end in (sorted(top) if order == "document" else top)]
    return prompt[: row["context_start"]] + "\n\n".join(pieces) + prompt[row["context_end"] :]
