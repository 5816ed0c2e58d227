"""All commands of the program with their options, defaults and examples, from the help of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from devtools.reference_pages.markdown import table
from haymaker.cli.app import app
from haymaker.cli.groups import GROUPS

_EXTRAS = re.compile(r"\s*\[([^\[\]]*)\]$")
_LIMIT = re.compile(r"^(.+)<=x<=(.+)$|^x>=(.+)$")
_PAGE = re.compile(r"docs/reference/([\w-]+)\.md")


def commands() -> Iterator[str]:
    """Yield the lines of the page: a section per group of commands, a subsection per command."""
    program: Any = get_command(app)
    with program.make_context("haymaker", [], resilient_parsing=True) as context:
        for group in GROUPS:
            yield from (f"## {group}", "")
            for name, command in program.commands.items():
                if command.rich_help_panel == group:
                    yield from _command(f"haymaker {name}", command, context)


def _command(path: str, command: Any, context: Any) -> Iterator[str]:
    """Yield the help of a command, or of a group and its commands."""
    text, _, example = (command.help or "").partition("Example: ")
    yield from (f"### {path}", "", _linked(text.strip()), "")
    records = [each.get_help_record(context) for each in command.params]
    yield from table(("argument or option", "default", "meaning"), map(_row, filter(None, records)))
    below = getattr(command, "commands", {})
    if not below:
        yield from ("```console", example.strip(), "```", "")
    for name, each in below.items():
        yield from _command(f"{path} {name}", each, context)


def _row(record: tuple[str, str]) -> tuple[str, str, str]:
    """Return the cells of an option; the help has its default and limits in brackets at the end."""
    flags, meaning = record
    found = _EXTRAS.search(meaning)
    extras = found[1].split("; ") if found else []
    defaults = [each.removeprefix("default: ") for each in extras if each == "required" or each.startswith("default: ")]
    limits = [_LIMIT.sub(_limit, each) for each in extras if each != "required" and not each.startswith("default: ")]
    words = [_linked(_EXTRAS.sub("", meaning)), *(f"{each[0].upper()}{each[1:]}." for each in limits)]
    return f"`{flags.replace(' range>', '>').replace('|', ' | ')}`", "".join(defaults), " ".join(filter(None, words))


def _limit(found: re.Match[str]) -> str:
    return f"{found[1]} to {found[2]}" if found[2] else f"at least {found[3]}"


def _linked(text: str) -> str:
    return _PAGE.sub(r"[\1](\1.md)", text)
