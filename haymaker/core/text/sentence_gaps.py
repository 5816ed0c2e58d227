"""Sentences that follow each other without a space ("more votes.Frye won"): the page that they come from lost a line break."""

from __future__ import annotations

import re
from functools import partial

from haymaker.core.text.english_grammar import MONTHS

_GLUED = re.compile(
    r"(?P<mark>[.!?,;])(?<=(?:[a-z\d)\]\"”]{2}|[a-z\d)\]]['’]).)(?P<quote>[\"”]?)(?=(?P<next>[A-Z][a-z]+)(?P<after>.?))"
)
_REST = re.compile(r"\S*")
_ADDRESS = re.compile(r"[\\@=<>{}_$#|]|://|[a-z]\.[a-z]|[\u3000-\u9fff\uff00-\uffef]")  # or a name in code, or Chinese
_DAY = re.compile(r"\d{1,2}\Z")
_CAPITAL = re.compile(r"[\"“‘(\[]*[A-Z]")
_DOMAINS = frozenset("Com De Edu Fr Io Jp Net Nl Org Ru Tv Uk".split())
_COMMON = frozenset("A An As At But He If In It On She The They This We".split())  # first words of sentences
_LOOKED_AT = 200  # characters of a word


def with_gaps(text: str, gap: str = " ") -> str:
    """Insert a gap between glued sentences; addresses, names in code, dates ("28.January") and names ("Mail.Ru") stay as they are.

    After a comma or a semicolon the gap is a space.
    """
    paragraphs = [0]
    return _GLUED.sub(partial(_parted, gap, paragraphs), text)


def _parted(gap: str, paragraphs: list[int], found: re.Match[str]) -> str:
    """Return a match with its gap; `paragraphs` are the places where the paragraphs so far begin."""
    text, start, end = found.string, found.start(), found.end()
    left = text[max(0, start - _LOOKED_AT) : start].split()[-1]
    whole = left + found[0] + _REST.match(text, end)[0]  # type: ignore[index]
    if _ADDRESS.search(whole) or found["after"] == "(" or (_DAY.match(left) and found["next"] in MONTHS):
        return found[0]
    if _CAPITAL.match(left) and _is_name(found, left, text):
        return found[0]
    gap = gap if found["mark"] in ".!?" else " "
    first = max(text.rfind("\n", 0, start) + 1, paragraphs[-1])  # earlier paragraphs may lack a mark
    opens = found["quote"] == '"' and text.count('"', first, start) % 2 == 0
    if found["mark"] in ".!?":
        paragraphs.append(start + 1 if opens else end)
    return f"{found['mark']}{gap}{found['quote']}" if opens else f"{found[0]}{gap}"


def _is_name(found: re.Match[str], left: str, text: str) -> bool:
    """Check for a name with a mark inside ("Hey!Say!JUMP", "Aldnoah.Zero" twice in a text), or an abbreviation ("Lic.Sc.")."""
    mark, after = found["mark"], found["after"]
    if mark == "!":
        return True
    twice = found["next"] not in _COMMON and text.count(f"{left}.{found['next']}") > 1
    return mark == "." and (after == "." or found["next"] in _DOMAINS or twice)
