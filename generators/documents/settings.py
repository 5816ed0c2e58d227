"""What an entry of the parameters may say of a task on long documents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from generators.inputs import DocumentSet
from generators.spec import TaskSettings


class DocumentSettings(TaskSettings):
    """Knobs of a task on long documents.

    Attributes:
        documents: the collection of documents with questions.
        shots: worked examples: question and answer alone, from other documents.
        embedded: whether other documents stand around the one that is asked about; never in rows of natural length.
        cut: of a document that is longer than the bucket: sentences around the evidence where it is known, or always the beginning.
    """

    documents: DocumentSet
    shots: Annotated[int, Field(ge=0, le=8)] = 2
    embedded: bool = False
    cut: Literal["window", "beginning"] = "window"
