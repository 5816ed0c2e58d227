"""Check whether a passage states a relation (PopQA): does it say that this is the answer?

A passage about a man that contains "Murcia" does not say that he was born there. The passage must belong to the article
about the subject, and a sentence must lead from the subject to the answer in a form that states the relation. Other
forms are not recognized and the question is left out; forms that were misread are excluded (docs/reference/gold.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from haymaker.core.text.strings import folded, holds, padded, words

OCCUPATION = "occupation"
_NOT_OF_ANOTHER = (
    r"(?:(?!\b(?:who|which|where|whose|wife|husband|son|daughter|brother|sister|father|mother|married|by|about)\b).)*?"
)
_STATED: dict[str, tuple[str, ...]] = {
    "place of birth": (
        r"\bborn\b(?:(?!\b(?:raised|grew|moved|lived|died|played|parents|family|son|daughter)\b)[^();]){{0,90}}?{answer}",
        r"\A[^(]{{1,90}}\((?:[^()–—]|\([^()]*\))*?{answer}[^()–—]*[–—][^()]*\d{{4}}",  # (Lyon, 1 May 1900 – 2 May 1970)
        r"\A[^(]{{1,90}}\((?=[^()–—]*\d{{4}}[^()–—]*\))(?![^()]*\b(?:died|d|fl)\b)(?:[^()–—]*?){answer}[^()–—]*\)",  # (1 May 1900, Lyon)
    ),
    OCCUPATION: (rf"\b(?:is|was)\b{_NOT_OF_ANOTHER}{{answer}}",),
}
_PREDICATE = re.compile(r"\b(?:is|was) (?:an? |the )?(.*)")
_GOES_ON = re.compile(  # what follows a list of occupations
    r",? (?:who|which|whose|that|from|in|for|of|at|on|with|by|as|under|born|based|best|most|well|known|noted|famous|currently|during|since|until|"
    r"between|active|representing|living|working|specializing)\b|[(;.\u2013\u2014]|,? (?:and|but) (?:is|was|has|also|currently|the|his|her)\b"
)
_ITEMS = re.compile(r",? (?:and|&) |, |/")
_FIELD = re.compile(
    r"\b(?:film|television|tv|theatre|theater|stage|screen|radio|voice|opera|music)\Z"
)  # no person: of "theatre and film actress"
_SENTENCE = re.compile(r"(?<=[a-z)\d]{2})\. (?=[^a-z])")
_KIND = re.compile(r" \([^()]*\)\Z")  # of a title: (composer)
_FEMININE = re.compile(r"(\w+)ess(?:es)?")


def names(title: str, subject: str) -> bool:
    """Check whether a title is the subject, with or without its kind in brackets."""
    return padded(bare_title(title)) == padded(bare_title(subject)) != padded("")


def bare_title(title: str) -> str:
    """A title without its kind in brackets."""
    return _KIND.sub("", title)


def kind_of_title(title: str) -> str:
    """The kind in brackets at the end of a title ("(composer)"), or an empty string."""
    found = _KIND.search(title)
    return found[0] if found else ""


def states(relation: str, text: str, aliases: Sequence[str]) -> bool:
    """Check whether a passage states the relation with one of the padded aliases.

    Only first sentences count, for births any sentence. False for a relation without rules, and for one of several
    occupations if not all are aliases.
    """
    if relation == OCCUPATION and lists_another(text, aliases):
        return False
    said = "|".join(r"[\W_]+".join(words(alias)) for alias in aliases)
    answer = rf"(?<!\w)(?:{said})(?!\w)"
    sentences = _SENTENCE.split(text)[: 1 if relation == OCCUPATION else None]
    forms = [re.compile(form.format(answer=answer)) for form in _STATED.get(relation, ())]
    return bool(aliases) and any(form.search(folded(sentence)) for form in forms for sentence in sentences)


def lists_another(text: str, aliases: Sequence[str]) -> bool:
    """Check whether the first sentence of a passage lists an occupation that is none of the padded aliases.

    Fields that share the noun of the last one are no further occupations: "a theatre and silent film actress".
    """
    predicate = _PREDICATE.search(folded(_SENTENCE.split(text)[0]))
    if predicate is None:
        return False
    *before, last = _ITEMS.split(_GOES_ON.split(predicate[1], maxsplit=1)[0])
    items = [*(item for item in before if not _FIELD.search(item)), last]
    return any(item.strip() and not holds(padded(item), aliases) for item in items)


def without_feminine(answers: Sequence[str], gold: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return occupations without "actress" if "actor" is accepted too and neither title nor text of the gold has "actress"."""
    said, known = padded("\n".join(part for each in gold for part in each)), set(map(padded, answers))

    def is_of_women(answer: str) -> bool:
        found = _FEMININE.fullmatch(folded(answer).rpartition(" ")[2])
        before = folded(answer).removesuffix(found[0]) if found else ""
        men = (found[1], f"{found[1]}er", f"{found[1][:-1]}or") if found else ()  # poet, sorcerer, actor
        return any(padded(before + man) in known for man in men)

    return tuple(each for each in answers if padded(each) in said or not is_of_women(each))
