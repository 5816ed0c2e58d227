"""Bases of sources whose files have known addresses: of the publisher, of a user, of the offline mirror, or on the Hub."""

from __future__ import annotations

from pathlib import Path

from corpora.sources.base import FetchContext, FetchedFile, RawFile, Source
from corpora.sources.catalogue import entry, published
from corpora.sources.formats.packing import unpack_file
from corpora.sources.transport.hub import list_files, resolve_revision
from corpora.sources.transport.rawfile import inside
from corpora.sources.transport.staging import checking
from haymaker.core.rng import digest


class Unpacked(Source):
    """A source whose packed files are unpacked at download, because batches start at any byte of a file."""

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
        url: address of a folder with files of the same names, instead of the publisher's. Files that differ from the
            publisher's are locked at the first download.
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
    """A source of files of the offline mirror, read by the parser of the published files. No options."""

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(name, f"mirror:{path}") for name, path in entry(self.kind)["mirror"].items()]


class OnHub(Addressed):
    """Options of sources that are files of one Hub dataset: `repo` and `names` (paths or patterns) of catalogue.yaml.

    Attributes:
        revision: commit, tag or branch; None is resolved at the first download and locked.
    """

    revision: str | None = None

    @property
    def repo(self) -> str:
        """Return the name of the dataset."""
        return str(entry(self.kind)["repo"])

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"hf://datasets/{self.repo}/{name}") for name in entry(self.kind)["names"]]

    def lock_key(self) -> str | None:
        key = super().lock_key()
        return f"{key}@{self.revision}" if self.revision and not self.url else key

    def resolve(self, context: FetchContext) -> str | None:
        if self.url:
            return None
        return resolve_revision(self.repo, self.revision, self.lock_key() or "", context)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        commit = self.resolve(context)
        return list_files(self.repo, commit, entry(self.kind)["names"]) if commit else super().raw_files(context)
