"""Texts to compare: sources of the parameter file and, for a simulated one, the real counterpart from the mirror."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from corpora import sources
from corpora.sources.base import Source
from corpora.stores.sentences.clean import CleaningParams
from devtools.quality.books import Book, book
from haymaker.core.errors import ParamsError, SourceError
from haymaker.core.files.disk import read_json
from pipelines.project import MIRROR_VARIABLE, Project


class Texts(NamedTuple):
    """A collection: name in tables, cleaning rules, documents."""

    name: str
    rules: CleaningParams
    books: list[Book]


def sides(project: Project) -> list[Texts]:
    """Return the first corpus of the parameters and, if it is simulated, the books of the mirror.

    Raises:
        ParamsError: there is no corpus.
        SourceError: the raw files are not available.
    """
    name = next(iter(project.params.corpora), None)
    if name is None:
        raise ParamsError("declares no corpus", where=project.file, fix="add one under `corpora`")
    corpus = project.inputs.corpus(name)
    first, *twin = with_twin(
        project.inputs.source(corpus.source), "real books", "pg19_mirror", splits=["test", "train"]
    )
    found = [_load(project, name, corpus.clean, first)]
    return found + [_load(project, each.name, CleaningParams(), each) for each in twin]


def with_twin(source: Source, name: str, kind: str, **options: Any) -> list[Source]:
    """Return the source and, if it is simulated and HAYMAKER_MIRROR is set, its counterpart from the mirror."""
    wanted = source.info.edition == "simulated" and os.environ.get(MIRROR_VARIABLE)
    return [source, sources.create(name, kind, options, where=kind)] if wanted else [source]


def _load(project: Project, name: str, rules: CleaningParams, source: Source) -> Texts:
    books, real = [], source.info.edition == "real"
    with raw_files(project, source) as raw:
        for document in (document for batch in source.batches(raw) for document in source.read(raw, batch)):
            _, by, author = document.title.rpartition(" by ")  # "Emma by Jane Austen"; otherwise unknown
            books.append(book(document, rules, author=author if real and by else ""))
    return Texts(name, rules, books)


@contextmanager
def raw_files(project: Project, source: Source) -> Iterator[Path]:
    """Yield the folder with the raw files of a source: the local files if they are current; else, for a simulated
    source or the mirror, a temporary copy.

    Raises:
        SourceError: real files are not available.
    """
    raw = project.data / "raw" / source.name
    made = read_json(raw / "SOURCE.json") if (raw / "SOURCE.json").is_file() else None
    if made and all(made.get(key) == value for key, value in source.facts().items()):
        yield raw
    elif source.info.edition == "simulated" or source.kind.endswith("_mirror"):
        with tempfile.TemporaryDirectory() as folder:
            source.fetch(Path(folder, "raw"), replace(project.fetch_context(), cache=Path(folder, "cache")))
            yield Path(folder, "raw")
    else:
        fix = f"haymaker dev stage download {source.name}"
        raise SourceError("the raw files are missing", where=f"sources.{source.name}", fix=fix)
