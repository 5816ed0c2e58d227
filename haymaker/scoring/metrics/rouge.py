"""ROUGE-L F1: the longest common subsequence of word stems (docs/spec/helmet.md 11.1).

Same as rouge_score with its stemmer: lower case, words of a-z and 0-9, Porter stems of words over three letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from haymaker.scoring.metrics import pair
from haymaker.scoring.official_text import best, raw_and_parsed
from haymaker.scoring.reader import canonical, harmonic, long_text

_LATIN = re.compile(r"[a-z0-9]+")


def latin_stems(text: str) -> list[str]:
    """Return the stems of rouge_score; texts in other scripts have none."""
    return [_stem(word) for word in _LATIN.findall(text.lower())]


def stems(text: str) -> list[str]:
    """Return the stems of canonical words, of any script."""
    return [_stem(word) for word in canonical(text).split()]


def rouge_l(prediction: str, gold: str, split: Callable[[str], list[str]] = latin_stems) -> float:
    """Return the F1 of the longest common subsequence, 0 .. 1."""
    from rapidfuzz.distance import LCSseq

    ours, theirs = split(prediction), split(gold)
    common = LCSseq.similarity(ours, theirs) if ours and theirs else 0
    return harmonic(common / len(ours), common / len(theirs)) if common else 0.0


def strict(output: str, row: Mapping[str, Any]) -> float:
    """Best over accepted answers; differs from the reference: canonical words of any script, output read once."""
    return best(lambda text, gold: rouge_l(text, gold, stems), [long_text(output, row)], row["answers"])


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the better of the raw and the parsed output."""
    return best(rouge_l, raw_and_parsed(output), row["answers"])


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word)) if len(word) > 3 else word  # as rouge_score


METRICS = pair("rouge_l", "ROUGE-L F1 against the nearest accepted answer.", strict, official, strict_version=5)
