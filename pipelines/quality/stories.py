"""Simulated bAbI stories beside the real files, or the questions of any two sources of the parameters."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from pathlib import Path

from corpora import sources
from corpora.sources.base import Source
from haymaker.errors import ParamsError, SourceError
from haymaker.params import nearest
from pipelines.project import MIRROR_VARIABLE, Project
from pipelines.quality.figures.comparison import Row
from pipelines.quality.figures.stories import StoryFigures, label_distance, measure
from pipelines.quality.texts import is_current

_REAL = "babi_mirror"
_TASKS = tuple(f"qa{i}" for i in range(1, 21))


def figures(project: Project, corpus: str | None, beside: str | None) -> dict[str, list[StoryFigures]]:
    """Source -> figures of each task and part that it has.

    Args:
        project: whose parameters name sources.
        corpus: a source that gives questions; None takes the first simulated one.
        beside: likewise; None takes the mirror's bAbI files when HAYMAKER_MIRROR is set.

    Raises:
        ParamsError: no such source of questions.
        SourceError: its raw files are not here.
    """
    known = [name for name, kind in project.params.sources.items() if "stories" in sources.info(kind.kind).roles]
    names = [corpus or next(iter(known), "")] + ([beside] if beside else [])
    for name in names:
        if name not in known:
            raise ParamsError(f"no source of questions {name!r}", where=project.file, fix=nearest(name, known))
    found = [project.inputs.source(name) for name in names]
    if len(found) == 1 and found[0].info.edition == "world" and os.environ.get(MIRROR_VARIABLE):
        found.append(sources.create(_REAL, _REAL, {}, where=_REAL))
    return {source.name: _measured(project, source) for source in found}


def _measured(project: Project, source: Source) -> list[StoryFigures]:
    raw = project.data / "raw" / source.name
    if is_current(source, raw):
        return _figures(source, raw)
    if source.info.edition != "world" and source.kind != _REAL:
        raise SourceError("raw files are not here", where=source.name, fix=f"haymaker stage download {source.name}")
    with tempfile.TemporaryDirectory() as folder:
        context = dataclasses.replace(project.fetch_context(), cache=Path(folder, "cache"))
        source.fetch(Path(folder, "raw"), context)
        return _figures(source, Path(folder, "raw"))


def _figures(source: Source, raw: Path) -> list[StoryFigures]:
    questions = []
    for task in getattr(source, "tasks", _TASKS):
        questions += source.stories(raw, task, "test")
        with contextlib.suppress(SourceError):  # not every task has training questions
            questions += source.stories(raw, task, "train")
    return measure(questions)


def table(found: dict[str, list[StoryFigures]]) -> list[Row]:
    """Tasks that all sources have (test part): figures with a slash between the sources."""
    sides = [{each.task: each for each in figures if each.part == "test"} for figures in found.values()]
    shared = [task for task in sides[0] if all(task in side for side in sides)]
    heads = [
        "facts",
        "supports",
        "facts after the first support",
        "depth of the last",
        "commonest answer, %",
        "repeated, %",
        "in train, %",
    ]
    if len(sides) == 2:
        heads.append("answers apart, %")
    rows: list[Row] = [(f"task ({' / '.join(found)})", heads)]
    for task in shared:
        here = [side[task] for side in sides]
        columns = [_row(each) for each in here]
        cells = [" / ".join(values) for values in zip(*columns, strict=True)]
        rows.append((task, cells + ([f"{100 * label_distance(*here):.1f}"] if len(here) == 2 else [])))
    return rows


def _row(each: StoryFigures) -> list[str]:
    return [
        f"{each.facts.mean:.1f}",
        f"{each.supports.mean:.1f}",
        f"{each.after_support.mean:.1f}",
        f"{each.depth.mean:.2f}",
        f"{100 * max(each.labels.values()):.0f}",
        f"{100 * each.repeated / each.questions:.1f}",
        "-" if each.in_train is None else f"{100 * each.in_train / each.questions:.1f}",
    ]
