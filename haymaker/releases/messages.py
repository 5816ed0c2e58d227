"""A row as chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haymaker.core.rows.require_columns import require_columns


def messages(row: Mapping[str, Any], *, prefill: bool = False) -> list[dict[str, str]]:
    """Return the chat messages for a row: the system message if it has one, then the prompt without its answer prefix.

    Args:
        row: row with the columns `prompt`, `answer_prefix_start` and `system`; its own `messages` come first if it has any.
        prefill: add the answer prefix at the end of the prompt ("Answer:") as the start of the assistant's message. If
            false, the prefix is left out.

    Raises:
        ReleaseError: the row lacks one of the columns.
    """
    if row.get("messages"):
        return [dict(each) for each in row["messages"]]
    require_columns(row, ("prompt", "answer_prefix_start"))
    prompt, start = str(row["prompt"]), int(row["answer_prefix_start"])
    asked = [{"role": "user", "content": prompt[:start]}]
    if row.get("system"):
        asked.insert(0, {"role": "system", "content": str(row["system"])})
    if prefill and prompt[start:].strip():
        asked.append({"role": "assistant", "content": prompt[start:].strip()})
    return asked
