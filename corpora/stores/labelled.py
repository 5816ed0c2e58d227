"""Classification sets: data/classification_sets/<set>.parquet contains every text once, counted in the form it has in a prompt.

One row group per split, texts in source order (docs/spec/helmet.md 9); the metadata contains parameters, sources and
counts by reason as JSON. Tokens are counted for `unit(text)`: a shot up to its label; the label comes after it and ends
with the opener of the next shot, so that shots add up in any order (docs/decisions/0009).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from corpora.stores.store import META, SetFile
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import written
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import Name, RefersTo, Section, omit_if_default
from haymaker.core.rows.source_records import LabelledText, Split
from haymaker.core.text.fix_text import LOST, fix_text

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Ints = npt.NDArray[np.int64]

LABELLED_VERSION = 4
SPLITS: tuple[Split, ...] = ("train", "test", "dev")  # a text that comes again in a later split is dropped there
_AGAIN = "prepare it again with haymaker run"


class Markers(NamedTuple):
    """The opener of a shot, which ends the unit before it (docs/decisions/0009), and the text before its label."""

    opener: str
    answer: str


@cache
def markers(language: str) -> Markers:
    """Return the markers of a language; English ones if it has none."""
    known = read_yaml(Path(__file__).with_name("markers.yaml"))
    return Markers(**known.get(language, known["en"]))


class LabelledParams(Section):
    """A classification set (params key `classification_sets.<name>`).

    Attributes:
        source: source of the labelled texts.
        set: name of the set in the source.
        language: language of the texts (BCP 47).
        fix_encoding: remove and count control characters and overrides of the writing direction.
    """

    source: Annotated[Name, RefersTo("sources", ("labelled",))]
    set: str
    language: str = omit_if_default("en")
    fix_encoding: bool = omit_if_default(True)


def unit(text: str, answer: str) -> str:
    """Return a shot up to its label; the label is followed by the opener of the next shot."""
    return f" {text}\n{answer}"


# ------------------------------------------------------------------------------------------------------------- sifting


def sifted(
    texts: Mapping[Split, Iterable[LabelledText]], *, fix_encoding: bool = True
) -> tuple[dict[Split, list[LabelledText]], dict[Split, Counter[str]]]:
    """Return the texts that stay, and counts of the others by reason; comparisons ignore case and white space.

    Left out are empty texts, repetitions (same text and label), texts with two labels (every copy, in every split),
    texts of an earlier split (train, test, dev), and questions with a label that no shot has.

    Args:
        texts: of each split, in file order.
        fix_encoding: fix damaged characters (counted as "mended") and leave out texts with lost ones.
    """
    dropped: dict[Split, Counter[str]] = {split: Counter() for split in SPLITS}
    given = {split: [_folded(text, fix_encoding, dropped[split]) for text in texts.get(split, ())] for split in SPLITS}
    labels: dict[str, set[str]] = {}
    for text in (text for split in SPLITS for text in given[split]):
        labels.setdefault(text.text.casefold(), set()).add(text.label)
    seen: dict[str, Split] = {}
    shown: set[str] = set()
    kept: dict[Split, list[LabelledText]] = {}
    for split in SPLITS:
        kept[split] = []
        for text in given[split]:
            if (
                reason := "lost_character"
                if fix_encoding and LOST in text.text
                else _reason(text, split, labels, seen, shown)
            ):
                dropped[split][reason] += 1
            else:
                seen[text.text.casefold()] = split
                kept[split].append(text)
        if split == "train":
            shown = {text.label for text in kept[split]}
    return kept, dropped


def _reason(
    text: LabelledText, split: Split, labels: dict[str, set[str]], seen: dict[str, Split], shown: set[str]
) -> str:
    """Why a text is dropped; empty when it stays."""
    key = text.text.casefold()
    if not key or not text.label:
        return "empty"
    if len(labels[key]) > 1:
        return "two_labels"
    if key in seen:
        return "repeated" if seen[key] == split else f"also_in_{seen[key]}"
    return "label_without_shots" if split != "train" and text.label not in shown else ""


def _folded(text: LabelledText, fix_encoding: bool, dropped: Counter[str]) -> LabelledText:
    words, found = fix_text(text.text) if fix_encoding else (text.text, 0)
    if found:
        dropped["mended"] += found
    return LabelledText(text.text_id, text.split, " ".join(words.split()), text.label.strip())


# ----------------------------------------------------------------------------------------------------------------- file


@cache
def schema() -> pa.Schema:
    """The Arrow schema of a prepared set."""
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("split", "text_id", "text", "label")]
    return pa.schema([*texts, ("tokens", pa.list_(pa.int32()))])


def write_labelled(
    texts: Mapping[Split, Sequence[LabelledText]], path: Path, tokenizers: Sequence[Tokenizer], meta: dict[str, Any]
) -> None:
    """Write the texts of sifted(), one row group per split; `meta` must contain "sources" (name -> SOURCE.json)."""
    import pyarrow.parquet as pq

    splits = [split for split in SPLITS if texts.get(split)]
    facts = {
        **meta,
        "version": LABELLED_VERSION,
        "tokenizers": [tokenizer.fingerprint for tokenizer in tokenizers],
        "labels": sorted({text.label for text in texts["train"]}),
        "texts": {split: len(texts[split]) for split in splits},
        "splits": splits,
    }
    answer = _markers(meta).answer
    kept = schema().with_metadata({META: json.dumps(facts, sort_keys=True, ensure_ascii=False).encode()})
    with (
        written(path) as temporary,
        pq.ParquetWriter(temporary, kept, compression="zstd", compression_level=3, use_dictionary=False) as writer,
    ):
        for split in splits:
            writer.write_table(_table(texts[split], tokenizers, answer).replace_schema_metadata(kept.metadata))


def _markers(meta: Mapping[str, Any]) -> Markers:
    return markers(meta.get("params", {}).get("language", "en"))


def _table(texts: Sequence[LabelledText], tokenizers: Sequence[Tokenizer], answer: str) -> pa.Table:
    import pyarrow as pa

    units = [unit(text.text, answer) for text in texts]
    counts = list(zip(*(tokenizer.count_units(units) for tokenizer in tokenizers), strict=True))
    columns = {name: [getattr(text, name) for text in texts] for name in ("split", "text_id", "text", "label")}
    return pa.table({**columns, "tokens": counts}, schema=schema())


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a split, as columns of equal length.

    Attributes:
        text_id, text: as in haymaker.core.rows.source_records.LabelledText.
        label: number of each label in `Labelled.labels`.
        tokens: per tokenizer of the file, tokens of each unit.
    """

    text_id: list[str]
    text: list[str]
    label: Ints
    tokens: list[Ints]

    def __len__(self) -> int:
        return len(self.text)


