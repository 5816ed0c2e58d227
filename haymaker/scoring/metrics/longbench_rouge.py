"""LongBench's ROUGE-L, as computed by the package rouge 1.0.1, without its recursion (docs/spec/longbench.md 5.2).

Sentences end at ASCII full stops, words at white space; case matters. Counts the distinct words in the longest common
subsequences of all sentence pairs, relative to the distinct words of both texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from haymaker.scoring.metrics import pair
from haymaker.scoring.metrics.longbench import official_text, strict_text
from haymaker.scoring.official_text import best
from haymaker.scoring.reader import harmonic

STEPS = 990
"""Backward steps before the package's recursion fails: Python's limit of 1,000 calls, less 9 of the reference's program
and one for the end (Python 3.11 to 3.13; one less in 3.8 to 3.10)."""

_EPSILON = 1e-8  # from the package, avoids division by zero; its best score is 0.999999995

Sentences = Sequence[Sequence[str]]


def rouge_l_official(output: str, gold: str, steps: int = STEPS) -> float:
    """Return F of two texts as the reference scores them, 0 .. 1.

    A sentence pair with more than `steps` steps gives 0, as the package's RecursionError (docs/defects/longbench.md
    D2). A text of only full stops gives 0. A white-space sentence has one empty word: "A b. " has three words.
    """
    ours, theirs = (_sentences(text) for text in (output, gold))
    common = _common(theirs, ours, steps) if ours and theirs else 0
    if not common:
        return 0.0
    precision, recall = common / _distinct(ours), common / _distinct(theirs)
    return 2 * (precision * recall / (precision + recall + _EPSILON))


def rouge_l_strict(output: str, gold: str) -> float:
    """Return F without the reference's defects: any sentence length, no empty sentences, equal texts score 1."""
    ours, theirs = ([words for words in _sentences(text) if words != [""]] for text in (output, gold))
    common = _common(theirs, ours, None) if ours and theirs else 0
    return harmonic(common / _distinct(ours), common / _distinct(theirs)) if common else 0.0


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: a long sentence gives 0 without an error (docs/defects/longbench.md D2)."""
    return best(rouge_l_official, [official_text(output, row)], row["answers"])


def strict(output: str, row: Mapping[str, Any]) -> float:
    """Best score over answers. Differs from the reference: 0 means no common word (docs/defects/longbench.md D2)."""
    return best(rouge_l_strict, [strict_text(output, row)], row["answers"])


def _sentences(text: str) -> list[list[str]]:
    """Split a text into words of sentences; a sentence of white space has the empty word."""
    return [part.split() or [""] for part in text.split(".") if part]


def _distinct(sentences: Sentences) -> int:
    return len({word for sentence in sentences for word in sentence})


def _common(theirs: Sentences, ours: Sentences, steps: int | None) -> int:
    """Return the number of distinct words in the common subsequences of all pairs; 0 if a walk exceeds `steps`.

    A pair without a new shared word is skipped, unless its walk may be too long.
    """
    found: set[str] = set()
    of_ours = [(sentence, frozenset(sentence)) for sentence in ours]
    for reference in theirs:
        of_theirs = frozenset(reference)
        for sentence, words in of_ours:
            risky = steps is not None and len(reference) + len(sentence) > steps
            if risky or not (of_theirs & words) <= found:
                taken, walked = subsequence(reference, sentence)
                if steps is not None and walked > steps:
                    return 0
                found.update(taken)
    return len(found)


def subsequence(reference: Sequence[str], sentence: Sequence[str]) -> tuple[list[str], int]:
    """Return one longest common subsequence, last word first, and the number of steps of its walk.

    Ties are resolved as in the package: from both ends, equal words are taken; else the reference drops its word if its
    rest shares more with the sentence than vice versa. Row i of the length table is one number (Hyyrö 2004): bit
    j is 0 if the length grows at word j of the sentence.
    grows at word j of the sentence.
    """
    places: dict[str, int] = defaultdict(int)
    for j, word in enumerate(sentence):
        places[word] |= 1 << j
    full = (1 << len(sentence)) - 1
    rows = [full]
    for word in reference:
        met = rows[-1] & places.get(word, 0)
        rows.append(((rows[-1] + met) | (rows[-1] - met)) & full)
    i, j, steps = len(reference), len(sentence), 0
    taken: list[str] = []
    while i and j:
        steps += 1
        if reference[i - 1] == sentence[j - 1]:
            i, j = i - 1, j - 1
            taken.append(reference[i])
        elif rows[i] >> (j - 1) & 1:
            j -= 1
        else:
            i -= 1
    return taken, steps


_DOC = "ROUGE-L of the different words in common subsequences of sentences."
_READ = ("answers", "category")
METRICS = pair("longbench_rouge_l", _DOC, strict, official, _READ, 3, 4, reads=200_000)  # characters
