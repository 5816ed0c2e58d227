"""The program dvc, run as `python -m pipelines.dvc_quick`: the same, but it parses no text twice.

By itself it reads the whole parameter file fourteen times a stage, and after each stage what it has just written into dvc.lock, by the
slow reader that keeps comments: by a profile three quarters of its time. A DVC that has no such functions is run as it is.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from typing import Any, TextIO

Parse = Callable[..., Any]
_KEPT = 2  # beside dvc.lock each stage has one entry written in the list of runs
Dump = Callable[[Any, TextIO], Any]


def main() -> int:
    """What the program does; its exit status."""
    from dvc.cli import main as program
    from dvc.utils.serialize import _yaml

    given = vars(_yaml)
    if {"parse_yaml", "parse_yaml_for_update", "_dump"} <= given.keys():
        given["parse_yaml"] = once(given["parse_yaml"])
        given["parse_yaml_for_update"], given["_dump"] = kept(given["parse_yaml_for_update"], given["_dump"])
    return int(program(sys.argv[1:]) or 0)


def once(parse: Parse) -> Parse:
    """The same parser; of a text that it has had, a copy of what it found."""

    @lru_cache(maxsize=32)
    def known(text: str, typ: str) -> Any:
        return parse(text, "", typ=typ)

    def parsed(text: str, path: str, typ: str = "safe") -> Any:
        try:
            return deepcopy(known(text, typ)) if typ == "safe" else parse(text, path, typ=typ)
        except Exception:  # said again, of the right file
            return parse(text, path, typ=typ)

    return parsed


def kept(parse: Parse, dump: Dump) -> tuple[Parse, Dump]:
    """The same parser and writer; of one of the texts that were written last, the parser gives what was written."""
    last: dict[str, Any] = {}

    def written(data: Any, stream: TextIO) -> None:
        text = io.StringIO()
        dump(data, text)
        stream.write(text.getvalue())
        last[text.getvalue()] = data
        if len(last) > _KEPT:
            del last[next(iter(last))]

    def parsed(text: str, path: str) -> Any:
        found = last.pop(text, None)
        return parse(text, path) if found is None else found

    return parsed, written


if __name__ == "__main__":
    sys.exit(main())
