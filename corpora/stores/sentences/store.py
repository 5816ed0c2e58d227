"""The sentence store of a book corpus: one contiguous buffer, offsets, and prefix sums per tokenizer.

Every unit begins with exactly one space, its form in a context, so units add up exactly (docs/spec/measured.md 1). A
context with k needles is k + 1 slices and one join; nothing is tokenized again. Stores that keep paragraphs
(corpora/stores/documents) have a blank line in place of that space at the start of a paragraph, and count its tokens.

    text.bin              concatenated units, UTF-8
    bytes.i64 chars.i64   start of unit i, in bytes and in characters (n + 1 values, little endian)
    words.i64             words before unit i
    tokens-<j>.i64        tokens before unit i under tokenizer j of meta.json
    documents.jsonl       documents in order: id, title, split, first unit, one past the last
    meta.json             version, rules, counts of left out items by reason, sizes and checksums
"""

from __future__ import annotations

import json
import mmap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from corpora.stores.sentences import languages
from corpora.stores.sentences.clean import CleaningParams
from corpora.stores.store import AGAIN, Store
from haymaker.core.errors import CorpusError
from haymaker.core.params import Name, RefersTo, Section
from haymaker.core.rows.source_records import Split

BACKGROUND_VERSION = 2
COLUMNS = ("bytes", "chars", "words")
BREAK = "\n\n"  # replaces the space of a unit that opens a paragraph, in stores that keep paragraphs


class CorpusParams(Section):
    """A background corpus (params key `corpora.<name>`).

    Attributes:
        source: source of the texts.
        language: language of the texts (BCP 47); selects the sentence splitter.
        duplicates: keep repeated sentences.
        clean: cleaning rules.
        note: free text.
    """

    source: Annotated[Name, RefersTo("sources", ("documents",))]
    language: str = "en"
    duplicates: bool = False
    clean: Annotated[CleaningParams, Field(validate_default=True)] = CleaningParams()
    note: Annotated[str, Field(max_length=200)] = ""

    @field_validator("clean", mode="before")
    @classmethod
    def _of_its_language(cls, given: Any, info: ValidationInfo) -> Any:
        """Use the splitter of the language unless another is named."""
        rules = given.model_dump(exclude_unset=True) if isinstance(given, CleaningParams) else given
        if not isinstance(rules, dict) or "splitter" in rules or "language" not in info.data:
            return given
        name = languages.default(info.data["language"])
        return given if name == "punkt" else {**rules, "splitter": name}


@dataclass(frozen=True, slots=True)
class Entry:
    """A document of the store and the units [first, last) that came of it."""

    doc_id: str
    title: str
    split: Split
    first: int
    last: int


class Background(Store):
    """A finished store, memory-mapped and shared between workers."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, BACKGROUND_VERSION, "background store", "units", frozenset({"documents"}))
        self.text = _map(folder / "text.bin")
        self.byte_at, self.char_at, self.word_at = (_map(folder / f"{c}.i64").cast("q") for c in COLUMNS)

    @cached_property
    def documents(self) -> list[Entry]:
        """All documents in order."""
        lines = (self.folder / "documents.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
        return [Entry(**json.loads(line)) for line in lines]

    def split(self, split: str) -> list[Entry]:
        """Documents of one split that have at least one unit."""
        return [entry for entry in self.documents if entry.split == split and entry.last > entry.first]

    def tokens_at(self, fingerprint: str) -> memoryview:
        """Return prefix sums of tokens: value i = tokens before unit i."""
        known = self.meta["tokenizers"]
        if fingerprint not in known:
            raise CorpusError(f"has no token counts of {fingerprint}", where=str(self.folder), fix=AGAIN)
        return _map(self.folder / f"tokens-{known.index(fingerprint)}.i64").cast("q")

    @cached_property
    def first_units(self) -> list[int]:
        """First unit of each document."""
        return [entry.first for entry in self.documents]

    @cached_property
    def first_of(self) -> dict[str, int]:
        """Document -> its first unit."""
        return {entry.doc_id: entry.first for entry in self.documents}


def _map(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
