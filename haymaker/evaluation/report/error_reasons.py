"""Why an output is wrong, as far as the marked pieces of its row tell (docs/reference/report.md, "Why wrong").

A rule of words, no model: what is said here is a hint for whoever looks at the row, and no score.
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
    "cut": "ran out of room",
    "form": "wrong format",
    "distractor": "named a distractor",
    "option": "named another option",
    "gold": "right piece, wrong value",
    "declined": "says that it is not there",
    "elsewhere": "named something unmarked in the text",
    "none": "nothing that stands in the text",
    "wrong": "wrong, no output to look at",
    "silent": "no output",
    "unscored": "no score",
}
"""What is told of a row and a model, by its short name; in the order in which tables list them."""
COLUMNS = ("prompt", "spans", "answers", "answer_groups", "question", "choices", "answer_index", "max_new_tokens")
"""What is read of a row."""
CUT = "length"
"""How a server says that a reply was cut at its limit."""
_READ = 4000  # characters of an output whose words are looked for
_FEW = 2  # telling words above which numbers alone, or names, are looked for
_MANY = 32  # that are looked for at all
_SEVERAL = 2  # wrong choices beside the right one that are no answer but a list
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
"""Words that German writes as names are, and that name nothing."""
_COMMA = re.compile(r"(?<=\d),(?=\d{3})")
_IDLE = frozenset(
    "a an and answer are as at be because been but by context correct did do does document for from given had has have he her his i "
    "in into is it its last mentioned my near no not now of on or option passage provided question says she so stated text that the "
    "their them there therefore they think this to was we were what when where which who will with yes you".split()
)


class ErrorReason(NamedTuple):
    """What is told.

    Attributes:
        reason: a key of REASONS.
        detail: which piece, option or value; "" where there is nothing to say.
        span: number of the piece among the row's spans; None where it is none.
    """

    reason: str
    detail: str = ""
    span: int | None = None


def error_reason(row: Mapping[str, Any], output: str, score: float, finish: str = "") -> ErrorReason:
    """Why an output has its score.

    Args:
        row: with COLUMNS.
        output: of a model.
        score: under the row's first metric, 0 .. 1.
        finish: why the model ended, as its server says; "" where that is not known.
    """
    if score >= 1:
        return ErrorReason("right")
    if not output.strip():
        return ErrorReason("empty")
    have, lacking = _wanted(row, output)
    if score > 0:
        said = f"says {have} of {have + len(lacking)} wanted values, not {lacking[0]:.80}" if have and lacking else ""
        return ErrorReason("partly", said)
    if not have and _is_cut(row, output, finish):
        return ErrorReason(
            "cut", "cut at the limit" if finish == CUT else f"longer than {row['max_new_tokens']:,} tokens"
        )
    named = _named(row, output, right=bool(have and not lacking))
    if have and not lacking and named.reason not in ("distractor", "option", "form"):
        return ErrorReason("form", "the right answer stands in it, not in the form that the metric asks for")
    beside = " beside the right answer" if have and not lacking and named.reason != "form" else ""
    return named._replace(detail=named.detail + beside)


def _is_cut(row: Mapping[str, Any], output: str, finish: str) -> bool:
    """It was cut, thinks to its end, or has more words than tokens were allowed."""
    thinks = "<think>" in output and "</think>" not in output
    return finish == CUT or thinks or (not finish and len(output.split()) >= row["max_new_tokens"])


def _wanted(row: Mapping[str, Any], output: str) -> tuple[int, list[str]]:
    """How many wanted values an output says as whole words, and those that it does not."""
    groups = [list(group) for group in row["answer_groups"] or () if any(map(str.strip, group))] or [row["answers"]]
    said = padded(_COMMA.sub("", output))
    lacking = [group[0] for group in groups if not any(_says(said, output, answer) for answer in group)]
    return len(groups) - len(lacking), lacking


def _says(said: str, output: str, answer: str) -> bool:
    """Of a letter its case counts: "a" is a word of any sentence."""
    if len(answer) == 1 and answer.isalpha():
        return bool(re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", output))
    return bool(padded(answer).strip()) and holds(said, [padded(answer)])


def _named(row: Mapping[str, Any], output: str, *, right: bool) -> ErrorReason:
    """The piece or option that an output names; what the gold says counts before what others say."""
    if not right and _DECLINES.search(output[:_READ]) and not _names(output[:_READ], row["question"] or ""):
        return ErrorReason("declined")
    others = _options(row, output)
    if right and others and len(others) >= min(_SEVERAL, len(row["choices"]) - 1):
        return ErrorReason(
            "form", f"names {len(others) + 1} of the {len(row['choices'])} answers that there are to choose from"
        )
    pieces, option = SpanLookup(row["prompt"], row["spans"]), next(iter(others), "")
    for said in (output[:_READ], option):  # a sentence tells more than the choice in it
        telling = _telling(said, row["question"] or "", row["answers"] if right else ())
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
        return ErrorReason("form", f"names none of the {len(row['choices'])} answers that there are to choose from")
    words = telling or [word.lower() for word in _WORD.findall(output[:_READ])][:_MANY]
    return ErrorReason("elsewhere" if pieces.holds_most(words) else "none")


def _options(row: Mapping[str, Any], output: str) -> list[str]:
    """Choices that an output names and that are not right, by their letters where the answer is a letter."""
    choices, right = row["choices"] or (), set(row["answers"])
    letters = [chr(ord("A") + number) for number in range(len(choices))]
    if row["answer_index"] is not None and letters[row["answer_index"]] in right:
        by_letter = (f"{letter}: {choice:.80}" for letter, choice in zip(letters, choices, strict=True)
                     if letter not in right and _says("", output, letter))  # fmt: skip
        return list(by_letter)
    said = padded(output)
    return [f"{choice:.80}" for choice in choices if choice not in right and _says(said, output, choice)]


def _names(output: str, question: str) -> bool:
    """Whether an output has a number, or a name that is not of the question; words that begin a sentence are none."""
    told = re.findall(r"\d+|(?<=[^.!?\s] )(?!I\b)[A-ZÄÖÜ]\w+", output)
    return any(word not in question and word not in _PLAIN_NOUNS for word in told)


def _telling(output: str, question: str, right: Iterable[str]) -> list[str]:
    """Words of an output that may say where it has them from: none of the question; of many the numbers alone, else the names."""
    known = {word.lower() for text in (question, *right) for word in _WORD.findall(text)} | _IDLE
    words = [word for word in _WORD.findall(output) if word.lower() not in known and (len(word) > 1 or word.isdigit())]
    sure = [word for word in words if any(map(str.isdigit, word))] or [word for word in words if not word.islower()]
    if len(words) > _FEW and sure:
        words = sure
    return list(dict.fromkeys(word.lower() for word in words))[:_MANY]
