"""haymaker quality stories: simulated bAbI stories beside the real files, or the questions of any two sources of the parameters.

Figures are those of docs/spec/babilong.md 2.4, 2.5, 2.6, for real and simulated questions alike.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora import sources
from corpora.sources.base import Source
from haymaker.errors import ParamsError, SourceError
from haymaker.params import nearest
from haymaker.records import Split, StoryQuestion
from pipelines.project import MIRROR_VARIABLE, Project
from pipelines.quality.figures import DATA, Report, Row, spread, table
from pipelines.quality.texts import raw_files

TABLES = ("stories",)
_REAL = "babi_mirror"
_TASKS = tuple(f"qa{i}" for i in range(1, 21))


def report(project: Project, corpus: str | None, beside: str | None, words: int | None) -> Mapping[str, list[Report]]:
    """Source -> figures of each task and part; of none given, the first source, if it is simulated beside the mirror's files.

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
    return {source.name: measure(_questions(project, source)) for source in found}


def _questions(project: Project, source: Source) -> Iterator[StoryQuestion]:
    with raw_files(project, source, fetch=source.kind == _REAL) as raw:
        for task in getattr(source, "tasks", _TASKS):
            yield from source.stories(raw, task, "test")
            with contextlib.suppress(SourceError):  # not every task has training questions
                yield from source.stories(raw, task, "train")


def measure(questions: Iterable[StoryQuestion]) -> list[Report]:
    """Figures per task and part, in the order in which these first appear."""
    found: dict[tuple[str, Split], list[StoryQuestion]] = {}
    for question in questions:
        found.setdefault((question.task, question.part), []).append(question)
    return [_figures(asked, found.get((task, "train"), [])) for (task, _), asked in found.items()]


def _figures(asked: Sequence[StoryQuestion], train: Sequence[StoryQuestion]) -> Report:
    samples, held = [(each.facts, each.question) for each in asked], {(each.facts, each.question) for each in train}
    stories, labels = Counter(each.story for each in asked), Counter(each.answer for each in asked)
    found = sum(sample in held for sample in samples) if held and asked[0].part != "train" else None
    repeated = len(asked) - len(set(samples))
    return {
        "task": asked[0].task, "part": asked[0].part, "questions": len(asked), "stories": len(stories),
        "per_story": spread(stories.values()),
        "facts": spread(len(each.facts) for each in asked),
        "supports": spread(len(each.supporting) for each in asked),
        # facts between the first support listed and the question
        "after_support": spread(len(each.facts) - 1 - each.supporting[0] for each in asked),
        # place of the last support, above 0 and up to 1, the last fact
        "depth": spread((1 + max(each.supporting)) / len(each.facts) for each in asked),
        "commonest": max(labels.values()) / len(asked),
        "labels": {label: count / len(asked) for label, count in labels.most_common()},
        "repeated": repeated,  # equal to an earlier question, with its facts
        "repeated_share": repeated / len(asked),
        "in_train": found,
        "in_train_share": found if found is None else found / len(asked),
    }  # fmt: skip


def label_distance(one: Report, other: Report) -> Any:
    """The largest difference between the two shares of an answer, 0 to 1."""
    a, b = one["labels"], other["labels"]
    return max(abs(a.get(label, 0) - b.get(label, 0)) for label in a | b)


def tables(report: Mapping[str, list[Report]]) -> dict[str, list[Row]]:
    """Tasks that all sources have (test part): figures with a slash between the sources."""
    sides = [{each["task"]: each for each in figures if each["part"] == "test"} for figures in report.values()]
    tasks = [task for task in sides[0] if all(task in side for side in sides)]
    shown = [table("", {task: side[task] for task in tasks}, DATA["stories"])[1:] for side in sides]
    lines = [(label, [" / ".join(cells) for cells in zip(*(lines[i][1] for lines in shown), strict=True)])
             for i, label in enumerate(DATA["stories"])]  # fmt: skip
    if len(sides) == 2:
        apart = [f"{100 * label_distance(*(side[task] for side in sides)):.1f}" for task in tasks]
        lines.append(("answers apart, %", apart))
    head = (f"task ({' / '.join(report)})", [label for label, _ in lines])
    return {"stories": [head, *((task, [cells[i] for _, cells in lines]) for i, task in enumerate(tasks))]}


def draw(report: Mapping[str, list[Report]], folder: Path) -> list[Path]:
    """Nothing is drawn of stories."""
    return []
