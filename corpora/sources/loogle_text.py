"""LooGLE's texts: lost letters and marks restored, numbered lists read, papers without their abstracts (docs/spec/marathon.md 2).

In questions, answers and evidence, letters outside ASCII are "?" ("Erdo?an"), but not in the documents: a word with a "?" inside is
replaced by the only word of its document that matches it. Other "?" were characters at the end of a line. Every repair is counted by name.
A paper whose abstract is the wanted summary must not contain it; some papers kept their abstract, or an executive summary.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from corpora.sources.document_source import known_faults
from haymaker.core.rng import digest
from haymaker.core.text.strings import words

_WIDE = [chr(code) for code in (*range(0xFF01, 0xFF5F), *range(0xFFE0, 0xFFE7))]
_MARKS = {each: unicodedata.normalize("NFKC", each) for each in _WIDE} | {"、": ",", "。": ".", "《": '"', "》": '"'}
_MARK = re.compile(f"[{re.escape(''.join(_MARKS))}]")
_NEEDS_SPACE = re.compile(r"([，、；：。！？])(?=[^\s\d])")
_DEBRIS = re.compile(r"(?<=[.,:;!)\]])\?+(?=\s|$)|(?<=\w)\?+(?=\n[a-z])")
_DEBRIS_OF_A_QUESTION = re.compile(r"(?<=[.,:;])\?+(?=\s*\n)")
_HOLED = re.compile(r"[\w?]*\?\w[\w?]*|\w+\?+")
_ADVICE = re.compile(r"\s*\(\d-\d can be listed\)")  # a note for annotators
_FOOTNOTE = re.compile(r"\[\d{1,3}\]")
_LOST_LETTER = r"(?:(?![\x00-\x7f])[^\W\d_]|[a-zA-Z][\u0300-\u036f])"
_LOST_INSIDE = rf"(?:{_LOST_LETTER}|['’\s–-])"
_MARKER = r"\(?(?P<mark>\d{1,2}|[IVX]{1,5}|[A-Ha-h])\s?[.):]"
_AT_LINE = re.compile(rf"^[ \t]*{_MARKER}[ \t]*", re.MULTILINE)
_IN_LINE = re.compile(rf"(?:^|(?<=\s)){_MARKER}\s*")
_ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI")
_ITEM = re.compile(r"^\(?([A-Za-z]+|\d+)[.):]?$")
_APART = re.compile(r"[\s,;>→-]+|\band\b|\bthen\b")
_MOST_DIGITS = 9  # digits in an order without separators
_ABSTRACT = re.compile(r"\W*(?:\d{1,2}\.?\s+)?(?:abstract|executive summary)\W*", re.IGNORECASE)
_INTRODUCTION = re.compile(r"\W*(?:(?:\d{1,2}|[IVX]{1,4})\.?\s+)?introduction\W*", re.IGNORECASE)
_RUN = 3  # consecutive words that are in the summary too
_OF_LINE, _OF_SUMMARY = 0.5, 0.1  # shares of runs; a heading or a sentence may repeat a little of the summary
_ADDRESSES = re.compile(
    r"††thanks:[^\n]*"
    r"|(?:Email address:\s*)?(?:[*†‡§¶]+|\{[^{}\n]*\})?[\w.+-]*@[\w-]+(?:\.[\w-]+)+(?:[^\S\n]*,?$)?"
    r"|^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$",  # ORCID's number of an author
    re.MULTILINE,
)
_COMMANDS = re.compile(r"^(?:\\[A-Za-z]+|\\?[A-Za-z]+[’']?)\d+\n", re.MULTILINE)
_FORMULA = re.compile(r"\$([^$\n]{1,200})\$")


def fault(question: str) -> str:
    """Return why the answer of a question is known to be wrong, or an empty string."""
    return known_faults("loogle").get(digest("loogle", " ".join(question.split()), size=6).hex(), "")


def mended(text: str, whole: str, counts: Counter[str], *, question: bool = False) -> str:
    """A text about the document `whole` with its letters and marks restored; a `question` may end in a question mark.

    Adds to `counts`, the repairs by name.
    """
    text, advice = _ADVICE.subn("", text)
    counts["advice_taken_out"] += advice
    counts["full_width_marks"] += len(_MARK.findall(text))
    text = _MARK.sub(lambda found: _MARKS[found.group()], _NEEDS_SPACE.sub(r"\1 ", text))
    text, debris = (_DEBRIS_OF_A_QUESTION if question else _DEBRIS).subn("", text)
    counts["question_marks_taken_out"] += debris
    end = "?" if question and text.endswith("?") else ""
    return _HOLED.sub(lambda found: _filled(found.group(), whole, counts), text.removesuffix(end)) + end


def one_line(text: str, counts: Counter[str]) -> str:
    """An answer without footnote numbers, with its lines joined; a semicolon follows a line without a mark at its end."""
    text, footnotes = _FOOTNOTE.subn("", text)
    counts["footnotes_taken_out"] += footnotes
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    counts["answers_of_several_lines"] += len(lines) > 1
    return " ".join([*(line if line[-1] in ".,;:!?" else f"{line};" for line in lines[:-1]), *lines[-1:]])


def _filled(word: str, whole: str, counts: Counter[str]) -> str:
    """The word of the document that matches a word with holes; unchanged if there is no match, or more than one."""
    is_word = "?" not in word.rstrip("?") and re.search(rf"(?<!\w){re.escape(word.rstrip('?'))}(?!\w)", whole)
    if is_word:
        return word  # a word of the document before a question mark
    pattern = "".join(_hole(word, at) if char == "?" else re.escape(char) for at, char in enumerate(word))
    like: set[str] = set(re.findall(rf"(?<!\w){pattern}(?!\w)", whole))
    like = {each for each in like if not each.isascii()} or like
    if len(like) == 1:
        counts["letters_put_back"] += 1
        return " ".join(like.pop().split())
    counts["letters_lost"] += "?" in word.rstrip("?")
    return word


def _hole(word: str, at: int) -> str:
    """The pattern for a "?": a letter, and inside a word also a space, dash or apostrophe."""
    return _LOST_INSIDE if word[:at].strip("?") and word[at:].strip("?") else _LOST_LETTER


def numbered(text: str) -> tuple[str, list[str]]:
    """The text before a list numbered from 1 (I, A, a), and the items of the list; no items if there are fewer than two."""
    for pattern in (_AT_LINE, _IN_LINE):
        for read in (_as_digits, _as_roman, _as_letter):
            if len(found := _in_turn(list(pattern.finditer(text)), read)) > 1:
                ends = [each.start() for each in found[1:]] + [len(text)]
                things = [text[each.end() : end] for each, end in zip(found, ends, strict=True)]
                return text[: found[0].start()].strip(), [" ".join(thing.split()) for thing in things]
    return text, []


def order_of(answer: str, count: int) -> tuple[int, ...]:
    """The order of `count` numbered items in an answer (numbers, Roman numerals or letters); empty if there is none."""
    bare = answer.strip().rstrip(".")
    marks = [mark for mark in _APART.split(bare) if mark]
    if len(marks) == 1 and bare.isascii() and bare.isdigit() and count <= _MOST_DIGITS:
        marks = list(bare)
    items = [found.group(1) for found in map(_ITEM.match, marks) if found]
    for read in (_as_digits, _as_roman, _as_letter):
        order = tuple(read(item) for item in items)
        if len(items) == len(marks) and sorted(order) == list(range(1, count + 1)):
            return order
    return ()


def place_of(answer: str, count: int) -> int:
    """The number from 1 of the item that an answer names among `count`; 0 if the answer is not a single number or letter."""
    found = _ITEM.match(answer.strip())
    number = _as_digits(found[1]) or _as_letter(found[1]) if found else 0
    return number if number <= count else 0


def listed(things: Sequence[str]) -> str:
    """Items as a numbered list."""
    return "\n".join(f"{number}. {thing}" for number, thing in enumerate(things, 1))


def _in_turn(found: list[re.Match[str]], read: Callable[[str], int]) -> list[re.Match[str]]:
    """The markers that count 1, 2, 3 ...; other markers are part of an item."""
    out: list[re.Match[str]] = []
    for each in found:
        if read(each["mark"]) == len(out) + 1:
            out.append(each)
    return out


def _as_digits(mark: str) -> int:
    return int(mark) if mark.isascii() and mark.isdigit() and len(mark) < 3 else 0


def _as_roman(mark: str) -> int:
    return _ROMAN.index(mark.upper()) if mark.upper() in _ROMAN else 0


def _as_letter(mark: str) -> int:
    return ord(mark.upper()) - ord("A") + 1 if len(mark) == 1 and mark.isascii() and mark.isalpha() else 0


def paper(text: str, summary: str) -> str:
    """A paper (one paragraph per line) without its abstract, its authors' addresses and LaTeX commands at the beginning.

    Lines that repeat much of `summary` are removed too.
    """
    lines = _without_abstract(_ADDRESSES.sub("", _COMMANDS.sub("", text)).split("\n"))
    known = _runs(summary)
    return "\n".join(line for line in lines if not _repeats(line, known)).strip()


def abstract(text: str) -> str:
    """An abstract without "$" around formulas."""
    return _FORMULA.sub(r"\1", text)


def _without_abstract(lines: list[str]) -> list[str]:
    """The lines without those from the heading of an abstract to the heading of the introduction, if both exist in this order."""
    first = next((at for at, line in enumerate(lines) if _ABSTRACT.fullmatch(line)), None)
    end = next((at for at, line in enumerate(lines) if _INTRODUCTION.fullmatch(line)), None)
    return lines[:first] + lines[end:] if first is not None and end is not None and first < end else lines


def _repeats(line: str, summary: set[tuple[str, ...]]) -> bool:
    runs = _runs(line)
    both = len(runs & summary)
    return both > _OF_LINE * len(runs) and both > _OF_SUMMARY * len(summary)


def _runs(text: str) -> set[tuple[str, ...]]:
    """All runs of a few consecutive words."""
    found = words(text)
    return set(zip(*(found[at:] for at in range(_RUN)), strict=False))
