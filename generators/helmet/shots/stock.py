"""A prepared set as rows are made of it: shots encoded and measured once, questions in the release's order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from corpora.examples import Examples, Texts, unit
from corpora.records import Part
from corpora.tokenizer import Tokenizer
from generators.helmet.shots.prompts import ENDING
from generators.helmet.shots.rounds import Blocks, draw
from generators.pieces import Pieces
from haymaker.errors import CorpusError
from haymaker.rng import Key, Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Query:
    """A text whose label is asked for.

    Attributes:
        part: of the row.
        number: of the text within its part.
        text_id, text: as prepared.
        label: number of its label.
    """

    part: Part
    number: int
    text_id: str
    text: str
    label: int


class Stock:
    """One set of labelled texts.

    Args:
        examples: the file.
        name: of the set in the parameters.
        tokenizers: the release's, in order.
        key: first parts of every stream's name: release seed and suite.

    Raises:
        CorpusError: the set was not counted with these tokenizers.
    """

    def __init__(self, examples: Examples, name: str, tokenizers: list[Tokenizer], key: tuple[Key, ...]) -> None:
        fingerprints = [tokenizer.fingerprint for tokenizer in tokenizers]
        if examples.tokenizers != fingerprints:
            raise CorpusError(
                f"counted with {', '.join(examples.tokenizers)}, the release has {', '.join(fingerprints)}",
                where=str(examples.path), fix="haymaker run prepares it again",
            )  # fmt: skip
        self.examples, self.name, self.tokenizers = examples, name, tokenizers
        self.key: tuple[Key, ...] = (*key, name)
        self.labels = examples.labels
        self.part = cache(examples.part)
        self.order = cache(self._order)

    @cached_property
    def sources(self) -> list[str]:
        """Names of the sources."""
        return sorted(self.examples.meta["sources"])

    @cached_property
    def shots(self) -> Texts:
        """The texts that shots are made of."""
        return self.part("train")

    @cached_property
    def pieces(self) -> Pieces:
        """The same as units of a context, as far as their labels; counted when the set was prepared."""
        return Pieces([unit(text) for text in self.shots.text], self.tokenizers, self.shots.tokens)

    @cached_property
    def names(self) -> tuple[Any, Any]:
        """Ids of the shots and their labels, as arrays of strings: picked several times as fast as from lists."""
        labels = np.array(self.labels, dtype=object)
        return np.array(self.shots.text_id, dtype=object), labels[self.shots.label]

    @cached_property
    def blocks(self) -> Blocks:
        """The same by label, one of each to a round."""
        return Blocks.of(self.shots.label)

    def query(self, part: Part, number: int) -> Query:
        """A text of a part as a question."""
        texts = self.part(part)
        return Query(part, number, texts.text_id[number], texts.text[number], int(texts.label[number]))

    def _order(self, part: Part, balanced: bool) -> list[int]:
        """The texts of a part that can be asked for, in the release's order.

        Args:
            part: of the rows.
            balanced: in rounds of one text per label while there are some left (D15: the reference asks for TREC's texts as they come).
        """
        texts = self.part(part)
        if not len(texts):
            return []
        if not balanced:
            return Stream(*self.key, part, "queries").shuffled(range(len(texts)))
        _, labels = np.unique(texts.label, return_inverse=True)
        order: list[int] = draw(Blocks.of(labels.astype(np.int64)), *self.key, part, "queries")[0].tolist()
        return order


def endings(shown: list[str]) -> list[str]:
    """What stands behind each text: its label as shown, and what opens the next shot."""
    return [f" {label}{ENDING}" for label in shown]
