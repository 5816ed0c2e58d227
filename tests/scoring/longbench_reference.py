"""LongBench's rules written out step by step from docs/spec/longbench.md 5 alone, slowly; nothing of ours is imported."""

from __future__ import annotations

import re
from collections import Counter

ASCII_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def first_line(output: str) -> str:
    while output[:1] == "\n":
        output = output[1:]
    return output[: output.index("\n")] if "\n" in output else output


def overlap(ours: list[str], theirs: list[str]) -> float:
    same = 0
    left = Counter(theirs)
    for word in ours:
        if left[word]:
            left[word] -= 1
            same += 1
    return 2 * same / (len(ours) + len(theirs)) if same else 0.0


def f1(output: str, gold: str) -> float:
    def bag(text: str) -> list[str]:
        kept = "".join(letter for letter in text.lower() if letter not in ASCII_MARKS)
        return re.sub(r"\b(?:a|an|the)\b", " ", kept).split()

    return overlap(bag(output), bag(gold))


def edit_line(output: str) -> str:
    for line in output.lstrip("\n").split("\n"):
        if not {"`", "#"} & set(line) and "//" not in line:
            return line
    return ""


def indel_ratio(ours: str, gold: str) -> float:
    """Whole hundredths of 1 - d / (m + n), d the insertions and deletions from one to the other."""
    if ours == gold:
        return 1.0
    row = list(range(len(gold) + 1))
    for i, letter in enumerate(ours, 1):
        before, row = row, [i]
        for j, other in enumerate(gold, 1):
            row.append(before[j - 1] if letter == other else 1 + min(before[j], row[-1]))
    return round(100 * (1 - row[-1] / (len(ours) + len(gold)))) / 100 if ours and gold else 0.0


def rouge_l(output: str, gold: str, limit: int | None = None) -> float:
    """Union of common subsequences by the textbook's table, different words counted."""
    ours, theirs = ([part.split() or [""] for part in text.split(".") if part] for text in (output, gold))
    if not ours or not theirs:
        return 0.0
    union: set[str] = set()
    for x in theirs:
        for y in ours:
            words, steps = _walked(x, y)
            if limit is not None and steps > limit:
                return 0.0
            union |= words
    p, r = (len(union) / len({word for part in text for word in part}) for text in (ours, theirs))
    return 2 * p * r / (p + r + 1e-8)


def _walked(x: list[str], y: list[str]) -> tuple[set[str], int]:
    table = [[0] * (len(y) + 1) for _ in range(len(x) + 1)]
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            same = x[i - 1] == y[j - 1]
            table[i][j] = table[i - 1][j - 1] + 1 if same else max(table[i - 1][j], table[i][j - 1])
    i, j, steps, words = len(x), len(y), 0, set()
    while i > 0 and j > 0:
        steps += 1
        if x[i - 1] == y[j - 1]:
            words.add(x[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return words, steps
