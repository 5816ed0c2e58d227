"""The prompt that keeps only the pieces of the context that a retriever ranked best."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from haymaker.core.errors import ReleaseError

UNITS = ("sentence", "chunk")
ORDERS = ("document", "score")
KS = (1, 5, 10, 20)
"""Numbers of pieces for which recall is reported; the largest is the number of pieces that a row stores."""


def retrieved_prompt(row: Mapping[str, Any], unit: str = "sentence", k: int = 5, order: str = "document") -> str:
    """The prompt with the best k pieces in place of the context, a blank line between them.

    Args:
        row: as read from a file.
        unit: sentences or chunks.
        k: how many pieces, up to 20.
        order: as in the text ("document"), or best first ("score").

    Raises:
        ReleaseError: the row was built without retrieval, or the release has no such unit, k or order.
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
