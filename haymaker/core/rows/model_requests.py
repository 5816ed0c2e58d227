"""Requests to a language model and its replies, as JSON lines: what a judge is asked, or a writer of wrong options.

Whoever wants replies writes a file of requests; `haymaker ask` (or anybody else) makes a file of replies of it; that file is data like
any other: kept, published, read again without a network. A request is one line {"id", "call", "prompt"}, with "max_tokens" where
the reply may be long; a reply {"id", "call", "reply"}, with "judge" (the model's name) and "request" (hash of what was sent)
where its writer says so.
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
        id: of what it is about: a row, a question.
        call: what is asked of it.
        prompt: the whole message.
        max_tokens: of the reply.
        system: message before it; empty: none, or what the caller says for all.
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
        """As a file has it."""
        found: dict[str, Any] = {"id": self.id, "call": self.call, "prompt": self.prompt}
        most = {} if self.max_tokens == MAX_TOKENS else {"max_tokens": self.max_tokens}
        more = {"system": self.system, "stop": list(self.stop)}
        return found | most | {name: value for name, value in more.items() if value}


def request_of(record: Mapping[str, Any], where: str) -> Request:
    """The request of one line; half of a surrogate pair in it counts as "?", as it is written.

    Raises:
        ReleaseError: no `id`, `call` or `prompt`, one that is no text, or `max_tokens` that is no whole number above 0,
            `system` that is no text, or `stop` that is no list of texts.
    """
    about, call, prompt = (
        without_surrogates(text(record.get(key, ...), key, where)) for key in ("id", "call", "prompt")
    )
    most = record.get("max_tokens", MAX_TOKENS)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise ReleaseError(f"max_tokens is {most!r:.40}, not a whole number above 0", where=where)
    system, stop = without_surrogates(text(record.get("system", ""), "system", where)), record.get("stop", [])
    if not isinstance(stop, list):
        raise ReleaseError(f"stop is {stop!r:.40}, no list of texts", where=where)
    return Request(
        about, call, prompt, most, system, tuple(without_surrogates(text(end, "stop", where)) for end in stop)
    )


def messages_of(prompt: str, system: str = "") -> list[dict[str, str]]:
    """What a chat model is sent."""
    before = [{"role": "system", "content": system}] if system else []
    return [*before, {"role": "user", "content": prompt}]


class Replies(NamedTuple):
    """What a file of replies holds.

    Attributes:
        texts: reply by id and call.
        name: who replied, where the file says so; several names with commas between.
    """

    texts: Mapping[tuple[str, str], str]
    name: str = UNNAMED

    def get(self, about: str, call: str) -> str | None:
        """The reply as it was given; None where there is none."""
        return self.texts.get((about, call))


def write_requests(path: Path, requests: Iterable[Request]) -> int:
    """Write requests, one JSON object a line; how many. Half of a surrogate pair is written as "?"."""
    count = 0
    with written(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace") as file:
        for count, request in enumerate(requests, 1):  # noqa: B007
            file.write(json.dumps(request.line, ensure_ascii=False) + "\n")
    return count


def journal_of(out: Path) -> Path:
    """Where finished replies lie until the file of replies is written."""
    return out.with_name(f"{out.name}.journal")


def read_replies(path: Path, calls: Collection[str] = ()) -> Replies:
    """Replies from JSON lines with `id`, `call`, `reply`, and `judge` where the writer says it.

    Args:
        path: the file.
        calls: those that may stand there, by what stands before a colon ("check:3" is a check); none given: any.

    Raises:
        ReleaseError: a file that cannot be read; a line without them, or where one is no text; an unknown call, or one twice.
    """
    found: dict[tuple[str, str], str] = {}
    names: set[str] = set()
    for where, record in json_lines(path):
        about, call, reply = (text(record.get(key, ...), key, where) for key in ("id", "call", "reply"))
        if calls and call.partition(":")[0] not in calls:
            raise ReleaseError(f"no call {call!r:.80}", where=where, fix=f"calls are {', '.join(calls)}")
        if (about, call) in found:
            raise ReleaseError(f"{call} of {about!r} comes twice", where=where, fix="keep one reply of each call")
        found[about, call] = reply
        names.add(text(record.get("judge", UNNAMED), "judge", where) or UNNAMED)
    return Replies(found, ", ".join(sorted(names)) or UNNAMED)
