"""Source code of a user's folder or of an installed Python package: kind `code_folder` (docs/reference/own-corpus.md).

Files are kept whole. Left out and counted: files that are not UTF-8 text, blank files, copies of earlier files.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from corpora.sources.base import FetchContext, FetchedFile, RawFile, Source
from corpora.sources.document_source import arranged, arranged_documents
from corpora.sources.formats.lines import line_batches
from corpora.sources.local_folder import Pattern, local_files, matches
from corpora.sources.transport.staging import checking
from corpora.sources.user_files import DATA, Own, WithSplits
from haymaker.core.errors import UnavailableError
from haymaker.core.files.disk import sha256_file
from haymaker.core.files.paths import expanded, file_address
from haymaker.core.params import omit_if_default
from haymaker.core.rows.source_records import CodeFile

FILES = "files.jsonl"
SUFFIX = ".py"


class ArrangedCode(Source):
    """A source whose folder holds FILES: one file of source code per line."""

    def check(self, raw: Path) -> None:
        if not any(file.split == "test" for file in self.code_files(raw)):
            raise self.error("has no file in split test", fix="check its options")

    def code_files(self, raw: Path) -> list[CodeFile]:
        batches = line_batches(raw, [FILES])
        found = (document for batch in batches for document in arranged_documents(raw, batch, FILES))
        return [CodeFile(each.doc_id, each.split, each.text) for each in found]


class CodeFolder(ArrangedCode, Own, WithSplits):
    """Options of kind `code_folder`; `split` or `splits` as in other corpora of a user.

    Attributes:
        folder: a local folder.
        package: installed distribution instead of `folder`, as "name" or "name==version".
        sha256: expected checksum of names and contents of the files; if it differs, the download prints the actual value.
        languages: programming languages; only python is supported.
        pattern: pattern of the files to read, at any depth.
        exclude: patterns of files to leave out.
        follow_links: allow links that lead out of the folder.
    """

    kind: ClassVar[str] = "code_folder"
    folder: str | None = None
    package: (
        Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(==[A-Za-z0-9][A-Za-z0-9.+!-]{0,49})?$")] | None
    ) = None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    languages: Annotated[tuple[Literal["python"], ...], Field(min_length=1)] = ("python",)
    pattern: Pattern = "*"
    exclude: tuple[Pattern, ...] = ()
    follow_links: bool = omit_if_default(False)
    _left_out: Counter[str] = PrivateAttr(default_factory=Counter)

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if bool(self.folder) == bool(self.package):
            raise ValueError("give either `folder` or `package`")
        return self

    def local_inputs(self) -> list[Path]:
        return [expanded(self.folder)] if self.folder else []

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        root, names = self._package() if self.package else (self.local_inputs()[0], self._in_folder())
        python = [name for name in names if name.endswith(SUFFIX)]
        chosen = [name for name in python if not any(matches(name, pattern) for pattern in self.exclude)]
        if not chosen:
            raise self.error(f"no Python file matches {self.pattern!r}", fix="check `pattern` and `exclude`")
        return [RawFile(f"{DATA}/{name}", file_address(root / name)) for name in chosen]

    def _in_folder(self) -> list[str]:
        return local_files(self.local_inputs()[0], self.pattern, follow_links=self.follow_links)

    def _package(self) -> tuple[Path, list[str]]:
        """Return the root of an installed package and its files according to its own list."""
        name, _, version = str(self.package).partition("==")
        fix = f"pip install -c constraints.txt {self.package}"
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise UnavailableError(f"package {name} is not installed", fix=fix) from None
        if version not in ("", found.version):
            what = f"package {name} {found.version} is installed, the parameters require {version}"
            raise UnavailableError(what, fix=fix)
        listed = [str(path) for path in found.files or () if ".." not in path.parts]
        root = Path(str(found.locate_file("")))
        names = sorted(path for path in listed if matches(path, self.pattern) and (root / path).is_file())
        if not names:
            raise self.error(f"package {name} has no list of its files", fix="install it from a wheel")
        return root, names

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        shutil.rmtree(stage, ignore_errors=True)  # copies of local files are not resumed
        stage.mkdir(parents=True)
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            names = [file.path.removeprefix(f"{DATA}/") for file, _ in got]
            found = files_digest(stage / DATA, names)
            if self.sha256 not in (None, found):
                fix = f"install the version of the parameters, or write sha256: {found}"
                raise self.error("its files do not match `sha256`", fix=fix)
            arranged(stage / FILES, self._arranged(stage / DATA, names))
            shutil.rmtree(stage / DATA)
        for what, count in sorted(self._left_out.items()):
            context.report(f"{count:,} files left out: {what}")
        return got

    def facts(self) -> dict[str, Any]:
        return {"files_left_out": dict(sorted(self._left_out.items()))} if self._left_out else {}

    def _arranged(self, folder: Path, names: Iterable[str]) -> Iterator[dict[str, object]]:
        """Yield the records of FILES; count files left out by reason."""
        self._left_out.clear()
        seen: set[str] = set()
        for name in sorted(names):
            text, digest = source_text((folder / name).read_bytes()), sha256_file(folder / name)
            blank = "blank" if text is not None and not text.strip() else ""
            reason = "no UTF-8 text" if text is None else blank or ("a copy of another file" if digest in seen else "")
            seen.add(digest)
            if reason:
                self._left_out[reason] += 1
            else:
                yield {"id": name, "split": self.split_for(name), "text": text}


def source_text(data: bytes) -> str | None:
    """Return bytes as text with line feeds as line ends and no byte order mark, or None if they are not UTF-8 or contain a NUL."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def files_digest(folder: Path, names: Iterable[str]) -> str:
    """Return the SHA-256 of the lines that `sha256sum` prints for the files in the order of their names."""
    lines = (f"{sha256_file(folder / name)}  {name}\n" for name in sorted(names))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
