"""What is asked of the `haymaker run` above (pipelines/serving.py); little is loaded for it."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

VARIABLE = "HAYMAKER_SERVER"
BY_YOURSELF = b"-"  # no process could be started there
MADE, NOT_MADE = b"made", b"not made"


def ask(*arguments: str, held_back: Sequence[int] = (signal.SIGINT, signal.SIGTERM)) -> int | None:
    """Exit status of `haymaker stage ARGUMENTS`, done by the run above; None where no run serves.

    Args:
        arguments: behind `haymaker stage`.
        held_back: signals that are for the stage, which gets them with us, and tells.
    """
    before = {number: signal.getsignal(number) for number in held_back}
    try:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        answer = _asked({"arguments": arguments, "folder": str(Path.cwd()), "environment": dict(os.environ)})
        return None if answer in (None, BY_YOURSELF) else int(answer or 1)  # the stage, or the run, was killed
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_made(address: str) -> bool:
    """Whether what a stage makes is here, for the run above has worked ahead (pipelines/ahead.py); waits where it still does."""
    return _asked({"coming": address}) == MADE


def _asked(question: Mapping[str, Any]) -> bytes | None:
    """The answer of the run above; None where none serves."""
    if address := os.environ.get(VARIABLE):
        with socket.socket(socket.AF_UNIX) as line, suppress(OSError):
            line.connect(address)
            line.sendall(json.dumps(question).encode() + b"\n")
            return line.recv(16)
    return None
