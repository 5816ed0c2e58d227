"""Sentences about what limits the figures of a page: missing outputs, stand-in judges, few questions, simulated tasks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from haymaker.evaluation.report.model_scores import Model, Options
from haymaker.evaluation.report.overview import Overview
from haymaker.evaluation.score.row_scores import NO_OUTPUT
from haymaker.releases.display.simulated_tasks import simulated_tasks
from haymaker.releases.selection import Selection
from haymaker.scoring.judges.entailment import STAND_IN_SAYS

_FEW = 10  # tasks with fewer questions are named uncertain


def caveats(
    manifest: Mapping[str, Any], models: Sequence[Model], views: Sequence[Overview], options: Options
) -> list[str]:
    """Return one sentence per caveat; sentences that are not about all models begin with the names of their models.

    Args:
        manifest: manifest of the release, or empty.
        models: models of the page.
        views: their first screens.
        options: policy for rows without an output, and selection.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for model, view in zip(models, views, strict=True):
        for sentence in (
            *_missing(model, options.missing, options.selection),
            *_unscored(model),
            *_few(view),
            *_stand_ins(model),
        ):
            found[sentence].append(model.name)
    lines = [text if len(names) == len(models) else f"{', '.join(names)}: {text}" for text, names in found.items()]
    return [*lines, *_different_rows(models), *_simulated(manifest, views)]


def _missing(model: Model, policy: str, selection: Selection) -> Iterator[str]:
    if model.missing:
        rows = _count(
            model.missing, "test row of these tasks and lengths has", "test rows of these tasks and lengths have"
        )
        yield f"{rows} no output ({'score 0' if policy == 'zero' else 'not counted'})."
    strays = len(model.outputs.keys() - {row.id for row in model.given.rows})
    if strays and selection == Selection():
        yield f"{_count(strays, 'output has', 'outputs have')} no test row in this release (not counted)."


def _unscored(model: Model) -> Iterator[str]:
    reasons = Counter(row.why for row in model.first if row.score is None and row.why != NO_OUTPUT)
    for reason, count in sorted(reasons.items()):
        yield f"{_count(count, 'test row has', 'test rows have')} an output but no score (not counted): {reason}."


def _few(view: Overview) -> Iterator[str]:
    if view.summary is None:
        yield "No row has a score."
        return
    tasks = view.summary.tasks.values()
    if few := sum(task.questions < _FEW for task in tasks):
        yield f"{few:,} of {len(tasks):,} tasks have fewer than {_FEW} questions: scores of single tasks and cells are uncertain."


def _stand_ins(model: Model) -> Iterator[str]:
    judges = {row.judge for row in model.given.rows if row.judge.endswith(f"({STAND_IN_SAYS})")}
    for judge in sorted(judges):
        yield (
            f"Citations were judged by {judge}, which compares words, names and numbers and cannot recognise a negation; "
            "--entailment uses a model instead."
        )


def _different_rows(models: Sequence[Model]) -> Iterator[str]:
    if len({frozenset(row.id for row in model.first if row.score is not None) for model in models}) > 1:
        yield "The models have scores for different rows, so their overall scores are not directly comparable."


def _simulated(manifest: Mapping[str, Any], views: Sequence[Overview]) -> Iterator[str]:
    scored = {task for view in views if view.summary for task in view.summary.tasks}
    if both := len(scored & simulated_tasks(manifest)):
        yield f"{both:,} of {len(scored):,} tasks use simulated data: do not compare them with published results."


def _count(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"
