"""Replies that are here: the file of an earlier `haymaker ask`, and the journal of one that was stopped.

The journal lies beside the file of replies: one line per reply as it comes, in one write each, so that a kill loses nothing that was
finished. Only where each reply stands is held in memory, never what it says.
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
FINISHED = {  # finish reasons of several servers, in lower case -> as files have them; with any other the reply is not finished
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete"), "stop"),
    **dict.fromkeys((CUT, "max_tokens", "model_length"), CUT),
    **dict.fromkeys((FILTERED, "safety", "refusal"), FILTERED),
}
_HEX = 32  # digits of an identity


class Reply(NamedTuple):
    """What a model replied.

    Attributes:
        text: empty only where the wish takes that for a reply.
        finish: why it ended, a value of FINISHED; empty if the server does not say.
        prompt_tokens: as the server counted; None where it does not say; reply_tokens the same.
        reasoning_only: whether the text is empty and the server returned reasoning next to it.
    """

    text: str
    finish: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    reasoning_only: bool = False

    def record(self, model: str, identity: bytes) -> dict[str, Any]:
        """As files have it, but for what it replies to."""
        found: dict[str, Any] = {"reply": self.text, "judge": model, "request": identity.hex()}
        more = {"finish": self.finish, "prompt_tokens": self.prompt_tokens, "reply_tokens": self.reply_tokens,
                "reasoning_only": self.reasoning_only or None}  # fmt: skip
        return found | {name: value for name, value in more.items() if value not in ("", None)}


class ReplyCache:
    """Where replies stand, by the identity of what was asked.

    Attributes:
        out: the file of replies.
        journal: what came since it was written.
        nameless: replies of the file that do not say what they reply to.
        unfinished: how many replies have a finish reason that FINISHED does not know: they count as missing.
    """

    def __init__(self, out: Path) -> None:
        self.out = out.resolve() if out.is_symlink() else out
        self.journal = journal_of(self.out)
        self.nameless = self.unfinished = 0
        self._at: dict[bytes, int] = {}  # byte in the file; of the journal ~byte, which is below 0
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
        """There is a reply at that byte of the journal."""
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
        """Read replies while the block lasts."""
        with ExitStack() as stack, disk_errors(self.out):
            files = {path: stack.enter_context(path.open("rb")) for path in (self.out, self.journal) if path.exists()}
            yield ReplyReader(self._at, files.get(self.out), files.get(self.journal))


class ReplyReader:
    """Reads replies where `Kept` says that they stand."""

    def __init__(self, at: dict[bytes, int], out: BinaryIO | None, journal: BinaryIO | None) -> None:
        self._at, self._out, self._journal = at, out, journal

    def get(self, identity: bytes) -> dict[str, Any] | None:
        """The record of a reply; None where there is none."""
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


def write_out(kept: ReplyCache, asked: Iterable[tuple[bytes, Request]]) -> Counter[str]:
    """Write the file of replies whole, in the order of the requests. Return how many `replies`, and how many of each of their kinds."""
    count: Counter[str] = Counter()
    with kept.reader() as reader, written(kept.out) as temporary, temporary.open("wb") as file:
        for identity, request in asked:
            if record := reader.get(identity):
                whose = {"id": request.id, "call": request.call}
                file.write(_line(whose | {name: record[name] for name in _FIELDS if name in record}))
                count["replies"] += 1
                count.update(_kinds(record))
    return count


class Journal:
    """The journal of a run, held by it alone.

    Raises:
        EnvironmentProblem: another run has it, or the disk says no.
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
        """Append a reply; the byte at which it begins."""
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
        """Its replies are in the file of replies now."""
        self.path.unlink(missing_ok=True)


_FIELDS = ("reply", "judge", "request", "finish", "prompt_tokens", "reply_tokens", "reasoning_only")


def _kinds(record: dict[str, Any]) -> Iterator[str]:
    """What the summary counts a reply as."""
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
    """What a record replies to; None where it does not say, or says no text."""
    found, reply = record.get("request"), record.get("reply")
    if not isinstance(found, str) or len(found) != _HEX or not isinstance(reply, str):
        return None
    try:
        return bytes.fromhex(found)
    except ValueError:
        return None


def _finished(journal: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Records of a journal; a line that was cut, or that the disk spoiled, counts as never written."""
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
    """Bytes up to the end of the last whole line."""
    with journal.open("rb") as file:
        return sum(len(raw) for raw in file if raw.endswith(b"\n"))


def _open_alone(path: Path) -> int:
    """A handle of the journal, which no other process has."""
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
        os.close(handle)  # its owner ended and took it away between our two steps
