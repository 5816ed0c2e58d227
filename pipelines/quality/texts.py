"""Where the texts of `haymaker quality` come from: a folder of .txt files, or a corpus of the parameter file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from corpora.sources.base import Source
from corpora.sources.books import local_files, read_text, read_titles
from corpora.stores.sentences.clean import CleaningParams
from corpora.stores.sentences.store import CorpusParams
from haymaker.errors import CorpusError, ParamsError, SourceError
from haymaker.params import nearest
from haymaker.records import Document
from pipelines.project import MIRROR_VARIABLE, Project
from pipelines.quality.figures.prose import Book, book

_TWIN = "pg19"  # folder of the mirror with the books that the novels stand for


@dataclass(frozen=True)
class Texts:
    """A collection to be measured.

    Attributes:
        name: what tables call it.
        rules: how its documents are cleaned.
        books: its documents, cut into sentences; what stands behind the first 100,000 words is left out.
    """

    name: str
    rules: CleaningParams
    books: list[Book]


def sides(project: Project, corpus: str | None, beside: str | None) -> list[Texts]:
    """One or two collections: by default the release's own corpus and, where the mirror is set and it is simulated, real books.

    Args:
        project: whose parameters name corpora.
        corpus: a folder, or a name under `corpora`; None takes the first corpus.
        beside: likewise; None takes the mirror's books for a simulated corpus.

    Raises:
        ParamsError: neither a folder nor a corpus.
        SourceError: no text there.
    """
    if corpus is None:
        corpus = next(iter(project.params.corpora), None)
        if corpus is None:
            raise ParamsError("declares no corpus", where=project.file, fix="give --corpus FOLDER")
        mirror = os.environ.get(MIRROR_VARIABLE)
        if beside is None and mirror and _edition(project, corpus) == "world":
            return [_load(project, corpus), replace(_load(project, str(Path(mirror, _TWIN))), name="real books")]
    found = [_load(project, name) for name in (corpus, beside) if name is not None]
    if len({texts.name for texts in found}) < len(found):
        raise ParamsError(f"{found[0].name!r} stands beside itself", where="--beside", fix="give another collection")
    return found


def _edition(project: Project, corpus: str) -> str:
    return project.inputs.source(project.inputs.corpus(corpus).source).info.edition


def _load(project: Project, what: str) -> Texts:
    if what in project.params.corpora:
        return _corpus(project, what, project.inputs.corpus(what))
    folder = Path(what).expanduser()
    if not folder.is_dir():
        where = f"{what}: no folder, and no corpus of {project.file}"
        raise ParamsError("unknown texts", where=where, fix=nearest(what, project.params.corpora))
    return _folder(folder)


def _folder(folder: Path) -> Texts:
    try:
        names = local_files(folder, "*.txt")
    except SourceError:
        raise SourceError("holds no .txt file", where=str(folder), fix="give a folder of UTF-8 text files") from None
    titles, rules = read_titles(folder / "metadata.csv"), CleaningParams()
    books = []
    for name in names:
        path = PurePosixPath(name)
        document = Document(path.stem, titles.get(path.stem, ""), "test", read_text(folder / name, name))
        books.append(book(document, rules, author=_author(document.title)))
    return Texts(folder.resolve().name, rules, _not_empty(books, str(folder)))


def _author(title: str) -> str:
    """Of a PG-19 title, "Emma by Jane Austen"; empty when it names none."""
    return title.rpartition(" by ")[2] if " by " in title else ""


def _corpus(project: Project, name: str, params: CorpusParams) -> Texts:
    source, raw = project.inputs.source(params.source), project.inputs.raw(params.source)
    simulated = source.info.edition == "world"
    if is_current(source, raw):
        books = list(_books(source, raw, params, simulated))
    elif simulated:
        with tempfile.TemporaryDirectory() as folder:
            source.fill(Path(folder, "raw"), project.fetch_context(), None)
            books = list(_books(source, Path(folder, "raw"), params, simulated))
    else:
        raise SourceError(
            "raw files are not here", where=f"corpora.{name}", fix=f"haymaker stage download {params.source}"
        )
    return Texts(name, params.clean, _not_empty(books, f"corpora.{name}"))


def is_current(source: Source, raw: Path) -> bool:
    """Fetched, and by a writer of the present version."""
    try:
        manifest = json.loads((raw / "SOURCE.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    return all(manifest.get(key) == value for key, value in source.facts().items())


def _books(source: Source, raw: Path, params: CorpusParams, simulated: bool) -> Iterator[Book]:
    for batch in source.batches(raw):
        for document in source.read(raw, batch):
            yield book(document, params.clean, author="" if simulated else _author(document.title))


def _not_empty(books: list[Book], where: str) -> list[Book]:
    kept = [one for one in books if one.words]
    if not kept:
        raise CorpusError("holds no sentence", where=where, fix="look at its cleaning rules")
    return kept
