"""Find text that is announced: after a colon, or after opening words that many sentences of a table share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

_SENTENCE = re.compile(r"\S[^.!?。！？\n]*(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？]?")
_COLON = re.compile(r":\s+|：\s*")
_DIGITS = re.compile(r"\d+")
_OPENING = 5  # words at the start of a sentence without a colon that may be a lead-in
_OFTEN = 3  # different texts after a lead-in that recurs


def _split(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield lead-in, text after it and whether a colon is between them, for each sentence that is long enough."""
    for match in _SENTENCE.finditer(text):
        lead, *after = _COLON.split(match[0], maxsplit=1)
        words = lead.split(None, _OPENING)
        if after and after[0]:
            yield _DIGITS.sub("0", lead.lower()), after[0], True
        elif len(words) > _OPENING:
            yield _DIGITS.sub("0", " ".join(words[:_OPENING]).lower()), words[_OPENING], False


def lead_ins(texts: Iterable[str]) -> dict[str, int]:
    """Return lead-in -> number of different texts after it in all texts, for lead-ins that recur."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        for lead, said, _ in _split(text):
            found[lead].add(said)
    return {lead: len(said) for lead, said in found.items() if len(said) >= _OFTEN}


def announced(text: str, known: Mapping[str, int]) -> list[str]:
    """Return the different texts after colons and lead-ins that recur: those said most often first, then those after a
    colon, then those with the most frequent lead-in, then in the order of the text.

    Args:
        text: a context.
        known: result of `lead_ins` for the table.
    """
    times, marks = Counter[str](), dict[str, tuple[bool, int]]()
    for lead, said, has_colon in _split(text):
        if has_colon or lead in known:
            times[said] += 1
            marks[said] = max(marks.get(said, (False, 0)), (has_colon, known.get(lead, 0)))
    return sorted(times, key=lambda said: (times[said], marks[said]), reverse=True)
