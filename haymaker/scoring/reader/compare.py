"""Step 4 of the answer reader: compare an output with the accepted answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from haymaker.scoring.reader.canonical import canonical

YES, NO = ("yes", "是", "是的", "对"), ("no", "不是", "不", "否")
YES_NO = frozenset(map(canonical, (*YES, *NO, "noanswer")))
"""Answers that are right or wrong as a whole."""

_PRIVATE = 0xE000  # first private-use character; labels in texts are replaced by these
_LABEL = "[\ue000-\uf8ff]"
_DENIED = re.compile(
    r"\b(?:not|cannot|can t|[a-z]+n t|never|neither|nor|no longer|unlike|rather than|instead of|except|than|although|though) "
    rf"(?:(?!but |only |sure |certain )[a-z]{{1,12}} ){{0,3}}{_LABEL}"
    rf"|{_LABEL} (?:is|was|are|were|does|did|has|had|can|could)(?: not|n t| wrong| incorrect| ruled out)\b"
)
_MAYBE = r"(?:(?:it )?(?:could|might|may) (?:also )?(?:be |have been )|also |possibly |perhaps |maybe )"
_OFFERED = re.compile(
    rf"\b(?:or (?:{_MAYBE}|in |by ){{0,2}}|but {_MAYBE}{{1,2}}){_LABEL}|{_LABEL} (?:or\b|but {_MAYBE})"
)
_EITHER = re.compile(rf"({_LABEL}) or (?!\1){_LABEL}")
_JOINED = re.compile(rf"({_LABEL}) ?(?:\d+ )?(?:or|and|vs|versus|nor) (?:in |by |with |was )?(?!\1){_LABEL}")
_REPEATED = re.compile(rf"({_LABEL})(?: \1)+")
_REASON = re.compile(
    r"\b(?:because|since|as|although|though|even|while|whereas|than|unlike|before|after|but|which|similar|followed|que|als)\b"
)
_IDLE_NO = re.compile(  # a "no" that is no answer: "there is no doubt", "No information is given"
    r"\bno[ -]+(?:one|doubts?|idea|clue|question|information|info|mention|evidence|indication|answer|data|details?|further|way)\b"
    r"|(?<=\w )no(?= +(?!(?:because|since|as|it|he|she|they|and|or)\b)\w)|\bno\. ?\d",
    re.IGNORECASE,
)
COMPARING = re.compile(
    r"\b(?:now|more|most|less|least|fewer|first|last|former|better|worse|[a-z]{2,}(?:er|est))\b", re.IGNORECASE
)
_NAME = re.compile(r"(?:[^\W\d_a-z][\w'’.&-]*(?:\s(?:of|the|to|de|von|van|and|in|for)(?=\s[^\W\d_a-z]))*\s?)+$")


def equals(text: str, gold: str) -> bool:
    """Return whether two texts have the same canonical words."""
    return canonical(text) == canonical(gold) != ""


def contains(text: str, gold: str) -> bool:
    """Return whether a text states an answer: its canonical words occur in order, neither denied nor offered as one of two.

    "It is not Lyon", "Lyon or Paris" and "Paris, but it could also be Lyon" do not state Lyon.
    """
    if f" {canonical(gold)} " not in f" {canonical(text)} ":
        return False
    return re.search(_LABEL, _OFFERED.sub(" ", _DENIED.sub(" ", _marked(text, (gold,))))) is not None


def is_list(text: str) -> bool:
    """Return whether a text lists candidates: five or more short items by semicolons or lines, or eight by commas."""
    items = {mark: [len(item.split()) for item in text.split(mark) if item.strip()] for mark in (";", "\n", ",")}
    return any(len(sizes) >= (8 if mark == "," else 5) and max(sizes[1:-1]) <= 8 for mark, sizes in items.items())


def word_f1(text: str, gold: str) -> float:
    """Return the F1 of two bags of canonical words; 0 if one side is yes or no and the other differs."""
    ours, theirs = canonical(text), canonical(gold)
    return 0.0 if ours != theirs and not YES_NO.isdisjoint({ours, theirs}) else bag_f1(ours.split(), theirs.split())


def bag_f1(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Return the F1 of two bags of words; 0 if they share none."""
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return harmonic(shared / len(ours), shared / len(theirs)) if shared else 0.0


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 of two zeros."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def labels_in(text: str, labels: Sequence[str], *, several: bool = False) -> set[str]:
    """Return the labels of a closed set that a text names.

    A label is named if its canonical words occur outside of longer labels. Labels that are denied ("not B"), joined by
    "or", or part of a reason ("because A is wrong", "than A") are mentioned, not named.

    Args:
        text: the final answer.
        labels: labels of the set.
        several: whether the answer may be several labels, joined by "and".
    """
    stated = _DENIED.sub(" ", _REPEATED.sub(r"\1", _marked(text, tuple(labels))))
    first = re.search(_LABEL, stated)
    reason = _REASON.search(stated, first.end()) if first else None
    stated = stated[: reason.start()] if reason else stated
    stated = (_EITHER if several else _JOINED).sub(" ", stated)
    return _labels(stated, labels)


