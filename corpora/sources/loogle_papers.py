"""LooGLE's papers as somebody may be asked to sum them up: without their own abstract, which is the summary that is asked for.

Some papers lost their abstract when LooGLE was made, others kept it, under that name or as an executive summary.
"""

from __future__ import annotations

import re

from haymaker.core.text.strings import words

_ABSTRACT = re.compile(r"\W*(?:\d{1,2}\.?\s+)?(?:abstract|executive summary)\W*", re.IGNORECASE)
_INTRODUCTION = re.compile(r"\W*(?:(?:\d{1,2}|[IVX]{1,4})\.?\s+)?introduction\W*", re.IGNORECASE)
_RUN = 3  # words in a row that stand in the summary too
_OF_LINE, _OF_SUMMARY = 0.5, 0.1  # shares of runs: a heading or a sentence may say what the summary says too
_ADDRESSES = re.compile(
    r"††thanks:[^\n]*"
    r"|(?:Email address:\s*)?(?:[*†‡§¶]+|\{[^{}\n]*\})?[\w.+-]*@[\w-]+(?:\.[\w-]+)+(?:[^\S\n]*,?$)?"
    r"|^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$",  # ORCID's number of an author
    re.MULTILINE,
)
_COMMANDS = re.compile(r"^(?:\\[A-Za-z]+|\\?[A-Za-z]+[’']?)\d+\n", re.MULTILINE)
_FORMULA = re.compile(r"\$([^$\n]{1,200})\$")


def paper(text: str, summary: str) -> str:
    """A paper without its own abstract, addresses of its authors and commands of LaTeX at its beginning.

    Args:
        text: the paper as its source has it, a paragraph a line.
        summary: its abstract; what repeats it at length is taken out wherever it stands.
    """
    lines = _without_abstract(_ADDRESSES.sub("", _COMMANDS.sub("", text)).split("\n"))
    said = _runs(summary)
    return "\n".join(line for line in lines if not _repeats(line, said)).strip()


def abstract(text: str) -> str:
    """An abstract without the marks around formulas."""
    return _FORMULA.sub(r"\1", text)


def _without_abstract(lines: list[str]) -> list[str]:
    """All from the heading of an abstract to that of the introduction is left out, where both stand, in this order."""
    first = next((at for at, line in enumerate(lines) if _ABSTRACT.fullmatch(line)), None)
    end = next((at for at, line in enumerate(lines) if _INTRODUCTION.fullmatch(line)), None)
    return lines[:first] + lines[end:] if first is not None and end is not None and first < end else lines


def _repeats(line: str, said: set[tuple[str, ...]]) -> bool:
    runs = _runs(line)
    both = len(runs & said)
    return both > _OF_LINE * len(runs) and both > _OF_SUMMARY * len(said)


def _runs(text: str) -> set[tuple[str, ...]]:
    """Every few words in a row."""
    found = words(text)
    return set(zip(*(found[at:] for at in range(_RUN)), strict=False))
