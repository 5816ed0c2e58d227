"""What metrics on free text share: reading an output, normalising it, looking for an answer in it
(docs/spec/helmet.md 11.0, 11.1).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from haymaker.english import in_digits
from haymaker.text import SPACELESS, padded
from scoring.ways import one_form

CUE = "Answer:"

_DELETED = str.maketrans("", "", string.punctuation)
_LETTER = rf"[^\W\d_{SPACELESS}]"
_PART = rf"[^\W_{SPACELESS}]"
_JOINT = re.compile(
    rf"(?<={_PART})—(?={_PART})|(?<={_PART})[,;](?={_LETTER})|(?<={_LETTER})[,;](?={_PART})|(?<=\d);(?=\d)"  # of a list
    rf"|(?<=\d),(?=\d)(?!\d{{3}}(?!\d))"  # but not of thousands
    rf"|(?<={_PART})(?=[(\[（]{_PART}{{2}})"
)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
CLOSED = frozenset({"yes", "no", "noanswer"})  # answers that are right or wrong as a whole
_THOUGHT, _THOUGHT_BEGINS = "</think>", "<think>"
_MARKS = "#*_`>~-=:：. \t\r\"'“”<[(])"  # around a heading
_NAMES = "answer|response|reply|output|result|solution|conclusion|label|summary|ranking"
_CHINESE = "(?:答案|回答|回复|输出|结果|结论|概要|摘要|总结|类别)(?:如下|是|为)?"
_HEADING = re.compile(
    rf"(?:(?:the|my|your|final|short|full|correct|direct|model)\s)*(?:{_NAMES})s?(?:\sis)?|(?:我的|最终|正确)?{_CHINESE}",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(rf"(?:\b(?:{_NAMES})s?(?:\sis)?|{_CHINESE})[\s*_`]*[:：][\s*_`]*$", re.IGNORECASE)
_MOST_OF_LEAD_IN = 200  # characters of a line that only leads to what stands below


def whole(output: object) -> str:
    """An output as it stands, which is what most references read; anything but a string counts as empty."""
    return output if isinstance(output, str) else ""


def final_text(output: object) -> str:
    """An output as HELMET reads it: what stands behind the last thought, stripped; all as it stands where none ends
    (docs/spec/helmet.md 11.0).
    """
    _, thought, rest = whole(output).rpartition(_THOUGHT)
    return rest.strip() if thought else rest


def unthought(output: object) -> str:
    """An output without thoughts, and without blank lines before and white space behind what it says.

    A thought that never ends is no answer: all from its beginning is left out. The indentation of the first line stays.
    """
    text = whole(output).rpartition(_THOUGHT)[2].partition(_THOUGHT_BEGINS)[0].rstrip()
    begins = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, begins) + 1 :]


def said(output: object) -> str:
    """What an output says to whoever asked: the one reading of all strict metrics of free text.

    Left out are thoughts, white space around, and what stands on lines of its own before the answer and only leads to it:
    "### Response", "**Answer:**", "Here is my answer:", "---". Where nothing stands below, that is what the output says.
    """
    lines = unthought(output).split("\n")
    first = next((at for at, line in enumerate(lines[:-1]) if not _heads(line)), len(lines) - 1)
    return "\n".join(lines[first:]).strip()


def _heads(line: str) -> bool:
    """Whether a line only says that what stands below is the answer, or is nothing but marks."""
    if len(line) > _MOST_OF_LEAD_IN:
        return False
    bare = line.strip(_MARKS)
    return not bare or bool(_HEADING.fullmatch(bare) or _LEAD_IN.search(line.rstrip()))


def normalise(text: str) -> str:
    """Lower case, ASCII punctuation deleted, articles out, white space folded: the reference's rule.

    It joins what a hyphen held ("apple-pie" is "applepie"), and "A" or "The" leaves nothing (docs/defects/helmet.md D9, D10).
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_DELETED)).split())


def normalise_strictly(text: str) -> str:
    """The same; differs from the reference: marks of every script are deleted, and a text of articles alone keeps them, so that an
    answer "A" is not empty (docs/defects/helmet.md D9). What a comma, long dash or bracket parts stays parted, as if a space stood there:
    "2,1,3" is "2, 1, 3", "21 days(from May)" is "21 days (from May)"; but "1,000" and "day(s)" are a word.
    """
    bare = _JOINT.sub(r"\g<0> ", text.lower()).translate(_all_marks())
    return " ".join(_ARTICLES.sub(" ", bare).split()) or " ".join(bare.split())


def normalise_numbers(text: str) -> str:
    """The same, and number words are digits: "one" is "1"."""
    return in_digits(normalise_strictly(text))


