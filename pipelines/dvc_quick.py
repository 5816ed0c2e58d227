"""The program dvc, run as `python -m pipelines.dvc_quick`: the same, but it parses and writes no text twice, and leaves what was worked ahead.

By itself it reads the whole parameter file fourteen times a stage, and after each stage what it has just written into dvc.lock, by the
slow reader that keeps comments: by a profile three quarters of its time. What a stage made it removes before it runs the stage, also where
the run above has just made it (pipelines/ahead.py). A DVC that has no such functions is run as it is.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any, TextIO

from pipelines import asking

THEN = "then"
"""Among the words: another command of the program follows, in the same process."""
_KEPT = 2  # beside dvc.lock each stage has one entry written in the list of runs
Parse = Callable[..., Any]
Dump = Callable[[Any, TextIO], Any]
Done = Callable[..., None]


def main() -> int:
    """What the program does; its exit status."""
    from dvc.cli import main as program

    _make_quick()
    words, then = _split(sys.argv[1:])
    code = int(program(words) or 0)
    if code == 0 and then:
        program(then)  # what it is for is looked at anew afterwards
    return code


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of the command, and of the one that follows when it has succeeded."""
    end = words.index(THEN) if THEN in words else len(words)
    return words[:end], words[end + 1 :]


def _make_quick() -> None:
    _replace(once, "dvc.utils.serialize._yaml.parse_yaml")
    _replace(lambda parse, dump: kept(parse, by_stages(dump)),
             "dvc.utils.serialize._yaml.parse_yaml_for_update", "dvc.utils.serialize._yaml._dump")  # fmt: skip
    _replace(unless_made, "dvc.stage.Stage.remove_outs", "dvc.stage.run.cmd_run")
    _replace(read_once, "dulwich.repo.Repo.open_index")
    _replace(lambda dpath: SimpleNamespace(**vars(dpath) | {"get": by_steps(dpath.get)}), "dvc.dependency.param.dpath")


def _replace(by: Callable[..., Any], *names: str) -> None:
    """Put what `by` makes of them in the place of things in modules or classes; nothing where one is not there."""
    with suppress(ImportError, AttributeError):
        found = by(*map(resolve_name, names))
        for name, other in zip(names, found if len(names) > 1 else [found], strict=True):
            place, _, own = name.rpartition(".")
            setattr(resolve_name(place), own, other)


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


def by_stages(dump: Dump) -> Dump:
    """The same writer; of a dvc.lock that has begun empty it writes only those stages anew that have changed."""
    known: dict[str, str] = {}

    def text_of(part: dict[str, Any]) -> str:
        content = repr(part)
        if content not in known:
            text = io.StringIO()
            dump(apart(part), text)
            known[content] = text.getvalue()
        return known[content]

    def written(data: Any, stream: TextIO) -> None:
        stages = data.get("stages") if type(data) is dict else None  # one that was read may have comments
        if not isinstance(stages, dict) or not stages:
            dump(data, stream)
            return
        for key, value in data.items():
            if key != "stages":
                stream.write(text_of({key: value}))
                continue
            texts = [text_of({key: {name: noted}}).partition("\n") for name, noted in stages.items()]
            stream.write("\n".join([texts[0][0], *(text.rstrip("\n") for _, _, text in texts), ""]))

    return written


def apart(value: Any) -> Any:
    """The same without anything in it twice: each part would name it by an anchor of its own, by the same name."""
    if isinstance(value, dict):
        return {key: apart(each) for key, each in value.items()}
    return [apart(each) for each in value] if isinstance(value, list) else value


def read_once(open_index: Callable[..., Any]) -> Callable[..., Any]:
    """The same list of what Git tracks, which is read again when its file has changed: DVC asks for it three times a stage."""
    known: dict[Path, tuple[Any, Any]] = {}

    def opened(repo: Any, *args: Any, **options: Any) -> Any:
        path = Path(repo.index_path())
        stat = path.stat() if path.exists() else None
        mark = stat and (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        if path not in known or known[path][0] != mark:
            known[path] = mark, open_index(repo, *args, **options)
        return known[path][1]

    return opened


def by_steps(get: Callable[..., Any]) -> Callable[..., Any]:
    """The same value of a key with dots, found step by step; a key that is a pattern is looked for everywhere."""

    def found(values: Any, key: str, separator: str = "/", **options: Any) -> Any:
        at = values
        for step in key.split(separator):
            if not isinstance(at, dict) or step not in at or set(step) & set("*?[]"):
                return get(values, key, separator=separator, **options)
            at = at[step]
        return at

    return found


def unless_made(remove: Done, run: Done) -> tuple[Done, Done]:
    """The same removal of what a stage made, and start of its command; neither where it has been worked ahead."""
    made = set[str]()

    def removed(stage: Any, *args: Any, **options: Any) -> None:
        if asking.is_made(name := str(getattr(stage, "name", ""))):
            made.add(name)
        else:
            remove(stage, *args, **options)

    def started(stage: Any, *args: Any, **options: Any) -> None:
        if getattr(stage, "name", "") not in made:
            run(stage, *args, **options)

    return removed, started


if __name__ == "__main__":
    sys.exit(main())
