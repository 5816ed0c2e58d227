"""haymaker dev quality cheat: find the facts of a finished row only by their difference from the background.

The pipeline inserts the same simulated stories into each collection. A word trigram model, trained on other documents
of the collection, scores each sentence of a row; simpler cheats use length, rare words or similarity. Facts are unusual
in any book: a simulated background fails only if they are easier to find in it than in real books.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from corpora.stores.sentences.languages import Splitter
from corpora.stores.sentences.split import splitter
from devtools.quality.books import Book, equal, lowered
from devtools.quality.figures import DATA, Report, Row, table
from devtools.quality.prose import Trigrams
from devtools.quality.texts import Texts, sides
from haymaker.core.files.disk import write_text
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rows.parquet import read_row_groups
from pipelines import stages
from pipelines.project import PIPELINE, VERSIONS, Project
from worlds.babi import TASKS as STORIES

LENGTHS = ("4k", "16k")
ROWS = 10  # per task and length
_BOOKS = 12  # per side
_KNOWN = 400  # approximate number of facts of other stories of a task, evenly spaced
_TOP = 10
_COLUMNS = ["task", "prompt", "context_start", "context_end", "spans"]


@dataclass(frozen=True)
class Context:
    """The sentences of a finished row, split without the marked spans, and the indices of facts and supports."""

    task: str
    sentences: tuple[str, ...]
    facts: frozenset[int]
    supports: frozenset[int]


def report(project: Project) -> Report:
    """Return side name -> length -> cheat -> auc, precision, supported."""
    found = sides(project)
    cut = equal({each.name: each.books for each in found})
    count, measured = min(_BOOKS, *map(len, cut.values())), {}
    for each in found:
        with tempfile.TemporaryDirectory() as folder:
            for name in (VERSIONS, PIPELINE):
                shutil.copyfile(project.root / name, Path(folder) / name)
            measured[each.name] = _attack(each, cut[each.name][:count], Path(folder))
    return measured


def _attack(texts: Texts, books: list[Book], folder: Path) -> Report:
    """Build rows from every second book, train on the others, and rank the sentences by each cheat."""
    project = _project(texts, books, folder)
    for name in ("download", "prepare", "retrieve", "generate"):
        stages.run(project, name)
    model = Trigrams(sentence for book in books[1::2] for sentence in book.sentences)
    source, raw = project.inputs.source("stories"), project.inputs.raw("stories")

    @cache
    def known(task: str) -> list[str]:
        facts = dict.fromkeys(fact for question in source.stories(raw, task, "train") for fact in question.facts)
        return [*facts][:: max(1, len(facts) // _KNOWN)]

    found = {}
    for length in LENGTHS:
        rows = []
        for each in _contexts(project, length, texts):
            ranked = scores(each, model, known(each.task)).items()
            rows.append({cheat: judge(values, each) for cheat, values in ranked})
        found[length] = mean(rows)
    return found


def _project(texts: Texts, books: list[Book], folder: Path) -> Project:
    for i, book in enumerate(books):
        file = folder / "texts" / ("train" if i % 2 else "test") / f"{i:04d}.txt"
        write_text(file, "\n\n".join(map(" ".join, book.paragraphs)) + "\n")
    values = read_yaml(Path(__file__).with_name("cheat.yaml"))
    values["sources"]["stories"]["tasks"] = list(STORIES)
    values["sources"]["texts"]["path"] = str(folder / "texts")
    values["corpora"]["books"]["clean"] = texts.rules.model_dump(mode="json") | {"decontaminate": ["babi"]}
    values["suites"]["babilong"] |= {"lengths": dict.fromkeys(LENGTHS, ROWS), "tasks": {task: {} for task in STORIES}}
    write_text(folder / "params.yaml", yaml.safe_dump(values, sort_keys=False))
    return Project(folder)


def _contexts(project: Project, length: str, texts: Texts) -> Iterator[Context]:
    split = splitter(texts.rules.splitter, texts.rules.abbreviations)
    for path in sorted((project.release / "data").glob(f"*/*/{length}/*.parquet")):
        for group in read_row_groups(path, _COLUMNS):
            yield from (cut(row, split) for row in group.to_pylist())


def cut(row: Mapping[str, Any], split: Splitter) -> Context:
    """Split a row's context into sentences, and mark the sentences that overlap a fact."""
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
    """Return cheat -> one score per sentence; higher means more likely a fact."""
    words, bits = [lowered(each) for each in context.sentences], [model.surprise(each) for each in context.sentences]
    return {
        "surprise": bits,  # bits per word under the model
        "smooth": [-bit for bit in bits],
        "short": [-float(len(each)) for each in words],
        "rare": [model.rare(each) for each in context.sentences],
        "twins": _nearest(words, words),  # facts resemble each other
        "seen": _nearest(words, [lowered(each) for each in known]),  # facts of other rows
    }


def _nearest(words: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> list[float]:
    """Return the highest share of common words, in order, with any other sentence of `others`; 0 without any."""
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
    """Return how well scores rank the facts first; ties are ordered least favourably."""
    from sklearn.metrics import roc_auc_score

    facts = context.facts
    order = sorted(range(len(values)), key=lambda i: (-values[i], i in facts, i))
    return {
        # chance that a fact scores above a background sentence
        "auc": float(roc_auc_score([i in facts for i in range(len(values))], values)),
        "precision": len(facts & {*order[: len(facts)]}) / len(facts),  # among the top n, n = number of facts
        "supported": float(context.supports <= set(order[:_TOP])),  # all supports are among the top _TOP
    }


def mean(rows: Sequence[Report]) -> Report:
    """Return cheat -> figure -> mean over rows."""
    return {
        cheat: {key: statistics.fmean(row[cheat][key] for row in rows) for key in each}
        for cheat, each in rows[0].items()
    }


def tables(report: Report) -> dict[str, list[Row]]:
    """Return the table of cheats by background and length."""
    columns = {f"{name} {length}": side[length] for length in LENGTHS for name, side in report.items()}
    return {"cheat": table("cheat: AUC, precision, supports in the top ten", columns, DATA["cheat"])}
