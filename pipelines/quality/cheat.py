"""haymaker quality cheat: finding facts in a finished row without reading them, because they look unlike their background.

The same simulated stories are woven into each collection by the pipeline's own stages. A word trigram model learns from other
documents of the collection and scores each sentence of a row; simpler cheats go by length, rare words, or likeness. Facts of a
BABILong row are odd lines in any book; a simulated background is at fault only where they are easier to find in it than in real
books.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from corpora.stores.sentences.split import Splitter, splitter
from haymaker.files import write_text
from haymaker.params import read_yaml
from pipelines import stages
from pipelines.parquet import read_row_groups
from pipelines.project import Project
from pipelines.quality.books import Book, equal, lowered
from pipelines.quality.figures import DATA, Report, Row, area, figure, line, table
from pipelines.quality.prose import Trigrams
from pipelines.quality.texts import Texts, sides
from worlds.babi import TASKS as STORIES

TABLES = ("cheat", "cheat-tasks")
BUCKETS = ("4k", "16k")
ROWS = 10  # per task and bucket
_BOOKS = 12  # of a side
_KNOWN = 400  # different facts of other stories of a task, or some more, evenly spaced
_TOP = 10
_COLUMNS = ["task", "prompt", "context_start", "context_end", "spans"]
_STAGES = (("download", "stories"), ("download", "texts"), ("tokenizers", None), ("background", "books"),
           ("generate", "babilong"))  # fmt: skip


@dataclass(frozen=True)
class Context:
    """The sentences of a finished row, as a reader of the text alone would cut them, and which hold facts and which supports."""

    task: str
    sentences: tuple[str, ...]
    facts: frozenset[int]
    supports: frozenset[int]


def report(project: Project, corpus: str | None, beside: str | None, words: int | None) -> Report:
    """Rows (per task and bucket); sides: name -> bucket -> task (and "all") -> cheat -> auc, precision, supported."""
    found = sides(project, corpus, beside)
    cut = equal({each.name: each.books for each in found}, words)
    count = min(_BOOKS, *map(len, cut.values()))
    measured = {}
    for each in found:
        with tempfile.TemporaryDirectory() as folder:
            measured[each.name] = _attack(each, cut[each.name][:count], Path(folder))
    return {"rows": ROWS, "sides": measured}


def _attack(texts: Texts, books: list[Book], folder: Path) -> Report:
    """Build rows from every second book, learn from the others, and let each cheat rank the sentences."""
    project = _project(texts, books, folder)
    for name, what in _STAGES:
        stages.run(project, name, what)
    model = Trigrams(sentence for book in books[1::2] for sentence in book.sentences)
    source, raw = project.inputs.source("stories"), project.inputs.raw("stories")

    @cache
    def known(task: str) -> list[str]:
        facts = dict.fromkeys(fact for question in source.stories(raw, task, "train") for fact in question.facts)
        return [*facts][:: max(1, len(facts) // _KNOWN)]

    found = {}
    for bucket in BUCKETS:
        done: dict[str, list[Report]] = {task: [] for task in ("all", *STORIES)}
        for each in _contexts(project, bucket, texts):
            ranked = scores(each, model, known(each.task)).items()
            fared = {cheat: judge(values, each) for cheat, values in ranked}
            done["all"].append(fared)
            done[each.task].append(fared)
        found[bucket] = {task: mean(rows) for task, rows in done.items()}
    return found


def _project(texts: Texts, books: list[Book], folder: Path) -> Project:
    for i, book in enumerate(books):
        write_text(folder / "texts" / ("train" if i % 2 else "test") / f"{i:04d}.txt",
                   "\n\n".join(map(" ".join, book.paragraphs)) + "\n")  # fmt: skip
    values = read_yaml(Path(__file__).with_name("cheat.yaml"))
    values["sources"]["stories"]["tasks"] = list(STORIES)
    values["sources"]["texts"]["path"] = str(folder / "texts")
    values["corpora"]["books"]["clean"] = texts.rules.model_dump(mode="json") | {"drop_lookalikes": ["babi"]}
    values["suites"]["babilong"] |= {"buckets": dict.fromkeys(BUCKETS, ROWS), "tasks": {task: {} for task in STORIES}}
    write_text(folder / "params.yaml", yaml.safe_dump(values, sort_keys=False))
    return Project(folder)


def _contexts(project: Project, bucket: str, texts: Texts) -> Iterator[Context]:
    split = splitter(texts.rules.splitter, texts.rules.abbreviations)
    for path in sorted((project.release / "data").glob(f"*/*/{bucket}/*.parquet")):
        for group in read_row_groups(path, _COLUMNS):
            yield from (cut(row, split) for row in group.to_pylist())


def cut(row: Mapping[str, Any], split: Splitter) -> Context:
    """Cut a row's context into sentences and mark those that overlap a fact."""
    begin, end = row["context_start"], row["context_end"]
    text = row["prompt"][begin:end]
    places = list(split(text))
    marked: dict[str, set[int]] = {"fact": set(), "support": set()}
    for span in row["spans"]:
        if span["kind"] in marked and begin <= span["start"] < end:
            a, b = span["start"] - begin, span["end"] - begin
            marked[span["kind"]] |= {i for i, (x, y) in enumerate(places) if min(b, y) - max(a, x) > (b - a) // 2}
    supports = frozenset(marked["support"])
    return Context(row["task"], tuple(text[a:b] for a, b in places), supports | marked["fact"], supports)


def scores(context: Context, model: Trigrams, known: Sequence[str]) -> dict[str, list[float]]:
    """Cheat -> one score per sentence; the higher, the more it takes the sentence for a fact."""
    words, bits = [lowered(each) for each in context.sentences], [model.surprise(each) for each in context.sentences]
    return {
        "surprise": bits,  # per word, of the model
        "smooth": [-bit for bit in bits],
        "short": [-float(len(each)) for each in words],
        "rare": [model.rare(each) for each in context.sentences],
        "twins": _nearest(words, words),  # facts resemble each other
        "seen": _nearest(words, [lowered(each) for each in known]),  # facts of other rows
    }


def _nearest(words: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> list[float]:
    """Greatest share of words in common, in order, with any of `others` but the sentence itself; 0 without any."""
    import numpy as np
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    if not others:
        return [0.0] * len(words)
    likeness = cdist(words, others, scorer=Indel.normalized_similarity, dtype=np.float32)
    if others is words:
        np.fill_diagonal(likeness, 0.0)
    return [float(value) for value in likeness.max(axis=1)]


def judge(values: Sequence[float], context: Context) -> dict[str, float]:
    """How well scores rank the sentences; equal ones in the least favourable order."""
    facts = context.facts
    order = sorted(range(len(values)), key=lambda i: (-values[i], i in facts, i))
    below = [value for i, value in enumerate(values) if i not in facts]
    return {
        "auc": area([values[i] for i in facts], below),  # chance that a fact scores above a background sentence
        "precision": len(facts.intersection(order[: len(facts)]))
        / len(facts),  # in as many top ones as there are facts
        "supported": float(context.supports <= set(order[:_TOP])),  # every support is among the top ones
    }


def mean(rows: Sequence[Report]) -> Report:
    """Cheat -> figure -> mean over judged rows; best: the cheat of highest precision that has seen no other facts."""
    found: Report = {
        cheat: {key: statistics.fmean(row[cheat][key] for row in rows) for key in each}
        for cheat, each in rows[0].items()
    }
    precision, cheat = max((each["precision"], cheat) for cheat, each in found.items() if cheat != "seen")
    return found | {"best": {"cheat": cheat, "precision": precision}}


def tables(report: Report) -> dict[str, list[Row]]:
    """Cheats by background and length; tasks, each with the cheat of highest precision among those that know no other facts."""
    columns = {f"{name} {bucket}": side[bucket] for bucket in BUCKETS for name, side in report["sides"].items()}
    lines = {task: ["best", f"{task}.best"] for task in STORIES}
    return {
        "cheat": table("cheat: AUC, precision, supports in the top ten", columns, DATA["cheat"]),
        "cheat-tasks": table("task: best cheat and its precision", columns, lines),
    }


def draw(report: Report, folder: Path) -> list[Path]:
    """How each cheat ranks facts, per length and background; returns the files."""
    with figure(folder / "cheat.svg", (7, 2.9), len(BUCKETS), sharey=True) as axes:
        for axis, bucket in zip(axes, BUCKETS, strict=True):
            for i, (name, side) in enumerate(report["sides"].items()):
                cheats = {cheat: side[bucket]["all"][cheat] for cheat in DATA["cheat"]}
                places = [y + 0.14 * (1 - 2 * i) for y in range(len(cheats))]
                line(axis, i, [each["auc"] for each in cheats.values()], places, linestyle="", markersize=6, label=name)
                axis.set_yticks(range(len(cheats)), list(cheats))
            axis.axvline(0.5, color="grey", linewidth=1, linestyle=":")
            axis.set(title=f"rows of {bucket} tokens", xlabel="AUC (0.5 = a coin)", xlim=(0, 1.02))
        axes[0].legend(loc="lower left")
    return [folder / "cheat.svg"]
