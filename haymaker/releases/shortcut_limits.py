"""Shortcut baselines in a manifest: their names and limits, and each task's worst score over all lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SHORTCUTS = "shortcuts"
"""Key of a suite in manifest.json: task -> length -> figures of each shortcut baseline."""
FLOORS = "floors"
"""Key of the figures of a length: name -> mean percent of cheap outputs that the task declares (TaskSpec.floors)."""
RANDOM = "random"
"""Name of the floor that `haymaker score` compares scores with: one of the possible answers at random."""
OF_EVIDENCE = ("gold_rank", "single_hop", "odd_length")
OF_SOME = ("option_overlap", "bm25_order", "random_order", *OF_EVIDENCE)
"""Baselines that exist only for tasks with options, orders or passages."""
MEASURES = (
    "closed_book", "majority", "by_opening", "question_alone", "last_mentioned", "first_mentioned", "first_1k", "last_1k",
    "first_half", "digit_finder", "odd_out", "after_markers", "bm25_top1", "option_overlap", "bm25_order", "random_order", *OF_EVIDENCE,
)  # fmt: skip
"""All baselines, in display order."""
KINDS = (("score", "limit"), ("found", "found_limit"))
"""Each kind of figure, and the key of its limit."""
ENOUGH = 10
"""Minimum questions of a length that represents a task; otherwise the length with the most questions is used."""
FEWEST = 5
"""Below this number of questions no figure is flagged: with two, a constant answer is too often right for both."""
OPEN = 10
"""Limit in percent if any text can be the answer."""
OVERLAP = 25
"""Limit in percent under metrics that reward shared words, which any text on the topic has."""
SEARCH: Mapping[str, int] = {
    "bm25_top1": 40,
    "option_overlap": 40,
    "bm25_order": 80,
    "random_order": 50,
    "gold_rank": 60,
    "single_hop": 40,
}
"""Minimum limits in percent for search baselines and search-based measures (search is a way of reading)."""
FOUND: Mapping[str, int] = {
    "closed_book": 20,
    "first_1k": 25,
    "last_1k": 25,
    "first_half": 25,
    "odd_out": 25,
    "after_markers": 25,
    "bm25_top1": 60,
}
"""Limits for the share of rows whose read part contains an answer: percent above the share of context read."""
LIMITS = {
    "open": OPEN,
    "overlap": OVERLAP,
    "search": SEARCH,
    "found": FOUND,
    "enough": ENOUGH,
    "fewest": FEWEST,
}
"""All limits, as printed in BASELINES.md."""


@dataclass(frozen=True, slots=True)
class WorstFigure:
    """Figure of a shortcut on a task that is closest to or furthest above its limit.

    Attributes:
        shortcut: name of the shortcut.
        length: measured length.
        kind: score or found.
        figure, limit: values in percent.
        above: number of lengths with a figure above the limit.
        few: no length has enough questions for the limit to apply.
        rank: rank of the last gold passage, and the number of passages; empty if not measured.
    """

    shortcut: str
    length: str
    kind: str
    figure: float
    limit: float
    above: int
    few: bool
    rank: str = ""


def worst_figures(by_length: Mapping[str, Any]) -> dict[str, WorstFigure]:
    """Return shortcut -> worst figure, if measured; lengths with few questions count only if there are no others."""
    found: dict[str, WorstFigure] = {}
    for name in MEASURES:
        there = {
            length: each for length, each in by_length.items() if any(limit in each.get(name, {}) for _, limit in KINDS)
        }
        least = min(ENOUGH, most_questions(there, name))
        enough = {length: each for length, each in there.items() if _asked(each, name) >= least}
        figures = [
            (each[name][kind] - each[name][limit], -place, length, kind, each[name][kind], each[name][limit])
            for length, each in enough.items()
            for place, (kind, limit) in enumerate(KINDS)
            if limit in each[name]
        ]
        if figures:
            _, _, length, kind, figure, most = max(figures, key=lambda each: each[:2])
            above = sum(1 for each in enough.values() if each[name].get("above"))
            found[name] = WorstFigure(
                name, length, kind, figure, most, above, least < FEWEST, _rank(enough[length][name])
            )
    return found


def _rank(figures: Mapping[str, Any]) -> str:
    return f"{figures['rank']} of {figures['of']}" if "rank" in figures else ""


def most_questions(by_length: Mapping[str, Any], *names: str) -> int:
    """Return the number of distinct questions (for named or all shortcuts) at the length that has most."""
    return max((_asked(each, name) for each in by_length.values() for name in names or MEASURES), default=0)


def _asked(figures: Mapping[str, Any], name: str) -> int:
    return int(figures.get(name, {}).get("questions", figures["questions"]))


def over_limit(measured: Mapping[str, Any]) -> Iterator[tuple[str, str, WorstFigure]]:
    """Yield (suite, task, worst figure) of each shortcut above its limit at any length.

    Args:
        measured: suite -> task -> length -> figures.
    """
    for suite, tasks in measured.items():
        for task, by_length in tasks.items():
            for found in worst_figures(by_length).values():
                if found.above:
                    yield suite, task, found


def lines(measured: Mapping[str, Any]) -> list[str]:
    """Return the final lines of `validate`: one per task and shortcut above its limit, or one if there are none."""
    said = [
        f"{suite}/{task}: {each.shortcut} {_kind(each)}{each.figure:.0f} %, limit {each.limit:.0f} % at {each.length}"
        + (f" (lengths above: {each.above})" if each.above > 1 else "")
        for suite, task, each in over_limit(measured)
    ]
    tasks = len({(suite, task) for suite, task, _ in over_limit(measured)})
    return (
        [*said, f"shortcuts above their limits: {len(said)}, of {tasks} tasks"]
        if said
        else ["no shortcut above its limit"]
    )


def _kind(each: WorstFigure) -> str:
    return "reads the answer in " if each.kind == "found" else ""


def table(measured: Mapping[str, Any]) -> list[str]:
    """Return a Markdown table: one row per task, with figure and limit of each shortcut at its worst length."""
    head = ["task", *MEASURES]
    rows = [
        [f"{suite}/{task}", *(cell(found.get(name)) for name in MEASURES)]
        for suite, tasks in measured.items()
        for task, found in ((task, worst_figures(by_length)) for task, by_length in tasks.items())
    ]
    return [f"| {' | '.join(line)} |" for line in (head, ["---", *["---:"] * len(MEASURES)], *rows)]


def cell(found: WorstFigure | None) -> str:
    """Return a table cell: figure, limit (or "few" questions), rank and mark; in brackets for kind "found"."""
    if found is None:
        return "-"
    figures = f"{found.figure:.0f} / {'few' if found.few else f'{found.limit:.0f}'}"
    shown = f"({figures})" if found.kind == "found" else figures
    return shown + (f", {found.rank}" if found.rank else "") + (" ⚠" if found.above else "")