def mentioned_in(text: str, labels: Sequence[str]) -> set[str]:
    """Return all labels that occur in a text, also mentioned ones."""
    return _labels(_marked(text, tuple(labels)), labels)


def _labels(marked: str, labels: Sequence[str]) -> set[str]:
    return {labels[ord(character) - _PRIVATE] for character in re.findall(_LABEL, marked)}


def _marked(text: str, labels: tuple[str, ...]) -> str:
    """Return the canonical text with labels replaced by one private character each."""
    pattern, index = _finder(labels)
    words = canonical(_IDLE_NO.sub(" ", text) if "no" in labels else text)
    return pattern.sub(lambda match: chr(_PRIVATE + index[match[0]]), words) if index else ""


@lru_cache(maxsize=256)
def _finder(labels: tuple[str, ...]) -> tuple[re.Pattern[str], Mapping[str, int]]:
    """Return a pattern for canonical labels, longest first, and the number of each label.

    Chains of single letters ("n,e") only match as complete chains: "s,e,w" does not contain "s,e".
    """
    index = {canonical(label): number for number, label in reversed(list(enumerate(labels))) if canonical(label)}
    letters = "".join({step for label in index if re.fullmatch("[a-z](?: [a-z])+", label) for step in label.split()})
    before, after = (rf"(?<!\b[{letters}] )", rf"(?! [{letters}]\b)") if letters else ("", "")
    words = "|".join(map(re.escape, sorted(index, key=lambda label: (-len(label), label))))
    return re.compile(rf"(?<!\S){before}(?:{words})(?!\S){after}"), index


def offered(question: str, golds: Collection[str]) -> tuple[list[str], list[str]] | None:
    """Return the names of the right and the wrong one of two things offered by a question; None if there are no two.

    "Who is older, Ada Lane or Bo Finch?" with the answer "Ada Lane" gives (["Ada Lane"], ["Bo Finch"]).
    """
    asked = question.strip().rpartition("\n")[2]
    right = set(filter(None, map(canonical, golds)))
    for match in re.finditer(r"\bor\b", asked, re.IGNORECASE):
        last = re.split(r"[,;?]|\s(?:come|have|die|live|win|get|be)\b", asked[match.end() :])[0].strip()
        before = re.split(r"[,:;]\s", asked[: match.start()].strip().rstrip(","))[-1]
        name = _NAME.search(before)
        first = name[0].strip() if name else " ".join(before.split()[-len(last.split()) :])
        is_first = any(f" {canonical(before)} ".endswith(f" {gold} ") for gold in right)
        is_last = any(f" {gold} " in f" {canonical(last)} " or f" {canonical(last)} " in f" {gold} " for gold in right)
        if last and is_first != is_last:
            return ([last, *golds], [first]) if is_last else (list(golds), [last])
    return None
