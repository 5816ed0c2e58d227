"""Short answers in free text: contained in the output, equal to it, or by word F1 (docs/spec/helmet.md 11.1, 11.2)."""

from __future__ import annotations

from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.official_text import best, normalise, raw_and_parsed
from haymaker.scoring.official_text import word_f1 as official_word_f1
from haymaker.scoring.reader import Row, equals, line, states, word_f1


def subem_strict(output: str, row: Row) -> float:
    """1.0 if the final answer states an accepted answer (haymaker/scoring/reader/answer.py).

    Differs from the reference: whole words on both sides, one reading, and 0 for outputs that name both of two choices.
    """
    return float(states(output, row))


def subem_official(output: str, row: Row) -> float:
    """The reference's rule: the better of the raw and the parsed output; an answer "The" is in every output."""
    return best(lambda text, gold: normalise(gold) in normalise(text), raw_and_parsed(output), row["answers"])


def em_strict(output: str, row: Row) -> float:
    """1.0 if the answer line equals an accepted answer in canonical form."""
    return best(equals, [line(output, row)], row["answers"])


def em_official(output: str, row: Row) -> float:
    """The reference's rule: the better of the raw and the parsed output; an empty output equals an answer "A"."""
    return best(lambda text, gold: normalise(text) == normalise(gold), raw_and_parsed(output), row["answers"])


def f1_strict(output: str, row: Row) -> float:
    """Word F1 of the answer line in canonical form, best over accepted answers."""
    return best(word_f1, [line(output, row)], row["answers"])


def f1_official(output: str, row: Row) -> float:
    """The reference's rule: the better of the raw and the parsed output."""
    return best(official_word_f1, raw_and_parsed(output), row["answers"])


_SUBEM = "1 if the output states an accepted answer."
_TOKENS = "Same as `subem@strict`; an old name, for rows of earlier releases."
_EM = "1 if the first line of the answer equals an accepted answer."
METRICS = (
    *pair("subem", _SUBEM, subem_strict, subem_official, ("answers", "question"), strict_version=7),
    Metric("subem_tokens@strict", 6, _TOKENS, subem_strict),
    *pair("em", _EM, em_strict, em_official, strict_version=7),
    *pair("f1", "Word F1 against the nearest accepted answer.", f1_strict, f1_official, strict_version=7),
)
