"""A collection of questions with four options, small enough to build in a second: of each document six, of all five sorts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from generators.marathon.suite import SUITE
from generators.spec import TaskSpec
from generators.suite import ReleaseSuite
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from tests.generators import kit
from tests.generators.documents import small

SORTS = (
    "comprehension_and_reasoning", "multiple_information_retrieval", "timeline_reorder", "computation", "shortdep_qa",
)  # fmt: skip
WRITERS = ("source", "llm:1", "llm:2", "human")
TOKENIZERS = ("tekken", "gpt2")


def choice(question: DocumentQuestion, number: int, names: Sequence[str]) -> DocumentQuestion:
    """A question as one with four options: the right one first, three names of others behind it."""
    right = question.answers[0]
    wrong = [name for name in (*names[number:], *names[:number]) if name != right][:3]
    return replace(
        question, question_id=question.question_id.replace("-q", "-o"), kind="choice", answers=(right,),
        choices=(right, *wrong), sort=SORTS[number % len(SORTS)], origins=WRITERS, verified="auto" if number else "human",
    )  # fmt: skip


def document(split: Split, number: int) -> tuple[Document, list[DocumentQuestion]]:
    """Six questions: of the first four the evidence is named, that of the fifth is found by its answer, that of the last unknown.

    Beside the evidence of the first five stands somebody who is one of the wrong options.
    """
    made, asked = small.document(split, number)
    questions = [each for each in asked if each.kind == "qa"]
    names = [each.answers[0] for each in questions]
    text = made.text
    for right, other in zip(names[:5], (*names[1:4], names[0], names[0]), strict=True):
        text = re.sub(f"(It was {right} who hid the [a-z]+ that night.)", rf"\1 {other} slept.", text)
    made = replace(made, text=text)
    return made, [choice(each, at, names) for at, each in enumerate(questions)]


def collection(
    test: Sequence[int] = range(7), train: Sequence[int] = range(3)
) -> tuple[list[Document], list[DocumentQuestion]]:
    built = [*(document("test", number) for number in test), *(document("train", number) for number in train)]
    return [made for made, _ in built], [question for _, questions in built for question in questions]


def write(
    folder: Path, documents: Sequence[Document], questions: Sequence[DocumentQuestion], name: str = "books"
) -> None:
    """The collection as data/documents/<name>/ under `folder`."""
    small.write(folder, documents, questions, name, TOKENIZERS, clean={"emphasis": False})


def suite(folder: Path, tasks: dict[str, Any], specs: Sequence[TaskSpec] = SUITE.tasks) -> ReleaseSuite:
    """Some tasks over collections under `folder`."""
    return kit.suite(specs, folder, tasks, TOKENIZERS, name="marathon")
