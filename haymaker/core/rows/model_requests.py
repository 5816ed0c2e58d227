"""Requests to a language model and its replies, as JSON Lines files (for judges and distractor writers).

A command writes a request file; `haymaker ask` (or any other program) creates the reply file. Replies are data that
can be reused without a network. A request is one line {"id", "call", "prompt"}, or with "messages" (a conversation)
instead of "prompt", and with optional "max_tokens" for long replies. A reply is {"id", "call", "reply"}, with optional
"judge" (model name) and "request" (hash of the request).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import written
from haymaker.core.files.json_lines import json_lines, text, without_surrogates

UNNAMED = "a judge"
MAX_TOKENS = 512
_ROLES = ("system", "user", "assistant")


class Request(NamedTuple):
    """One message to a model, or a conversation.

    Attributes:
        id: id of the subject, such as a row or a question.
        call: kind of request, such as "check:3".
        prompt: complete user message; empty if there are `messages`.
        max_tokens: maximum tokens of the reply.
        system: system message; if empty, the caller's common one, if any.
        stop: strings that end the reply.
        messages: conversation to send instead of `prompt`, each message with `role` and `content`.
    """

    id: str
    call: str
    prompt: str
    max_tokens: int = MAX_TOKENS
    system: str = ""
    stop: tuple[str, ...] = ()
    messages: tuple[Mapping[str, str], ...] = ()

    @property
    def texts(self) -> list[str]:
        """Return the contents of the messages, without the system message."""
        return [each["content"] for each in self.messages] or [self.prompt]

    def chat(self, system: str) -> list[dict[str, str]]:
        """Return the chat messages: the system message if it is not empty, then the conversation or the prompt."""
        asked = self.messages or [{"role": "user", "content": self.prompt}]
        return [*([{"role": "system", "content": system}] if system else []), *map(dict, asked)]

    @property
    def line(self) -> dict[str, Any]:
        """Return the request as a JSON object; default values are left out."""
        asked = {"messages": list(self.messages)} if self.messages else {"prompt": self.prompt}
        found: dict[str, Any] = {"id": self.id, "call": self.call, **asked}
        most = {} if self.max_tokens == MAX_TOKENS else {"max_tokens": self.max_tokens}
        more = {"system": self.system, "stop": list(self.stop)}
        return found | most | {name: value for name, value in more.items() if value}


def request_of(record: Mapping[str, Any], where: str) -> Request:
    """Parse one line of a request file; lone surrogates become "?", as when written.

    Raises:
        ReleaseError: `id`, `call` or `prompt` is missing or not text, `max_tokens` is not a whole number above 0,
            `system` is not text, `stop` is not a list of texts, or `messages` is not a conversation.
    """
    system, messages = _conversation(record, where)
    asked = {**record, "prompt": ""} if messages else record
    about, call, prompt = (
        without_surrogates(text(asked.get(key, ...), key, where)) for key in ("id", "call", "prompt")
    )
    most = record.get("max_tokens", MAX_TOKENS)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise ReleaseError(f"max_tokens is {most!r:.40}, not a whole number above 0", where=where)
    stop = record.get("stop", [])
    if not isinstance(stop, list):
        raise ReleaseError(f"stop is {stop!r:.40}, not a list of texts", where=where)
    ends = tuple(without_surrogates(text(end, "stop", where)) for end in stop)
    return Request(about, call, prompt, most, system, ends, messages)


def _conversation(record: Mapping[str, Any], where: str) -> tuple[str, tuple[dict[str, str], ...]]:
    """Return the system message and the other messages of a request; no messages if it has a prompt."""
    system = without_surrogates(text(record.get("system", ""), "system", where))
    given = record.get("messages")
    if given is None:
        return system, ()
    if not isinstance(given, list) or not given:
        raise ReleaseError(f"messages is {given!r:.40}, not a list of messages", where=where)
    if "prompt" in record:
        raise ReleaseError("has both prompt and messages", where=where, fix="keep one of them")
    messages = tuple(_message(each, f"messages[{number}]", where) for number, each in enumerate(given))
    if messages[-1]["role"] != "user":
        raise ReleaseError("the last of the messages is not the user's", where=where, fix="end with a user message")
    if messages[0]["role"] != "system":
        return system, messages
    if system:
        raise ReleaseError("has system, and messages begin with a system message", where=where, fix="keep one of them")
    return messages[0]["content"], messages[1:]


def _message(given: object, name: str, where: str) -> dict[str, str]:
    """Parse one message of a conversation."""
    if not isinstance(given, dict) or given.keys() != {"role", "content"}:
        raise ReleaseError(f"{name} is {given!r:.40}, not an object with role and content", where=where)
    if given["role"] not in _ROLES:
        raise ReleaseError(f"role of {name} is {given['role']!r:.40}", where=where, fix=f"use {', '.join(_ROLES)}")
    return {
        "role": given["role"],
        "content": without_surrogates(text(given["content"], f"content of {name}", where)),
    }


class Replies(NamedTuple):
    """Replies read from a file.

    Attributes:
        texts: (id, call) -> reply.
        name: name of the model, if the file gives it; several names are joined by commas.
    """

    texts: Mapping[tuple[str, str], str]
    name: str = UNNAMED

    def get(self, about: str, call: str) -> str | None:
        """Return the unchanged reply, or None if there is none."""
        return self.texts.get((about, call))


def write_requests(path: Path, requests: Iterable[Request]) -> int:
    """Write requests as JSON Lines and return their count. Lone surrogates are written as "?"."""
    count = 0
    with written(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace") as file:
        for count, request in enumerate(requests, 1):  # noqa: B007
            file.write(json.dumps(request.line, ensure_ascii=False) + "\n")
    return count


def journal_of(out: Path) -> Path:
    """Return the path of the journal, which stores finished replies until the reply file is written."""
    return out.with_name(f"{out.name}.journal")


def read_replies(path: Path, calls: Collection[str] = ()) -> Replies:
    """Read replies from JSON lines with `id`, `call`, `reply` and optional `judge`.

    Args:
        path: reply file.
        calls: allowed call names, without the suffix after a colon ("check:3" is a check); empty: any.

    Raises:
        ReleaseError: the file is unreadable, a field is missing or not text, or a call is unknown or occurs twice.
    """
    found: dict[tuple[str, str], str] = {}
    names: set[str] = set()
    for where, record in json_lines(path):
        about, call, reply = (text(record.get(key, ...), key, where) for key in ("id", "call", "reply"))
        if calls and call.partition(":")[0] not in calls:
            raise ReleaseError(f"unknown call {call!r:.80}", where=where, fix=f"use one of {', '.join(calls)}")
        if (about, call) in found:
            raise ReleaseError(f"{call} of {about!r} appears twice", where=where, fix="keep one reply per call")
        found[about, call] = reply
        names.add(text(record.get("judge", UNNAMED), "judge", where) or UNNAMED)
    return Replies(found, ", ".join(sorted(names)) or UNNAMED)
