"""Files of source code as records: arranged once at download, read by tasks."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from corpora.sources.base import Source
from corpora.sources.document_source import arranged, arranged_documents
from corpora.sources.formats.lines import line_batches
from corpora.sources.user_files import DATA
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import sha256_file
from haymaker.core.rows.source_records import CodeFile, Split

FILES = "files.jsonl"
NOT_TEXT, BLANK, COPY = "no UTF-8 text", "blank", "a copy of another file"
_MARK = "\ufeff"


class ArrangedCode(Source):
    """A source whose folder holds FILES."""

    def check(self, raw: Path) -> None:
        if not any(file.part == "test" for file in self.code_files(raw)):
            raise SourceError("has no file of part test", where=f"source {self.name}", fix="check its options")

    def code_files(self, raw: Path) -> list[CodeFile]:
        batches = line_batches(raw, [FILES])
        found = (document for batch in batches for document in arranged_documents(raw, batch, FILES))
        return [CodeFile(each.doc_id, each.part, each.text) for each in found]


def arrange(stage: Path, names: Sequence[str], part_of: Callable[[str], Split]) -> Counter[str]:
    """Turn fetched files into FILES; how many were left out, by reason.

    Args:
        stage: holds them below DATA, which is removed.
        names: of the files, below DATA.
        part_of: the part of a file, by its name.
    """
    left_out = Counter[str]()
    arranged(stage / FILES, _records(stage / DATA, names, part_of, left_out))
    shutil.rmtree(stage / DATA)
    return left_out


def _records(
    folder: Path, names: Sequence[str], part_of: Callable[[str], Split], left_out: Counter[str]
) -> Iterator[dict[str, object]]:
    seen: set[str] = set()
    for name in sorted(names):
        text, digest = source_text((folder / name).read_bytes()), sha256_file(folder / name)
        reason = NOT_TEXT if text is None else BLANK if not text.strip() else COPY if digest in seen else ""
        seen.add(digest)
        if reason:
            left_out[reason] += 1
        else:
            yield {"id": name, "part": part_of(name), "text": text}


def source_text(data: bytes) -> str | None:
    """Bytes of a file as text: without a byte order mark, lines ended by line feeds alone; None where they are no UTF-8, or hold a NUL.

    Nothing else is changed: tabs, form feeds, white space at the ends of lines, a last line without an end stay.
    """
    try:
        text = data.decode("utf-8").removeprefix(_MARK)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")
