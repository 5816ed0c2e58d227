"""Missing parameter blocks: where to copy them from, among the files in params/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from corpora import sources
from generators.inputs import Use
from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import nearest

_FIRST = "demo"
"""The file that is suggested first: it has a block of every kind, and comments."""


def next_step(root: Path, use: Use, roles: tuple[str, ...], known: Iterable[str]) -> str:
    """Return the next step for a block that is missing: the block of a file to copy, or the nearest known name.

    Args:
        root: folder of the project.
        use: the missing block.
        roles: accepted roles of a source.
        known: names of the blocks that are there.
    """
    blocks = list(_blocks(root, use.kind))
    same = (f"copy `{use.kind}.{use.name}` from {file}" for file, known in blocks if use.name in known)
    alike = (
        f"add `{use.kind}.{use.name}`; for an example see `{use.kind}.{name}` in {file}"
        for file, known in blocks
        for name, values in known.items()
        if not roles or _has_role(values, roles)
    )
    near = nearest(use.name, known)
    return next(same, "") or (near if near.startswith("did you mean") else next(alike, near))


def _blocks(root: Path, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the blocks of a kind in each file, the demo first."""
    for path in sorted((root / "params").glob("*.yaml"), key=lambda path: (path.stem != _FIRST, path.stem)):
        with suppress(ParamsError):
            known = read_yaml(path).get(kind)
            yield f"params/{path.name}", known if isinstance(known, Mapping) else {}


def _has_role(values: Any, roles: tuple[str, ...]) -> bool:
    kind = values.get("kind") if isinstance(values, Mapping) else None
    return kind in sources.kinds() and bool(set(roles) & set(sources.info(kind).roles))
