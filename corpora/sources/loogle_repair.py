"""What was lost in LooGLE's questions, answers and evidence, put right (docs/spec/marathon.md 2).

Letters outside ASCII stand as "?" there ("Erdo?an"), but not in the documents: a word with a "?" inside is the one word of its document
that is like it. Other "?" were characters at which a line ended. Every repair is counted by name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_WIDE = {
    chr(code): unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFF01, 0xFF5F), *range(0xFFE0, 0xFFE7))
}
_MARKS = {**_WIDE, "、": ",", "。": ".", "《": '"', "》": '"'}
_MARK = re.compile(f"[{re.escape(''.join(_MARKS))}]")
_NEEDS_SPACE = re.compile(r"([，、；：。！？])(?=[^\s\d])")
_DEBRIS = re.compile(r"(?<=[.,:;!)\]])\?+(?=\s|$)|(?<=\w)\?+(?=\n[a-z])")
_DEBRIS_OF_A_QUESTION = re.compile(r"(?<=[.,:;])\?+(?=\s*\n)")
_HOLED = re.compile(r"[\w?]*\?\w[\w?]*|\w+\?+")
_ADVICE = re.compile(r"\s*\(\d-\d can be listed\)")  # to whoever wrote the answer
_FOOTNOTE = re.compile(r"\[\d{1,3}\]")
_LOST_LETTER = r"(?:(?![\x00-\x7f])[^\W\d_]|[a-zA-Z][\u0300-\u036f])"
_LOST_INSIDE = rf"(?:{_LOST_LETTER}|['’\s–-])"


def mended(text: str, whole: str, counts: Counter[str], *, question: bool = False) -> str:
    """A text with its letters and marks put right.

    Args:
        text: a question, an answer or a piece of evidence.
        whole: its document.
        counts: of repairs, added to: marks of full width, "?" taken out, letters put back, and those that could not be.
        question: whether it may end in a question mark.
    """
    text, advice = _ADVICE.subn("", text)
    counts["advice_taken_out"] += advice
    counts["full_width_marks"] += len(_MARK.findall(text))
    text = _MARK.sub(lambda found: _MARKS[found.group()], _NEEDS_SPACE.sub(r"\1 ", text))
    text, debris = (_DEBRIS_OF_A_QUESTION if question else _DEBRIS).subn("", text)
    counts["question_marks_taken_out"] += debris
    end = "?" if question and text.endswith("?") else ""
    return _HOLED.sub(lambda found: _filled(found.group(), whole, counts), text.removesuffix(end)) + end


def holed(text: str) -> bool:
    """Whether a word of it still has a "?" inside."""
    return re.search(r"\w\?\w", text) is not None


def on_one_line(text: str, counts: Counter[str]) -> str:
    """An answer without numbers of footnotes, its lines joined: by a semicolon where one ends without a mark."""
    text, footnotes = _FOOTNOTE.subn("", text)
    counts["footnotes_taken_out"] += footnotes
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    counts["answers_of_several_lines"] += len(lines) > 1
    return " ".join([*(line if line[-1] in ".,;:!?" else f"{line};" for line in lines[:-1]), *lines[-1:]])


def _filled(word: str, whole: str, counts: Counter[str]) -> str:
    """A word with holes, as the document has it; unchanged where nothing in it, or more than one thing, is like it."""
    inside = word.strip("?")
    if "?" not in word.lstrip("?").rstrip("?") and not word.startswith("?") and _stands(inside, whole):
        return word  # a word of the document, and a question mark
    pattern = "".join(_hole(word, at) if char == "?" else re.escape(char) for at, char in enumerate(word))
    like: set[str] = set(re.findall(rf"(?<!\w){pattern}(?!\w)", whole))
    like = {each for each in like if not each.isascii()} or like
    if len(like) == 1:
        counts["letters_put_back"] += 1
        return " ".join(like.pop().split())
    counts["letters_lost"] += "?" in word.rstrip("?")
    return word


def _hole(word: str, at: int) -> str:
    """What a "?" may have been: a letter, and inside a word a space, dash or apostrophe too."""
    return _LOST_INSIDE if word[:at].strip("?") and word[at:].strip("?") else _LOST_LETTER


def _stands(word: str, whole: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", whole) is not None
