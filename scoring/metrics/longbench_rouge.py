"""LongBench's ROUGE-L: that of the package rouge 1.0.1, without its recursion (docs/spec/longbench.md 5.2).

A text is split into sentences at the ASCII full stop and into words at white space, case counting. Of every sentence of the
reference and every one of the output one longest common subsequence of words is taken; n different words stand in at least
one of these, and n is compared with the numbers of different words of both texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.metrics import pair
from scoring.metrics.longbench import official_text, strict_text
from scoring.text import best, harmonic

STEPS = 990
"""Steps back through the table of lengths that the package survives: Python lets 1,000 calls stand in each other, of which the
reference's program, run by itself, needs 9 before the walk begins and one for the end of the walk. Python 3.11 to 3.13; one
less in 3.8 to 3.10, more where the limit was raised, fewer where the scorer is called from deeper inside a program."""

_EPSILON = 1e-8  # of the package, against a division by zero: its best score is 0.999999995

Sentences = Sequence[Sequence[str]]


class TooDeep(Exception):
    """Here the package's recursion fails."""


def rouge_l_official(output: str, gold: str, steps: int = STEPS) -> float:
    """F of two texts as the reference scores them, 0 .. 1.

    Args:
        output: what a model wrote.
        gold: reference.
        steps: that one walk may have; where any pair of sentences needs more the whole score is 0, which is what the reference
            makes of the package's RecursionError (docs/defects/longbench.md D2).

    Returns:
        0 too where a text has nothing but full stops, which the package refuses. A sentence of white space alone has one word,
        the empty one: "A b. " has three.
    """
    ours, theirs = (_sentences(text) for text in (output, gold))
    if not ours or not theirs:
        return 0.0
    try:
        common = _common(theirs, ours, steps)
    except TooDeep:
        return 0.0
    precision, recall = common / _distinct(ours), common / _distinct(theirs)
    return 2 * (precision * recall / (precision + recall + _EPSILON))


def rouge_l_strict(output: str, gold: str) -> float:
    """The same without what is wrong with it: no sentence is too long, an empty sentence is none, equal texts score 1."""
    ours, theirs = ([words for words in _sentences(text) if words != [""]] for text in (output, gold))
    common = _common(theirs, ours, None) if ours and theirs else 0
    return harmonic(common / _distinct(ours), common / _distinct(theirs)) if common else 0.0


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: a long sentence gives 0 in silence (docs/defects/longbench.md D2)."""
    return best(rouge_l_official, [official_text(output, row)], row["answers"])


def strict(output: str, row: Mapping[str, Any]) -> float:
    """The best over answers; differs from the reference: 0 means that nothing is shared (docs/defects/longbench.md D2)."""
    return best(rouge_l_strict, [strict_text(output, row)], row["answers"])


def _sentences(text: str) -> list[list[str]]:
    """Words of each part between full stops; of a part of white space alone the empty word, which is what splitting at one
    space makes of it.
    """
    return [part.split() or [""] for part in text.split(".") if part]


def _distinct(sentences: Sentences) -> int:
    return len({word for sentence in sentences for word in sentence})


def _common(theirs: Sentences, ours: Sentences, steps: int | None) -> int:
    """Different words that stand in a common subsequence of any two sentences.

    A pair that shares no word which was not found before can add none, and is walked only where its walk may be too long.

    Raises:
        TooDeep: a walk has more steps than may be.
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
                    raise TooDeep
                found.update(taken)
    return len(found)


def subsequence(reference: Sequence[str], sentence: Sequence[str]) -> tuple[list[str], int]:
    """One longest common subsequence, last word first, and how many steps the walk to it has.

    Which one, where there are several, is the package's choice: from the ends of both, equal words are taken; else the
    reference loses its word where the rest of it shares more with the sentence than the other way round.

    The table of lengths is kept as one number per word of the reference (Hyyrö 2004): bit j is off where the sentence's word j
    makes the length grow, and that is all that the walk asks for.
    """
    places: dict[str, int] = defaultdict(int)
    for j, word in enumerate(sentence):
        places[word] |= 1 << j
    full = (1 << len(sentence)) - 1
    rows = [full]
    for word in reference:
        met = rows[-1] & places.get(word, 0)
        rows.append(((rows[-1] + met) | (rows[-1] - met)) & full)
    return _walk(reference, sentence, rows)


def _walk(reference: Sequence[str], sentence: Sequence[str], rows: Sequence[int]) -> tuple[list[str], int]:
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


METRICS = pair(
    "longbench_rouge_l",
    "ROUGE-L of different words in common subsequences of sentences.",
    strict,
    official,
    ("answers", "category"),
    version=3,
    reads=200_000,  # characters: answers have room for 512 tokens
)
