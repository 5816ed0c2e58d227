"""LongBench's question sets with compressed contexts (docs/spec/longbench.md 7): `of: qasper_compressed, rows_of: qasper`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from generators.compressed.task import Compressed
from generators.spec import TaskSpec
from haymaker.core.rows.row_checks import Check

_SKIPS = MappingProxyType({
    Check.ORACLE: "no exact solver: the answer stands in prose, if it survived",
    Check.CLEAN: "chunks are pieces of the whole row's context; that row is held to the rule",
    Check.NESTED: "one length alone, the chunks'",
})  # fmt: skip
SETS = (
    "narrativeqa", "qasper", "multifieldqa_en", "multifieldqa_zh", "hotpotqa", "wikimqa2", "musique", "dureader",
)  # fmt: skip


def compressed(specs: Sequence[TaskSpec], sets: Sequence[str] = SETS) -> tuple[TaskSpec, ...]:
    """Return the compressed variant of each of these sets."""
    return tuple(_of(spec) for spec in specs if spec.name in sets)


def _of(spec: TaskSpec) -> TaskSpec:
    title = f"{spec.title}; of the text only the chunks that a retriever put first ({{how}})"
    return replace(
        spec, name=f"{spec.name}_compressed", task=Compressed, title=title, version=9, defaults={}, skips=_SKIPS,
        ends="its chunks", variant="compressed", prompts=None, wording=spec.language or "en",
    )  # fmt: skip
