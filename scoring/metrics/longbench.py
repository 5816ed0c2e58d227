"""LongBench's scores of short answers: word F1, labels, counts, paragraphs (docs/spec/longbench.md 5.1, 5.2).

The references read the whole output, but of the few-shot sets (trec, triviaqa, samsum, lsht: rows of category "few-shot") the
first line only. `choices` has all labels, `answers` what is accepted; the best answer counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.metrics import infinitebench, pair
from scoring.metrics.choices import label_strict
from scoring.reader import answer, clean, long_text, states, word_f1
from scoring.reader.answer import choice_of_two
from scoring.reader.compare import labels_in
from scoring.reader.final import first_line
from scoring.text import best, nearest_f1, whole

FEW_SHOT = (
    "few-shot"  # category of the sets whose prompt goes on with examples, so that a model may go on with further ones
)

_DIGITS = re.compile(r"\d+")
_PARAGRAPH = re.compile(r"(?:Paragraph |段落)(\d+)")
_NAMED = re.compile(
    r"(?:\b(?:paragraph|passage|no\.?|number)s?\s*#?|段落|第)\s*(\d+(?:\s*(?:,|and|or|&|/|、|和|或)+\s*\d+)*)",
    re.IGNORECASE,
)


def official_text(output: object, row: Mapping[str, Any]) -> str:
    """What the reference reads: of few-shot rows the first line after leading line breaks, else all."""
    text = whole(output)
    return text.lstrip("\n").split("\n", 1)[0] if row["category"] == FEW_SHOT else text


def strict_text(output: object, row: Mapping[str, Any]) -> str:
    """Return a long answer without reasoning and headings; of few-shot rows its first line."""
    text = long_text(output, row)
    return text.split("\n", 1)[0] if row["category"] == FEW_SHOT else text


def f1_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: yes and no are words as all others; an answer "A" can never be given."""
    return nearest_f1(official_text(output, row), row["answers"])


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Word F1 of the final answer in canonical form (of few-shot rows: of its first line); 1 or 0 if the question has two possible
    answers (`scoring.reader.states`).

    It falls with every word next to the right ones (docs/defects/longbench.md D7): compare it with `subem`.
    """
    if choice_of_two(row):
        return float(states(output, row))
    part = answer(output, row, block=True)
    return best(word_f1, [first_line(part) if row["category"] == FEW_SHOT else part], row["answers"])


def cls_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: 1 / number of labels found, where the right one is among them.

    Found are labels that are substrings, case counting; those inside the right label are removed from the list that is being
    walked, so the one after a removed label is passed over and may stay (docs/defects/longbench.md D5).
    """
    text = official_text(output, row)
    found = [label for label in row["choices"] or () if label in text]
    return max((_cls_official([*found], gold) for gold in row["answers"]), default=0.0)


def _cls_official(found: list[str], gold: str) -> float:
    at = 0
    while at < len(found):
        label = found[at]
        if label != gold and label in gold:
            found.remove(label)  # the first equal one: what follows moves up by one place
        at += 1
    return 1 / len(found) if gold in found else 0.0


def count_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: share of the runs of digits that are the answer's (docs/defects/longbench.md D6)."""
    return _share(whole(output), row["answers"])


def retr_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the same, the answer's digits being those behind "Paragraph " or "段落".

    An answer without them, on which the reference's scorer crashes, is worth 0.
    """
    ids = [found[1] for found in map(_PARAGRAPH.search, row["answers"]) if found]
    return _share(whole(output), ids)


def _share(text: str, golds: Sequence[str]) -> float:
    numbers = _DIGITS.findall(text)
    return max((numbers.count(gold) for gold in golds), default=0) / len(numbers) if numbers else 0.0


def retr_strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 if the final answer names the right paragraph and no other.

    Named are the numbers after "Paragraph", "Passage", "段落" or "第"; without such a word, all numbers. Differs from the reference: no
    parts, and a number that names no paragraph does no harm (docs/defects/longbench.md D6). 07 is 7.
    """
    part = clean(answer(output, row, lambda part: bool(_DIGITS.search(clean(part))), order=list))
    numbers = _NAMED.sub(r" \1 ", part)
    labels = sorted(set(_DIGITS.findall(" ".join(_NAMED.findall(part)) or part)))
    golds = {found[1].lstrip("0") for found in map(_PARAGRAPH.search, row["answers"]) if found}
    return float({label.lstrip("0") for label in labels_in(numbers, labels, several=True)} == golds)


def _no_paragraph(row: Mapping[str, Any]) -> str:
    return "" if any(map(_PARAGRAPH.search, row["answers"])) else "no answer names a paragraph by its number"


_READ = ("answers", "category")
METRICS = (
    *pair(
        "longbench_f1",
        "Word F1 of what is read, LongBench's rule.",
        f1_strict,
        f1_official,
        (*_READ, "question"),
        strict_version=7,
    ),
    *pair(
        "longbench_cls",
        "The label that is named.",
        label_strict,
        cls_official,
        (*_READ, "choices", "question"),
        strict_version=3,
    ),
    *pair(
        "longbench_count",
        "The number of passages.",
        infinitebench.find_strict,
        count_official,
        demands=infinitebench.no_number,
        strict_version=3,
    ),
    *pair(
        "longbench_retr",
        "The paragraph that was summarised.",
        retr_strict,
        retr_official,
        demands=_no_paragraph,
        strict_version=3,
    ),
)
