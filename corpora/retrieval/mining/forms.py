"""Forms of a name that the gold of a question shows and that are therefore accepted.

The article "Julie Kavner" begins with "Julie Deborah Kavner"; "Henry J. Kaiser" is the "Henry John Kaiser" of the
passage. A title that is a part of an answer is not enough if the article is about something else ("New Jersey",
"Northern New Jersey").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from corpora.retrieval.mining.relations import bare_title
from haymaker.core.text.strings import padded, words

_NAME_WORD = re.compile(r"[^\W\d_a-z][^\W\d_]*\.?")
_INITIAL = re.compile(r"(\w)\.?")


def shown_forms(answers: Iterable[str], gold: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return new forms of the accepted answers from title and text of each gold passage."""
    given = tuple(answers)
    found = dict.fromkeys(form for answer in given for each in gold for form in _forms(answer, *each))
    known = set(map(padded, given))
    return tuple(form for form in found if padded(form) not in known)


def _forms(answer: str, title: str, text: str) -> Iterator[str]:
    name = bare_title(title)
    if _is_shorter(words(name), words(answer)) and padded(text.removeprefix(title)).startswith(padded(answer)):
        yield name
    pattern = _middle(answer.split())
    yield from (found[0] for found in re.finditer(pattern, f"{title}\n{text}") if pattern)


def _is_shorter(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether a name of two words or more is another without some of its words."""
    rest = iter(long)
    return 1 < len(short) < len(long) and all(word in rest for word in short)


def _middle(name: Sequence[str]) -> str:
    """A pattern of the name with middle names as initials or written out; empty where it has none."""
    if len(name) < 3 or not all(map(_NAME_WORD.fullmatch, name)):
        return ""
    middle = (rf"(?:{re.escape(word)}|{_other_length(word)})" for word in name[1:-1])
    return rf"\b{re.escape(name[0])} {' '.join(middle)} {re.escape(name[-1])}\b"


def _other_length(word: str) -> str:
    initial = _INITIAL.fullmatch(word)
    return rf"{initial[1]}[^\W\d_]+" if initial else rf"{word[0]}\."
