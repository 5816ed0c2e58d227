"""Requests to a language model and its replies, as JSON Lines files (for judges and distractor writers).

A command writes a request file; `haymaker ask` (or any other program) creates the reply file. Replies are data that
can be reused without a network. A request is one line {"id", "call", "prompt"}, with optional "max_tokens" for long
replies. A reply is {"id", "call", "reply"}, with optional "judge" (model name) and "request" (hash of the request).
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


class Request(NamedTuple):
    """One message to a model.

    Attributes:
        id: id of the subject, such as a row or a question.
        call: kind of request, such as "check:3".
        prompt: complete user message.
        max_tokens: maximum tokens of the reply.
        system: system message; if empty, the caller's common one, if any.
        stop: strings that end the reply.
    """

    id: str
    call: str
    prompt: str
    max_tokens: int = MAX_TOKENS
    system: str = ""
    stop: tuple[str, ...] = ()

    @property
    def line(self) -> dict[str, Any]:
        """Return the request as a JSON object; default values are left out."""
        found: dict[str, Any] = {"id": self.id, "call": self.call, "prompt": self.prompt}
        most = {} if self.max_tokens == MAX_TOKENS else {"max_tokens": self.max_tokens}
        more = {"system": self.system, "stop": list(self.stop)}
        return found | most | {name: value for name, value in more.items() if value}


def request_of(record: Mapping[str, Any], where: str) -> Request:
    """Parse one line of a request file; lone surrogates become "?", as when written.

    Raises:
        ReleaseError: `id`, `call` or `prompt` is missing or not text, `max_tokens` is not a whole number above 0,
            `system` is not text, or `stop` is not a list of texts.
    """
    about, call, prompt = (
        without_surrogates(text(record.get(key, ...), key, where)) for key in ("id", "call", "prompt")
    )
    most = record.get("max_tokens", MAX_TOKENS)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise ReleaseError(f"max_tokens is {most!r:.40}, not a whole number above 0", where=where)
    system, stop = without_surrogates(text(record.get("system", ""), "system", where)), record.get("stop", [])
    if not isinstance(stop, list):
        raise ReleaseError(f"stop is {stop!r:.40}, not a list of texts", where=where)
    return Request(
        about, call, prompt, most, system, tuple(without_surrogates(text(end, "stop", where)) for end in stop)
    )


def messages_of(prompt: str, system: str = "") -> list[dict[str, str]]:
    """Return the chat messages for a prompt."""
    before = [{"role": "system", "content": system}] if system else []
    return [*before, {"role": "user", "content": prompt}]


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
