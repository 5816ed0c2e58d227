"""Sets of labelled texts small enough to read: invented words, labels of uneven size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora.stores.labelled import sifted, write_labelled
from corpora.tokenizers import tokenizer
from generators.helmet.shots import TASKS
from generators.inputs import KINDS
from generators.suite import ReleaseSuite
from haymaker.core.lengths import WORD_RANGES
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import LabelledText, Split
from tests.generators import kit
from tests.generators.passages.small import word

TOKENIZERS = ("tekken",)
LABELS = 12
SIZES = [20 + 9 * i for i in range(LABELS)]  # train texts of each label
TEST = [3 + i % 3 for i in range(LABELS)]


def name(label: int) -> str:
    return f"ask_{chr(97 + label)}_thing"


def texts(split: Split, sizes: Sequence[int]) -> list[LabelledText]:
    """Sentences of 3 to 14 invented words, labels mixed; the label's own word in each."""
    built = []
    for label, size in enumerate(sizes):
        for i in range(size):
            stream = Stream("shots", split, label, i)
            words = [word(stream) for _ in range(stream.between(3, 14))]
            end = stream.choice((".", "?", "!", "", '"', ")"))
            built.append(
                LabelledText(f"{split}-{label}-{i}", split, f"{' '.join(words)} k{chr(97 + label)}{end}", name(label))
            )
    return Stream("shots", split, "order").shuffled(built)


def file(folder: Path, set_name: str = "small") -> Path:
    return KINDS["classification_sets"].path(folder, set_name)


def write(
    folder: Path, set_name: str = "small", sizes: Mapping[Split, Sequence[int]] | None = None,
    tokenizers: Sequence[str] = TOKENIZERS,
) -> None:  # fmt: skip
    """A set as data/classification_sets/<name>.parquet under `folder`."""
    given = {"train": SIZES, "test": TEST} if sizes is None else sizes
    kept, _ = sifted({split: texts(split, counts) for split, counts in given.items()})
    write_texts(folder, set_name, kept.get("train", []), kept.get("test", []), tokenizers)


def write_texts(
    folder: Path, set_name: str, train: Sequence[LabelledText], test: Sequence[LabelledText],
    tokenizers: Sequence[str] = TOKENIZERS, **params: str,
) -> None:  # fmt: skip
    """A set of given texts."""
    meta, loaded = {"sources": {"talk": {}}, "params": params}, list(map(tokenizer.load, tokenizers))
    write_labelled({"train": train, "test": test}, file(folder, set_name), loaded, meta)


def check_words(rows: kit.Rows, most: int) -> None:
    """docs/spec/longbench.md 3: question, context and answers of a row are within the range of its length."""
    for (_, length, _), table in rows.items():
        for row in table if length in WORD_RANGES else ():
            low, high = WORD_RANGES[length]
            words = len(" ".join((row["question"], kit.context(row), *row["answers"])).split())
            assert kit.metadata(row)["length"] == words and low <= words < (high or most)


def suite(folder: Path, tasks: dict[str, Any], tokenizers: Sequence[str] = TOKENIZERS, **options: Any) -> ReleaseSuite:
    """The suite over sets under `folder`."""
    return kit.suite(TASKS, folder, tasks, tokenizers, **options)
