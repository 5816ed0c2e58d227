"""Rows for the cheat: the same simulated stories woven into each collection, by the pipeline's own stages, in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from corpora.stores.sentences.split import splitter
from haymaker.files import write_text
from pipelines import stages
from pipelines.parquet import read_row_groups
from pipelines.project import Project
from pipelines.quality.figures import cheat
from pipelines.quality.figures.comparison import Row
from pipelines.quality.figures.prose import Book
from pipelines.quality.figures.trigrams import Trigrams
from pipelines.quality.texts import Texts
from worlds.babi import TASKS

BUCKETS = ("4k", "16k")
_QUESTIONS = 200
_COLUMNS = ["task", "bucket", "prompt", "context_start", "context_end", "spans"]
_STAGES = (
    ("download", "stories"),
    ("download", "texts"),
    ("tokenizers", None),
    ("background", "books"),
    ("generate", "babilong"),
)


def attack(texts: Texts, books: list[Book], rows: int, folder: Path) -> dict[str, Any]:
    """Build rows from every second book, learn from the others, and let each cheat rank the sentences.

    Args:
        texts: the collection (its cleaning rules are used).
        books: those to use, cut to equal size.
        rows: per task and bucket.
        folder: to build in.

    Returns:
        bucket -> task (and "all") -> cheat -> auc, precision, supported.
    """
    project = _project(texts, books, rows, folder)
    for name, what in _STAGES:
        stages.run(project, name, what)
    model = Trigrams(sentence for book in books[1::2] for sentence in book.sentences)
    raw = project.inputs.raw("stories")

    @cache
    def known(task: str) -> list[str]:
        train = project.inputs.source("stories").stories(raw, task, "train")
        return cheat.templates(fact for question in train for fact in question.facts)

    report: dict[str, Any] = {}
    for bucket in BUCKETS:
        found = list(_rows(project, bucket, texts))
        done = [(row.task, cheat.judged(row, model, known(row.task))) for row in found]
        by_task = {task: [each for of, each in done if of == task] for task in TASKS}
        report[bucket] = {name: cheat.summary(rows) for name, rows in {"all": [e for _, e in done], **by_task}.items()}
    return report


def _project(texts: Texts, books: list[Book], rows: int, folder: Path) -> Project:
    for i, book in enumerate(books):
        text = "\n\n".join(map(" ".join, book.paragraphs))
        write_text(folder / "texts" / ("train" if i % 2 else "test") / f"{i:04d}.txt", text + "\n")
    values = {
        "release": {"name": "quality", "version": "0.0.0", "title": "", "seed": 1, "edition": "world", "language": "en",
                    "reserved_template_tokens": 64},
        "tokenizer": {"release": "tekken"},
        "parquet": {"zstd_level": 1, "row_group_mb": 16, "shard_mb": 64},
        "validation": {},
        "sources": {
            "stories": {"kind": "world_babi", "seed": 1, "tasks": list(TASKS), "questions": {"test": _QUESTIONS, "train": _QUESTIONS}},
            "texts": {"kind": "pg19_folder", "path": str(folder / "texts"), "parts": ["test", "train"]},
        },
        "corpora": {"books": {"source": "texts", "clean": texts.rules.model_dump(mode="json") | {"drop_lookalikes": ["babi"]}}},
        "suites": {
            "babilong": {"questions": "stories", "background": "books", "buckets": dict.fromkeys(BUCKETS, rows),
                         "tasks": {task: {} for task in TASKS}},
        },
    }  # fmt: skip
    write_text(folder / "params.yaml", yaml.safe_dump(values, sort_keys=False))
    return Project(folder)


def _rows(project: Project, bucket: str, texts: Texts) -> Iterator[cheat.Row]:
    split = splitter(texts.rules.splitter, texts.rules.abbreviations)
    for path in sorted((project.release / "data").glob(f"*/*/{bucket}/*.parquet")):
        for group in read_row_groups(path, _COLUMNS):
            for row in group.to_pylist():
                yield cheat.cut(
                    row["task"], row["prompt"], (row["context_start"], row["context_end"]), row["spans"], split
                )


def table(report: dict[str, Any]) -> list[Row]:
    """Cheat by background and length: AUC, precision among as many sentences as there are facts, supports in the top ten."""
    columns = [(name, bucket) for bucket in BUCKETS for name in report["sides"]]
    cheats = list(report["sides"][columns[0][0]][BUCKETS[0]]["all"])
    shown = {
        cheat: [_cell(report["sides"][name][bucket]["all"][cheat]) for name, bucket in columns] for cheat in cheats
    }
    return [
        ("cheat: AUC, precision, supports in the top ten", [f"{name} {bucket}" for name, bucket in columns]),
        *shown.items(),
    ]


def task_table(report: dict[str, Any]) -> list[Row]:
    """Task by background and length: the cheat of highest precision among those that have seen no other facts."""
    columns = [(name, bucket) for bucket in BUCKETS for name in report["sides"]]
    tasks = [task for task in report["sides"][columns[0][0]][BUCKETS[0]] if task != "all"]

    def best(name: str, bucket: str, task: str) -> str:
        found = {cheat: each for cheat, each in report["sides"][name][bucket][task].items() if cheat != "seen"}
        cheat = max(found, key=lambda one: (found[one]["precision"], one))
        return f"{cheat} {found[cheat]['precision']:.2f}"

    head = ("task: best cheat and its precision", [f"{name} {bucket}" for name, bucket in columns])
    return [head, *((task, [best(name, bucket, task) for name, bucket in columns]) for task in tasks)]


def _cell(found: dict[str, float]) -> str:
    return f"{found['auc']:.3f}, {found['precision']:.2f}, {found['supported']:.2f}"
