"""Collections small enough to read: chats with a summary, passages with a question, in invented words; and LongBench's suite over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from generators.longbench.shots import TASKS
from generators.suite import ReleaseSuite
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from tests.generators import kit
from tests.generators.documents import small as documents
from tests.generators.passages.small import word

Pair = tuple[Document, DocumentQuestion]
TURNS = 4, 14
SENTENCES = 8, 60


def sentence(stream: Stream, least: int = 3, most: int = 12) -> str:
    return " ".join(word(stream) for _ in range(stream.between(least, most))).capitalize() + stream.choice(".!?")


def chat(split: Split, number: int) -> Pair:
    """Turns a blank line apart, as the source of SAMSum has them."""
    stream, name = Stream("chat", split, number), f"{split}-chat-{number}"
    who = [f"A{word(stream)}", f"B{word(stream)}"]
    turns = [f"{who[i % 2]}: {sentence(stream)}" for i in range(stream.between(*TURNS))]
    summary = f"{who[0]} tells {who[1]}: {sentence(stream, 5, 16)}"
    return Document(name, "", split, "\n\n".join(turns)), DocumentQuestion(
        name, name, split, "summary", "", references=(summary,)
    )


def passage(split: Split, number: int) -> Pair:
    """Paragraphs of five sentences, one of which says who made what; the canonical answer is a longer name that does not stand there."""
    stream, name = Stream("passage", split, number), f"{split}-passage-{number}"
    who, what = f"Zq{word(stream)} Xy{word(stream)}", f"{word(stream)}{number}"
    said = [sentence(stream) for _ in range(stream.between(*SENTENCES))]
    said.insert(stream.below(len(said)), f"It was {who} who made the {what}.")
    text = "\n\n".join(" ".join(said[i : i + 5]) for i in range(0, len(said), 5))
    asked = f"Who made the {split} {what}?"
    return Document(name, who, split, text), DocumentQuestion(
        f"q-{name}", name, split, "qa", asked, (f"{who} the Elder", who)
    )


def write(
    folder: Path, name: str, pairs: Sequence[Pair], tokenizers: Sequence[str] = ("tekken",), **params: Any
) -> None:
    """A collection as data/documents/<name>/ under `folder`."""
    documents.write(folder, [d for d, _ in pairs], [q for _, q in pairs], name, tokenizers, **params)


def make(folder: Path, train: int = 260, test: int = 24, tokenizers: Sequence[str] = ("tekken",)) -> None:
    """Both collections."""
    splits: dict[Split, int] = {"train": train, "test": test}
    for name, pair in (("chats", chat), ("passages", passage)):
        write(folder, name, [pair(split, i) for split, count in splits.items() for i in range(count)], tokenizers)


def suite(folder: Path, tasks: dict[str, Any], tokenizers: Sequence[str] = ("tekken",)) -> ReleaseSuite:
    """LongBench's tasks of shots over prepared inputs under `folder`."""
    return kit.suite(TASKS, folder, tasks, tokenizers, name="longbench")
