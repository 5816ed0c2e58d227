"""Marathon's tasks over documents: four options, one of them right (docs/spec/marathon.md)."""

from __future__ import annotations

from generators.spec import TaskSpec

TASKS: tuple[TaskSpec, ...] = ()
