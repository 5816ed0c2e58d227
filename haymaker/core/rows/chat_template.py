"""The text of a conversation: how the column `prompt` of a row renders its `messages`, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Template = Literal["none", "chatml"]


class ChatTemplate(NamedTuple):
    """Texts around the messages of a conversation.

    Attributes:
        user, assistant: text before a message of that role.
        end: text after every message.
    """

    user: str
    assistant: str
    end: str

    @property
    def cue(self) -> str:
        """The end of every rendering: the opening of the requested reply, without its last space."""
        return self.assistant.rstrip(" ")


TEMPLATES: Mapping[str, ChatTemplate] = MappingProxyType(
    {
        "none": ChatTemplate("User: ", "Assistant: ", "\n\n"),
        "chatml": ChatTemplate("<|im_start|>user\n", "<|im_start|>assistant\n", "<|im_end|>\n"),
    }
)
"""By the name that a row declares in its metadata (`chat_template`); none: roles in words, no control tokens."""


def declared_template(row: Mapping[str, Any]) -> str | None:
    """Return the name of the chat template that a row declares in its metadata; None if it is not a conversation."""
    stored = row.get("metadata") or {}
    facts: Mapping[str, str] = json.loads(stored) if isinstance(stored, str) else stored  # some callers parse it
    return facts.get("chat_template")


def render(messages: Sequence[Mapping[str, str]], template: ChatTemplate) -> str:
    """Return the text of a conversation (user first, then in turn), up to the opening of the next reply."""
    opens = {"user": template.user, "assistant": template.assistant}
    return "".join(f"{opens[each['role']]}{each['content']}{template.end}" for each in messages) + template.cue


def messages_in(prompt: str, template: ChatTemplate) -> list[dict[str, str]]:
    """Return the messages of a rendering: the inverse of `render`, if no message contains the opening of another.

    Raises:
        ValueError: the text is not the rendering of a conversation that ends with a message of the user.
    """
    user, assistant, end, found = template.user, template.assistant, template.end, list[dict[str, str]]()
    if not (prompt.startswith(user) and prompt.endswith(end + template.cue)):
        raise ValueError("not the text of a conversation: it begins with another text, or ends with one")
    *turns, last = prompt[len(user) : -len(end + template.cue)].split(end + user)
    for turn in turns:
        asked, between, reply = turn.partition(end + assistant)
        if not between:
            raise ValueError(f"no reply follows {asked!r:.80}")
        found += [{"role": "user", "content": asked}, {"role": "assistant", "content": reply}]
    return [*found, {"role": "user", "content": last}]
