"""Disambiguation pages ("Kerf may refer to:"): they list articles and answer no question, so they are no useful distractors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpora.retrieval.mining.words import PassageWords
from haymaker.core.text.strings import padded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.retrieval.search import Ints
    from corpora.stores.passages.store import Passages

    Flags = npt.NDArray[np.bool_]

_TITLED = " (disambiguation)"
_WORDS = tuple(padded(f"{verb}{also} refer") for verb in ("may", "can", "could", "might") for also in ("", " also"))
_LISTS = re.compile(r"\b(?:may|can|could|might)(?: also)? refer\b(?:[^.:]*:|(?: to)?\W*\Z)")
_OPENING = 300  # characters in which the list begins


def disambiguation(passages: Ints, store: Passages, words: PassageWords) -> Flags:
    """Return which passages belong to disambiguation pages or begin a list of articles with the same name.

    The words of all passages are compared first; only the few that have these words are read.
    """
    import numpy as np

    suspects = np.flatnonzero(words.of(passages).holding([*_WORDS, padded(_TITLED)]))
    found = np.zeros(len(passages), np.bool_)
    if len(suspects):
        table = store.take(passages[suspects], ("title", "text"))
        pairs = zip(table["title"].to_pylist(), table["text"].to_pylist(), strict=True)
        found[suspects] = [
            title.endswith(_TITLED) or _LISTS.search(text[:_OPENING]) is not None for title, text in pairs
        ]
    return found
