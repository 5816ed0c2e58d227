"""Which "no" of an output answers a question: a word between marks, or before what begins a sentence, and not the "no" of a noun.

"No.", "No, they differ", "the answer is no", "no because" answer; "there is no doubt", "no one knows" say nothing about the question.
At the beginning of an output "No species of it exists" may be meant either way: it answers, unless the output says yes elsewhere, or the
noun says that nothing is known.
"""

from __future__ import annotations

import re

_NOT_NOUNS = (
    "or|and|nor|but|because|since|as|so|if|though|although|while|whereas|unless|however|for|yes|no|maybe|perhaps|either|neither|both|not|only|"
    "is|was|are|were|do|does|did|i|we|you|he|she|it|they|this|that|these|those|there|the|an?|his|her|its|their|to|of|in|on|at|by|from|with|according|based|given"
)
_IGNORANCE = (
    "one|idea|clue|doubts?|question|information|info|mention|evidence|indication|answer|data|details?|context|passages?|documents?|texts?|"
    r"sources?|articles?|further|additional|comment|problems?|worries|wonder|need|telling|knowing|way\s(?:to|of)"
)
"""What stands behind a "no" that tells what is known, not what is so: no answer even at the beginning."""
_YES = re.compile(r"\byes\b", re.IGNORECASE)
_NO = re.compile(r"(?<!\w)(?<!\w['’-])no(?![\w'’])", re.IGNORECASE)
_OF_NOUN = re.compile(
    rf"""-\w|[^\S\n]+[*_"“‘]*(?!(?:{_NOT_NOUNS})\b)\w|\.[^\S\n]?\d{{1,3}}\b""", re.IGNORECASE
)  # "no doubt", "no-one", "no. 5"
_OF_IGNORANCE = re.compile(rf"""[\s*_"“‘-]+(?:{_IGNORANCE})\b""", re.IGNORECASE)
_WORD = re.compile(r"\w")
_CUE = re.compile(r"\banswer(?:\s?:|\s(?:is|would\sbe)\b:?)\W*\Z", re.IGNORECASE)
_LONGEST_CUE = 24  # characters


def without_idle_no(text: str) -> str:
    """A text with "not" in place of each "no" that answers nothing: as many words, and none that means no."""
    says_yes, first = _YES.search(text) is not None, next((found.start() for found in _WORD.finditer(text)), 0)

    def read(found: re.Match[str]) -> str:
        at, end = found.span()
        begins = at == first or _CUE.search(text, max(0, at - _LONGEST_CUE), at) is not None
        idle = _OF_NOUN.match(text, end) and (says_yes or not begins or _OF_IGNORANCE.match(text, end))
        return "not" if idle else found[0]

    return _NO.sub(read, text)
