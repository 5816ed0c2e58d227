"""Stored replies: the reply file of an earlier run, and the journal of an interrupted one.

Each reply is appended to the journal with one write, so a killed process loses none. Memory holds only byte offsets.
"""

from __future__ import annotations

import errno
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.errors import EnvironmentProblem, ReleaseError
from haymaker.core.files.disk import disk_errors, is_open_at, take_lock, written
from haymaker.core.files.json_lines import json_lines_at, json_object
from haymaker.core.files.output_files import would_replace
from haymaker.core.rows.model_requests import Request, journal_of
from haymaker.scoring.reader import strip_reasoning

FINISHED = {  # finish reason of a server, in lower case -> value in our files; any other value: the reply is incomplete
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "length"),
    **dict.fromkeys(("content_filter", "safety", "refusal"), "content_filter"),
}


class Reply(NamedTuple):
    """A reply of a model; None: the server returned no such value."""

    reply: str
    finish: str | None = None  # finish reason, a value of FINISHED
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    reasoning_only: bool | None = None  # True if the text is empty and the server returned reasoning separately

    def record(self, model: str, identity: str) -> dict[str, Any]:
        """Return the fields of the file format, without `id` and `call`."""
        found = {"reply": self.reply, "judge": model, "request": identity} | self._asdict()
        return {name: value for name, value in found.items() if value is not None}


class ReplyStore:
    """Stored replies; read only without a journal opened by `locked_replies`."""

    def __init__(self, out: Path, journal: FileIO | None = None) -> None:
        self.out = _target(out)
        self._journal_path, self._journal = journal_of(self.out), journal
        self.at: dict[str, tuple[Path, int]] = {}  # request identity -> file and byte offset of the reply
        self.nameless = 0  # replies in the reply file without a request identity
        self.unfinished = 0  # replies whose finish reason is not in FINISHED; these count as missing
        if self.out.exists() and self.out.stat().st_size:
            for at, where, record in json_lines_at(self.out):
                if "reply" not in record:
                    raise would_replace("is not a reply", where, "--out")
                self._note(record, self.out, at)
        for at, line in _lines_at(self._journal_path):
            with suppress(ReleaseError):  # damaged, or incomplete because another process writes it now
                self._note(json_object(line, ""), self._journal_path, at)

    def _note(self, record: dict[str, Any], path: Path, at: int) -> None:
        identity, finish = record.get("request"), record.get("finish")
        if finish and str(finish).lower() not in FINISHED:
            self.unfinished += 1
        elif isinstance(identity, str) and isinstance(record.get("reply"), str):
            self.at[identity] = path, at
        else:
            self.nameless += 1

    def add(self, record: dict[str, Any]) -> None:
        """Append a reply to the journal."""
        assert self._journal is not None
        at, line = self._journal.seek(0, os.SEEK_END), _line(record)
        with disk_errors(self._journal_path):
            if self._journal.write(line) < len(line):
                self._journal.truncate(at)
                raise OSError(errno.ENOSPC, "only a part of the reply was written")
        self._note(record, self._journal_path, at)

    def write(self, requests: Iterable[tuple[int, str, Request]]) -> Counter[str]:
        """Write the reply file in request order and clear the journal; return the counts of the summary."""
        assert self._journal is not None
        count: Counter[str] = Counter()
        with ExitStack() as stack, written(self.out) as temporary, temporary.open("wb") as file:
            files = {path: stack.enter_context(path.open("rb")) for path in {path for path, _ in self.at.values()}}
            for _, identity, request in requests:
                if identity in self.at:
                    path, at = self.at[identity]
                    files[path].seek(at)
                    record = json_object(files[path].readline(), f"{path}: byte {at}", first=not at)
                    if record.get("request") != identity:
                        what = "was changed by another program during the run"
                        raise ReleaseError(what, where=str(path), fix="run the same command again")
                    ids = {"id": request.id, "call": request.call}
                    file.write(_line(ids | record | ids))
                    count.update(("replies", *_kinds(record)))
        self._journal.truncate(0)
        return count


@contextmanager
def locked_replies(out: Path) -> Iterator[ReplyStore]:
    """Read the stored replies, and lock their journal against other processes."""
    path = journal_of(_target(out))
    with _open_alone(path) as file:
        try:
            file.truncate(sum(len(line) for _, line in _lines_at(path) if line.endswith(b"\n")))
            yield ReplyStore(out, file)
        finally:
            if not file.seek(0, os.SEEK_END):
                path.unlink(missing_ok=True)


def _open_alone(path: Path) -> FileIO:
    """Open and lock a file."""
    while True:
        with disk_errors(path):
            file = path.open("ab", buffering=0)
        if not take_lock(file.fileno()):
            file.close()
            what = "another haymaker ask or eval is writing these replies"
            raise EnvironmentProblem(what, where=str(path), fix="wait for it, or stop it")
        if is_open_at(file.fileno(), path):
            return file
        file.close()  # the previous owner deleted the file between open and lock: try again


def _target(out: Path) -> Path:
    """Return the file of a link, so that the link is not replaced."""
    return out.resolve() if out.is_symlink() else out


def _lines_at(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield byte offset and bytes of each line; nothing if the file is missing."""
    at = 0
    with suppress(FileNotFoundError), path.open("rb") as file:
        for line in file:
            yield at, line
            at += len(line)


def _line(record: dict[str, Any]) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _kinds(record: dict[str, Any]) -> Iterator[str]:
    """Yield the kinds under which the summary counts a reply."""
    finish, text = FINISHED.get(str(record.get("finish")).lower()), record["reply"].strip()
    if finish == "length":
        yield "cut at max_tokens"
    if finish == "content_filter":
        yield "content filter"
    if record.get("reasoning_only") or (text and not strip_reasoning(text).strip()):
        yield "reasoning only"
    elif not text:
        yield "empty"
