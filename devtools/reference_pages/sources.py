"""All kinds of real source, from their classes."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.sources import create, info, kinds
from devtools.reference_pages.markdown import table
from haymaker.core.progress import compact

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
    size = f"{compact(it.download_bytes)}B" if it.download_bytes else ""
    return f"`{kind}`", title, "<br>".join(_roles(kind)), size, it.licence


def _roles(kind: str) -> Iterator[str]:
    """Yield the roles of a kind, each with the names of its sets; no files are read."""
    options = {"path": "x"} if kind.endswith("_jsonl") else {}
    for role in info(kind).roles:
        if role in _SETS:
            source = create(kind, kind, options, where=kind)
            yield f"{role}: {', '.join(getattr(source, _SETS[role])())}"
        else:
            yield role
