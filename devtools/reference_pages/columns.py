"""The columns of a row, from haymaker/core/rows/schema.py."""

from __future__ import annotations

from collections.abc import Iterator

from devtools.reference_pages.markdown import described, table
from haymaker.core.rows import schema
from pipelines.publishing.card.columns import columns as all_columns


def columns() -> Iterator[str]:
    """Yield the lines of the page."""
    lean, found = schema.LEAN_COLUMNS, all_columns()
    groups = {
        f"Columns that `load_dataset` reads ({len(lean)})": [each for each in found if each.name in lean],
        f"Other columns ({len(found) - len(lean)})": [each for each in found if each.name not in lean],
    }
    for title, members in groups.items():
        yield from (f"## {title}", "")
        yield from table(
            ("column", "type", "meaning"),
            ((f"`{each.name}`", each.kind + (" or null" if each.optional else ""), each.meaning) for each in members),
        )
    for name, of in (("spans", schema.Span), ("output_constraints", schema.Demand)):
        text, sections = described(of)
        yield from (f"## Fields of {name}", "", text, "")
        yield from table(("field", "meaning"), ((f"`{field}`", meaning) for field, meaning in sections["Attributes"]))
