"""LongBench's tasks over many worked examples (docs/spec/longbench.md)."""

from __future__ import annotations

from generators.spec import TaskSpec

TASKS: tuple[TaskSpec, ...] = ()
