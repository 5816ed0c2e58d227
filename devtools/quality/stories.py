"""haymaker dev quality stories: compare simulated bAbI stories with the real files.

The figures are defined in docs/spec/babilong.md 2.4, 2.5, 2.6, for real and simulated questions.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from corpora import sources
from corpora.sources.base import Source
from devtools.quality.figures import DATA, Report, Row, cell, spread
from devtools.quality.texts import raw_files, with_twin
from haymaker.core.errors import ParamsError, SourceError
from haymaker.core.rows.source_records import Split, StoryQuestion
from pipelines.project import Project

_TASKS = tuple(f"qa{i}" for i in range(1, 21))


def report(project: Project) -> Mapping[str, list[Report]]:
    """Return source -> figures per task and split, for the first source of stories; if simulated, also for the mirror's.

    Raises:
        ParamsError: there is no source of stories.
        SourceError: the raw files are not available.
    """
    known = [name for name, kind in project.params.sources.items() if "stories" in sources.info(kind.kind).roles]
    if not known:
        raise ParamsError("declares no source of stories", where=project.file, fix="add one under `sources`")
    found = with_twin(project.inputs.source(known[0]), "real files", "babi_mirror")
    return {source.name: measure(_questions(project, source)) for source in found}


def _questions(project: Project, source: Source) -> Iterator[StoryQuestion]:
    with raw_files(project, source) as raw:
        for task in getattr(source, "tasks", _TASKS):
            yield from source.stories(raw, task, "test")
            with contextlib.suppress(SourceError):  # not every task has training questions
                yield from source.stories(raw, task, "train")


def measure(questions: Iterable[StoryQuestion]) -> list[Report]:
    """Return figures per task and split, in order of first appearance."""
    found: dict[tuple[str, Split], list[StoryQuestion]] = {}
    for question in questions:
        found.setdefault((question.task, question.split), []).append(question)
    return [_figures(asked, found.get((task, "train"), [])) for (task, _), asked in found.items()]


def _figures(asked: Sequence[StoryQuestion], train: Sequence[StoryQuestion]) -> Report:
    samples, held = [(each.facts, each.question) for each in asked], {(each.facts, each.question) for each in train}
    count, labels = len(asked), Counter(each.answer for each in asked)
    apart = held and asked[0].split != "train"
    return {
        "task": asked[0].task,
        "split": asked[0].split,
        "questions": count,
        "per_story": spread(Counter(each.story for each in asked).values()),
        "facts": spread(len(each.facts) for each in asked),
        "supports": spread(len(each.supporting) for each in asked),
        # number of facts between the first listed support and the question
        "after_support": spread(len(each.facts) - 1 - each.supporting[0] for each in asked),
        # position of the last support, from above 0 to 1 (last fact)
        "depth": spread((1 + max(each.supporting)) / len(each.facts) for each in asked),
        "labels": {label: found / count for label, found in labels.most_common()},
        "repeated": 1 - len(set(samples)) / count,  # share of questions with the same facts as an earlier one
        "in_train": sum(sample in held for sample in samples) / count if apart else None,
    }


def label_distance(one: Report, other: Report) -> Any:
    """Return the largest difference between the shares of an answer in both reports, 0 to 1."""
    a, b = one["labels"], other["labels"]
    return max(abs(a.get(label, 0) - b.get(label, 0)) for label in a | b)


def tables(report: Mapping[str, list[Report]]) -> dict[str, list[Row]]:
    """Return the table of tasks common to all sources (test split), with figures of the sources separated by slashes."""
    sides = [{each["task"]: each for each in figures if each["split"] == "test"} for figures in report.values()]
    lines, has_two = DATA["stories"], len(sides) == 2
    rows = [(f"task ({' / '.join(report)})", [*lines, *(["answers apart, %"] if has_two else [])])]
    for task in sides[0]:
        found = [side[task] for side in sides if task in side]
        if len(found) == len(sides):
            cells = [" / ".join(cell(figures, *line) for figures in found) for line in lines.values()]
            rows.append((task, [*cells, f"{100 * label_distance(*found):.1f}"] if has_two else cells))
    return {"stories": rows}
