"""`extends: NAME` in a parameter file: take values over from params/NAME.yaml."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML

from haymaker.core.errors import ParamsError

EXTENDS = "extends"
"""Key that names the other file."""
_CHOSEN = ("suites", "tasks")
"""Blocks of which only the entries that the file itself names are built."""


def merged(parent: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a file on top of the values of the file that it extends.

    Mappings are merged key by key. Any other value replaces the value of the parent, and so do `lengths` and a source that
    gives its `kind`. `suites` and `tasks` contain only the entries that the file names. A setting that the file gives for a
    suite applies to all its tasks.
    """
    found = {**parent, "tasks": _without(parent["tasks"], own)} if "tasks" in parent else dict(parent)
    for key, value in own.items():
        above = found.get(key)
        if key in _CHOSEN and isinstance(value, Mapping):
            entries = above if isinstance(above, Mapping) else {}
            found[key] = {
                name: _value(entries.get(name, {}), {} if each is None else each) for name, each in value.items()
            }
        else:
            found[key] = value if key == "lengths" else _value(above, value)
    return found


def _without(tasks: Any, own: Mapping[str, Any]) -> Any:
    """Return the entries of a suite without the settings that `own` gives for the whole suite."""
    if not isinstance(tasks, Mapping):
        return tasks
    return {
        name: {key: value for key, value in entry.items() if key not in own} if isinstance(entry, Mapping) else entry
        for name, entry in tasks.items()
    }


def _value(parent: Any, own: Any) -> Any:
    both = isinstance(parent, Mapping) and isinstance(own, Mapping) and "kind" not in own
    return merged(parent, own) if both else own


def parent_name(values: Mapping[str, Any], *, where: str) -> str:
    """Return the name of the extended file.

    Raises:
        ParamsError: it is not a name, or the file has no release name of its own.
    """
    name, release = values[EXTENDS], values.get("release")
    if not isinstance(name, str) or not name or "/" in name or name.endswith(".yaml"):
        raise ParamsError(
            f"must be the name of a file in params/ without .yaml (given: {name!r:.80})",
            where=f"{where}: {EXTENDS}", fix="write it as extends: demo",
        )  # fmt: skip
    if not isinstance(release, Mapping) or not release.get("name"):
        raise ParamsError(
            f"a file that extends {name} needs a release name of its own",
            where=where, fix="add `release: {name: my-release}`",
        )  # fmt: skip
    return name


def as_yaml(values: Mapping[str, Any], comment: str) -> bytes:
    """Return values as the text of a parameter file, with a comment below the line that names the schema."""
    text = io.StringIO(f"# yaml-language-server: $schema=schema.json\n# {comment}\n")
    text.seek(0, io.SEEK_END)
    writer = YAML()
    writer.width = 120
    writer.dump(dict(values), text)
    return text.getvalue().encode()