class Labelled(SetFile):
    """A finished set, data/classification_sets/<name>.parquet, read split by split."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, LABELLED_VERSION, "labelled texts", _AGAIN)

    @property
    def labels(self) -> list[str]:
        """All labels that shots have, sorted."""
        return list(self.meta["labels"])

    @property
    def markers(self) -> Markers:
        """The markers around its texts."""
        return _markers(self.meta)

    def split(self, split: Split) -> Texts:
        """Return the texts of a split in order; none if the set does not have it."""
        import pyarrow as pa

        if split not in self.meta["splits"]:
            none = np.zeros(0, dtype=np.int64)
            return Texts([], [], none, [none for _ in self.tokenizers])
        try:
            table = self._file.read_row_group(self.meta["splits"].index(split))
            number = {label: i for i, label in enumerate(self.labels)}
            labels = np.fromiter((number[label] for label in table["label"].to_pylist()), dtype=np.int64)
            counts = table["tokens"].combine_chunks().flatten().to_numpy().reshape(len(table), len(self.tokenizers))
            tokens = [counts[:, j].astype(np.int64) for j in range(len(self.tokenizers))]
            return Texts(table["text_id"].to_pylist(), table["text"].to_pylist(), labels, tokens)
        except (OSError, ValueError, KeyError, pa.ArrowException):
            raise CorpusError(f"split {split} is damaged", where=str(self.path), fix=_AGAIN) from None
