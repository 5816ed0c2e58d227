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


def texts(part: Split, sizes: Sequence[int]) -> list[LabelledText]:
    """Sentences of 3 to 14 invented words, labels mixed; the label's own word in each."""
    built = []
    for label, size in enumerate(sizes):
        for i in range(size):
            stream = Stream("shots", part, label, i)
            words = [word(stream) for _ in range(stream.between(3, 14))]
            end = stream.choice((".", "?", "!", "", '"', ")"))
            built.append(
                LabelledText(f"{part}-{label}-{i}", part, f"{' '.join(words)} k{chr(97 + label)}{end}", name(label))
            )
    return Stream("shots", part, "order").shuffled(built)


def file(folder: Path, set_name: str = "small") -> Path:
    return KINDS["labelled"].path(folder, set_name)


def write(
    folder: Path, set_name: str = "small", sizes: Mapping[Split, Sequence[int]] | None = None,
    tokenizers: Sequence[str] = TOKENIZERS,
) -> None:  # fmt: skip
    """A set as data/labelled/<name>.parquet under `folder`."""
    given = {"train": SIZES, "test": TEST} if sizes is None else sizes
    kept, _ = sifted({part: texts(part, counts) for part, counts in given.items()})
    loaded = [tokenizer.load(each) for each in tokenizers]
    write_labelled(kept, file(folder, set_name), loaded, {"sources": {"talk": {}}})


def suite(folder: Path, tasks: dict[str, Any], tokenizers: Sequence[str] = TOKENIZERS, **options: Any) -> ReleaseSuite:
    """The suite over sets under `folder`."""
    return kit.suite(TASKS, folder, tasks, tokenizers, **options)
