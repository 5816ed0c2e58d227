"""What is asked of the `haymaker run` above (pipelines/serving.py); little is loaded for it."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

VARIABLE = "HAYMAKER_SERVER"
BY_YOURSELF = b"-"  # no process could be started there
MADE, NOT_MADE = b"made", b"not made"


def ask(*arguments: str) -> int | None:
    """Exit status of `haymaker stage ARGUMENTS`, done by the run above; None where no run serves.

    Ctrl-C and SIGTERM are for the stage, which gets them with us, and tells.
    """
    if VARIABLE not in os.environ:
        return None
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        answer = _asked({"arguments": arguments, "folder": str(Path.cwd()), "environment": dict(os.environ)})
        return None if answer in (None, BY_YOURSELF) else int(answer or 1)  # the stage, or the run, was killed
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_made(address: str) -> bool:
    """Whether what a stage makes is here, for the run above has worked ahead (pipelines/ahead.py); waits where it still does.

    Raises:
        SystemExit: the run has ended meanwhile.
    """
    answer = _asked({"coming": address})
    if VARIABLE in os.environ and not answer:
        sys.exit(1)  # else the stage would be done by itself, below a run that was stopped
    return answer == MADE


def _asked(question: Mapping[str, Any]) -> bytes | None:
    """The answer of the run above; None where none serves."""
    if address := os.environ.get(VARIABLE):
        with socket.socket(socket.AF_UNIX) as line, suppress(OSError):
            line.connect(address)
            line.sendall(json.dumps(question).encode() + b"\n")
            return line.recv(16)
    return None
