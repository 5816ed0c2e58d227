"""Removal of residue that collections left in their texts: transcript notes, picture lines, letter-spacing, wiki markup, credits, links."""

from __future__ import annotations

import re

from haymaker.core.text.sentence_gaps import with_gaps

_NOISE = re.compile(r"\{(?:disfmarker|vocalsound|nonvocalsound|pause|gap|comment)\}")
_PICTURE = re.compile(r"^(?:File|Image):[^\n]*(?:\n|\Z)", re.MULTILINE)
_HAN = "[\u3400-\u4dbf\u4e00-\u9fff]"
_SPACED = re.compile(rf"(?<!{_HAN}){_HAN}(?: {_HAN}){{2,}}(?!{_HAN})")
_TWO_STOPS = re.compile(r'(?<=[\w)\]"”%]\.)\.(?: |$)')
_MADE_BY = re.compile(
    r"\A\s*(?:Produced by|Transcribed (?:by|from)|Scanned (?:by|and)|E-?text (?:prepared|produced|scanned)|This e-?text was)\b"
    r"(?:[^\n]+\n?)+",
    re.IGNORECASE,
)
_MADE_NOTE = re.compile(
    r"\n[^\S\n]*(?:Transcriber['’]s Notes?\b|\**[^\S\n]*End of (?:the |this )?Project Gutenberg\b).*\Z",
    re.IGNORECASE | re.DOTALL,
)
_NOTE_CHARACTERS = 3000  # of a transcriber's note at the end
_COVER = re.compile(r"^[^\S\n]*\[(?:Picture|Illustration)(?::[^\]\n]*)?\][^\S\n]*$", re.MULTILINE)
_LINK = re.compile(r"(?:\A|(?<=[.!?)\"”’])\s+)\(?(?:Click\b.*|(?:See|Read|Watch)\b[^.!?]*\bhere\b[.!?)]*)\Z", re.DOTALL)
_LINK_CHARACTERS = 200
_WIKI = re.compile(
    r"\{\{[^\W\d_]{2}[^{}\\]*\}\}\s?"  # {{Update}}, {{convert|5|km}}; groups of formulas have a backslash or one letter
    r"|<ref\b[^<>]*/>|<ref\b[^<>]*(?<!/)>[^<>]*</ref>|'{3,}"
    r"|\[\[(?:[^\[\]|]*\|)?(?P<shown>[^\W\d_][^\[\]|]*)\]\]"
    r"|(?P<space>&nbsp;)"
)


def unglued(text: str, gap: str) -> str:
    """Insert a gap for each lost paragraph break: after two full stops, or if a space is missing ("more votes.Frye won")."""
    return _TWO_STOPS.sub(gap, with_gaps(text, gap))


def without_wiki_marks(article: str) -> str:
    """Remove templates, notes and bold marks of a wiki from an article, and replace links by their text. Not for text with code."""
    return _WIKI.sub(lambda found: found["shown"] or (" " if found["space"] else ""), article)


def without_credits(book: str) -> str:
    """Remove the producers of the electronic text from both ends of a Project Gutenberg book, and picture marks."""
    book = _COVER.sub("", _MADE_BY.sub("", book))
    end = _MADE_NOTE.search(book, max(0, len(book) - _NOTE_CHARACTERS))
    return book[: end.start()].rstrip() if end else book


def without_link(summary: str) -> str:
    """Remove a last sentence that links to another page ("Click here for more."), unless nothing else remains."""
    found = _LINK.search(summary, max(0, len(summary) - _LINK_CHARACTERS))
    return summary[: found.start()].rstrip() or summary if found else summary


def without_noises(turn: str) -> str:
    """Return a turn of QMSum on one line without {disfmarker}, {vocalsound} and the like; empty if no word remains."""
    if not _NOISE.search(turn):
        return " ".join(turn.split())
    words = " ".join(_NOISE.sub(" ", turn).split())
    return words if any(map(str.isalnum, words)) else ""


def without_pictures(page: str) -> str:
    """Remove the lines that show pictures ("File:Name.jpg|caption")."""
    return _PICTURE.sub("", page).strip()


def unspaced(text: str) -> str:
    """Join letter-spaced Chinese words ("特 约 记 者") of three or more characters."""
    return _SPACED.sub(lambda found: found[0].replace(" ", ""), text)
