"""A row as chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haymaker.core.rows.chat_template import declared_template
from haymaker.core.rows.require_columns import require_columns


def messages(row: Mapping[str, Any], *, prefill: bool = False) -> list[dict[str, str]]:
    """Return the chat messages for a row: its own `messages` if it is a conversation, else its system message and prompt.

    The prompt is returned without its answer prefix ("Answer:").

    Args:
        row: row with the columns `prompt`, `answer_prefix_start` and `system`; with `messages` if it is a conversation.
        prefill: add the answer prefix at the end of the prompt as the start of the assistant's message. If false, the
            prefix is left out. A conversation ends with a user message either way: it has no answer prefix.

    Raises:
        ReleaseError: the row lacks one of the columns.
    """
    if row.get("messages"):
        return [dict(each) for each in row["messages"]]
    require_columns(row, ("prompt", "answer_prefix_start", *["messages"] * bool(declared_template(row))))
    prompt, start = str(row["prompt"]), int(row["answer_prefix_start"])
    asked = [{"role": "user", "content": prompt[:start]}]
    if row.get("system"):
        asked.insert(0, {"role": "system", "content": str(row["system"])})
    if prefill and prompt[start:].strip():
        asked.append({"role": "assistant", "content": prompt[start:].strip()})
    return asked
