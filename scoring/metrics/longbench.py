"""LongBench's scores of short answers: word F1, labels, counts, paragraphs (docs/spec/longbench.md 5.1, 5.2).

The output is read whole, but for the few-shot sets: of trec, triviaqa, samsum and lsht (the rows of category "few-shot") the
first line alone. `choices` has all labels, `answers` what is accepted; the best answer counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from scoring.hedges import unhedged
from scoring.metrics import infinitebench, pair
from scoring.text import bag_f1, best_way, nearest_f1, normalise_numbers, said, whole

FEW_SHOT = (
    "few-shot"  # category of the sets whose prompt goes on with examples, so that a model may go on with further ones
)

_DIGITS = re.compile(r"\d+")
_PARAGRAPH = re.compile(r"(?:Paragraph |段落)(\d+)")
_CUE = re.compile(r"\banswer\s*(?:is|:|=)|答案\s*(?:是|为|:)", re.IGNORECASE)
_NUMBERS = r"[0-9]+(?:\s*(?:,|and|or|&|/|、|和|或)\s*[0-9]+)*"
_NAMED = re.compile(
    rf"(?:\b(?:paragraph|passage)s?|段落|第)\s*(?:(?:no\.?|number|[#:])\s*)?({_NUMBERS})", re.IGNORECASE
)
_EMPHASIS = str.maketrans("", "", "*`_")
_IDS = re.compile(r"[0-9]+")
_WIDE = (
    "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # scripts without spaces: a word may stand right beside another
)


def official_text(output: object, row: Mapping[str, Any]) -> str:
    """What the reference reads: of few-shot rows the first line after leading line breaks, else all."""
    text = whole(output)
    return text.lstrip("\n").split("\n", 1)[0] if row["category"] == FEW_SHOT else text


def strict_text(output: object, row: Mapping[str, Any]) -> str:
    """The same; differs from the reference: white space before the first line is no line."""
    text = said(output)
    return text.split("\n", 1)[0] if row["category"] == FEW_SHOT else text


def f1_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: yes and no are words as all others; an answer "A" can never be given."""
    return nearest_f1(official_text(output, row), row["answers"])


@unhedged
def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Word F1 of all that is read. Differs from the reference: articles count where there is nothing else, "one" is "1", and dates and
    marks of LaTeX are in one form (scoring/ways.py); an output that takes no side ("yes or no") has none of it (scoring/hedges.py), nor has a "no" that answers nothing.

    It falls with every word beside the right ones (docs/defects/longbench.md D7): read it beside `subem`.
    """
    return best_way(_f1, strict_text(output, row), row["answers"], normalise_numbers)


def _f1(text: str, gold: str) -> float:
    return bag_f1(text.split(), gold.split())


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


def cls_strict(output: str, row: Mapping[str, Any]) -> float:
    """1 / number of labels named, where the right one is among them.

    Differs from the reference (docs/defects/longbench.md D5): a label is named where it stands as whole words and inside no
    longer label; case and white space do not count.
    """
    labels = tuple(map(_folded, row["choices"] or ()))
    named = set(_labels(labels).findall(_folded(strict_text(output, row)))) if any(labels) else set()
    return 1 / len(named) if not named.isdisjoint(map(_folded, row["answers"])) else 0.0


_COMMAS = str.maketrans("、，､", ",,,")  # Chinese labels list things, and outputs write the comma that they please


@lru_cache(maxsize=64)
def _labels(labels: Sequence[str]) -> re.Pattern[str]:
    """Finds labels, at each place the longest."""
    longest_first = sorted({label for label in labels if label}, key=lambda label: (-len(label), label))
    return re.compile("|".join(map(_whole, longest_first)))


def _whole(label: str) -> str:
    """A label with no letter or digit beside its own; beside a character of a script without spaces anything may stand."""
    before, after = (rf"(?<![^\W_{_WIDE}])", rf"(?![^\W_{_WIDE}])")
    joins = re.compile(rf"[^\W_{_WIDE}]")
    return f"{before if joins.match(label[0]) else ''}{re.escape(label)}{after if joins.match(label[-1]) else ''}"


def _folded(text: str) -> str:
    return " ".join(text.translate(_COMMAS).casefold().split())


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
    """1.0 when the output names the right paragraph and no other.

    Named are the numbers behind "Paragraph", "Passage", "段落" or "第", without such a word all numbers; where the output
    says "answer is", "Answer:" or "答案" a number that follows the last one counts. Differs from the reference: no parts, and a number
    that names no paragraph does no harm (docs/defects/longbench.md D6). Compared as numbers: 07 is 7, full-width digits count.
    """
    text = unicodedata.normalize("NFKC", said(output)).translate(_EMPHASIS)
    cues = list(_CUE.finditer(text))
    after = text[cues[-1].end() :] if cues else text
    read = after if _IDS.search(after) else text
    parts = _NAMED.findall(read) or [read]
    ids = {number.lstrip("0") for part in parts for number in _IDS.findall(part)}
    golds = [found[1].lstrip("0") for found in map(_PARAGRAPH.search, row["answers"]) if found]
    return float(len(ids) == 1 and not ids.isdisjoint(golds))


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
        strict_version=6,
    ),
    *pair("longbench_cls", "The label, by the number of labels named.", cls_strict, cls_official, (*_READ, "choices")),
    *pair(
        "longbench_count",
        "The number of passages.",
        infinitebench.find_strict,
        count_official,
        demands=infinitebench.no_number,
    ),
    *pair("longbench_retr", "The paragraph that was summarised.", retr_strict, retr_official, demands=_no_paragraph),
)
