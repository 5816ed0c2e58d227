"""What the kinds for a user's own corpus share: where its files come from, and records checked one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BeforeValidator, Field

from corpora.sources.base import Batch, FetchContext, RawFile, Source, SourceInfo
from corpora.sources.splits import WithSplits
from haymaker.core.errors import SourceError
from haymaker.core.files.paths import expanded, file_address
from haymaker.core.params import omit_if_default
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Document

DATA = "files"
"""Folder below data/raw/<source>/ that holds a user's files, apart from SOURCE.json."""
Places = Annotated[
    tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value), Field(min_length=1)
]


LineMB = Annotated[int, Field(ge=1, le=1024)]
Words = Annotated[str, Field(pattern=r"^[^\s|<>`]([^\n\r|<>`]{0,198}[^\s|<>`])?$")]
"""One line that a table of the card can hold."""


def user_info(title: str, *roles: str) -> SourceInfo:
    """What is known of files that are the user's own."""
    return SourceInfo(
        title=title,
        homepage="",
        licence="the user's own: check before publishing",
        roles=roles,
        languages=(),
        download_bytes=0,
    )


class Records(WithSplits):
    """Sources whose files hold many documents. A subclass names its files and reads their records."""

    def paths(self, raw: Path) -> list[str]:
        """Fetched files below `raw`, in a fixed order."""
        raise NotImplementedError

    def records(self, raw: Path, batch: Batch) -> Iterator[tuple[str, str, str, str]]:
        """Place (file and line or row), id, title and text of every record of a batch."""
        raise NotImplementedError

    def check(self, raw: Path) -> None:
        found = (record for batch in self.batches(raw) for record in self.records(raw, batch))
        check_ids(((doc_id, where) for where, doc_id, _, _ in found), self.name)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for _, doc_id, title, text in self.records(raw, batch):
            yield Document(doc_id, title, self.split_for(doc_id), text)


class Own(Source):
    """Files that are the user's own.

    Attributes:
        licence: under which terms they may be given on, in the user's words; an identifier such as CC-BY-4.0 is understood.
    """

    licence: Words | None = omit_if_default(None)

    def licence_words(self) -> str:
        return self.licence or self.info.licence


class Listed(Own):
    """Files that the user lists.

    Attributes:
        path: local paths or addresses (https, hf, s3, gs, mirror).
    """

    path: Places

    def lock_key(self) -> str | None:
        far = [place for place in self.path if is_address(place)]
        return f"{self.kind}@{digest(*far, size=6).hex()}" if far else None

    def local_inputs(self) -> list[Path]:
        return [expanded(place) for place in self.path if not is_address(place)]

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return named(self.path)

    def paths(self, raw: Path) -> list[str]:
        return [file.path for file in named(self.path)]


def named(places: Sequence[str]) -> list[RawFile]:
    """Raw files for paths and addresses: by base name, with a number before it where two are the same."""
    names = [place.split("?", 1)[0].rstrip("/").rsplit("/", 1)[-1].split(":")[-1] for place in places]
    if len(set(names)) < len(names):
        names = [f"{i:04d}-{name}" for i, name in enumerate(names)]
    return [RawFile(f"{DATA}/{name}", _address(place)) for name, place in zip(names, places, strict=True)]


def is_address(place: str) -> bool:
    """Whether it names a protocol; else it is a local path."""
    return "://" in place or place.startswith("mirror:")


def _address(place: str) -> str:
    if is_address(place):
        return place
    path = expanded(place)
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe, socket or device"
        raise SourceError(f"is {what}, not a file", where=place, fix="check `path` in the parameters")
    return file_address(path)


def file_id(path: str) -> str:
    """A text file's document id: its path without the suffix."""
    return str(PurePosixPath(path.removeprefix(f"{DATA}/")).with_suffix(""))


def check_ids(named: Iterable[tuple[str, str]], name: str, what: str = "document") -> None:
    """Demand at least one record and no id twice. Pairs are (id, place); a million records take about 100 MB.

    Raises:
        SourceError: names the second place of an id.
    """
    seen: set[bytes] = set()
    for doc_id, where in named:
        key = digest(doc_id)
        if key in seen:
            raise SourceError(f"{what} id {doc_id!r:.80} was used before", where=where, fix="make ids unique")
        seen.add(key)
    if not seen:
        raise SourceError(f"holds no {what}", where=f"source {name}", fix="check its options and files")
