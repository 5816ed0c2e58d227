"""What the rows of one question share at every length."""

from __future__ import annotations

from typing import NamedTuple

from corpora.stores.documents.store import PreparedQuestion
from generators.context.context import Context
from generators.context.writer import Frame
from generators.documents.layout import Subject
from generators.documents.prompts import PromptQuestion
from generators.documents.text import Text


class Prepared(NamedTuple):
    """A question with what its rows share at every length: how the prompt puts it, its document, and the words around."""

    question: PreparedQuestion
    query: PromptQuestion
    subject: Subject
    demos: list[PreparedQuestion]
    frame: Frame


class Filled(NamedTuple):
    """A question with the context of one bucket.

    Attributes:
        prepared: the question, and the words around.
        text: what is shown.
        tokens: release tokens of it by its units.
        context: the text as it stands in a row.
        counts: of the whole prompt, per tokenizer.
    """

    prepared: Prepared
    text: Text
    tokens: int
    context: Context
    counts: list[int]
