"""All commands of the program with their options, defaults and examples, from the help of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from devtools.reference_pages.markdown import table
from haymaker.cli.app import app

_EXTRAS = re.compile(r"\s*\[([^\[\]]*)\]$")
_PAGE = re.compile(r"docs/reference/([\w-]+)\.md")


def commands() -> Iterator[str]:
    """Yield the lines of the page: a section per group of commands, a subsection per command."""
    program, group = get_command(app), None
    with program.make_context("haymaker", [], resilient_parsing=True) as context:
        for path, command in _below("haymaker", program):
            if path.count(" ") == 1 and (title := _group(command)) != group:
                group = title
                yield from (f"## {title}", "")
            yield from _command(path, command, context)


def _below(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield the commands below a command with their words, groups of the help together."""
    named = getattr(command, "commands", {})
    order = [*dict.fromkeys(map(_group, named.values()))]
    for name, each in sorted(named.items(), key=lambda item: order.index(_group(item[1]))):
        yield f"{path} {name}", each
        yield from _below(f"{path} {name}", each)


def _group(command: Any) -> str:
    panel = getattr(command, "rich_help_panel", None)
    return panel if isinstance(panel, str) else "Commands"


def _command(path: str, command: Any, context: Any) -> Iterator[str]:
    """Yield the help of a command; a group of commands has only its first line."""
    text, _, example = (command.help or "").partition("Example: ")
    yield from (f"### {path}", "", _linked(text.strip()), "")
    if hasattr(command, "commands"):
        return
    records = [each.get_help_record(context) for each in command.params if not getattr(each, "hidden", False)]
    yield from table(("argument or option", "default", "meaning"), map(_row, filter(None, records)))
    if example:
        yield from ("```console", example.strip(), "```", "")


def _row(record: tuple[str, str]) -> tuple[str, str, str]:
    """Return the cells of an option: the help puts its default and limits in brackets at the end."""
    flags, meaning = record
    found = _EXTRAS.search(meaning)
    extras = found[1].split("; ") if found else []
    default = [each.removeprefix("default: ") for each in extras if each.startswith("default: ")]
    rest = [each for each in extras if not each.startswith("default: ") and each != "required"]
    meaning = _linked(_EXTRAS.sub("", meaning)) + (f" ({', '.join(rest)})" if rest else "")
    return f"`{flags.replace(' range>', '>')}`", "required" if "required" in extras else "".join(default), meaning.strip()


def _linked(text: str) -> str:
    return _PAGE.sub(r"[\1](\1.md)", text)
