"""Marathon's passage retrieval: which of four paragraphs a summary was written from (docs/spec/marathon.md)."""

from __future__ import annotations

from generators.spec import TaskSpec

TASKS: tuple[TaskSpec, ...] = ()
