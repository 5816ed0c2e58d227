"""What the making of a collection left in its texts: notes of a transcript, lines of an encyclopaedia's pictures, letter-spacing of a PDF."""

from __future__ import annotations

import re

_NOISE = re.compile(r"\{(?:disfmarker|vocalsound|nonvocalsound|pause|gap|comment)\}")
_PICTURE = re.compile(r"^(?:File|Image):[^\n]*(?:\n|\Z)", re.MULTILINE)
_HAN = "[\u3400-\u4dbf\u4e00-\u9fff]"
_SPACED = re.compile(rf"(?<!{_HAN}){_HAN}(?: {_HAN}){{2,}}(?!{_HAN})")


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
