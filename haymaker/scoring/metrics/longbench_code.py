"""LongBench's score of a completed line of code: similarity of two lines (docs/spec/longbench.md 5.2).

Similarity is RapidFuzz's indel ratio, 1 - (insertions + deletions) / (characters of both lines). `@official` is
the ratio of fuzzywuzzy with python-Levenshtein, in whole hundredths (docs/defects/longbench.md D3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from haymaker.core.text.similarity import similarity
from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.official_text import best, whole
from haymaker.scoring.reader import strip_reasoning
from haymaker.scoring.reader.final import required_form

_FENCE = "```"
_BLOCK, _BLOCK_END = "/*", "*/"
_COMMENTS = ("#", "//", _BLOCK)
_BETWEEN = re.compile(r"(?<!\w) | (?!\w)")  # white space that does not separate words
_FENCED = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)
_ANNOUNCES = re.compile(r"\s*|[\W_]*[A-Z][\w ,'’-]{2,120}:[\s*_]*|\W*(?:answer|response|output)\W*", re.IGNORECASE)
_INLINE = re.compile(r"[^`]*`([^`]+)`[^`]{0,40}")
_REFUSED = ("`", "#", "//")


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the first line without "`", "#", "//", even if blank (docs/defects/longbench.md D4)."""
    lines = whole(output).lstrip("\n").split("\n")
    line = next((line for line in lines if not any(mark in line for mark in _REFUSED)), "")
    return best(_official_ratio, [line], row["answers"])


def strict(output: str, row: Mapping[str, Any]) -> float:
    """Similarity of the first line of code, including indentation, without trailing white space.

    Differs from the reference (docs/defects/longbench.md D4): skips only blank lines, fences and whole comments. If the
    answer begins with a comment mark ("#region"), the line may do so too.
    """
    text = _demanded(output)
    return max((_likeness(text, gold.rstrip()) for gold in row["answers"]), default=0.0)


def _official_ratio(ours: str, gold: str) -> float:
    """Return the ratio as fuzzywuzzy rounds it; two empty lines are equal, one empty line is 0."""
    return round(similarity(ours, gold)) / 100 if ours and gold else float(ours == gold)


def _likeness(text: str, gold: str) -> float:
    line = next(_code(text, gold), "")
    return similarity(line, gold) / 100 if line and gold else 0.0


def _demanded(output: object) -> str:
    """Return the code of an output: its first code fence, else tags or a JSON object, else text without announcements.

    A prose line with one piece of inline code ("The next line is `x = 1`.") is reduced to that code.
    """
    text = strip_reasoning(output)
    if fence := _FENCED.search(text):
        return fence[1]
    if whole_form := next(required_form(text), "") if text.lstrip()[:1] in ("{", "<") else "":
        return whole_form
    lines = text.split("\n")
    while len(lines) > 1 and _ANNOUNCES.fullmatch(lines[0]):
        del lines[0]
    inline = _INLINE.fullmatch(next(filter(str.strip, lines), ""))
    return inline[1] if inline else "\n".join(lines)


def _code(text: str, gold: str) -> Iterator[str]:
    """Yield lines that are no blank lines, fences or comments, except comments like the answer's own."""
    comments = tuple(mark for mark in _COMMENTS if not gold.lstrip().startswith(mark))
    inside = False
    for line in map(str.rstrip, text.split("\n")):
        bare = line.lstrip()
        if inside or (_BLOCK in comments and bare.startswith(_BLOCK)):
            _, end, bare = bare.partition(_BLOCK_END)
            inside, bare = not end, bare.lstrip()
        if bare and not bare.startswith((_FENCE, *comments)):
            yield line


def line_strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 if the line of `longbench_edit@strict` is right, apart from white space, quotes and outer backticks."""
    text = _demanded(output)
    return float(any(_same(next(_code(text, gold), ""), gold) for gold in row["answers"]))


def _same(line: str, gold: str) -> bool:
    ours, right = _bare(line), _bare(gold)
    return bool(right) and right in (ours, _bare(line.strip().strip("`")))


def _bare(line: str) -> str:
    """Return a line with one kind of quotes and only the white space that separates words."""
    return _BETWEEN.sub("", " ".join(line.split())).replace('"', "'")


_EDIT = "Similarity of the next line of code (RapidFuzz's indel ratio)."
_LINE = "1 if the next line of code is right, apart from white space and quotes."
METRICS = (
    *pair("longbench_edit", _EDIT, strict, official, strict_version=3),
    Metric("code_line@strict", 2, _LINE, line_strict, ("answers",)),
)
