"""Base of prepared stores (a folder of files and a meta.json with sizes and checksums) and of sets (one Parquet file)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import sha256_file, write_json
from haymaker.core.params import Section

AGAIN = "build it again with haymaker run"
META = b"haymaker"  # key of the JSON in the file's metadata
_KEYS = {"version", "params", "source", "tokenizers", "totals", "dropped", "files"}


class Store:
    """A finished store; opening checks sizes, `verify` every byte.

    Args:
        folder: of the store.
        version: of the layout.
        what: name of the store in errors, e.g. "passage store".
        counted: entry of `totals` with the number of units.
        more: additional keys of meta.json.
    """

    def __init__(self, folder: Path, version: int, what: str, counted: str, more: Set[str] = frozenset()) -> None:
        self.folder = folder
        try:
            self.meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
            if lacking := (_KEYS | more) - self.meta.keys():
                raise CorpusError(f"has no {min(lacking)!r}", where=str(folder / "meta.json"), fix=AGAIN)
            for name, facts in self.meta["files"].items():
                size = (folder / name).stat().st_size
                if size != facts["bytes"]:
                    raise CorpusError(f"{size} bytes instead of {facts['bytes']}", where=str(folder / name), fix=AGAIN)
            self.size = int(self.meta["totals"][counted])
        except FileNotFoundError as error:
            raise CorpusError(f"file of the {what} is missing", where=str(error.filename), fix=AGAIN) from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise CorpusError("is unreadable", where=str(folder / "meta.json"), fix=AGAIN) from None
        if self.meta["version"] != version:
            raise CorpusError(
                f"has version {self.meta['version']}; this program reads version {version}",
                where=str(folder),
                fix=AGAIN,
            )

    def verify(self) -> None:
        """Compare the SHA-256 of every file with meta.json (about 1.5 GB per second)."""
        for name, facts in self.meta["files"].items():
            if sha256_file(self.folder / name) != facts.get("sha256"):
                raise CorpusError("has changed since it was built", where=str(self.folder / name), fix=AGAIN)

    @property
    def provenance(self) -> dict[str, Any]:
        """Source -> record of its download."""
        return {self.meta["params"]["source"]: self.meta["source"]}

    @property
    def facts(self) -> dict[str, Any]:
        """Facts for a release: rules, totals, counts of left out items."""
        return {key: value for key, value in self.meta.items() if key not in ("source", "files")}

    @property
    def digest(self) -> str:
        """One name for the content: changes with any byte."""
        parts = sorted(f"{name}={facts['sha256']}" for name, facts in self.meta["files"].items())
        return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


def write_meta(
    folder: Path, version: int, params: Section, provenance: dict[str, Any], tokenizers: Sequence[Tokenizer],
    totals: Mapping[str, int], dropped: Mapping[str, int], **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """Write and return meta.json over all files of a finished store.

    Args:
        folder: contains the finished files only.
        version: of the layout.
        params: of the corpus.
        provenance: SOURCE.json of the source.
        tokenizers: release tokenizer first.
        totals: of the store.
        dropped: reason -> number left out.
        more: additional keys.
    """
    meta = {
        "version": version,
        "params": params.model_dump(mode="json"),
        "source": provenance,
        "tokenizers": [tokenizer.fingerprint for tokenizer in tokenizers],
        "totals": totals,
        "dropped": dict(sorted(dropped.items())),
        "files": {p.name: {"bytes": p.stat().st_size, "sha256": sha256_file(p)} for p in sorted(folder.iterdir())},
        **more,
    }
    write_json(folder / "meta.json", meta)
    return meta


class SetFile:
    """A finished file; opening reads only its metadata.

    Args:
        path: of the file.
        version: of the layout that this program reads.
        what: its contents in errors, e.g. "mined questions".
        again: command or action that builds it again, for errors.
    """

    def __init__(self, path: Path, version: int, what: str, again: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path = path
        try:
            self._file = pq.ParquetFile(path, memory_map=True)
            self.meta: dict[str, Any] = json.loads(self._file.schema_arrow.metadata[META])
            found = self.meta["version"]
        except FileNotFoundError:
            raise CorpusError(f"no such set of {what}", where=str(path), fix=again) from None
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
            raise CorpusError("is damaged", where=str(path), fix=again) from None
        if found != version:
            raise CorpusError(f"has version {found}; this program reads version {version}", where=str(path), fix=again)

    @property
    def tokenizers(self) -> list[str]:
        """Fingerprints of the tokenizers of its counts."""
        return list(self.meta["tokenizers"])

    @property
    def provenance(self) -> dict[str, Any]:
        """Source -> record of its download."""
        return dict(self.meta["sources"])

    @property
    def facts(self) -> dict[str, Any]:
        """Facts for a release: parameters, counts of left out items."""
        return {key: value for key, value in self.meta.items() if key not in ("sources", "files")}

    def verify(self) -> None:
        """Do nothing: the digest is compared with the one recorded when the file was written."""

    @cached_property
    def digest(self) -> str:
        """Changes with any byte."""
        return sha256_file(self.path)
