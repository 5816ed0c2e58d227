"""Whether a text holds an answer: the matcher of finished rows, which shares nothing with that of mining."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from corpora.stores.passages.store import OPENER
from generators.spec import Row

_FIXED = re.compile(
    rf"^(?:{OPENER}(?: \[\w+\])?(?: \(Title:)?|Question:|Answer:)", re.MULTILINE
)  # words of every example
_ACCENTS, _GAPS = re.compile("[\u0300-\u036f]"), re.compile(r"[\W_]+")
_ASCII_GAPS = {code: " " for code in range(128) if _GAPS.match(chr(code))}
_NO_LETTERS = bytes(_ASCII_GAPS)
_EVERYWHERE = {"yes", "no", "noanswer"}


def answer_leaks(row: Row) -> Iterator[str]:
    """Distractors and worked examples that hold an accepted answer, in text or title."""
    groups = row["answer_groups"]  # where there are some, the stored answers are whole texts, made of these
    aliases = _looked_for([alias for group in groups for alias in group] if groups else row["answers"])
    if not aliases:
        return
    pattern, some = _pattern(aliases), list(map(letters, aliases))
    instruction = next(row["prompt"][s["start"] : s["end"]] for s in row["spans"] if s["kind"] == "instruction")
    for span in row["spans"]:
        if span["kind"] in ("distractor", "demo"):
            text = row["prompt"][span["start"] : span["end"]].replace(instruction, "")
            pieces = _FIXED.split(text) if span["kind"] == "demo" else [span["title"] or "", text]
            near = (piece for piece in pieces if any(each in letters(piece) for each in some))
            texts = [text for text in map(folded, near) if any(alias in text for alias in aliases)]
            if found := next(filter(None, map(pattern.search, texts)), None):
                yield f"{span['kind']} {span['ref']} holds {found.group()!r}"


def holds(text: str, aliases: Sequence[str]) -> bool:
    """Whether a text has one of them as whole words."""
    return any(re.search(rf"(?<!\w){re.escape(folded(alias))}(?!\w)", folded(text)) for alias in aliases)


def _looked_for(aliases: Sequence[str]) -> list[str]:
    """Folded aliases, the longest first; none when there is nothing to look for."""
    every = {folded(alias) for alias in aliases}
    kept = {alias for alias in every if len(_GAPS.sub("", alias)) > 1 and alias not in _EVERYWHERE}
    return sorted(kept, key=lambda alias: (-len(alias), alias))


def _pattern(aliases: Sequence[str]) -> re.Pattern[str]:
    """Finds any folded alias between characters that are no letters or digits."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, aliases))})(?![^\W_])")


@lru_cache(maxsize=1 << 12)
def folded(text: str) -> str:
    """Lower case, no accents, every run of white space and punctuation as one space."""
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII_GAPS).split())
    return _GAPS.sub(" ", _ACCENTS.sub("", unicodedata.normalize("NFD", text)).lower()).strip()


@lru_cache(maxsize=1 << 12)
def letters(text: str) -> bytes:
    """Letters and digits of a folded text as far as they are ASCII: where these differ, so does the text; quicker to have than all of it."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text.encode("ascii", "ignore").lower().translate(None, _NO_LETTERS)
