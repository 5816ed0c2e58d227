"""Guess why an output is wrong, from the marked spans of its row (docs/reference/report.md, "Why wrong").

The guess compares words and uses no model: it is a hint for people who look at the row, not a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from haymaker.core.text.strings import holds, padded
from haymaker.evaluation.report.span_lookup import SpanLookup

REASONS: Mapping[str, str] = {
    "right": "right",
    "partly": "partly right",
    "empty": "empty",
    "cut": "reached the token limit",
    "form": "wrong format",
    "distractor": "named a distractor",
    "option": "named another option",
    "gold": "right passage, wrong value",
    "declined": "says that the answer is not there",
    "elsewhere": "named something else in the text",
    "none": "not in the text",
    "wrong": "wrong (only scores given)",
    "silent": "no output",
    "unscored": "no score",
}
"""Short name of a reason -> text shown on the page; tables list them in this order."""
COLUMNS = ("prompt", "spans", "answers", "answer_groups", "question", "choices", "answer_index", "max_new_tokens")
"""Columns of a row that are needed."""
CUT = "length"
"""Finish reason of a reply that was cut at its limit."""
_READ = 4000  # characters of an output to search for words
_FEW = 2  # with more content words than this, only numbers or names are used
_MANY = 32  # maximum number of words to look up
_SEVERAL = 2  # with this many wrong choices next to the right one, the output is a list
_WORD = re.compile(r"[^\W_]+")
_DECLINES = re.compile(
    # English
    r"\b(can ?not|can't|could not|couldn't|did not|didn't|does not|doesn't|do not|don't|unable to|not able to) (find|see|know|determine|say|mention|"
    r"contain|tell|provide|locate)|\bnot (mentioned|found|provided|stated|given|specified|available)\b|\bno (mention|information|answer)\b|"
    r"\bunknown\b|\bunanswerable\b|"
    # German
    r"\b(nicht|nichts|nirgends) (zu )?(gefunden|finden|erwähnt|genannt|gesagt|angegeben|enthalten|bekannt|vorhanden|ersichtlich|beantworten|bestimmen|"
    r"feststellen|ermitteln|hervor|sagen)\b|\b(steht|stehen|weiß|weiss) (das |es |dazu |darüber |davon )?(nicht|nichts|nirgends)\b|"
    r"\bkeine? (angaben?|information(en)?|antwort|erwähnung|hinweise?|auskunft)\b|\bunbekannt\b|"
    # Chinese, simplified and traditional
    "(没有?|沒有?|未曾?|并未|並未)(被)?(提到|提及|提供|说明|說明|找到|给出|給出|写明|寫明|记载|記載|出现|出現)|(没有|沒有|无|無)(相关|相關|任何)?(信息|資訊|资讯|内容|內容|答案)|"
    "(无法|無法|不能|难以|難以)(确定|確定|回答|找到|判断|判斷|得知|知道)|找不到|不知道|不清楚|不得而知",
    re.IGNORECASE,
)
_PLAIN_NOUNS = frozenset(
    "Abschnitt Absatz Angabe Angaben Antwort Auskunft Dokument Dokumente Dokumenten Frage Hinweis Hinweise Information Informationen Kontext "
    "Passage Passagen Stelle Text Texte Texten Textes Erwähnung".split()
)
"""Common German nouns: they are capitalised like names, but are none."""
_COMMA = re.compile(r"(?<=\d),(?=\d{3})")
_IDLE = frozenset(
    "a an and answer are as at be because been but by context correct did do does document for from given had has have he her his i "
    "in into is it its last mentioned my near no not now of on or option passage provided question says she so stated text that the "
    "their them there therefore they think this to was we were what when where which who will with yes you".split()
)


class ErrorReason(NamedTuple):
    """The guessed reason.

    Attributes:
        reason: a key of REASONS.
        detail: span, option or value; "" if there is none.
        span: index of the span in the row's spans, or None.
    """

    reason: str
    detail: str = ""
    span: int | None = None


def error_reason(row: Mapping[str, Any], output: str, score: float, finish: str = "") -> ErrorReason:
    """Return the guessed reason for the score of an output.

    Args:
        row: row with COLUMNS.
        output: model output.
        score: score under the primary metric, 0 to 1.
        finish: finish reason of the server; "" if unknown.
    """
    if score >= 1:
        return ErrorReason("right")
    if not output.strip():
        return ErrorReason("empty")
    have, missing = _wanted(row, output)
    if score > 0:
        detail = (
            f"has {have} of {have + len(missing)} wanted values; missing: {missing[0]:.80}" if have and missing else ""
        )
        return ErrorReason("partly", detail)
    if not have and _is_cut(row, output, finish):
        return ErrorReason(
            "cut", "cut at the limit" if finish == CUT else f"longer than {row['max_new_tokens']:,} tokens"
        )
    named = _named_piece(row, output, right=bool(have and not missing))
    if have and not missing and named.reason not in ("distractor", "option", "form"):
        return ErrorReason("form", "contains the right answer in a form that the metric does not accept")
    suffix = " and the right answer" if have and not missing and named.reason != "form" else ""
    return named._replace(detail=named.detail + suffix)


def _is_cut(row: Mapping[str, Any], output: str, finish: str) -> bool:
    """Check whether the output was cut, never ends its reasoning, or has more words than the token limit."""
    thinks = "<think>" in output and "</think>" not in output
    return finish == CUT or thinks or (not finish and len(output.split()) >= row["max_new_tokens"])


def _wanted(row: Mapping[str, Any], output: str) -> tuple[int, list[str]]:
    """Return the number of wanted values in an output (as whole words), and the missing ones."""
    groups = [list(group) for group in row["answer_groups"] or () if any(map(str.strip, group))] or [row["answers"]]
    padded_output = padded(_COMMA.sub("", output))
    missing = [group[0] for group in groups if not any(_says(padded_output, output, answer) for answer in group)]
    return len(groups) - len(missing), missing


def _says(padded_output: str, output: str, answer: str) -> bool:
    """Check whether an output contains an answer; single letters are case-sensitive, since "a" is a common word."""
    if len(answer) == 1 and answer.isalpha():
        return bool(re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", output))
    return bool(padded(answer).strip()) and holds(padded_output, [padded(answer)])


def _named_piece(row: Mapping[str, Any], output: str, *, right: bool) -> ErrorReason:
    """Return the span or option that an output names; gold spans take precedence over other spans."""
    if not right and _DECLINES.search(output[:_READ]) and not _names(output[:_READ], row["question"] or ""):
        return ErrorReason("declined")
    others = _options(row, output)
    if right and others and len(others) >= min(_SEVERAL, len(row["choices"]) - 1):
        return ErrorReason("form", f"names {len(others) + 1} of the {len(row['choices'])} choices")
    pieces, option = SpanLookup(row["prompt"], row["spans"]), next(iter(others), "")
    for text in (output[:_READ], option):  # a sentence has more information than the choice in it
        telling = _content_words(text, row["question"] or "", row["answers"] if right else ())
        gold, other = pieces.nearest(telling, of_gold=True), pieces.nearest(telling, of_gold=False)
        if gold or other or not option:
            break
    if option:
        if other and not gold:
            return ErrorReason("distractor", pieces.title(other.number), other.number)
        return ErrorReason("option", option)
    if gold and (not other or gold.weight >= other.weight):
        return ErrorReason("gold", pieces.title(gold.number), gold.number)
    if other:
        return ErrorReason("distractor", pieces.title(other.number), other.number)
    if row["choices"] and not right:
        return ErrorReason("form", f"names none of the {len(row['choices'])} choices")
    words = telling or [word.lower() for word in _WORD.findall(output[:_READ])][:_MANY]
    return ErrorReason("elsewhere" if pieces.holds_most(words) else "none")


def _options(row: Mapping[str, Any], output: str) -> list[str]:
    """Return the wrong choices that an output names, by letter if the answer is a letter."""
    choices, right = row["choices"] or (), set(row["answers"])
    letters = [chr(ord("A") + number) for number in range(len(choices))]
    if row["answer_index"] is not None and letters[row["answer_index"]] in right:
        by_letter = (f"{letter}: {choice:.80}" for letter, choice in zip(letters, choices, strict=True)
                     if letter not in right and _says("", output, letter))  # fmt: skip
        return list(by_letter)
    padded_output = padded(output)
    return [f"{choice:.80}" for choice in choices if choice not in right and _says(padded_output, output, choice)]


def _names(output: str, question: str) -> bool:
    """Check whether an output has a number or name that is not in the question; sentence beginnings are ignored."""
    words = re.findall(r"\d+|(?<=[^.!?\s] )(?!I\b)[A-ZÄÖÜ]\w+", output)
    return any(word not in question and word not in _PLAIN_NOUNS for word in words)


def _content_words(output: str, question: str, right: Iterable[str]) -> list[str]:
    """Return the words that may identify the span of an output: not in the question; if many, only numbers or names."""
    known = {word.lower() for text in (question, *right) for word in _WORD.findall(text)} | _IDLE
    words = [word for word in _WORD.findall(output) if word.lower() not in known and (len(word) > 1 or word.isdigit())]
    specific = [word for word in words if any(map(str.isdigit, word))] or [word for word in words if not word.islower()]
    if len(words) > _FEW and specific:
        words = specific
    return list(dict.fromkeys(word.lower() for word in words))[:_MANY]
