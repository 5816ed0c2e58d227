"""LongBench's tasks over numbered passages: counting and finding them (docs/spec/longbench.md)."""

from __future__ import annotations

from generators.spec import TaskSpec

TASKS: tuple[TaskSpec, ...] = ()
