"""NDCG@10 of a ranking written as "id > id > ..." (docs/spec/helmet.md 11.4).

A row's `extra` holds {"qrels": {id: grade}} for every id it shows. Gain is linear and the ideal ranking is over all ids
shown, as in trec_eval's ndcg_cut; an id that was not shown keeps its rank and is worth nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

from scoring.metrics import pair
from scoring.text import final_text, said

CUT = 10

_DIGITS = 5  # the reference rounds each query's score
_MARKUP = str.maketrans("", "", "*`")
_CHAIN = re.compile(r"\d+(?:\s*>\s*\d+)*")
_NUMBER = re.compile(r"\d+")
_MARKER = re.compile(
    r"^(?:\|? ?\d{1,4} ?[.)|]|[-•|]) (?=\[? ?(?:id\b|\d))", re.IGNORECASE | re.MULTILINE
)  # "1. [ID: 77]"
_ID = r"\[? ?(?:id\b ?:? ?)?\d+\b(?: ?\])?"
_JOINED = r"(?: ?\n? ?(?:[>,;→]|>=|[-=]>) ?\n? ?| |\n)"
_LIST = re.compile(rf"(?<![\w.]){_ID}(?:{_JOINED}{_ID})*", re.IGNORECASE)
_LINE = re.compile(rf"^{_ID}", re.IGNORECASE | re.MULTILINE)


def ndcg(ranking: Sequence[str], qrels: Mapping[str, float], cut: int = CUT) -> float:
    """NDCG at a cut with linear gain, 0 .. 1; 0 where nothing is relevant."""
    ideal = _gain(sorted(qrels.values(), reverse=True)[:cut])
    return _gain([qrels.get(shown, 0) for shown in ranking[:cut]]) / ideal if ideal else 0.0


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def parse_official(output: str) -> list[str]:
    """The ids of the chain with the longest text, each once: "12, 13, 14" is the ranking 12 (docs/defects/helmet.md D14)."""
    text = re.sub(r"[\[\]:]", "", output).lower().replace("id", "")
    chain = max(_CHAIN.findall(text), key=len, default="")
    return list(dict.fromkeys(_NUMBER.findall(chain)))


def parse_strict(output: str, shown: Mapping[str, Any]) -> list[str]:
    """The ids of the first list of two or more that names one shown, else those that lines begin with, else the first id shown.

    Each counts once. Differs from the reference (docs/defects/helmet.md D14): ids may be joined by > >= → , ; or white space, alone
    or in lines numbered 1. 2. 3.; the first list counts, not the one with the most characters; no letters are deleted from words.
    """
    lines = "\n".join(" ".join(line.split()) for line in output.translate(_MARKUP).splitlines())
    text = _MARKER.sub("", lines)
    lists = [_NUMBER.findall(match.group()) for match in _LIST.finditer(text)]
    begun = [number for match in _LINE.findall(text) if (number := _NUMBER.findall(match)[0]) in shown]
    named = [ids for ids in lists if any(number in shown for number in ids)]
    chosen = next((ids for ids in (*(ids for ids in named if len(ids) > 1), begun, *named) if ids), [])
    return list(dict.fromkeys(chosen))


def strict(output: str, row: Mapping[str, Any]) -> float:
    """NDCG@10, not rounded, of the ranking that `parse_strict` reads."""
    qrels = _qrels(row)
    return ndcg(parse_strict(said(output), qrels), qrels)


def official(output: str, row: Mapping[str, Any]) -> float:
    """NDCG@10, rounded to 5 digits, of the ranking that `parse_official` reads."""
    return round(ndcg(parse_official(final_text(output)), _qrels(row)), _DIGITS)


def _qrels(row: Mapping[str, Any]) -> dict[str, float]:
    return dict(json.loads(row["extra"] or "{}").get("qrels") or {})


def _no_grades(row: Mapping[str, Any]) -> str:
    return "" if any(_qrels(row).values()) else "nothing that it shows is relevant"


METRICS = pair(
    "ndcg10",
    "NDCG@10 of the ranking, linear gain, over the ids shown.",
    strict,
    official,
    ("extra",),
    demands=_no_grades,
)
