"""Source code: a folder of the user's own, or an installed Python package, read where it is installed (docs/reference/own-corpus.md).

Kind `code_folder`. Files are kept whole. What is no source code for a reader is left out and counted: bytes that are no UTF-8,
blank files, copies of a file before.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from corpora.sources.base import FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.code_files import ArrangedCode, arrange
from corpora.sources.local_folder import Pattern, local_files, matches
from corpora.sources.splits import WithSplits
from corpora.sources.transport.staging import checking
from corpora.sources.user_files import DATA, Own, user_info
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.disk import sha256_file
from haymaker.core.files.paths import expanded, file_address
from haymaker.core.params import omit_if_default

SUFFIX = ".py"


class CodeFolder(ArrangedCode, Own, WithSplits):
    """Options of kind `code_folder`; `part` or `parts` as in other corpora of the user's own.

    Attributes:
        folder: a local folder.
        package: or an installed distribution as pip knows it, "name" or "name==version".
        sha256: of names and bytes of the files that were chosen; the download says it where it is not given or differs.
        languages: only python.
        pattern: which of these, at any depth.
        exclude: patterns of files that are left out.
        follow_links: links may lead out of the folder; without it they are refused.
    """

    kind: ClassVar[str] = "code_folder"
    info: ClassVar[SourceInfo] = user_info("Source code", "code")
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
        root, names = self._package() if self.package else self._folder()
        chosen = [
            name for name in names
            if name.endswith(SUFFIX) and not any(matches(name, pattern) for pattern in self.exclude)
        ]  # fmt: skip
        if not chosen:
            what = f"no Python file matches {self.pattern!r}"
            raise SourceError(what, where=f"source {self.name}", fix="check `pattern` and `exclude`")
        return [RawFile(f"{DATA}/{name}", file_address(root / name)) for name in chosen]

    def _folder(self) -> tuple[Path, list[str]]:
        folder = self.local_inputs()[0]
        return folder, local_files(folder, self.pattern, follow_links=self.follow_links)

    def _package(self) -> tuple[Path, list[str]]:
        """Where an installed package lies, and its files by its own list."""
        (name, _, version), where = str(self.package).partition("=="), f"source {self.name}"
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            what = f"package {name} is not installed"
            raise UnavailableError(what, fix=f"pip install -c constraints.txt {self.package}") from None
        if version not in ("", found.version):
            what = f"package {name} {found.version} is installed, the parameters ask for {version}"
            raise UnavailableError(what, fix=f"pip install -c constraints.txt {self.package}")
        listed = [str(path) for path in found.files or () if ".." not in path.parts]
        root = Path(str(found.locate_file("")))
        names = sorted(path for path in listed if matches(path, self.pattern) and (root / path).is_file())
        if not names:
            raise SourceError(f"package {name} has no list of its files", where=where, fix="install it from a wheel")
        return root, names

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        shutil.rmtree(stage, ignore_errors=True)  # local files: an attempt that broke off is begun anew
        stage.mkdir(parents=True)
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            names = [file.path.removeprefix(f"{DATA}/") for file, _ in got]
            found = files_digest(stage / DATA, names)
            if self.sha256 not in (None, found):
                fix = f"install what the parameters ask for, or write sha256: {found}"
                raise SourceError("its files are others than `sha256` says", where=f"source {self.name}", fix=fix)
            self._left_out = arrange(stage, names, self.split_for)
        for what, count in sorted(self._left_out.items()):
            context.report(f"{count:,} files left out: {what}")
        return got

    def facts(self) -> dict[str, Any]:
        return {"files_left_out": dict(sorted(self._left_out.items()))} if self._left_out else {}


def files_digest(folder: Path, names: Iterable[str]) -> str:
    """What `sha256` pins: SHA-256 of the lines that `sha256sum` writes for the files in the order of their names."""
    lines = (f"{sha256_file(folder / name)}  {name}\n" for name in sorted(names))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
