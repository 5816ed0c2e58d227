"""Scores of guesses that see only question and options, compared with chance (docs/defects/marathon.md D5).

Each question counts once; a guess is divided among options with the same score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from generators.spec import Row
from haymaker.core.text.strings import words

MEASURE = "option_leaks"  # name of these figures in reports
ENOUGH = 10  # questions below which no figure is marked
LIMITS: Mapping[str, float] = MappingProxyType(
    {"longest": 0.35, "shortest": 0.35, "like_others": 0.35, "like_question": 0.35, "unread": 0.35, "letter": 0.3}
)
"""Share of right guesses above which the card marks a figure, if it is significantly above chance."""


class Asked(NamedTuple):
    """A question, its options, and the index of the right one."""

    question: str
    choices: tuple[str, ...]
    right: int


def measures(rows: Iterable[Row]) -> dict[str, Any]:
    """Return figures of a table for Task.measures: `questions`, `chance`, and how often each guess is right, 0 to 1.

    `longest`, `shortest`: the option with most or fewest characters. `like_others`, `like_question`: the option with most words in
    common with the others or the question. `unread`: the option most like right rather than wrong options of other questions, in
    words and form. `letter`: always the letter that is right most often.
    """
    questions: dict[str, Asked] = {}
    letters: Counter[int] = Counter()
    for row in rows:
        letters[row["answer_index"]] += 1
        questions.setdefault(row["group_id"], Asked(row["question"], tuple(row["choices"]), row["answer_index"]))
    if not questions:
        return {}
    every = list(questions.values())
    guesses: dict[str, Callable[[Asked], Sequence[float]]] = {
        "longest": lambda each: [len(choice) for choice in each.choices],
        "shortest": lambda each: [-len(choice) for choice in each.choices],
        "like_others": _like_others,
        "like_question": lambda each: [_alike(each.question, choice) for choice in each.choices],
        "unread": _unread(every),
    }
    figures = {"chance": sum(1 / len(each.choices) for each in every) / len(every)}
    figures |= {name: sum(_gain(each, guess(each)) for each in every) / len(every) for name, guess in guesses.items()}
    figures["letter"] = max(letters.values()) / letters.total()
    return {MEASURE: {"questions": len(every), **{name: round(share, 4) for name, share in figures.items()}}}


def above(figures: Mapping[str, Any], name: str) -> bool:
    """Return whether a guess is right more often than its limit, and more than two standard errors above chance."""
    count, chance = figures["questions"], figures["chance"]
    by_chance = chance + 2 * math.sqrt(chance * (1 - chance) / count)
    return bool(count >= ENOUGH and figures[name] > max(LIMITS[name], by_chance))


def shown(figures: Mapping[str, Any]) -> list[str]:
    """Return figures as the card shows them: percent, with a mark if they are above, and the number of questions."""
    marks = {name: " ⚠" if above(figures, name) else "" for name in LIMITS}
    return [*(f"{100 * figures[name]:.0f}{mark}" for name, mark in marks.items()), str(figures["questions"])]


def _gain(asked: Asked, scores: Sequence[float]) -> float:
    """The value of a guess by the highest score."""
    folded = [round(score, 9) for score in scores]
    best = max(folded)
    return (folded[asked.right] == best) / folded.count(best)


def _alike(one: str, other: str) -> float:
    """The share of the words of two texts that occur in both."""
    ours, theirs = set(words(one)), set(words(other))
    return len(ours & theirs) / max(1, len(ours | theirs))


def _like_others(asked: Asked) -> list[float]:
    pairs = [[_alike(choice, other) for other in asked.choices] for choice in asked.choices]
    return [sum([*shares[:own], *shares[own + 1 :]]) for own, shares in enumerate(pairs)]


def _unread(every: Sequence[Asked]) -> Callable[[Asked], list[float]]:
    """A guess by the traits of right and wrong options of the other questions (leave-one-out naive Bayes)."""

    def counted(asked: Iterable[Asked], *, right: bool) -> Counter[str]:
        options = (each.choices[at] for each in asked for at in range(len(each.choices)) if (at == each.right) is right)
        return Counter(trait for option in options for trait in _traits(option))

    right, wrong = counted(every, right=True), counted(every, right=False)
    wrongs = sum(len(each.choices) - 1 for each in every)

    def guess(asked: Asked) -> list[float]:
        own_right, own_wrong = counted([asked], right=True), counted([asked], right=False)

        def weight(trait: str) -> float:
            in_right = (right[trait] - own_right[trait] + 1) / (len(every) + 1)
            in_wrong = (wrong[trait] - own_wrong[trait] + 1) / (wrongs - len(asked.choices) + 3)
            return math.log(in_right / in_wrong)

        return [sum(map(weight, sorted(_traits(choice)))) for choice in asked.choices]

    return guess


def _traits(choice: str) -> set[str]:
    """The words of an option, and its form: length, digits, first capital, final stop, list."""
    found = words(choice)
    marks = {
        "#digit": any(character.isdigit() for character in choice), "#capital": choice[:1].isupper(),
        "#stop": choice.endswith("."), "#list": "," in choice,
    }  # fmt: skip
    return {*found, f"#{len(found).bit_length()}", *(mark if there else f"{mark} no" for mark, there in marks.items())}
