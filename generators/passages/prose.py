"""Answers as prose: whole sentences, each with the numbers of the passages that bear it out (docs/spec/helmet.md 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.stores.sentences.split import splitter
from haymaker.core.text.strings import holds, padded

MOST = 3  # passages that a sentence cites
_LONGEST = 60  # words of a sentence that is taken over from a passage
_FOREIGN = re.compile(r"[\[\]|\n]")  # what would look like a citation, or break the answer's one paragraph
_WHOLE = re.compile(r"[^\W_a-z].*[.!?][\"')]?", re.DOTALL)

Told = list[tuple[str, list[int]]]
"""Sentences, and of each the answer groups that it says."""


def telling(text: str, groups: Sequence[Sequence[str]]) -> Told | None:
    """The sentences of a long answer that say an answer first; None where they do not say every answer.

    Args:
        text: of a person, or of the world.
        groups: the padded aliases of each answer.
    """
    told: Told = []
    known: set[int] = set()
    for sentence in _sentences(text):
        words = padded(sentence)
        said = [group for group, aliases in enumerate(groups) if group not in known and holds(words, aliases)]
        if said:
            known.update(said)
            told.append((sentence, said))
    fits = all(len(said) <= MOST and not _FOREIGN.search(sentence) for sentence, said in told)
    return told if fits and len(known) == len(groups) else None


def sentence_with(passage: str, alias: str) -> str:
    """The first whole sentence of a passage that says an answer; empty where it has none that can be taken over."""
    wanted = padded(alias)
    for sentence in _sentences(passage):
        if wanted in padded(sentence) and _WHOLE.fullmatch(sentence) and not _FOREIGN.search(sentence):
            return sentence if len(sentence.split()) <= _LONGEST else ""
    return ""


def cited(sentence: str, marks: Sequence[str]) -> str:
    """A sentence with citations, each once, before its full stop."""
    body, stop = (sentence[:-1], sentence[-1]) if sentence[-1] in ".!?" else (sentence, ".")
    return f"{body} {''.join(dict.fromkeys(marks))}{stop}" if marks else f"{body}{stop}"


def _sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in splitter("punkt")(text)]