@cache
def _all_marks() -> dict[int, None]:
    """Marks of every script, to be deleted; looked up when first needed: it takes longer than to import this module."""
    marks = (code for code in range(0x10000) if unicodedata.category(chr(code))[0] == "P")
    return dict.fromkeys((*_DELETED, *marks))


def parse(output: str, prefix: str = CUE) -> str:
    """The reference's reading: the rest of the line after the first prefix, else the first line; one repeat of it dropped."""
    after = re.search(f"{re.escape(prefix)}(.*)", output, re.IGNORECASE)
    return uncued(after[1] if after else output.split("\n", 1)[0], prefix)


def read(output: str, prefix: str = CUE) -> str:
    """Our reading: the first line with a character that is not white space, after the first prefix where there is one.

    Differs from the reference: an answer on the line below the prefix, or below empty lines, is found.
    """
    after = re.search(re.escape(prefix), output, re.IGNORECASE)
    lines = (output[after.end() :] if after else output).strip().split("\n", 1)
    return uncued(lines[0], prefix)


def uncued(text: str, prefix: str = CUE) -> str:
    """A text without the prefix that it may begin with, stripped."""
    text = text.strip()
    return (text[len(prefix) :] if text.lower().startswith(prefix.lower()) else text).strip()


def word_f1(prediction: str, gold: str, normal: Callable[[str], str] = normalise) -> float:
    """F1 of two bags of words; 0 where one side is yes, no or noanswer and the other differs (docs/spec/helmet.md 11.1)."""
    ours, theirs = normal(prediction), normal(gold)
    if ours != theirs and (ours in CLOSED or theirs in CLOSED):
        return 0.0
    return bag_f1(ours.split(), theirs.split())


def bag_f1(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """F1 of two bags of words; 0 where they share none."""
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return harmonic(shared / len(ours), shared / len(theirs)) if shared else 0.0


def nearest_f1(text: str, golds: Sequence[str], normal: Callable[[str], str] = normalise) -> float:
    """F1 of the bags of words against the nearest answer; 0 without answers."""
    ours = normal(text).split()
    return max((bag_f1(ours, normal(gold).split()) for gold in golds), default=0.0)


def harmonic(precision: float, recall: float) -> float:
    """The harmonic mean; 0 of two zeros."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def holds_words(output: str, gold: str) -> bool:
    """Whether an output holds an answer as whole words, by the rule that mining excludes distractors with, normalised, or with
    numbers in digits.

    The second finds "US" for "U.S.", the third "1" for "one". An answer without words is never found (docs/defects/helmet.md D10, D24).
    """
    return stands_in(gold, word_forms(output))


def word_forms(text: str) -> tuple[str, ...]:
    """The words of a text by each rule, one space around each: as it stands, then in the one form (scoring/ways.py)."""
    found, other = _forms(text), one_form(text)
    return found + (found if other == text else _forms(other))


def _forms(text: str) -> tuple[str, str, str]:
    plain = padded(text)
    return plain, f" {normalise(text)} ", in_digits(plain)


def stands_in(gold: str, forms: tuple[str, ...]) -> bool:
    """Whether a text with these `word_forms` holds an answer by one of the rules."""
    return any(bool(one.strip()) and one in form for one, form in zip(word_forms(gold), forms, strict=True))


def best_way(
    score: Callable[[str, str], float], text: str, golds: Sequence[str], normal: Callable[[str], str] = str
) -> float:
    """The best score of a text against any gold, both as they stand or both in the one form (scoring/ways.py), normalised."""
    found, other = best(score, [normal(text)], list(map(normal, golds))), [one_form(each) for each in (text, *golds)]
    if other == [text, *golds]:
        return found
    return max(found, best(score, [normal(other[0])], list(map(normal, other[1:]))))


def best(score: Callable[[str, str], float], texts: Sequence[str], golds: Sequence[str]) -> float:
    """The best score of any text against any gold; 0 without golds."""
    return max((float(score(text, gold)) for text in texts for gold in golds), default=0.0)


def raw_and_parsed(output: object) -> tuple[str, str]:
    """The two readings of which the reference takes the better one (docs/spec/helmet.md 11.0)."""
    text = final_text(output)
    return text, parse(text)


def groups(row: Mapping[str, Any]) -> list[list[str]]:
    """Answer groups of a row that can be found: without answers that normalise to nothing, and without empty groups
    (docs/defects/helmet.md D10).
    """
    kept = [[alias for alias in group if normalise(alias)] for group in row["answer_groups"] or ()]
    return [group for group in kept if group]
