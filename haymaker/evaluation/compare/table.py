"""Print the tables of `haymaker compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from haymaker.core.progress import out
from haymaker.evaluation.compare.pooled_test import ALL
from haymaker.evaluation.score.table import print_grid
from haymaker.scoring.metrics import with_judge

LEVEL = 0.05
_FIGURES = ("first", "second", "difference", "95 %", "p corrected")


def _figures(test: Mapping[str, Any]) -> list[str]:
    """Return the cells for the columns of _FIGURES."""
    bounds = "-" if test["low"] is None else f"[{100 * test['low']:+.1f}, {100 * test['high']:+.1f}]"
    p = test["p_corrected"]
    means = [f"{100 * test[key]:.1f}" for key in ("first_mean", "second_mean")]
    chance = "-" if p is None else f"{p:.3f}{'*' if p < LEVEL else ''}"
    return [*means, f"{100 * test['difference']:+.1f}", bounds, chance]


def print_pooled(lines: Sequence[Mapping[str, Any]], several: bool) -> None:
    """Print the pooled lines, except lines over a single test: it has its own line in the other table."""
    shown = [
        ([*([line["second"]] if several else []), line["suite"] or "all"],
         [*_figures(line), str(line["tests"]), str(line["groups"])])
        for line in lines if line["tests"] > 1
    ]  # fmt: skip
    if shown:
        print_grid([*(["second"] if several else []), "suite"], [*_FIGURES, "tests", "questions"], shown)
        out.print()


def print_tests(tests: Sequence[Mapping[str, Any]], several: bool) -> None:
    """Print one line per task and length, and the number of significant differences."""
    lines = [
        ([*([test["second"]] if several else []), test["task"], with_judge(test["metric"], test["judge"]), test["length"]],
         [*_figures(test), f"{test['second_better_rows']}/{test['first_better_rows']}", str(test["groups"])])
        for test in tests
    ]  # fmt: skip
    heads = [*(["second"] if several else []), "task", "metric", "length"]
    print_grid(heads, [*_FIGURES, "better/worse", "questions"], lines)
    values = [test["p_corrected"] for test in tests if test["p_corrected"] is not None]
    out.print(
        f"* {sum(p < LEVEL for p in values)} of {len(values)} tests below {LEVEL}, corrected for their number (Benjamini-Hochberg)",
        markup=False,
    )


def print_verdicts(pooled: Sequence[Mapping[str, Any]]) -> None:
    """Print one sentence per further model: whether its overall score differs from the baseline."""
    for line in pooled:
        if line["suite"] == ALL:
            out.print(_verdict(line), markup=False)


def _verdict(line: Mapping[str, Any]) -> str:
    first, second, difference, bounds, _ = _figures(line)
    p = line["p_corrected"]
    if p is None or p >= LEVEL:
        start = f"No difference shown between {line['second']} and {line['first']}"
    else:
        start = f"{line['second']} is {'better' if line['difference'] > 0 else 'worse'} than {line['first']}"
    chance = (
        ", too few questions for a test" if p is None else f" {bounds}, p {f'{p:.3f}' if p >= 0.001 else '< 0.001'}"
    )
    return f"{start}: overall {second} against {first}, difference {difference}{chance}."
