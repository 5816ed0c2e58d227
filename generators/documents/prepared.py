"""What the rows of one question share at every length."""

from __future__ import annotations

from typing import NamedTuple

from corpora.stores.documents.store import PreparedQuestion
from generators.context.writer import Frame
from generators.documents.layout import Subject
from generators.documents.prompts import PromptQuestion


class Prepared(NamedTuple):
    """A question with what its rows share at every length: how the prompt puts it, its document, and the words around."""

    question: PreparedQuestion
    query: PromptQuestion
    subject: Subject
    demos: list[PreparedQuestion]
    frame: Frame
