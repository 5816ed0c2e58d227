"""Closed sets: bAbI labels, many-shot labels, letters (docs/spec/babilong.md 7.2, helmet.md 9, 11.3, marathon.md 4).

All strict rules are the same: the final answer must name exactly the right labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from haymaker.core.text.strings import PART
from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.metrics.short_answers import em_official
from haymaker.scoring.official_text import best, final_text, normalise, parse
from haymaker.scoring.reader import Row, canonical, chooses, clean, equals, line, states, strip_reasoning
from haymaker.scoring.reader.answer import choice_of_two
from haymaker.scoring.reader.compare import mentioned_in

KEY = "option"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OFFICIAL_CUTS = (".", "<context>", "<example>", "Question")
_SINGLE_ANSWER_MAX_CHARACTERS = 3  # a target with a comma is a list only when longer, so "s,e" is one label
_TRIED = re.compile(r"""\{|["']option["']\s?:""", re.IGNORECASE)
_FIRST = re.compile(r"\b[A-D]\b")
_MARK = "option"
_EMPHASIS = str.maketrans("", "", "*`_#")
_LIST = re.compile(r"^[^\w\n]*A[.):\]][^\n]*\n\s*(?:[^\w\n]*[B-Z][.):\]][^\n]*(?:\n\s*|\Z))+", re.MULTILINE)
# Letters as separate words; the A of "A dog" and the I of "I think" are not letters of options.
_CAPITAL = re.compile(
    rf"(?<!{PART})(?<!['’.-])(?![AI]\s(?!(?:is|was|because|since|as|or|and|given|due)\b)[a-z])([A-Z])(?!{PART}|['’-]|\.\w|\s[a-z]+ing\b)"
)
_ITEM_MARK = re.compile(rf"^([^\w\n]*{_MARK}[A-Z])\s*[.):]+", re.MULTILINE)
_SMALL = re.compile(
    r"""["'“(\[]([a-z])["'”)\]]|^[^\w\n]*([a-z])(?:[^\w\n]*$|[.):]\s)|\b(?:option|choice|answer|letter)(?:\sis)?[\s:=]+([a-z])(?=[^\w'’]|$)(?!\s\w)""",
    re.MULTILINE | re.IGNORECASE,
)


def label_strict(output: str, row: Row) -> float:
    """1.0 if the final answer names exactly the right labels of `choices`; wrong labels in the question do not count.

    Further `answers` are other spellings of the first. Rows without `choices` expect yes or no, a number, or a line.
    """
    gold, *aliases = row["answers"]
    if not row["choices"]:
        return float(_without_choices(output, row, gold))
    known = set(row["choices"])
    single = [choice for choice in row["choices"] if "," not in choice or not set(choice.split(",")) < known]
    golds = {gold} if gold in single else set(gold.split(","))
    asked = mentioned_in(row["question"] or "", row["choices"])
    labels = [label for label in single if label not in asked or label in golds]
    return float(chooses(output, row, [*labels, *golds - set(labels)], golds, dict.fromkeys(aliases, gold)))


def _without_choices(output: str, row: Row, gold: str) -> bool:
    """Return whether an answer without a list of labels is right: yes or no, a number, or a line."""
    if choice_of_two(row):
        return states(output, row)
    if gold.isdigit():
        others = {word for word in canonical(strip_reasoning(output)).split() if word[-1].isdigit()} - {gold}
        return chooses(output, row, [gold, *others], {gold})
    return any(equals(line(output, row), answer) for answer in row["answers"])


def babilong_official(output: str, row: Row) -> float:
    """The reference's score: labels are substrings of the first sentence, minus the question's.

    Kept on purpose: the cut at the word Question comes after lower-casing and never cuts; "1. garden" is cut after its
    number; in qa7 the label "one" is inside "none", so gold "none" is never right.
    """
    prediction = output.lower() if isinstance(output, str) else ""
    for cut in _OFFICIAL_CUTS:
        prediction = prediction.split(cut)[0]
    gold, query = row["answers"][0].lower(), row["question"].lower()
    labels = {choice.lower() for choice in row["choices"]}
    named = {label for label in labels if label in prediction} - {label for label in labels if label in query}
    if "," in gold and len(gold) > _SINGLE_ANSWER_MAX_CHARACTERS:
        parts = gold.split(",")
        return float(all(part in named for part in parts) and len(named) == len(parts))
    return float(named == {gold})


def label_official(output: str, row: Row) -> float:
    """The reference's rule: the parsed line equals an accepted label, both normalised; an empty line equals a label "A"."""
    return best(
        lambda text, gold: normalise(text) == normalise(gold), [parse(final_text(output), "Label:")], row["answers"]
    )


def letter_strict(output: str, row: Row) -> float:
    """1.0 if the final answer names the letter or the whole text of the right option, and no other."""
    gold = right_letter(row)
    marked = _with_letters_marked(clean(strip_reasoning(output)), row["choices"] or ())
    names = [_MARK + letter for letter in _LETTERS[: len(row["choices"] or ())]]
    return float(bool(gold) and chooses(marked, row, names, {_MARK + gold}))


def _with_letters_marked(text: str, choices: Sequence[str]) -> str:
    """Replace letters and full option texts by "optionB" etc., and remove a repeated list of all options."""
    text = _LIST.sub("\n", text.translate(_EMPHASIS))
    texts = [canonical(choice) for choice in choices]
    for letter, choice in sorted(zip(_LETTERS, choices, strict=False), key=lambda pair: -len(pair[1])):
        if not (len(choice) == 1 and choice.isalpha()) and texts.count(canonical(choice)) == 1:
            words = r"\s+".join(map(re.escape, clean(choice).translate(_EMPHASIS).rstrip(".").split()))
            text = re.sub(rf"(?<![\w+-]){words}(?!\w|[.,]\d)", f" {_MARK}{letter} ", text, flags=re.IGNORECASE)
    known = _LETTERS[: len(choices)]

    def marked(match: re.Match[str]) -> str:
        letter = next(filter(None, match.groups())).upper()
        return match[0].replace(match[match.lastindex or 0], f" {_MARK}{letter} ") if letter in known else match[0]

    return _ITEM_MARK.sub(r"\1 ", _SMALL.sub(marked, _CAPITAL.sub(marked, text)))


def right_letter(row: Row) -> str:
    """Return the right letter: the answer that is one character."""
    return next((str(answer) for answer in row["answers"] if len(answer) == 1), "")


def mc_official(output: str, row: Row) -> float:
    """The reference's rule: the normalised raw or parsed output equals an answer, or "letter. text" is a substring.

    Kept on purpose: the answer "A" normalises to nothing, so an empty output equals it (docs/defects/helmet.md D9).
    """
    return float(row["answers"][-1].lower() in final_text(output).lower()) or em_official(output, row)


def option_official(output: str, row: Row) -> float:
    """The reference's rule from its paper: the letter of the JSON object, else the first letter found.

    The paper gives no patterns. Our reading is the first separate capital A to D, so "A dog" counts as A.
    """
    text = final_text(output)
    try:
        letter = json.loads(text)[KEY]
    except (ValueError, RecursionError, KeyError, TypeError, IndexError):
        letter = None
    if not isinstance(letter, str):
        found = _FIRST.search(text)
        letter = found[0] if found else ""
    return float(letter.strip() == right_letter(row))


def form_of(output: str, options: int) -> str:
    """Return the form of an output: json, like or plain.

    json: the output is exactly one JSON object with only the key `option`, whose value is an option letter. like: it
    contains a brace, or the quoted key with a colon. plain: anything else, also an empty output.
    """
    text = strip_reasoning(output)
    try:
        found = json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        found = None
    letters = {letter for capital in _LETTERS[:options] for letter in (capital, capital.lower())}
    if isinstance(found, tuple) and len(found) == 1 and found[0][0] == KEY and found[0][1] in letters:
        return "json"
    return "like" if _TRIED.search(text) else "plain"


def _form(form: str, doc: str) -> Metric:
    return Metric(
        f"option_{form}@strict",
        3,
        doc,
        lambda said, row: float(form_of(said, len(row["choices"] or ())) == form),
        ("choices",),
    )


_NAMED = "1 if the answer names exactly the right labels."
_COLUMNS = ("answers", "question", "choices")
METRICS = (
    Metric("babilong@strict", 5, _NAMED, label_strict, _COLUMNS),
    Metric("babilong@official", 1, "1 if exactly the right labels are in the first sentence. By the reference's rule, including its defects.", babilong_official, _COLUMNS),
    *pair("label", "1 if the answer names exactly the right label.", label_strict, label_official, _COLUMNS, strict_version=3, needs=("answers",)),
    *pair("mc", "1 if the chosen option is right.", letter_strict, mc_official, ("answers", "choices"), strict_version=3),
    *pair(
        "option", "1 if the chosen option is right, in Marathon's answer format.", letter_strict, option_official, ("answers", "choices"),
        strict_version=4, demands=lambda row: "" if right_letter(row) else "no answer is a letter",
    ),
    _form("json", "1 if the output is exactly the requested JSON object, with any letter."),
    _form("like", "1 if the JSON object was attempted: truncated, malformed, of another form, or with text around it."),
    _form("plain", "1 if the output has no JSON object."),
)  # fmt: skip
