"""Base of prepared sets: one Parquet file whose metadata contains version, tokenizers, parameters and sources."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import sha256_file

META = b"haymaker"  # key of the JSON in the file's metadata


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
            raise CorpusError("damaged", where=str(path), fix=again) from None
        if found != version:
            raise CorpusError(f"of version {found}, this program reads {version}", where=str(path), fix=again)

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
