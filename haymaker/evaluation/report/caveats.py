"""Sentences about what limits the figures of a page: missing outputs, stand-in judges, few questions, simulated tasks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from haymaker.evaluation.report.model_scores import Model, Options
from haymaker.evaluation.report.overview import Overview
from haymaker.evaluation.score.row_scores import NO_OUTPUT
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
        rows = f"{_rows(model.missing)} of these tasks and lengths {_have(model.missing)} no output"
        yield f"{rows} and {_counts(model.missing) if policy == 'zero' else f'{_be(model.missing)} not counted'}."
    if (strays := len(model.outputs.keys() - {row.id for row in model.given.rows})) and selection == Selection():
        yield f"{strays:,} output{'' if strays == 1 else 's'} without a test row in this release {_be(strays)} not counted."


def _unscored(model: Model) -> Iterator[str]:
    reasons = Counter(row.why for row in model.first if row.score is None and row.why != NO_OUTPUT)
    for reason, count in sorted(reasons.items()):
        yield f"{_rows(count)} {_have(count)} an output but no score and {_be(count)} not counted: {reason}."


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
    suites = manifest.get("suites", {}).items()
    simulated = {(suite, task["name"]) for suite, of in suites for task in of["tasks"] if task.get("simulated")}
    if both := len(scored & simulated):
        yield f"{both:,} of {len(scored):,} tasks use simulated data: do not compare them with published results."


def _rows(count: int) -> str:
    return f"{count:,} test row{'' if count == 1 else 's'}"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _be(count: int) -> str:
    return "is" if count == 1 else "are"


def _counts(count: int) -> str:
    return "counts as 0" if count == 1 else "count as 0"
