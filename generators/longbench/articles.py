"""LongBench's tasks over whole articles: questions that need several of them (docs/spec/longbench.md)."""

from __future__ import annotations

from generators.spec import TaskSpec

TASKS: tuple[TaskSpec, ...] = ()
