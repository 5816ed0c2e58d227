"""Where the texts of `haymaker quality` come from: a folder of .txt files, or a corpus of the parameter file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from corpora.sources.base import Source
from corpora.sources.books import local_files, read_text, read_titles
from corpora.stores.sentences.clean import CleaningParams
from haymaker.errors import CorpusError, ParamsError, SourceError
from haymaker.files import read_json
from haymaker.params import nearest
from haymaker.records import Document
from pipelines.project import MIRROR_VARIABLE, Project
from pipelines.quality.books import Book, book

_TWIN = "pg19"  # folder of the mirror with the books that the novels stand for


class Texts(NamedTuple):
    """A collection: what tables call it, how its documents are cleaned, the documents."""

    name: str
    rules: CleaningParams
    books: list[Book]


def sides(project: Project, corpus: str | None, beside: str | None) -> list[Texts]:
    """One or two collections; of none given, the first corpus, if it is simulated beside the books of the mirror that is set.

    Raises:
        ParamsError: neither a folder nor a corpus.
        SourceError: no text there.
    """
    first, mirror = corpus or next(iter(project.params.corpora), None), os.environ.get(MIRROR_VARIABLE)
    if first is None:
        raise ParamsError("declares no corpus", where=project.file, fix="give --corpus FOLDER")
    if mirror and not corpus and not beside and _source(project, first).info.edition == "world":
        return [_load(project, first), _load(project, str(Path(mirror, _TWIN)))._replace(name="real books")]
    found = [_load(project, name) for name in (first, beside) if name]
    if len({texts.name for texts in found}) < len(found):
        raise ParamsError(f"{first!r} stands beside itself", where="--beside", fix="give another collection")
    return found


def _source(project: Project, corpus: str) -> Source:
    return project.inputs.source(project.inputs.corpus(corpus).source)


def _load(project: Project, what: str) -> Texts:
    folder = Path(what).expanduser()
    if what in project.params.corpora:
        name, rules, documents = what, project.inputs.corpus(what).clean, _documents(project, _source(project, what))
    elif folder.is_dir():
        name, rules, documents = folder.resolve().name, CleaningParams(), _files(folder)
    else:
        where = f"{what}: no folder, and no corpus of {project.file}"
        raise ParamsError("unknown texts", where=where, fix=nearest(what, project.params.corpora))
    books = []
    for document, of in documents:  # the author of a PG-19 title, "Emma by Jane Austen"; a simulated book has none
        author = document.title.rpartition(" by ")[2] if of == "real" and " by " in document.title else ""
        books.append(book(document, rules, author=author))
    if not any(one.words for one in books):
        raise CorpusError("holds no sentence", where=what, fix="look at its cleaning rules")
    return Texts(name, rules, [one for one in books if one.words])


def _documents(project: Project, source: Source) -> Iterator[tuple[Document, str]]:
    """Documents, and "world" or "real"."""
    with raw_files(project, source) as raw:
        for batch in source.batches(raw):
            yield from ((document, source.info.edition) for document in source.read(raw, batch))


def _files(folder: Path) -> Iterator[tuple[Document, str]]:
    try:
        names = local_files(folder, "*.txt")
    except SourceError:
        raise SourceError("holds no .txt file", where=str(folder), fix="give a folder of UTF-8 text files") from None
    titles = read_titles(folder / "metadata.csv")
    for name in names:
        stem = PurePosixPath(name).stem
        yield Document(stem, titles.get(stem, ""), "test", read_text(folder / name, name)), "real"


@contextmanager
def raw_files(project: Project, source: Source, *, fetch: bool = False) -> Iterator[Path]:
    """The files of a source: those that are here, by a writer of the present version; else simulated ones (with `fetch` real ones
    too), made for the moment.

    Raises:
        SourceError: real files are not here.
    """
    raw = project.data / "raw" / source.name
    made = read_json(raw / "SOURCE.json") if (raw / "SOURCE.json").is_file() else None
    if made and all(made.get(key) == value for key, value in source.facts().items()):
        yield raw
    elif source.info.edition == "world" or fetch:
        with tempfile.TemporaryDirectory() as folder:
            source.fetch(Path(folder, "raw"), replace(project.fetch_context(), cache=Path(folder, "cache")))
            yield Path(folder, "raw")
    else:
        fix = f"haymaker stage download {source.name}"
        raise SourceError("raw files are not here", where=f"sources.{source.name}", fix=fix)
