"""A collection small enough to build in a second: documents of invented words, in which a few sentences are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpora.stores.documents.build import Built, build
from corpora.stores.documents.store import DocumentParams
from corpora.stores.sentences.build import build_batch
from corpora.tokenizers import tokenizer
from corpora.tokenizers.tokenizer import Tokenizer
from generators.helmet.documents import TASKS
from generators.suite import ReleaseSuite
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Document, DocumentQuestion, KeyPoint, Split
from tests.generators import kit
from tests.generators.passages.small import word

SOURCE = {"source": "simulated_documents", "revision": None}
SIZES: dict[Split, tuple[int, ...]] = {"test": (1900, 1800, 900, 850, 400, 260, 240), "train": (120, 130, 140)}
"""Sentences of each document; about 23 tokens each."""
PLOTS = 4
THINGS = ("lantern", "ledger", "violin", "compass", "goblet", "saddle")


def sentence(stream: Stream) -> str:
    content = " ".join(word(stream) for _ in range(stream.between(4, 14)))
    return f"{content.capitalize()}."


def name(stream: Stream) -> str:
    return f"Zq{word(stream)} Xy{word(stream)}"


def document(split: Split, number: int, size: int = 0) -> tuple[Document, list[DocumentQuestion]]:
    """A document and what is asked of it: six things that somebody hid, one of them told in two places; a choice; a summary of six points."""
    stream, doc_id = Stream("reading", split, number), f"{split}-{number}"
    content = [sentence(stream) for _ in range(size or SIZES[split][number % len(SIZES[split])])]
    names = [name(stream) for _ in THINGS]
    told: list[str] = []
    questions: list[DocumentQuestion] = []

    def put(share: float, text: str) -> str:
        content.insert(int(share * (len(content) - 1)), text)
        return text

    for i, (thing, who) in enumerate(zip(THINGS, names, strict=True)):
        evidence = [put((i + 0.5) / len(THINGS), f"It was {who} who hid the {thing} that night.")]
        told += evidence
        if i == 2:
            evidence.append(put((i + 0.6) / len(THINGS), f"The {thing} had belonged to the miller."))
        question = f"Who hid the {thing}?" if i != 2 else "Who hid what had belonged to the miller?"
        known = tuple(evidence) if i < 4 else ()  # without evidence: i = 4 is aligned by its answer
        answers = (who, f"the {who}") if i != 5 else ("Xo",)  # i = 5: a short word, so nobody knows where
        questions.append(DocumentQuestion(f"{doc_id}-q{i}", doc_id, split, "qa", question, answers, (), known))
        if i < 3:
            choices = tuple(dict.fromkeys([*names[i:], *names[:i]]))[:4]
            options, shown = tuple(sorted(choices)), tuple(evidence)
            questions.append(
                DocumentQuestion(f"{doc_id}-c{i}", doc_id, split, "choice", question, (who,), options, shown)
            )
    claims = [f"{who} hid the {thing}." for who, thing in zip(names, THINGS, strict=True)]
    terms = [((who,), (thing,)) if number else () for who, thing in zip(names, THINGS, strict=True)]
    points = tuple(KeyPoint(claims[i], terms[i], "simulated", (told[i],)) for i in range(len(THINGS)))
    summary = f"{' '.join(claims)} {' '.join(sentence(stream) for _ in range(6))}"
    about: dict[str, Any] = {"references": (summary, f"Long: {summary}"), "sort": f"plot {number % PLOTS}"}
    questions.append(DocumentQuestion(f"{doc_id}-s", doc_id, split, "summary", "", key_points=points, **about))
    paragraphs = "\n\n".join(" ".join(content[i : i + 9]) for i in range(0, len(content), 9))
    return Document(doc_id, f"The Book of {names[0]}", split, paragraphs), questions


def collection(sizes: dict[Split, tuple[int, ...]] = SIZES) -> tuple[list[Document], list[DocumentQuestion]]:
    built = [document(split, *each) for split in sizes for each in enumerate(sizes[split])]
    return [doc for doc, _ in built], [question for _, questions in built for question in questions]


def write(
    folder: Path, documents: Sequence[Document], questions: Sequence[DocumentQuestion], name: str = "books",
    tokenizers: Sequence[str] = ("tekken",), **params: Any,
) -> Built:  # fmt: skip
    """A collection as data/documents/<name>/ under `folder`."""
    return build_with(folder, documents, questions, [tokenizer.load(each) for each in tokenizers], name, **params)


def build_with(
    folder: Path, documents: Sequence[Document], questions: Sequence[DocumentQuestion], loaded: Sequence[Tokenizer], name: str = "books", **params: Any
) -> Built:  # fmt: skip
    """The same with tokenizers that are loaded."""
    reading = DocumentParams(source="library", set="all", **params)
    batch = folder / "batch"
    batch.mkdir(parents=True, exist_ok=True)
    result = build_batch(documents, reading.corpus, loaded, batch)
    target = folder / "documents" / name
    target.mkdir(parents=True, exist_ok=True)
    return build([(batch, result)], questions, reading, loaded, target, SOURCE)


def suite(folder: Path, tasks: dict[str, Any], tokenizers: Sequence[str] = ("tekken",), **options: Any) -> ReleaseSuite:
    """The tasks over collections under `folder`."""
    return kit.suite(TASKS, folder, tasks, tokenizers, seed=6, **options)
