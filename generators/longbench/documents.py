"""LongBench's tasks over one long document: questions and summaries (docs/spec/longbench.md)."""

from __future__ import annotations

from generators.spec import TaskSpec

TASKS: tuple[TaskSpec, ...] = ()
