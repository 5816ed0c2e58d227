"""Word forms for comparison by the rule: folded, without stop words and simple endings."""

from __future__ import annotations

import re
from functools import lru_cache

from haymaker.core.text.strings import words

# Articles, prepositions, conjunctions, pronouns, forms of be, have and do, and what follows an apostrophe. "no", "not" and "without" have a
# meaning, so they are not in the list.
is_empty = frozenset(
    "a an the of to in on at by for from with into onto over under and or as than that this these those there here it its he his him "
    "she her hers they their them we our us i my me you your is are was were be been being am has have had do does did will would shall "
    "should can could may might must s t d ll re ve m".split()
).__contains__
_WHOLE = {word: word for word in "evening morning wedding pudding ceiling something anything everything nothing news".split()} | {
    "children": "child", "men": "man", "women": "woman", "wives": "wif", "skies": "sky", "skis": "ski",
}  # fmt: skip
_VOWEL = re.compile("[aeiouy]")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Remove a plural ending, "-ed" or "-ing" from a folded word, then a final "e" and doubled letter; "y" becomes "i".

    "Libraries" and "library" become "librari", "hiking", "hiked" and "hike" become "hik"; the first two letters stay.
    """
    if word not in _WHOLE and len(word) > 3:
        word = _singular(word)
    if word in _WHOLE or len(word) < 4:
        return _WHOLE.get(word, word)
    word = _without_ending(word)
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1] if word[-1] == "e" else f"{word[:-1]}i"
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _singular(word: str) -> str:
    if word.endswith(("ses", "xes", "zes", "ches", "shes")) or (word.endswith("ies") and len(word) > 4):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word


def _without_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-2]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 2 and _VOWEL.search(root):
            return root
    return word


def stems(phrase: str) -> dict[int, str]:
    """Return the stems of a phrase's content words by their position among all its words, from 0."""
    return {at: stem(word) for at, word in enumerate(words(phrase)) if not is_empty(word)}
