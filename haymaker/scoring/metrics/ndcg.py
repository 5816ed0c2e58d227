"""NDCG@10 of a ranking written as "id > id > ..." (docs/spec/helmet.md 11.4).

A row's `metadata` has {"qrels": {id: grade}} for every shown id. Gain is linear and the ideal ranking covers all shown
ids, as in trec_eval's ndcg_cut; an id that was not shown keeps its rank and has no gain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from haymaker.core.rows.ranking import CUT, gain, ideal_gain, random_ndcg
from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.official_text import final_text
from haymaker.scoring.reader import answer

_DIGITS = 5  # the reference rounds each query's score
_MARKUP = str.maketrans("", "", "*`")
_CHAIN = re.compile(r"\d+(?:\s*>\s*\d+)*")
_NUMBER = re.compile(r"\d+")
_NO_ID = re.compile(
    r"[({\[,;|]?\s*[\"']?(?:\b(?:score|relevance|grade|rating|rel|confidence|relevant)\w*)[\"']?\s*(?:[:=]|is|of)?\s*[\d.]+(?:\s*/\s*\d+)?\s*[)}\]]?"
    r"|\brank(?:ed)?\s*#?\d+\s*[:.)-]|\(\s*\d?\.\d+\s*\)|\btop\s?-?\d+"
    r"|^\s*(?:\|\s*)?#?\d{1,3}\s*[.)|:]\s+(?=\W*(?:doc|id|passage|document|text|\[|\d))",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = r"[\[({<#\s\"']*(?:(?:doc(?:ument)?|passage|id|text)s?\b[\s:#_=-]*){0,2}\d+[\])}\s\"',]*"
_BEGINS = r"(?<![\[({<#\s\"'])(?:(?<!\d)|(?!\d))"  # not inside marks or a number: one attempt for each run of them
_CHAIN_STRICT = re.compile(rf"{_BEGINS}{_ITEM}(?:\s*(?:>=|[-=]>|>|→|≻)\s*{_ITEM})+(?=[^\d\w]|$)", re.IGNORECASE)


def ndcg(ranking: Sequence[str], qrels: Mapping[str, float]) -> float:
    """Return NDCG@10 with linear gain, 0 .. 1; 0 if nothing is relevant."""
    ideal = ideal_gain(qrels.values())
    return gain([qrels.get(shown, 0) for shown in ranking[:CUT]]) / ideal if ideal else 0.0


def parse_official(output: str) -> list[str]:
    """Return the distinct ids of the longest chain: "12, 13, 14" is the ranking 12 (docs/defects/helmet.md D14)."""
    text = re.sub(r"[\[\]:]", "", output).lower().replace("id", "")
    chain = max(_CHAIN.findall(text), key=len, default="")
    return list(dict.fromkeys(_NUMBER.findall(chain)))


def parse_strict(text: str, shown: Mapping[str, Any]) -> list[str]:
    """Return the distinct ids of the ranking: from the first block with two shown ids or more, else with one.

    Differs from the reference (docs/defects/helmet.md D14): separators may be >, commas, semicolons, arrows, line ends
    or a JSON list, and scores, grades, ranks and item numbers are no ids.
    """
    shortest = min(map(len, shown), default=0) - 1  # shorter numbers are years or ranks
    parts = re.split(r"\n\s*\n", _NO_ID.sub(" ", text.translate(_MARKUP)))
    chains = [chain[0] for chain in map(_CHAIN_STRICT.search, parts) if chain]
    blocks = [[number for number in _NUMBER.findall(part) if len(number) >= shortest] for part in (*chains, *parts)]
    named = [[number for number in block if number in shown] for block in blocks]
    best = next((at for least in (2, 1) for at, ids in enumerate(named) if len(set(ids)) >= least), None)
    return [] if best is None else list(dict.fromkeys(blocks[best]))


def strict(output: str, row: Mapping[str, Any]) -> float:
    """NDCG@10, not rounded, of the ranking that `parse_strict` reads."""
    qrels = _qrels(row)
    text = answer(output, row, lambda part: any(number in qrels for number in _NUMBER.findall(part)), block=True)
    return ndcg(parse_strict(text, qrels), qrels)


def official(output: str, row: Mapping[str, Any]) -> float:
    """NDCG@10, rounded to 5 digits, of the ranking that `parse_official` reads."""
    return round(ndcg(parse_official(final_text(output)), _qrels(row)), _DIGITS)


def above_random(output: str, row: Mapping[str, Any]) -> float:
    """Return NDCG@10 rescaled between a random order of the row (0, also for worse orders) and the ideal order (1)."""
    expected = random_ndcg(_qrels(row).values())
    return max(0.0, (strict(output, row) - expected) / (1 - expected))


def _qrels(row: Mapping[str, Any]) -> dict[str, float]:
    return dict(json.loads(row["metadata"] or "{}").get("qrels") or {})


def _no_grades(row: Mapping[str, Any]) -> str:
    return "" if any(_qrels(row).values()) else "nothing that it shows is relevant"


def _all_alike(row: Mapping[str, Any]) -> str:
    is_open = random_ndcg(_qrels(row).values()) < 1
    return _no_grades(row) or ("" if is_open else "a random order of what it shows is as good as the ideal ranking")


_DOC = "NDCG@10 of the ranking of the shown ids, with linear gain."
METRICS = (
    *pair("ndcg10", _DOC, strict, official, ("metadata",), strict_version=3, demands=_no_grades),
    Metric(
        "ndcg10_above_random@strict", 1,
        "NDCG@10 rescaled so that a random order of the row is 0 and the ideal order is 1; never below 0.",
        above_random, ("metadata",), demands=_all_alike,
    ),
)  # fmt: skip
