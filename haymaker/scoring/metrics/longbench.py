"""LongBench's scores of short answers: word F1, labels, counts, paragraphs (docs/spec/longbench.md 5.1, 5.2).

`choices` has all labels, `answers` the accepted answers; the best one counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from haymaker.scoring.metrics import infinitebench, pair
from haymaker.scoring.metrics.choices import label_strict
from haymaker.scoring.official_text import best, nearest_f1, whole
from haymaker.scoring.reader import answer, clean, long_text, states, word_f1
from haymaker.scoring.reader.answer import choice_of_two
from haymaker.scoring.reader.compare import labels_in
from haymaker.scoring.reader.final import first_line

FEW_SHOT = "few-shot"  # category of the sets whose prompt has examples: a model may continue with more of them

_DIGITS = re.compile(r"\d+")
_PARAGRAPH = re.compile(r"(?:Paragraph |段落)(\d+)")
_NAMED = re.compile(
    r"(?:\b(?:paragraph|passage|no\.?|number)s?\s*#?|段落|第)\s*(\d+(?:\s*(?:,|and|or|&|/|、|和|或)+\s*\d+)*)",
    re.IGNORECASE,
)


def official_text(output: object, row: Mapping[str, Any]) -> str:
    """Return the text that the reference reads: the first line after leading line breaks in few-shot rows, else all."""
    text = whole(output)
    return text.lstrip("\n").split("\n", 1)[0] if row["category"] == FEW_SHOT else text


def strict_text(output: object, row: Mapping[str, Any]) -> str:
    """Return a long answer without reasoning and headings; only its first line in few-shot rows."""
    text = long_text(output, row)
    return text.split("\n", 1)[0] if row["category"] == FEW_SHOT else text


def f1_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: yes and no are normal words; an answer "A" can never be given."""
    return nearest_f1(official_text(output, row), row["answers"])


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Word F1 of the final answer in canonical form; 1 or 0 for questions with two possible answers (`states`).

    Every additional word lowers it (docs/defects/longbench.md D7): compare it with `subem`.
    """
    if choice_of_two(row):
        return float(states(output, row))
    part = answer(output, row, block=True).split("\n\n")[0]
    return best(word_f1, [first_line(part) if row["category"] == FEW_SHOT else part], row["answers"])


def cls_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: 1 / number of labels found if the right one is among them; labels are found as substrings.

    Substrings of the right label are removed during iteration, so the label after a removed one is skipped and may stay
    (docs/defects/longbench.md D5).
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
    """The reference's rule: as for counts, with digits after "Paragraph " or "段落"; 0 if the reference crashes."""
    ids = [found[1] for found in map(_PARAGRAPH.search, row["answers"]) if found]
    return _share(whole(output), ids)


def _share(text: str, golds: Sequence[str]) -> float:
    numbers = _DIGITS.findall(text)
    return max((numbers.count(gold) for gold in golds), default=0) / len(numbers) if numbers else 0.0


def retr_strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 if the final answer names the right paragraph and no other.

    Without words such as "Paragraph" or "第", all numbers count. Differs from the reference: no partial scores, other
    numbers are ignored (docs/defects/longbench.md D6). 07 is 7.
    """
    part = clean(answer(output, row, lambda part: bool(_DIGITS.search(clean(part))), order=list))
    numbers = _NAMED.sub(r" \1 ", part)
    labels = sorted(set(_DIGITS.findall(" ".join(_NAMED.findall(part)) or part)))
    golds = {found[1].lstrip("0") for found in map(_PARAGRAPH.search, row["answers"]) if found}
    return float({label.lstrip("0") for label in labels_in(numbers, labels, several=True)} == golds)


def _no_paragraph(row: Mapping[str, Any]) -> str:
    return "" if any(map(_PARAGRAPH.search, row["answers"])) else "no answer names a paragraph by its number"


_READ = ("answers", "category")
_LABEL = (*_READ, "choices", "question")
_F1 = "Word F1 against the nearest accepted answer (LongBench)."
_CLS = "1 if the answer names exactly the right label (LongBench)."
_NUMBER = "1 if the number of passages is right."
_COUNT: dict[str, Any] = {"demands": infinitebench.no_number, "strict_version": 3}
METRICS = (
    *pair("longbench_f1", _F1, f1_strict, f1_official, (*_READ, "question"), strict_version=7),
    *pair("longbench_cls", _CLS, label_strict, cls_official, _LABEL, strict_version=3),
    *pair("longbench_count", _NUMBER, infinitebench.find_strict, count_official, **_COUNT),
    *pair(
        "longbench_retr",
        "1 if the answer names the right paragraph.",
        retr_strict,
        retr_official,
        demands=_no_paragraph,
        strict_version=3,
    ),
)
