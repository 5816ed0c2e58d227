"""Files of a raw source: where they come from, how they are fetched and verified, and what SOURCE.json records."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import PrivateAttr

from corpora.sources.catalogue import entry, info_of
from corpora.sources.formats.odd_records import OddRecords, R, T, sound
from corpora.sources.reviews import review_digest
from corpora.sources.terms import SourceInfo
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
from haymaker.core.params import Section, nearest
from haymaker.core.rng import digest

_REVIEWED = "reviewed"
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


class Fetched(Section):
    """The files of one source in data/raw/<source>/. Only `fetch` and `ask` may use the network.

    A class without `info` has the facts of its kind in catalogue.yaml.
    """

    beside: ClassVar[tuple[str, ...]] = ("kind", "optional")  # keys of the parameter block that are not options
    kind: ClassVar[str] = ""
    info: ClassVar[SourceInfo]
    version: ClassVar[int] = 1  # raised when the same files give other records, together with versions.yaml
    packed_under_any_name: ClassVar[bool] = False  # a user's packed files may have no suffix that tells
    _name: str = PrivateAttr(default="")
    _odd: dict[str, int] = PrivateAttr(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if {"kind", "info"} & vars(cls).keys() == {"kind"} and entry(cls.kind):
            cls.info = info_of(cls.kind)

    @property
    def name(self) -> str:
        """The key under `sources`, or the kind."""
        return self._name or self.kind

    def named(self, name: str) -> Self:
        """Set the key under `sources`; return the source."""
        self._name = name
        return self

    def error(self, what: str, fix: str = "") -> SourceError:
        """Return an error about the whole source."""
        return SourceError(what, where=f"source {self.name}", fix=fix)

    def check_set(self, what: str, name: str, known: Iterable[str]) -> None:
        """Raise SourceError for the name of a set that is not known."""
        if name not in known:
            raise self.error(f"has no set of {what} {name!r}", fix=nearest(name, known))

    def licence_words(self) -> str:
        """Return the licence as the card prints it."""
        return self.info.licence

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        """Return the files to fetch; may list a Hub repository or the mirror."""
        return []

    def resolve(self, context: FetchContext) -> str | None:
        """Return the pinned or resolved revision, or None if checksums alone pin the files."""
        return None

    def lock_key(self) -> str | None:
        """Return the key in sources.lock.json, or None if no entry is needed (known checksums, mirror, local, simulated)."""
        return None

    def download_bytes(self) -> int:
        """Estimate the download size for `plan`; for local files their size."""
        places = [path for place in self.local_inputs() for path in (place, *place.rglob("*"))]
        return sum(path.stat().st_size for path in places if path.is_file()) or self.info.download_bytes

    def local_inputs(self) -> list[Path]:
        """Return the local files and folders to copy, which are dependencies of the stage."""
        return []

    def facts(self) -> dict[str, Any]:
        """Return further entries of SOURCE.json, such as `generator_version`."""
        return {}

    def check(self, raw: Path) -> None:
        """Check the structure of the fetched files, so that mistakes are reported at download."""

    def fetch(self, target: Path, context: FetchContext) -> None:
        """Fill `target` (data/raw/<source>/) completely, with SOURCE.json, or leave it unchanged.

        Finished files remain in `context.cache` when a later file fails, so the next run resumes.

        Raises:
            UnavailableError: a file is missing, or access is refused.
            SourceError: a file is truncated, changed, unreachable, or has the wrong structure.
            EnvironmentProblem: disk trouble, or another run uses the folder.
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
                    context.report(f"{count:,} unusable record{'s' if count > 1 else ''} left out of {what}")
                os.sync()  # once for all files: one by one, ten thousand small files take half a minute
                write_json(stage / MANIFEST, self._manifest(stage, downloads, revision))
                record(context, self.lock_key())
                replace_folder(stage, target)

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        """Fetch the files into `stage` and unpack archives; simulated sources write their files instead."""
        key = self.lock_key()
        if key and revision:
            write_lock(context.found or context.lock_file, key, revision=revision)
        wanted = self._wanted(context)
        for path in set(files_in(stage)) - {stage / inside(file.path) for file in wanted}:
            path.unlink()  # from an attempt with other files
        got = [(file, fetch_locked(file, stage, context, key)) for file in wanted]
        with checking(stage, context):
            for file in wanted:
                if file.path.lower().endswith(_ARCHIVES):
                    self.open_up(stage / inside(file.path))
        return got

    def open_up(self, path: Path) -> None:
        """Unpack a fetched archive into the folder `unpacked` next to it, and remove the archive."""
        unpack(path)

    def ask(self, context: FetchContext) -> None:
        """Check that all files are available without keeping them; SourceError if a server or the mirror cannot be reached."""
        self.resolve(context)
        for file in self._wanted(context):
            look_for(file, context)

    def _wanted(self, context: FetchContext) -> list[RawFile]:
        wanted = self.raw_files(context)
        if not wanted and self.info.obtain:
            raise UnavailableError("its files must be downloaded manually", fix=self.info.obtain)
        if not wanted:
            raise self.error("has no files to fetch", fix="check its options")
        return wanted

    def check_local(self, raw: Path) -> None:
        """Check that the local inputs exist, or were copied into `raw` with the same options before."""
        missing = [place for place in self.local_inputs() if not place.exists()]
        if missing and made_by(raw) != (self.kind, self._public_options()):
            fix = f"correct the path in sources.{self.name}"
            raise SourceError("no such file or folder", where=str(missing[0]), fix=fix)

    def is_current(self, raw: Path, context: FetchContext) -> bool:
        """Return whether `raw` has these options, versions, locked revision and local files; deleted local files count as unchanged."""
        try:
            noted = json.loads((raw / MANIFEST).read_bytes())
            fetched = {download["path"]: download["sha256"] for download in noted["downloads"]}
        except (OSError, ValueError, LookupError, TypeError):
            return False
        wanted = {"source": self.kind, "version": self.version, "options": self._public_options(), **self.facts()}
        wanted[_REVIEWED] = review_digest(self.kind)
        key = self.lock_key()
        if revision := read_lock(context.lock_file, key).revision if key else None:
            wanted["revision"] = revision
        if json.loads(json.dumps(wanted)) != {name: noted.get(name) for name in wanted}:
            return False
        if not self.local_inputs() or not all(place.exists() for place in self.local_inputs()):
            return True
        here = {file.path: local_path(file.url) for file in self.raw_files(context)}
        return fetched == {path: sha256_file(place) if place else fetched.get(path) for path, place in here.items()}

    def verify(self, target: Path, context: FetchContext) -> list[str]:
        """Return one line per problem of a fetched folder."""
        return differing(target, self.kind, self._public_options())

    def leave_out(self, target: Path, why: str) -> None:
        """Record in data/raw/<source>/ that the files are unavailable, replacing any files there."""
        info, options = self.info, self._public_options()
        absent.note(
            target, why, source=self.kind, options=options, title=info.title, homepage=info.homepage, obtain=info.obtain
        )

    def unavailable(self, raw: Path) -> str:
        """Return the reason that `leave_out` recorded for these options, or an empty string."""
        noted = absent.noted(raw)
        is_mine = (noted.get("source"), noted.get("options")) == (self.kind, self._public_options())
        return str(noted[absent.WHY]) if is_mine else ""

    def left_out_of(self, what: str, odd: OddRecords, few: int = 0) -> None:
        """Record how many unusable records of a set were left out, for the download report and SOURCE.json (see `check_few`)."""
        if count := odd.check_few(few):
            self._odd[what] = count

    def sound(self, what: str, records: Iterable[R], read: Callable[[R], T | None], *, few: int = 0) -> Iterator[T]:
        """Yield what `read` returns for each record; unusable records are counted as left out of `what`, None is not."""
        odd = OddRecords(what)
        yield from sound(odd, records, read)
        self.left_out_of(what, odd, few)

    def take_odd(self) -> dict[str, int]:
        """Return and reset the counts of records left out, for the counts of a later stage."""
        found = {f"odd_{what}": count for what, count in self._odd.items()}
        self._odd.clear()
        return found

    def _public_options(self) -> dict[str, Any]:
        return {key: without_places(value) for key, value in self.model_dump(mode="json", by_alias=True).items()}

    def _manifest(
        self, stage: Path, downloads: list[tuple[RawFile, FetchedFile]], revision: str | None
    ) -> dict[str, Any]:
        """Return SOURCE.json without times, hosts or absolute paths: the same source gives the same bytes everywhere."""
        known = {} if self.packed_under_any_name else {file.path: got.sha256 for file, got in downloads}
        names = {path.relative_to(stage).as_posix(): path for path in files_in(stage)}
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
            "files": [
                {"path": name, "size": path.stat().st_size, "sha256": known.get(name) or sha256_file(path)}
                for name, path in names.items()
            ],
            **({"left_out": self._odd} if self._odd else {}),
            **({_REVIEWED: found} if (found := review_digest(self.kind)) else {}),
            **self.facts(),
        }
