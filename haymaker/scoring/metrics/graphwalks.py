"""GraphWalks: F1 of the set of nodes in the line `Final Answer: [a, b]` at the end of an output.

`answer_groups` has one group for each right node, and is an empty list if no node is right.
"""

from __future__ import annotations

import re
from collections.abc import Set

from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.official_text import whole
from haymaker.scoring.reader import Row, clean, harmonic, strip_reasoning

_OFFICIAL = re.compile(r"Final Answer: ?\[.*\]")
_LIST = re.compile(r"final answer\s*:\s*\[{1,2}([^\[\]]*)\]", re.IGNORECASE)
_SPLIT = re.compile(r"[,;]|\band\b", re.IGNORECASE)
_MARKUP = str.maketrans("", "", "*`\\$")
_AROUND = " \t\"'“”‘’"
_MARKS = " \t*`_~#>-\"'“”‘’"


def official(output: str, row: Row) -> float:
    """The reference's rule, with the parser of its data card.

    Only the text after the last line feed is read, so a final line feed scores 0. The first node keeps the words
    "Final Answer: [", so it is never right, and an empty list is one wrong node. If no node is right, the score is 0.
    Differs from the card in one point: its formula as printed gives 1 to outputs without any right node. As in the port
    of lm-evaluation-harness, they score 0 here.
    """
    line = whole(output).split("\n")[-1]
    found = _OFFICIAL.search(line[: line.rfind("]") + 1])  # the pattern alone is slow if there is no bracket
    given = found[0].strip("[]").split(",") if found else []
    return f1({name.strip() for name in given if name.strip()}, {group[0] for group in row["answer_groups"]})


def strict(output: str, row: Row) -> float:
    """F1 of the nodes in the last line with a letter or digit; 0 if it has no list.

    Differs from the reference: reasoning, bold, code and LaTeX marks, quotes around names, forms of dashes, and case do not
    count; names may be separated by commas, semicolons or "and". All nodes are read, and if no node is right, an empty list scores 1.
    """
    found, right = listed(output), {group[0].casefold() for group in row["answer_groups"]}
    if found is None:
        return 0.0
    return f1(found, right) if right else float(not found)


def exact(output: str, row: Row) -> float:
    """1.0 if the list has all right nodes and no others, read as by `strict`."""
    return float(strict(output, row) == 1)


def listed(output: object) -> set[str] | None:
    """Return the names in the last list `Final Answer: [...]` of the last line, in lower case; None without a list."""
    lines = (line for line in reversed(strip_reasoning(output).splitlines()) if line.strip(_MARKS))
    lists = _LIST.findall(clean(next(lines, "").translate(_MARKUP), groups=False))
    return {each for name in _SPLIT.split(lists[-1]) if (each := name.strip(_AROUND).casefold())} if lists else None


def f1(found: Set[str], right: Set[str]) -> float:
    """Return the harmonic mean of precision and recall; 0 if either set is empty."""
    return harmonic(*(len(found & right) / len(each) for each in (found, right))) if found and right else 0.0


def _missing(row: Row) -> str:
    return "it has no answer groups" if row["answer_groups"] is None else ""


_DOC = "F1 of the nodes in the last line `Final Answer: [...]`."
METRICS = (
    *pair("graphwalks", _DOC, strict, official, ("answer_groups",), 1, demands=_missing),
    Metric(
        "graphwalks_exact@strict",
        1,
        "1 if the last line has exactly the right nodes.",
        exact,
        ("answer_groups",),
        demands=_missing,
    ),
)
