"""Files of a user: where they come from, how records are checked, and which records are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from corpora.sources.addressed import Unpacked
from corpora.sources.base import Batch, FetchContext, RawFile, Source
from corpora.sources.books import natural
from corpora.sources.formats.lines import LINE_MB, json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecordError, OddRecords, sound
from corpora.sources.formats.packing import plain_name, refuse_packing
from corpora.sources.local_folder import local_files
from corpora.sources.question_source import Shares, share_split
from haymaker.core.errors import SourceError
from haymaker.core.files.paths import expanded, file_address
from haymaker.core.params import omit_if_default
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Split

T = TypeVar("T")
DATA = "files"
"""Folder of a user's files below data/raw/<source>/."""
Places = Annotated[
    tuple[str, ...],
    Field(min_length=1),
    BeforeValidator(
        lambda value: (value,) if isinstance(value, str) else value, json_schema_input_type=str | tuple[str, ...]
    ),
]
LineMB = Annotated[int, Field(ge=1, le=1024)]
Words = Annotated[str, Field(pattern=r"^[^\s|<>`]([^\n\r|<>`]{0,198}[^\s|<>`])?$")]
"""One line that fits a table of the card."""
ANY = 1 << 62
"""Limit of bad records in one batch; the download has checked the share of all."""
_MOST = 0.5
_OPTION = "; or set `on_bad_record: leave_out` to leave out up to half of the records"


class Own(Source):
    """Files of a user.

    Attributes:
        licence: licence of the files, in your own words; identifiers such as CC-BY-4.0 are recognized.
    """

    licence: Words | None = omit_if_default(None)

    def licence_words(self) -> str:
        return self.licence or self.info.licence


class WithSplits(Source):
    """Options of a user's own corpus.

    Attributes:
        split: split of all documents. Default: test.
        splits: whole-number shares of the splits, as {test: 80, dev: 5, train: 15}; replaces `split`.
    """

    split: Split | None = None
    splits: Shares | None = None

    @model_validator(mode="after")
    def _one_rule(self) -> Self:
        if self.split and self.splits:
            raise ValueError("give `split` or `splits`, not both")
        return self

    def split_for(self, doc_id: str) -> Split:
        """Return the split of a document; test if no option is given."""
        return share_split(doc_id, self.splits) if self.splits else self.split or "test"


class OwnFiles(Own, Unpacked):
    """Files of a user, packed or not."""

    packed_under_any_name: ClassVar[bool] = True

    def places(self) -> tuple[str, ...]:
        """Return the local paths and addresses of the parameters."""
        return ()

    def lock_key(self) -> str | None:
        far = [place for place in self.places() if is_address(place)]
        return f"{self.kind}@{digest(*far, size=6).hex()}" if far else None

    def local_inputs(self) -> list[Path]:
        return [expanded(place) for place in self.places() if not is_address(place)]

    def paths(self, raw: Path) -> list[str]:
        """Return the fetched files below `raw`, in a fixed order."""
        found = (path.relative_to(raw).as_posix() for path in (raw / DATA).rglob("*") if path.is_file())
        return sorted(found, key=natural)


class OwnRecords(OwnFiles):
    """Files of a user with one record per line or row. A subclass yields the records.

    Attributes:
        on_bad_record: leave_out counts records without usable id or text and leaves them out; stop refuses the first one.
    """

    on_bad_record: Literal["leave_out", "stop"] = omit_if_default("leave_out")

    def records(self, raw: Path, batch: Batch) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the place (file and line or row) and the fields of each record of a batch."""
        raise NotImplementedError

    def all_records(self, raw: Path) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the records of all batches."""
        return (found for batch in self.batches(raw) for found in self.records(raw, batch))

    def usable(
        self, what: str, records: Iterable[tuple[str, Any]], read: Callable[[Any, str], T], few: int = 0
    ) -> Iterator[tuple[str, T]]:
        """Yield the place and content of each usable record; count the others by reason as `what`.

        More than half bad records, and more than `few`, are an error.
        """
        odd = OddRecords(f"source {self.name}", _MOST)
        yield from sound(odd, records, lambda each: (each[0], self._read(read, *each)))
        odd.check_few(few)
        self._odd.update({f"{what} ({reason})": count for reason, count in odd.reasons.items()})

    def _read(self, read: Callable[[Any, str], T], where: str, record: Any) -> T:
        try:
            return read(record, where)
        except RecursionError:
            raise SourceError("nested too deep", where=where, fix="correct that record") from None
        except OddRecordError as error:
            kind = OddRecordError if self.on_bad_record == "leave_out" else SourceError
            raise kind(error.what, where=error.where, fix=f"{error.fix}{_OPTION}") from None


class Listed(OwnRecords):
    """Files that the user lists.

    Attributes:
        path: local files, folders (searched at any depth), or addresses (https, hf, s3, gs, mirror).
        follow_links: links in folders may lead out of them; otherwise they are refused.
    """

    pattern: ClassVar[str] = "*.jsonl"
    path: Places
    follow_links: bool = omit_if_default(False)

    def places(self) -> tuple[str, ...]:
        return self.path

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return named([file for place in self.path for file in self._files(place)])

    def _files(self, place: str) -> list[str]:
        if is_address(place) or not (folder := expanded(place)).is_dir():
            return [place]
        names = local_files(folder, self.pattern, follow_links=self.follow_links, packed=True)
        return [str(folder / name) for name in names]


class JsonLines(Listed):
    """Files of one JSON object per line.

    Attributes:
        max_line_mb: longest line that is read, in MB.
    """

    max_line_mb: LineMB = omit_if_default(LINE_MB)

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, self.paths(raw), self.max_line_mb)

    def records(self, raw: Path, batch: Batch) -> Iterator[tuple[str, dict[str, Any]]]:
        for piece in batch.pieces:
            yield from json_lines(raw, piece, self.max_line_mb)


def base_names(places: Sequence[str]) -> list[str]:
    """Return the base names of paths and addresses, with a number before them if two are the same after unpacking."""
    names = [place.split("?", 1)[0].rstrip("/").rsplit("/", 1)[-1].split(":")[-1] for place in places]
    is_unique = len({plain_name(name) for name in names}) == len(names)
    return names if is_unique else [f"{i:04d}-{name}" for i, name in enumerate(names)]


def named(places: Sequence[str]) -> list[RawFile]:
    """Return raw files for paths and addresses; archives and packings that are not read raise SourceError."""
    for name in base_names(places):
        refuse_packing(name)
    return [RawFile(f"{DATA}/{name}", _address(place)) for name, place in zip(base_names(places), places, strict=True)]


def is_address(place: str) -> bool:
    """Return whether a place names a protocol; other places are local paths."""
    return "://" in place or place.startswith("mirror:")


def _address(place: str) -> str:
    if is_address(place):
        return place
    path = expanded(place)
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe, socket or device"
        raise SourceError(f"is {what}, not a file", where=place, fix="check `path` in the parameters")
    return file_address(path)


def check_ids(named: Iterable[tuple[str, str]], name: str, what: str = "document") -> None:
    """Check that (id, place) pairs exist and that no id is repeated; a million records take about 100 MB."""
    seen: set[bytes] = set()
    for doc_id, where in named:
        key = digest(doc_id)
        if key in seen:
            raise SourceError(f"{what} id {doc_id!r:.80} appears twice", where=where, fix="make ids unique")
        seen.add(key)
    if not seen:
        raise SourceError(f"contains no {what}", where=f"source {name}", fix="check its options and files")
