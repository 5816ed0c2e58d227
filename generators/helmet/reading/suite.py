"""To be written."""

from __future__ import annotations

from generators.passages.suite import PassageTasks


class ReadingTasks(PassageTasks):
    """To be written."""

    name, version, title, defects = "helmet", 1, "HELMET", "docs/defects/helmet.md"
    kinds = {}  # noqa: RUF012
