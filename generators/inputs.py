"""Prepared inputs: the table of their kinds (KINDS), which inputs a task uses, and how a worker opens them.

Parameters, checks, stages, card, plan and `haymaker tasks` all read KINDS: a new kind is one entry here, one key in
haymaker/core/params.py and one stage.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar, cast

from corpora import sources
from corpora.sources.base import Source
from corpora.stores.documents.store import Documents
from corpora.stores.labelled import Labelled
from corpora.stores.mined import Mined
from corpora.stores.passages.store import Passages
from corpora.stores.sentences.store import Background, CorpusParams
from corpora.stores.store import SetFile
from corpora.tokenizers import tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import read_json, sha256_file
from haymaker.core.params import Name, Params, RefersTo, Section, names_read, parse

T = TypeVar("T")
RawSource = Annotated[Name, RefersTo("sources", ("stories",))]
CodeSource = Annotated[Name, RefersTo("sources", ("code",))]
Corpus = Annotated[Name, RefersTo("corpora")]
PassageCorpus = Annotated[Name, RefersTo("passages")]
MinedSet = Annotated[Name, RefersTo("retrieval_sets")]
LabelledSet = Annotated[Name, RefersTo("classification_sets")]
DocumentSet = Annotated[Name, RefersTo("documents")]
"""Types of settings that name an input."""


class Use(NamedTuple):
    """A prepared input: the key of its kind in KINDS and its name in the parameters."""

    kind: str
    name: str


def uses_of(settings: Section) -> tuple[Use, ...]:
    """Return the inputs that settings name by keys of the types above."""
    return tuple(Use(mark.kind, name) for _, mark, name in names_read(settings))


class Prepared(Protocol):
    """Properties of every prepared input."""

    @property
    def digest(self) -> str:
        """Changes with any byte."""

    @property
    def provenance(self) -> dict[str, Any]:
        """Source -> facts of the fetched files."""

    @property
    def facts(self) -> dict[str, Any]:
        """Facts about it for the card."""

    def verify(self) -> None:
        """Compare every byte with its record.

        Raises:
            CorpusError: a byte differs.
        """


@dataclass(frozen=True)
class Raw:
    """Raw files of a source, as recorded by the download."""

    name: str
    folder: Path

    @cached_property
    def digest(self) -> str:
        """Changes with any byte."""
        return sha256_file(self.folder / "SOURCE.json")

    @property
    def provenance(self) -> dict[str, Any]:
        """Facts of the fetched files."""
        facts = read_json(self.folder / "SOURCE.json", "files")
        return {self.name: {key: value for key, value in facts.items() if key != "files"}}

    @property
    def facts(self) -> dict[str, Any]:
        """Empty: the provenance contains all facts."""
        return {}

    def verify(self) -> None:
        """Nothing: the source verifies its own files (corpora.sources.base.Source.verify)."""


@dataclass(frozen=True, slots=True)
class InputKind:
    """A kind of prepared input.

    Attributes:
        key: key in the parameters.
        stage: stage that prepares it (dvc.yaml).
        what: its name in error messages.
        section: "module:Class" of its parameters; empty if each source checks its own.
        place: path below data/, with {name}.
        mark: file below data/ that exists once it is prepared.
        store: opens it for tasks; None: only other stages read it.
        lists: (key that names its source, method of the source that lists its sets), if it is one of several sets of a source.
        compared: part of a row that `validate` cannot compare without it.
    """

    key: str
    stage: str
    what: str
    section: str
    place: str
    mark: str
    store: Callable[[Path], Prepared] | None = None
    lists: tuple[str, str] | None = None
    compared: str = ""

    def path(self, data: Path, name: str) -> Path:
        """Return its file or folder."""
        return data / self.place.format(name=name)

    def is_here(self, data: Path, name: str) -> bool:
        """Whether it was prepared."""
        return (data / self.mark.format(name=name)).is_file()

    def section_class(self) -> type[Section] | None:
        """Return the class of its parameters; None if each source checks its own."""
        module, _, attribute = self.section.partition(":")
        return cast("type[Section]", getattr(importlib.import_module(module), attribute)) if module else None

    def parse(self, values: Any, name: str) -> Section | None:
        """Return its checked parameters.

        Raises:
            ParamsError: a mistake in them.
        """
        section = self.section_class()
        return parse(section, values, where=f"{self.key}.{name}") if section else None


_TABLE = (
    InputKind(
        "sources", "download", "source", "", "raw/{name}", "raw/{name}/SOURCE.json",
        lambda path: Raw(path.name, path), None, "source files are",
    ),
    InputKind(
        "corpora", "prepare", "corpus", "corpora.stores.sentences.store:CorpusParams", "corpora/{name}", "corpora/{name}/meta.json",
        Background, None, "the text between the facts is",
    ),
    InputKind(
        "passages", "prepare", "corpus of passages", "corpora.stores.passages.store:PassageParams", "corpora/{name}", "corpora/{name}/meta.json",
        Passages, None, "passages are",
    ),
    InputKind("indexes", "retrieve", "index", "corpora.retrieval.index:IndexParams", "indexes/{name}", "indexes/{name}/index.json"),
    InputKind(
        "retrieval_sets", "retrieve", "set of mined questions", "corpora.retrieval.mining.params:MiningParams", "retrieval_sets/{name}.parquet",
        "retrieval_sets/{name}.parquet", Mined, ("questions", "question_sets"), "passages are",
    ),
    InputKind(
        "classification_sets", "prepare", "set of labelled texts", "corpora.stores.labelled:LabelledParams", "classification_sets/{name}.parquet",
        "classification_sets/{name}.parquet", Labelled, ("source", "label_sets"), "shots are",
    ),
    InputKind(
        "documents", "prepare", "set of documents", "corpora.stores.documents.store:DocumentParams", "documents/{name}",
        "documents/{name}/meta.json", Documents, ("source", "document_sets"), "contexts are",
    ),
)  # fmt: skip
KINDS: Mapping[str, InputKind] = MappingProxyType({kind.key: kind for kind in _TABLE})
READ_BY_TASKS = tuple(kind.key for kind in _TABLE if kind.store)


@dataclass
class Inputs:
    """Prepared inputs, opened on first use in each worker.

    Attributes:
        params: the whole parameter file.
        data: the data folder.
    """

    params: Params
    data: Path
    _open: dict[Hashable, Any] = field(default_factory=dict)
    _held: tuple[Hashable, Any] = (None, None)

    @cached_property
    def tokenizers(self) -> list[tokenizer.Tokenizer]:
        """The release tokenizer, then the further ones."""
        names = [self.params.tokenizer.release, *self.params.tokenizer.also]
        files = vocabularies(self.data)
        return [tokenizer.load(name, search=[files / name]) for name in dict.fromkeys(names)]

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a small object that the tasks of this process share; `make` is called once per key."""
        if key not in self._open:
            self._open[key] = make()
        return cast("T", self._open[key])

    def held(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the one large object that is kept (a question with all its passages); another key replaces it."""
        if self._held[0] != key:
            self._held = (None, None)
            self._held = key, make()
        return cast("T", self._held[1])

    def is_here(self, use: Use) -> bool:
        """Whether it was prepared."""
        return KINDS[use.kind].is_here(self.data, use.name)

    def are_here(self, uses: Iterable[Use]) -> bool:
        """Whether all of some inputs were prepared."""
        return all(map(self.is_here, uses))

    def source_names(self, uses: Iterable[Use]) -> list[str]:
        """Sources of some inputs, sorted, as in the column `sources`."""
        return sorted({name for use in uses for name in self.open(use).provenance})

    def unavailable(self, use: Use) -> str:
        """Return which optional source of an input is unavailable, and why, as recorded by the download, or an empty string.

        Stages call this before they look for any file (pipelines/stages/optional_sources.py).
        """
        given = self.params.sources
        for name in dict.fromkeys(self.sources_of(use)) if any(source.optional for source in given.values()) else ():
            why = self.source(name).unavailable(self.raw(name)) if name in given and given[name].optional else ""
            if why:
                return f"source {name}: {why}"
        return ""

    def sources_of(self, use: Use) -> Iterator[str]:
        """Yield the sources of an input, from the parameters; some may occur twice."""
        yield from (each.name for each in self.made_from(use) if each.kind == "sources")

    def made_from(self, use: Use) -> Iterator[Use]:
        """Yield an input and all inputs that it is made from, as named in the parameters; some may occur twice."""
        yield use
        kind, given = KINDS[use.kind], getattr(self.params, use.kind)
        section = kind.parse(given[use.name], use.name) if use.name in given else None
        below = list(uses_of(section)) if section else []
        if use.kind == "indexes" and use.name in given:
            below.append(Use("passages", use.name))
        for each in below:
            yield from self.made_from(each)

    def open(self, use: Use) -> Prepared:
        """Return a prepared input, opened once.

        Raises:
            HaymakerError: missing, damaged or of another version.
        """
        kind = KINDS[use.kind]
        assert kind.store is not None
        store = kind.store
        return self.shared(use, lambda: store(kind.path(self.data, use.name)))

    def source(self, name: str) -> Source:
        """Return a source by its name in the parameters."""
        kind = self.params.sources[name]
        return sources.create(name, kind.kind, kind.options, where=f"sources.{name}")

    def raw(self, name: str) -> Path:
        """Return the folder of the raw files of a source."""
        return KINDS["sources"].path(self.data, name)

    def source_digest(self, name: str) -> str:
        """Changes with any byte of a source's raw files (as recorded when they were fetched)."""
        return sha256_file(self.raw(name) / "SOURCE.json")

    def corpus(self, name: str) -> CorpusParams:
        """Return the checked parameters of a background corpus."""
        return parse(CorpusParams, self.params.corpora[name], where=f"corpora.{name}")

    def background(self, name: str) -> Background:
        """Return a background store."""
        return cast("Background", self.open(Use("corpora", name)))

    def mined(self, name: str) -> Mined:
        """Return a set of mined questions, counted with the release tokenizers."""
        return cast("Mined", self._counted(Use("retrieval_sets", name)))

    def labelled(self, name: str) -> Labelled:
        """Return a classification set, counted with the release tokenizers."""
        return cast("Labelled", self._counted(Use("classification_sets", name)))

    def _counted(self, use: Use) -> SetFile:
        """Refuse a set file that was counted with other tokenizers, or in another order."""
        found, wanted = cast("SetFile", self.open(use)), [t.fingerprint for t in self.tokenizers]
        if found.tokenizers != wanted:
            raise CorpusError(
                f"was counted with {', '.join(found.tokenizers)}, but the release uses {', '.join(wanted)}",
                where=str(found.path), fix="prepare it again with haymaker run",
            )  # fmt: skip
        return found

    def passages(self, name: str) -> Passages:
        """Return a corpus of passages."""
        return cast("Passages", self.open(Use("passages", name)))

    def documents(self, name: str) -> Documents:
        """Return documents with questions."""
        return cast("Documents", self.open(Use("documents", name)))


def vocabularies(data: Path) -> Path:
    """Return the folder of downloaded tokenizer files, with one folder per name."""
    return data / "work" / "vocabularies"
