"""Groups of commands in the help of the program, and hints for renamed commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.core import TyperGroup

from haymaker.core.errors import ParamsError
from haymaker.core.renamed import new_name

BUILD, USE, PUBLISH, DEVELOP = "Build a release", "Use a release", "Publish a release", "Develop Haymaker"
GROUPS = (BUILD, USE, PUBLISH, DEVELOP)
"""Groups in the order of the help."""


class CommandGroups(TyperGroup):
    """Program with grouped commands; the group of a command is its `rich_help_panel`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section of the help per group of commands."""
        widest = max(map(len, self.commands))
        for title in GROUPS:
            found = [(name, cmd) for name, cmd in self.commands.items() if getattr(cmd, "rich_help_panel", "") == title]
            if found:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(widest), cmd.get_short_help_str(200)) for name, cmd in found])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of these words.

        Raises:
            ParamsError: the command was renamed.
        """
        if args[0] not in self.commands and (new := new_name(args[0], [*self._paths()])):
            raise ParamsError(f"no command {args[0]!r:.80}", fix=f"haymaker {new} (it was renamed)")
        return super().resolve_command(ctx, args)

    def _paths(self) -> Iterator[str]:
        """Yield the commands of groups, such as `dev bench`."""
        for name, command in self.commands.items():
            yield from (f"{name} {each}" for each in getattr(command, "commands", ()))
