"""Stored replies: the file of an earlier `haymaker ask`, and the journal of an interrupted one.

The journal is next to the file of replies. Each reply is appended as one line with one write, so a killed process loses
no finished reply. Memory holds only the byte offset of each reply, not its text.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from haymaker.core.errors import EnvironmentProblem, ReleaseError
from haymaker.core.files.disk import disk_errors, written
from haymaker.core.files.json_lines import json_lines_at, json_object
from haymaker.core.files.output_files import check_output_path, would_replace
from haymaker.core.rows.model_requests import Request, journal_of
from haymaker.scoring.reader import strip_reasoning

CUT, FILTERED = "length", "content_filter"
FINISHED = {  # finish reason of a server, in lower case -> value in our files; any other value: the reply is incomplete
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete"), "stop"),
    **dict.fromkeys((CUT, "max_tokens", "model_length"), CUT),
    **dict.fromkeys((FILTERED, "safety", "refusal"), FILTERED),
}
_HEX = 32  # digits of an identity


class Reply(NamedTuple):
    """A reply of a model.

    Attributes:
        text: may be empty only if `RequestOptions.blank` is set.
        finish: finish reason, a value of FINISHED; empty if the server does not return one.
        prompt_tokens, reply_tokens: counts of the server; None if it returns none.
        reasoning_only: whether the text is empty and the server returned reasoning separately.
    """

    text: str
    finish: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    reasoning_only: bool = False

    def record(self, model: str, identity: bytes) -> dict[str, Any]:
        """Return the fields of the file format, without `id` and `call`."""
        found: dict[str, Any] = {"reply": self.text, "judge": model, "request": identity.hex()}
        more = {"finish": self.finish, "prompt_tokens": self.prompt_tokens, "reply_tokens": self.reply_tokens,
                "reasoning_only": self.reasoning_only or None}  # fmt: skip
        return found | {name: value for name, value in more.items() if value not in ("", None)}


class ReplyCache:
    """Byte offsets of stored replies, by request identity.

    Attributes:
        out: file of replies.
        journal: replies added since the file was written.
        nameless: number of replies in the file without a request identity.
        unfinished: number of replies whose finish reason is not in FINISHED; these count as missing.
    """

    def __init__(self, out: Path) -> None:
        self.out = out.resolve() if out.is_symlink() else out
        self.journal = journal_of(self.out)
        self.nameless = self.unfinished = 0
        self._at: dict[bytes, int] = {}  # offset in the file, or ~offset (negative) in the journal
        check_output_path(self.out, "--out")
        if self.out.exists() and self.out.stat().st_size:
            for at, where, record in json_lines_at(self.out):
                if "reply" not in record:
                    raise would_replace("is no reply", where, "--out")
                self._note(record, at)
        if self.journal.exists():
            for at, record in _finished(self.journal):
                self._note(record, ~at)

    def __contains__(self, identity: bytes) -> bool:
        return identity in self._at

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._at)

    def came(self, identity: bytes, at: int) -> None:
        """Register a reply at this byte offset of the journal."""
        self._at[identity] = ~at

    def _note(self, record: dict[str, Any], at: int) -> None:
        identity, finish = _identity(record), record.get("finish")
        if finish and str(finish).lower() not in FINISHED:
            self.unfinished += 1
        elif identity is None:
            self.nameless += 1
        else:
            self._at[identity] = at

    @contextmanager
    def reader(self) -> Iterator[ReplyReader]:
        """Open the files and yield a reader for the replies."""
        with ExitStack() as stack, disk_errors(self.out):
            files = {path: stack.enter_context(path.open("rb")) for path in (self.out, self.journal) if path.exists()}
            yield ReplyReader(self._at, files.get(self.out), files.get(self.journal))


class ReplyReader:
    """Read replies at the offsets of a `ReplyCache`."""

    def __init__(self, at: dict[bytes, int], out: BinaryIO | None, journal: BinaryIO | None) -> None:
        self._at, self._out, self._journal = at, out, journal

    def get(self, identity: bytes) -> dict[str, Any] | None:
        """Return the record of a reply, or None."""
        at = self._at.get(identity)
        file = self._out if at is None or at >= 0 else self._journal
        if at is None or file is None:
            return None
        place = at if at >= 0 else ~at
        file.seek(place)
        record = json_object(file.readline(), f"{file.name}: byte {place}", first=not place)
        if _identity(record) != identity:
            raise ReleaseError("changed while requests were asked", where=file.name, fix="run the same command again")
        return record


def write_out(cache: ReplyCache, asked: Iterable[tuple[bytes, Request]]) -> Counter[str]:
    """Write the file of replies in request order; return the number of `replies`, and of each kind in `_kinds`."""
    count: Counter[str] = Counter()
    with cache.reader() as reader, written(cache.out) as temporary, temporary.open("wb") as file:
        for identity, request in asked:
            if record := reader.get(identity):
                ids = {"id": request.id, "call": request.call}
                file.write(_line(ids | {name: record[name] for name in _FIELDS if name in record}))
                count["replies"] += 1
                count.update(_kinds(record))
    return count


class Journal:
    """The journal of a run, locked for other processes.

    Raises:
        EnvironmentProblem: another run holds the lock, or the file cannot be written.
    """

    def __init__(self, out: Path) -> None:
        path = out.resolve() if out.is_symlink() else out
        self.path = journal_of(path)
        self._handle = -1

    def __enter__(self) -> Self:
        self._handle = _open_alone(self.path)
        os.ftruncate(self._handle, _whole_bytes(self.path))
        self._end = os.lseek(self._handle, 0, os.SEEK_END)
        return self

    def __exit__(self, *error: object) -> None:
        if not self._end:
            self.path.unlink(missing_ok=True)
        os.close(self._handle)

    def add(self, record: dict[str, Any]) -> int:
        """Append a reply, and return its byte offset."""
        at, line = self._end, _line(record)
        with disk_errors(self.path):
            try:
                while self._end < at + len(line):
                    self._end += os.write(self._handle, line[self._end - at :])
            except BaseException:
                os.ftruncate(self._handle, at)
                self._end = at
                raise
        return at

    def remove(self) -> None:
        """Delete the journal after its replies were written to the file of replies."""
        self.path.unlink(missing_ok=True)


_FIELDS = ("reply", "judge", "request", "finish", "prompt_tokens", "reply_tokens", "reasoning_only")


def _kinds(record: dict[str, Any]) -> Iterator[str]:
    """Yield the kinds under which the summary counts a reply."""
    finish, text = FINISHED.get(str(record.get("finish")).lower()), record["reply"].strip()
    if finish == CUT:
        yield "cut at max_tokens"
    if finish == FILTERED:
        yield "content filter"
    if record.get("reasoning_only") or (text and not strip_reasoning(text).strip()):
        yield "reasoning only"
    elif not text:
        yield "empty"


def _line(record: dict[str, Any]) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _identity(record: dict[str, Any]) -> bytes | None:
    """Return the request identity of a record; None if it is missing or malformed, or the reply is not a text."""
    found, reply = record.get("request"), record.get("reply")
    if not isinstance(found, str) or len(found) != _HEX or not isinstance(reply, str):
        return None
    try:
        return bytes.fromhex(found)
    except ValueError:
        return None


def _finished(journal: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield byte offset and record of each journal line; incomplete or damaged lines are skipped."""
    at = 0
    with journal.open("rb") as file:
        for raw in file:
            try:
                if raw.endswith(b"\n"):
                    yield at, json_object(raw, str(journal))
            except ReleaseError:
                pass
            at += len(raw)


def _whole_bytes(journal: Path) -> int:
    """Return the number of bytes in complete lines."""
    with journal.open("rb") as file:
        return sum(len(raw) for raw in file if raw.endswith(b"\n"))


def _open_alone(path: Path) -> int:
    """Open and lock the journal, and return its file descriptor."""
    while True:
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except BlockingIOError:
            os.close(handle)
            what = "another haymaker ask is writing these replies"
            raise EnvironmentProblem(what, where=str(path), fix="wait for it, or stop it") from None
        os.close(handle)  # the previous owner deleted the file between open and lock: try again
