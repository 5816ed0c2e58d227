"""LongGenBench: outputs of thousands of tokens, entry by entry, with required events in some of them (docs/suites/longgenbench.md)."""

from __future__ import annotations

from types import MappingProxyType

from generators.longgenbench import oracle, perfect
from generators.longgenbench.prompts import STOP
from generators.longgenbench.task import LongOutput
from generators.spec import TaskSpec
from generators.suite import Suite
from haymaker.core.rows.row_checks import Check

_METRICS = (
    *(f"longgen_{name}@strict" for name in ("whole", "f1", "stic", "cr", "precision", "words")),
    "longgen_stic@official",
    "longgen_cr@official",
)
_SKIPS = MappingProxyType({
    Check.FILL: "no background: the length is that of the output",
    Check.NESTED: "no background: a longer row asks for the same at the same relative places",
    Check.CLEAN: "no passages: the checks of the task say that each event stands in its one line",
})  # fmt: skip


def _spec(name: str, wording: str, min_words: int, title: str) -> TaskSpec:
    return TaskSpec(
        name, LongOutput, f"{title}, at least {min_words} words each", "long_output", _METRICS, 16_384,
        ends="none: entries never end", wording=wording, stop=(STOP,), defaults=MappingProxyType({"min_words": min_words}), skips=_SKIPS, version=4,
        solver=oracle.solve, right_output=perfect.output,
    )  # fmt: skip


SUITE = Suite(
    "longgenbench",
    "LongGenBench: long outputs with events that must stand where they belong",
    "docs/defects/longgenbench.md",
    (
        _spec("diary_week", "diary_week", 200, "A diary, week by week"),
        _spec("diary_day", "diary_day", 100, "A diary, day by day"),
        _spec("menu_week", "menu_week", 200, "Menus, week by week"),
        _spec("menu_day", "menu_day", 100, "Menus, day by day"),
        _spec("skyscraper", "skyscraper", 150, "A skyscraper, floor by floor"),
        _spec("skyscraper_large", "skyscraper", 100, "A skyscraper of more floors"),
        _spec("city", "city", 150, "A city, block by block"),
        _spec("city_large", "city", 100, "A city of more blocks"),
    ),
)
