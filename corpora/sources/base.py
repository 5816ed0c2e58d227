"""What every raw source is: where its files come from, under which terms, and how they become records.

A source is one class in one file: its fields are the options a user writes under `sources.<name>` beside `kind`.
Only `fetch` (the download stage) may touch the network; everything else reads data/raw/<source>/.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import PrivateAttr

from corpora.sources import terms
from corpora.sources.formats.batches import Batch, Piece, group
from corpora.sources.formats.odd_records import OddRecords, R, T, sound
from corpora.sources.transport import absent
from corpora.sources.transport.fetch import look_for
from corpora.sources.transport.lock import read_lock, write_lock
from corpora.sources.transport.rawfile import FetchContext, FetchedFile, RawFile, inside
from corpora.sources.transport.staging import (
    MANIFEST,
    checking,
    differing,
    fetch_locked,
    files_in,
    made_by,
    record,
    unpack,
    without_places,
)
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.addresses import local_path, without_secrets
from haymaker.core.files.disk import disk_errors, locked, replace_folder, sha256_file, write_json
from haymaker.core.params import Section
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import (
    Article,
    CodeFile,
    Document,
    DocumentQuestion,
    LabelledText,
    Passage,
    Question,
    Split,
    StoryQuestion,
)

__all__ = ["Batch", "FetchContext", "FetchedFile", "Piece", "RawFile", "Source", "SourceInfo", "group"]

_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


@dataclass(frozen=True, kw_only=True)
class SourceInfo:
    """Facts about a source for `haymaker sources`, the plan, the manifest and the card.

    Attributes:
        title, homepage: for people.
        licence: its licences in words, as the publisher states them.
        licences: keys of corpora.sources.terms.LICENCES, of all parts of a bundle; default: those named in `licence`.
        redistribution: True, False, or a sentence with the condition; default: from the terms of `licences`.
        roles: some of "documents", "stories" (bAbI), "tokenizers", "articles", "passages", "questions", "labelled", "document_questions", "code".
        edition: "real", or "world" for simulated sources.
        languages: BCP 47 codes; empty if they depend on the user's data.
        download_bytes: estimate for `plan`, with default options.
        passages: estimate for `plan` of the passages cut from its articles, or of its passages.
        obtain: how to get the files by hand if a program may not.
        note: anything else.
    """

    title: str
    homepage: str
    licence: str
    roles: tuple[str, ...]
    licences: tuple[str, ...] = ()
    redistribution: bool | str | None = None
    edition: str = "real"
    languages: tuple[str, ...] = ("en",)
    download_bytes: int = 0
    passages: int = 0
    obtain: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        keys = self.licences or tuple(terms.named_in(self.licence)) or (terms.UNSTATED,)
        object.__setattr__(self, "licences", keys)
        if self.redistribution is None:
            object.__setattr__(self, "redistribution", terms.redistribution(keys))

    def licences_of(self, licence: str) -> tuple[str, ...]:
        """Return licence keys of fetched files whose SOURCE.json states `licence`; a user may have stated one."""
        is_stated = terms.OWN in self.licences and licence != self.licence
        return terms.of_words(licence) if is_stated else self.licences


class Source(Section):
    """One raw source. A subclass declares options as fields and overrides what its role needs."""

    beside: ClassVar[tuple[str, ...]] = ("kind", "optional")  # keys of its block that are none of its options
    kind: ClassVar[str] = ""
    info: ClassVar[SourceInfo]
    version: ClassVar[int] = 1  # raised when the same files give other records; versions.yaml says the same
    _name: str = PrivateAttr(default="")
    _odd: dict[str, int] = PrivateAttr(default_factory=dict)

    @property
    def name(self) -> str:
        """The user's name for it (the key under `sources`), else its kind."""
        return self._name or self.kind

    def named(self, name: str) -> Self:
        """The same source under the user's name."""
        self._name = name
        return self

    def licence_words(self) -> str:
        """Its licence, as the card says it."""
        return self.info.licence

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        """The files to fetch; may ask the Hub or the mirror for a listing.

        Raises:
            SourceError: the listing cannot be had.
        """
        return []

    def resolve(self, context: FetchContext) -> str | None:
        """The pinned or resolved revision, or None where files are pinned by checksum alone."""
        return None

    def lock_key(self) -> str | None:
        """Its entry in sources.lock.json; None when nothing needs it (checksums in code, mirror, local, world)."""
        return None

    def download_bytes(self) -> int:
        """Estimate with these options, for `plan`; for local files their size."""
        places = [path for place in self.local_inputs() for path in (place, *place.rglob("*"))]
        return sum(path.stat().st_size for path in places if path.is_file()) or self.info.download_bytes

    def passage_count(self) -> int:
        """Roles "articles" and "passages": estimate of the passages with these options, for `plan`."""
        return self.info.passages

    def local_inputs(self) -> list[Path]:
        """Local files or folders it copies: what a stage must list as dependencies."""
        return []

    def check_local(self, raw: Path) -> None:
        """Local files and folders that it copies are there, or were copied with these options already.

        Args:
            raw: data/raw/<source>/, whether it is there or not.

        Raises:
            SourceError: names the first that is not there.
        """
        lacking = [place for place in self.local_inputs() if not place.exists()]
        if lacking and made_by(raw) != (self.kind, self._public_options()):
            raise SourceError(
                "no such file or folder", where=str(lacking[0]), fix=f"correct the path in sources.{self.name}"
            )

    def is_current(self, raw: Path, context: FetchContext) -> bool:
        """Whether a fetched folder is what `fetch` would make now: of these options and versions, of the locked revision, of local files as
        they are (those that are gone count as unchanged).
        """
        try:
            noted = json.loads((raw / MANIFEST).read_bytes())
            fetched = {download["path"]: download["sha256"] for download in noted["downloads"]}
        except (OSError, ValueError, LookupError, TypeError):
            return False
        wanted = {"source": self.kind, "version": self.version, "options": self._public_options(), **self.facts()}
        key = self.lock_key()
        if revision := read_lock(context.lock_file, key).revision if key else None:
            wanted["revision"] = revision
        if json.loads(json.dumps(wanted)) != {name: noted.get(name) for name in wanted}:
            return False
        if not self.local_inputs() or not all(place.exists() for place in self.local_inputs()):
            return True
        here = {file.path: local_path(file.url) for file in self.raw_files(context)}
        return fetched == {path: sha256_file(place) if place else fetched.get(path) for path, place in here.items()}

    def fetch(self, target: Path, context: FetchContext) -> None:
        """Fill `target` (data/raw/<source>/): it appears whole, with SOURCE.json, or not at all.

        Finished files wait in `context.cache` when a later one fails, so running again goes on from there.

        Raises:
            UnavailableError: a file is not there, or not for us.
            SourceError: a file is cut short, changed, or not of the shape it must have; or out of reach.
            EnvironmentProblem: disk trouble, or another run works on it.
        """
        name = f"{target.name}-{digest(self.kind, json.dumps(self._public_options(), sort_keys=True), size=6).hex()}"
        with locked(context.cache / f"{name}.lock"):
            stage = context.cache / f"{name}.stage"
            context = replace(context, found=context.cache / f"{name}.found.json")
            with disk_errors(stage):
                stage.mkdir(parents=True, exist_ok=True)
                revision = self.resolve(context)
                downloads = self.fill(stage, context, revision)
                with checking(stage, context):
                    self.check(stage)
                for what, count in self._odd.items():
                    why = "" if what.endswith(")") else " say nothing and"  # else it is said there
                    context.report(f"{count:,} records of {what}{why} are left out")
                os.sync()  # once for all files: one by one, ten thousand small ones take half a minute
                write_json(stage / MANIFEST, self._manifest(stage, downloads, revision))
                record(context, self.lock_key())
                replace_folder(stage, target)

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        """Bring the files into `stage` and unpack archives; world sources write their files instead."""
        key = self.lock_key()
        if key and revision:
            write_lock(context.found or context.lock_file, key, revision=revision)
        wanted = self._wanted(context)
        for path in set(files_in(stage)) - {stage / inside(file.path) for file in wanted}:
            path.unlink()  # left by an attempt that wanted other files
        got = [(file, fetch_locked(file, stage, context, key)) for file in wanted]
        with checking(stage, context):
            for file, _ in got:
                if file.path.lower().endswith(_ARCHIVES):
                    self.open_up(stage / inside(file.path))
        return got

    def open_up(self, path: Path) -> None:
        """Unpack a fetched archive beside itself, and remove it.

        Raises:
            SourceError: damaged, malicious, or without what is needed.
        """
        unpack(path)

    def _wanted(self, context: FetchContext) -> list[RawFile]:
        wanted = self.raw_files(context)
        if not wanted and self.info.obtain:
            raise UnavailableError("its files were not given", fix=self.info.obtain)
        if not wanted:
            raise SourceError("has no files to fetch", where=f"source {self.name}", fix="check its options")
        return wanted

    def ask(self, context: FetchContext) -> None:
        """Whether its files can be had; nothing of them is kept.

        Raises:
            UnavailableError: one of them cannot.
            SourceError: nobody can tell now: out of reach, no mirror.
        """
        self.resolve(context)
        for file in self._wanted(context):
            look_for(file, context)

    def leave_out(self, target: Path, why: str) -> None:
        """Note in data/raw/<source>/ that its files cannot be had, in place of any that are there.

        Raises:
            EnvironmentProblem: the disk refuses it.
        """
        info, options = self.info, self._public_options()
        absent.note(
            target, why, source=self.kind, options=options, title=info.title, homepage=info.homepage, obtain=info.obtain
        )

    def unavailable(self, raw: Path) -> str:
        """Why its files cannot be had, as `leave_out` noted it; empty where nothing is noted, or of other options."""
        noted = absent.noted(raw)
        is_mine = (noted.get("source"), noted.get("options")) == (self.kind, self._public_options())
        return str(noted[absent.WHY]) if is_mine else ""

    def check(self, raw: Path) -> None:
        """Look at the shape of the fetched files once, so that mistakes show at download and not hours later.

        Raises:
            SourceError: a file does not have the shape it must have.
        """

    def left_out_of(self, what: str, odd: OddRecords, few: int = 0) -> None:
        """Remember how many records of a set say nothing, for the download's report and SOURCE.json.

        Raises:
            SourceError: too many, and more than `few`.
        """
        if count := odd.check_few(few):
            self._odd[what] = count

    def sound(self, what: str, records: Iterable[R], read: Callable[[R], T | None], *, few: int = 0) -> Iterator[T]:
        """What `read` returns for each record, without None and without odd records; these count as left out of `what`."""
        odd = OddRecords(what)
        yield from sound(odd, records, read)
        self.left_out_of(what, odd, few)

    def take_odd(self) -> dict[str, int]:
        """How many records were left out since this was asked last, for the counts of a later stage."""
        found = {f"odd_{what}": count for what, count in self._odd.items()}
        self._odd.clear()
        return found

    def facts(self) -> dict[str, Any]:
        """Further entries of SOURCE.json (for example `world_version`)."""
        return {}

    def verify(self, target: Path, context: FetchContext) -> list[str]:
        """What is wrong with a fetched folder, one line per problem, naming the file; empty when all is well."""
        return differing(target, self.kind, self._public_options())

    def batches(self, raw: Path) -> list[Batch]:
        """Roles "documents", "articles" and "passages": the work, cut into batches in a fixed order.

        Raises:
            SourceError: this source has none of them, or its folder holds none.
        """
        raise SourceError("has no documents", where=f"source {self.name} (kind {self.kind})")

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        """Role "documents": the documents of one batch, in order.

        Raises:
            SourceError: a record is not what it must be; names file and line, row or byte.
        """
        raise SourceError("has no documents", where=f"source {self.name} (kind {self.kind})")

    def stories(self, raw: Path, task: str, part: Split) -> list[StoryQuestion]:
        """Role "stories": all questions of a task and part, in file order.

        Raises:
            SourceError: no such task or part, or a damaged file.
        """
        raise SourceError("has no questions", where=f"source {self.name} (kind {self.kind})")

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        """Role "articles": the articles of one batch, in order.

        Raises:
            SourceError: a record is not what it must be; names file and line.
        """
        raise SourceError("has no articles", where=f"source {self.name} (kind {self.kind})")

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        """Role "passages": the ready-made passages of one batch, in order.

        Raises:
            SourceError: a record is not what it must be; names file and line.
        """
        raise SourceError("has no passages", where=f"source {self.name} (kind {self.kind})")

    def question_sets(self) -> tuple[str, ...]:
        """Role "questions": names of its question sets with these options; known without any file."""
        return ()

    def questions(self, raw: Path, name: str, part: Split) -> list[Question]:
        """Role "questions": all questions of a set and part, in file order; empty where the set has none of that part.

        Raises:
            SourceError: no such set, or a damaged file; names file and line.
        """
        raise SourceError("has no questions to answer", where=f"source {self.name} (kind {self.kind})")

    def label_sets(self) -> tuple[str, ...]:
        """Role "labelled": names of its sets of labelled texts with these options; known without any file."""
        return ()

    def labelled(self, raw: Path, name: str, part: Split) -> list[LabelledText]:
        """Role "labelled": all texts of a set and part, in file order; empty where the set has none of that part.

        Raises:
            SourceError: no such set, or a damaged file; names file and line.
        """
        raise SourceError("has no labelled texts", where=f"source {self.name} (kind {self.kind})")

    def document_sets(self) -> tuple[str, ...]:
        """Role "document_questions": names of its sets of questions about its documents; known without any file."""
        return ()

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        """Role "document_questions" (always beside "documents"): everything asked of a set, in file order, all parts.

        Raises:
            SourceError: no such set, or a damaged file; names file and line.
        """
        raise SourceError("has no questions about its documents", where=f"source {self.name} (kind {self.kind})")

    def code_files(self, raw: Path) -> list[CodeFile]:
        """Role "code": all files of source code, in order, all parts.

        Raises:
            SourceError: this source has none, or a damaged file.
        """
        raise SourceError("has no source code", where=f"source {self.name} (kind {self.kind})")

    def vocabulary_name(self) -> str:
        """Role "stories": the edition of bAbI whose words its questions use, "classic" or "large"."""
        return "classic"

    def _public_options(self) -> dict[str, Any]:
        return {key: without_places(value) for key, value in self.model_dump(mode="json", by_alias=True).items()}

    def _manifest(
        self, stage: Path, downloads: list[tuple[RawFile, FetchedFile]], revision: str | None
    ) -> dict[str, Any]:
        """SOURCE.json: no times, hosts or absolute paths, so the same source gives the same bytes everywhere."""
        known = {file.path: got for file, got in downloads}
        files = []
        for path in files_in(stage):
            name = path.relative_to(stage).as_posix()
            sha = known[name].sha256 if name in known else sha256_file(path)
            files.append({"path": name, "size": path.stat().st_size, "sha256": sha})
        return {
            "source": self.kind,
            "version": self.version,
            "title": self.info.title,
            "licence": self.licence_words(),
            "homepage": self.info.homepage,
            "edition": self.info.edition,
            "options": self._public_options(),
            "revision": revision,
            "downloads": [
                {"path": file.path, "url": without_secrets(file.url), "size": got.size, "sha256": got.sha256}
                for file, got in downloads
            ],
            "files": files,
            **({"left_out": self._odd} if self._odd else {}),
            **self.facts(),
        }
