"""All kinds of real source, from their classes."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.sources import create, info, kinds
from devtools.reference_pages.markdown import table

_SETS = {"questions": "question_sets", "labelled": "label_sets", "document_questions": "document_sets"}
"""Role with sets -> method that names them."""


def sources() -> Iterator[str]:
    """Yield the lines of the page: a table of public sources, one of mirror samples, and one of kinds for your own files."""
    real = [kind for kind in kinds() if info(kind).edition == "real"]
    mirror = [kind for kind in real if kind.endswith("_mirror")]
    own = [kind for kind in real if not info(kind).download_bytes]
    public = [kind for kind in real if kind not in mirror + own]
    for title, found in (("Public sources", public), ("Mirror samples", mirror), ("Your own files", own)):
        yield from (f"## {title} ({len(found)})", "")
        yield from table(("kind", "title", "roles and sets", "size", "licence"), map(_row, found))


def _row(kind: str) -> tuple[str, ...]:
    it = info(kind)
    title = f"[{it.title}]({it.homepage})" if it.homepage else it.title
    return f"`{kind}`", title, "<br>".join(_roles(kind)), _size(it.download_bytes), it.licence


def _roles(kind: str) -> Iterator[str]:
    """Yield the roles of a kind, each with the names of its sets; no files are read."""
    options = {"path": "x"} if kind.endswith("_jsonl") else {}
    for role in info(kind).roles:
        if role in _SETS:
            source = create(kind, kind, options, where=kind)
            yield f"{role}: {', '.join(getattr(source, _SETS[role])())}"
        else:
            yield role


def _size(size: int) -> str:
    """Format a size: '37.3 GB', '114 MB', '0.4 MB'."""
    number, unit = (size / 1e9, "GB") if size >= 1e9 else (size / 1e6, "MB")
    return f"{number:.{0 if number >= 100 else 1}f} {unit}" if size else ""
