"""Sources whose files have known addresses: their publisher's, or one that the user names; .gz files are unpacked once."""

from __future__ import annotations

import gzip
import shutil
import zlib
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.base import FetchContext, FetchedFile, RawFile, Source
from corpora.sources.catalogue import entry, info_of, published
from corpora.sources.transport.rawfile import inside
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import written
from haymaker.core.rng import digest

_CHUNK_BYTES = 1 << 20


class Unpacked(Source):
    """Sources of .gz files: unpacked at download, because a later stage must enter a file at any byte.

    A class without `info` has the facts of its kind in catalogue.yaml.
    """

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if {"kind", "info"} & vars(cls).keys() == {"kind"} and entry(cls.kind):
            cls.info = info_of(cls.kind)

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            for file, _ in got:
                if file.path.endswith(".gz") and not file.path.endswith(".tar.gz"):
                    gunzip(stage / inside(file.path))
            self.arrange(stage, context)
        return got

    def arrange(self, stage: Path, context: FetchContext) -> None:
        """Rewrite the fetched files in the form that later stages read.

        Raises:
            SourceError: a file does not have the expected format.
        """


class Addressed(Unpacked):
    """Options that every source at known addresses has.

    Attributes:
        url: a folder (address) that holds files of the same names, instead of their publishers' addresses. What we know of
            size and checksum holds for the publishers' files; others are locked at the first download.
    """

    url: str | None = None

    def files(self) -> list[RawFile]:
        """The files with their publishers' addresses; by default those of the kind in catalogue.yaml."""
        return published(self.kind)

    def resolve(self, context: FetchContext) -> str | None:
        return None if self.url else entry(self.kind).get("commit")

    def lock_key(self) -> str | None:
        return f"{self.kind}@{digest(self.url, size=6).hex()}" if self.url else self.kind

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [self.placed(file) for file in self.files()]

    def placed(self, file: RawFile) -> RawFile:
        """The file as it is, or at the user's address."""
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


def gunzip(packed: Path) -> None:
    """Unpack one .gz file beside itself, streaming, and remove it.

    Raises:
        SourceError: damaged or cut short.
    """
    try:
        with written(packed.with_suffix("")) as temporary, gzip.open(packed) as source, temporary.open("wb") as out:
            shutil.copyfileobj(source, out, _CHUNK_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        fix = f"remove {packed.name} and download it again"
        raise SourceError(f"damaged or cut short ({error})", where=packed.name, fix=fix) from None
    packed.unlink()
