"""A large file in several parts side by side; a journal says what of each has arrived, so that a killed run goes on there."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.sources.transport.retry import Pace, Patience
from corpora.sources.transport.web import Answer, Interrupted
from haymaker.core.files.disk import write_json

WORTH_BYTES = 256 << 20
CONNECTIONS = 4
Ask = Callable[[int, int], AbstractContextManager[Answer]]


class NoPartsError(Exception):
    """The file has changed, or its server gives no parts although it says so: one stream must do."""


def worth(answer: Answer) -> bool:
    """Whether a file is large, and its server gives parts and a tag by which all of them are of one file."""
    return answer.ranges and bool(answer.tag) and (answer.size or 0) >= WORTH_BYTES


@dataclass
class _Journal:
    """Bytes that have arrived of each part, in order.

    Attributes:
        path: of the file beside the data.
        tag: of the file that the parts belong to.
        size: its bytes.
        done: per part.
    """

    path: Path
    tag: str
    size: int
    done: list[int] = field(default_factory=lambda: [0] * CONNECTIONS)

    def __post_init__(self) -> None:
        self._lock, self.stopped = threading.Lock(), threading.Event()

    def span(self, part: int) -> tuple[int, int]:
        """First byte of a part, and the one after its last."""
        return self.size * part // len(self.done), self.size * (part + 1) // len(self.done)

    def add(self, part: int, count: int) -> int:
        """Note bytes that are written (0: none yet, of no part); returns how many there are in all."""
        with self._lock:
            self.done[part] += count
            write_json(self.path, {"tag": self.tag, "size": self.size, "done": self.done})
            return sum(self.done)


def arrived(part: Path) -> int | None:
    """Bytes of a file in parts that are there; None when there is no such file."""
    return sum(_read(part).get("done", [])) if part.is_file() and _place(part).is_file() else None


def forget(part: Path) -> None:
    """There are no parts any more: the file is whole, or begins anew."""
    _place(part).unlink(missing_ok=True)


def fill(part: Path, answer: Answer, ask: Ask, pace: Pace) -> None:
    """Fill `part` with a file that is worth it; takes up what an earlier run left of the same file.

    Raises:
        Interrupted: patience with one of the parts ended; all that came is noted.
        NoPartsError: see there.
    """
    size = answer.size or 0
    known = _read(part) if part.is_file() else {}
    same = (known.get("tag"), known.get("size")) == (answer.tag, size)
    journal = _Journal(_place(part), answer.tag, size, *([known["done"]] if same else []))
    if not same:
        part.unlink(missing_ok=True)
        journal.add(0, 0)  # before the file has its full length: nobody may take that for bytes that came
        with part.open("wb") as out:
            out.truncate(size)
    with part.open("r+b") as out, ThreadPoolExecutor(len(journal.done)) as pool:
        try:
            parts = range(len(journal.done))
            jobs = [pool.submit(_fill_one, out.fileno(), journal, number, ask, pace) for number in parts]
            for job in jobs:
                job.result()
        finally:
            journal.stopped.set()  # a person who interrupts, also while parts begin, does not wait for the rest of 37 GB
        os.fsync(out.fileno())


def _fill_one(out: int, journal: _Journal, number: int, ask: Ask, pace: Pace) -> None:
    """One part, however often it breaks; when one is given up the others end after the bytes at hand."""
    patience = Patience(pace.report, journal.stopped.wait)
    first, stop = journal.span(number)
    try:
        while (at := first + journal.done[number]) < stop and not journal.stopped.is_set():
            try:
                with ask(at, stop) as answer:
                    _take(out, journal, number, answer, pace)
            except Interrupted as error:
                if not patience.after(error, journal.done[number]):
                    raise
    except BaseException:
        journal.stopped.set()
        raise


def _take(out: int, journal: _Journal, number: int, answer: Answer, pace: Pace) -> None:
    """Write what one answer brings of a part."""
    first, stop = journal.span(number)
    at = first + journal.done[number]
    if answer.start != at or answer.size != journal.size:
        raise NoPartsError
    for chunk in answer.chunks:
        mine = chunk[: stop - at]  # a server that sends all of it, asked for the first part
        _write(out, mine, at)
        at += len(mine)
        pace.arrived(len(mine), journal.add(number, len(mine)))
        if at == stop or journal.stopped.is_set():
            return
    raise Interrupted(f"ended after {at:,} bytes")


def _write(out: int, chunk: bytes, at: int) -> None:
    left = memoryview(chunk)
    while left:
        written = os.pwrite(out, left, at)
        left, at = left[written:], at + written


def _place(part: Path) -> Path:
    return part.with_suffix(".parts")


def _read(part: Path) -> dict[str, Any]:
    try:
        found = json.loads(_place(part).read_bytes())
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError, RecursionError):
        return {}
