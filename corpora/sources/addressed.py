"""Bases of sources whose files have known addresses: of the publisher, of a user, of the offline mirror, or on the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.base import FetchContext, FetchedFile, RawFile, Source
from corpora.sources.catalogue import entry, info_of, published
from corpora.sources.formats.packing import unpack_file
from corpora.sources.transport.rawfile import inside
from corpora.sources.transport.staging import checking
from haymaker.core.rng import digest


class Unpacked(Source):
    """A source whose packed files are unpacked at download, because batches start at any byte of a file.

    A class without `info` has the facts of its kind in catalogue.yaml.
    """

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if {"kind", "info"} & vars(cls).keys() == {"kind"} and entry(cls.kind):
            cls.info = info_of(cls.kind)

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            for path in (stage / inside(file.path) for file, _ in got):
                if path.is_file():  # archives are already unpacked
                    unpack_file(path, any_name=self.packed_under_any_name)
            self.arrange(stage, context)
        return got

    def arrange(self, stage: Path, context: FetchContext) -> None:
        """Rewrite the fetched files in the form that later stages read.

        Raises:
            SourceError: a file does not have the expected format.
        """


class Addressed(Unpacked):
    """Options of every source at known addresses.

    Attributes:
        url: address of a folder with files of the same names, used instead of the publisher's addresses. Known sizes and
            checksums apply only to the publisher's files; other files are locked at the first download.
    """

    url: str | None = None

    def files(self) -> list[RawFile]:
        """Return the files with their publishers' addresses; by default those of the kind in catalogue.yaml."""
        return published(self.kind)

    def resolve(self, context: FetchContext) -> str | None:
        return None if self.url else entry(self.kind).get("commit")

    def lock_key(self) -> str | None:
        return f"{self.kind}@{digest(self.url, size=6).hex()}" if self.url else self.kind

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [self.placed(file) for file in self.files()]

    def placed(self, file: RawFile) -> RawFile:
        """Return the file at the user's address if there is one."""
        if not self.url:
            return file
        return RawFile(file.path, f"{self.url.rstrip('/')}/{file.url.rsplit('/', 1)[-1]}")


class Mirrored(Unpacked):
    """A source of files of the offline mirror, read by the parser of the published files. No options.

    Attributes:
        mirror_files: paths below the mirror's root; each file keeps its name in data/raw/<source>/. Default: catalogue.yaml.
    """

    mirror_files: ClassVar[tuple[str, ...]] = ()

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        files = {path.rpartition("/")[2]: path for path in self.mirror_files} or entry(self.kind)["mirror"]
        return [RawFile(name, f"mirror:{path}") for name, path in files.items()]


class OnHub(Addressed):
    """Options of sources that are files of one Hub dataset.

    Attributes:
        revision: commit, tag or branch; None is resolved at the first download and locked.
    """

    repo: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    revision: str | None = None

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"hf://datasets/{self.repo}/{name}") for name in self.names]

    def lock_key(self) -> str | None:
        key = super().lock_key()
        return f"{key}@{self.revision}" if self.revision and not self.url else key

    def resolve(self, context: FetchContext) -> str | None:
        from corpora.sources.transport.hub import resolve_revision

        if self.url:
            return None
        return resolve_revision(self.repo, self.revision, self.lock_key() or "", context)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        from corpora.sources.transport.hub import list_files

        commit = self.resolve(context)
        return list_files(self.repo, commit, self.names) if commit else super().raw_files(context)
