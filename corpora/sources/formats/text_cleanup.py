"""What the making of a collection left in its texts: notes of a transcript, lines of an encyclopaedia's pictures, letter-spacing of a PDF,
paragraphs that lost the break between them, mark-up of a wiki, who made an electronic text, links of a page.
"""

from __future__ import annotations

import re

_NOISE = re.compile(r"\{(?:disfmarker|vocalsound|nonvocalsound|pause|gap|comment)\}")
_PICTURE = re.compile(r"^(?:File|Image):[^\n]*(?:\n|\Z)", re.MULTILINE)
_HAN = "[\u3400-\u4dbf\u4e00-\u9fff]"
_SPACED = re.compile(rf"(?<!{_HAN}){_HAN}(?: {_HAN}){{2,}}(?!{_HAN})")
# Where a paragraph ended there are two full stops, or the next one follows without a space.
_ENDED = re.compile(r'(?<=[\w)\]"”%]\.)\.(?: |$)|(?:(?<=[a-z\d)\]"”]{2}[.!?])|(?<=[a-z\d)\]][.!?]["”]))(?=[A-Z][a-z])')
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
    """A text with a gap where a paragraph ended and the next one stands right behind it ("more votes.Frye won")."""
    return _ENDED.sub(gap, text)


def without_wiki_marks(article: str) -> str:
    """An article of an encyclopaedia without templates, notes and bold type of its wiki; of a link what it shows. No text with code."""
    return _WIKI.sub(lambda found: found["shown"] or (" " if found["space"] else ""), article)


def without_credits(book: str) -> str:
    """A book of Project Gutenberg without who made its electronic text, at its beginning and end, and without places of pictures."""
    book = _COVER.sub("", _MADE_BY.sub("", book))
    end = _MADE_NOTE.search(book, max(0, len(book) - _NOTE_CHARACTERS))
    return book[: end.start()].rstrip() if end else book


def without_link(summary: str) -> str:
    """A summary of news without a last sentence that leads to another page ("Click here for more."); one that is nothing else stays."""
    found = _LINK.search(summary, max(0, len(summary) - _LINK_CHARACTERS))
    return summary[: found.start()].rstrip() or summary if found else summary


def without_noises(turn: str) -> str:
    """A turn of QMSum on one line, without {disfmarker}, {vocalsound} and the like; empty where it has no words besides."""
    if not _NOISE.search(turn):
        return " ".join(turn.split())
    said = " ".join(_NOISE.sub(" ", turn).split())
    return said if any(map(str.isalnum, said)) else ""


def without_pictures(page: str) -> str:
    """A page without the lines that show pictures ("File:Name.jpg|caption")."""
    return _PICTURE.sub("", page).strip()


def unspaced(text: str) -> str:
    """A text whose letter-spaced words ("特 约 记 者", three characters or more, each alone) are words again."""
    return _SPACED.sub(lambda found: found[0].replace(" ", ""), text)
