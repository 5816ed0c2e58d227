"""Oracles of cwe and fwe: count the words of the finished prompt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable


def common(prompt: str) -> list[str]:
    """Return the most common words of the list, in alphabetical order, as one answer.

    Raises:
        ValueError: no list with a question, numbers that do not run from 1, or no clear answer.
    """
    context, count = _read(prompt, "list", "word")
    items = re.findall(r"(\d+)\. (\S+)", context)
    if [int(number) for number, _ in items] != list(range(1, len(items) + 1)):
        raise ValueError("the list is not numbered 1, 2, 3 ...")
    return [", ".join(sorted(_most(count, (word for _, word in items))))]


def frequent(prompt: str) -> list[str]:
    """Return the most frequent coded words of the text, the most frequent one first, as one answer.

    Raises:
        ValueError: no text with a question, or no clear answer.
    """
    context, count = _read(prompt, "text", "coded word")
    return [", ".join(_most(count, re.findall(r"[a-z]+", context)))]


def _read(prompt: str, tag: str, what: str) -> tuple[str, int]:
    """Return the text between the tags and the number of requested words."""
    question = rf"Which (\d+ )?{what}s? occurs? most often in the {tag}\?"
    found = re.search(rf"<{tag}>\n([^\n]*)\n</{tag}>\n\nQuestion: {question}\nAnswer:\Z", prompt)
    if not found:
        raise ValueError("no context with a question after it")
    return found[1], int(found[2] or 1)


def _most(count: int, words: Iterable[str]) -> list[str]:
    """Return the most frequent words in order, or raise ValueError if the next one is as frequent."""
    ranked = Counter(words).most_common(count + 1)
    if len(ranked) < count or (len(ranked) > count and ranked[count][1] == ranked[count - 1][1]):
        raise ValueError(f"{count} words do not occur clearly more often than the others")
    return [word for word, _ in ranked[:count]]
