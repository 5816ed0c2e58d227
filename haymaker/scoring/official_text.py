"""Reading and comparison of outputs as in the references, for `@official` metrics (docs/spec/helmet.md 11.0, 11.1)."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from haymaker.scoring.reader import bag_f1

CUE = "Answer:"

_DELETED = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_CLOSED = frozenset({"yes", "no", "noanswer"})


def whole(output: object) -> str:
    """Return a string output unchanged, and other values as an empty string."""
    return output if isinstance(output, str) else ""


def final_text(output: object) -> str:
    """Return an output as HELMET reads it: the stripped text after the last `</think>`, or all of it."""
    _, thought, rest = whole(output).rpartition("</think>")
    return rest.strip() if thought else rest


def normalise(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation and articles, with white space folded.

    Joins hyphenated words ("applepie"); "A" and "The" become empty (docs/defects/helmet.md D9, D10).
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_DELETED)).split())


def parse(output: str, prefix: str = CUE) -> str:
    """Return the rest of the line after the first prefix, else the first line; one repeat of the prefix is dropped."""
    after = re.search(f"{re.escape(prefix)}(.*)", output, re.IGNORECASE)
    return uncued(after[1] if after else output.split("\n", 1)[0], prefix)


def uncued(text: str, prefix: str = CUE) -> str:
    """Return a stripped text without a leading prefix."""
    text = text.strip()
    return (text[len(prefix) :] if text.lower().startswith(prefix.lower()) else text).strip()


def word_f1(prediction: str, gold: str) -> float:
    """Return word F1; 0 if one side is yes, no or noanswer and the other differs (docs/spec/helmet.md 11.1)."""
    ours, theirs = normalise(prediction), normalise(gold)
    return 0.0 if ours != theirs and not _CLOSED.isdisjoint({ours, theirs}) else bag_f1(ours.split(), theirs.split())


def nearest_f1(text: str, golds: Sequence[str]) -> float:
    """Return word F1 against the nearest answer; 0 without answers."""
    ours = normalise(text).split()
    return max((bag_f1(ours, normalise(gold).split()) for gold in golds), default=0.0)


def best(score: Callable[[str, str], float], texts: Sequence[str], golds: Sequence[str]) -> float:
    """Return the best score of any text against any gold; 0 without golds."""
    return max((float(score(text, gold)) for text in texts for gold in golds), default=0.0)


def raw_and_parsed(output: object) -> tuple[str, str]:
    """Return both readings of an output; the reference uses the better one (docs/spec/helmet.md 11.0)."""
    text = final_text(output)
    return text, parse(text)


def groups(row: Mapping[str, Any]) -> list[list[str]]:
    """Return answer groups without answers that normalise to nothing and empty groups (docs/defects/helmet.md D10)."""
    kept = [[alias for alias in group if normalise(alias)] for group in row["answer_groups"] or ()]
    return [group for group in kept if group]
