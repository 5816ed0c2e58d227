"""What suites are built from: which prepared inputs a suite names, and how a worker opens them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path

from corpora import sources, tokenizer
from corpora.background import Background, CorpusParams
from corpora.examples import Examples
from corpora.mined import Mined
from corpora.readings import Readings
from corpora.sources.base import Source
from haymaker.files import sha256_file
from haymaker.params import Params, parse


@dataclass(frozen=True, slots=True)
class Uses:
    """What a suite reads, by the names of the parameters.

    Attributes:
        sources: raw sources.
        corpora: background corpora.
        mined: sets of mined questions.
        examples: sets of labelled texts.
        readings: collections of documents with questions.
    """

    sources: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    mined: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()

    def __or__(self, other: Uses) -> Uses:
        """Everything that either reads, each once."""
        return Uses(*(tuple(dict.fromkeys(getattr(self, f.name) + getattr(other, f.name))) for f in fields(Uses)))


@dataclass
class Inputs:
    """Prepared inputs, opened on first use; made anew in every worker.

    Attributes:
        params: the whole parameter file.
        data: the data folder.
    """

    params: Params
    data: Path
    _stores: dict[str, Background] = field(default_factory=dict)
    _mined: dict[str, Mined] = field(default_factory=dict)
    _examples: dict[str, Examples] = field(default_factory=dict)
    _readings: dict[str, Readings] = field(default_factory=dict)

    @cached_property
    def tokenizers(self) -> list[tokenizer.Tokenizer]:
        """The release tokenizer, then the further ones."""
        names = [self.params.tokenizer.release, *self.params.tokenizer.also]
        files = vocabularies(self.data)
        return [tokenizer.load(name, search=[files / name]) for name in dict.fromkeys(names)]

    def source(self, name: str) -> Source:
        """A source by its name in the parameters."""
        kind = self.params.sources[name]
        return sources.create(name, kind.kind, kind.options, where=f"sources.{name}")

    def raw(self, name: str) -> Path:
        """Folder of a source's raw files."""
        return self.data / "raw" / name

    def source_digest(self, name: str) -> str:
        """Changes with any byte of a source's raw files (as recorded when they were fetched)."""
        return sha256_file(self.raw(name) / "SOURCE.json")

    def corpus(self, name: str) -> CorpusParams:
        """Checked parameters of a background corpus."""
        return parse(CorpusParams, self.params.corpora[name], where=f"corpora.{name}")

    def background(self, name: str) -> Background:
        """A background store, opened once."""
        if name not in self._stores:
            self._stores[name] = Background(self.data / "corpora" / name)
        return self._stores[name]

    def mined(self, name: str) -> Mined:
        """A set of mined questions, opened once."""
        if name not in self._mined:
            self._mined[name] = Mined(mined_file(self.data, name))
        return self._mined[name]

    def examples(self, name: str) -> Examples:
        """A set of labelled texts, opened once."""
        if name not in self._examples:
            self._examples[name] = Examples(examples_file(self.data, name))
        return self._examples[name]

    def readings(self, name: str) -> Readings:
        """Documents with questions, opened once."""
        if name not in self._readings:
            self._readings[name] = Readings(self.data / "readings" / name)
        return self._readings[name]


def mined_file(data: Path, name: str) -> Path:
    """Where a set of mined questions lies."""
    return data / "mined" / f"{name}.parquet"


def examples_file(data: Path, name: str) -> Path:
    """Where a set of labelled texts lies."""
    return data / "examples" / f"{name}.parquet"


def vocabularies(data: Path) -> Path:
    """Where downloaded tokenizer files lie, one folder a name."""
    return data / "work" / "vocabularies"
