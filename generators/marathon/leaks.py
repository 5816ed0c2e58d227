"""What a reader gets who sees question and options alone: figures of a finished table, each beside chance (docs/defects/marathon.md D5).

A question counts once, whatever the number of its rows; where several options are equally good for a guess, the guess is
shared among them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from generators.spec import Row
from haymaker.core.text.strings import words

MEASURE = "option_leaks"
"""Name of these figures in reports."""
ENOUGH = 10
"""Questions below which no figure is marked."""
LIMITS: Mapping[str, float] = MappingProxyType(
    {"longest": 0.35, "shortest": 0.35, "like_others": 0.35, "like_question": 0.35, "unread": 0.35, "letter": 0.3}
)
"""Share of right guesses above which the card marks a figure, where it is not by chance either."""
_SIGMAS = 2.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question without its text.

    Attributes:
        question: as asked.
        choices: its options.
        right: which of them is right.
    """

    question: str
    choices: tuple[str, ...]
    right: int


def measures(rows: Iterable[Row]) -> dict[str, Any]:
    """Figures of a table by name, for Task.measures: `questions`, `chance`, and how often each guess is right, 0 to 1.

    `longest`, `shortest`: the option with most or fewest characters. `like_others`: the one that shares most words with the
    others. `like_question`: with the question. `unread`: the one whose words and form are those of right rather than wrong
    options of the other questions. `letter`: always the letter that is right most often.

    Args:
        rows: of one table, with the columns generators.task.MEASURED.
    """
    asked: dict[str, Asked] = {}
    letters: Counter[int] = Counter()
    for row in rows:
        letters[row["answer_index"]] += 1
        asked.setdefault(row["group_id"], Asked(row["question"], tuple(row["choices"]), row["answer_index"]))
    if not asked:
        return {}
    every = list(asked.values())
    guesses: dict[str, Callable[[Asked], Sequence[float]]] = {
        "longest": lambda each: [len(choice) for choice in each.choices],
        "shortest": lambda each: [-len(choice) for choice in each.choices],
        "like_others": like_others,
        "like_question": lambda each: [alike(each.question, choice) for choice in each.choices],
        "unread": Learnt(every).scores,
    }
    shares = {name: sum(_gain(each, guess(each)) for each in every) / len(every) for name, guess in guesses.items()}
    shares["letter"] = max(letters.values()) / letters.total()
    chance = sum(1 / len(each.choices) for each in every) / len(every)
    figures = {"chance": chance} | shares
    return {MEASURE: {"questions": len(every), **{name: round(share, 4) for name, share in figures.items()}}}


def above(figures: Mapping[str, Any], name: str) -> bool:
    """Whether a guess is right more often than its limit, and more than two standard errors above chance."""
    count, chance = figures["questions"], figures["chance"]
    by_chance = _SIGMAS * math.sqrt(chance * (1 - chance) / count)
    return bool(count >= ENOUGH and figures[name] > max(LIMITS[name], chance + by_chance))


def shown(figures: Mapping[str, Any]) -> list[str]:
    """Figures as the card has them: percent, with a mark where they are above, and the number of questions."""
    marks = {name: " ⚠" if above(figures, name) else "" for name in LIMITS}
    return [*(f"{100 * figures[name]:.0f}{mark}" for name, mark in marks.items()), str(figures["questions"])]


def _gain(asked: Asked, scores: Sequence[float]) -> float:
    """What a guess by the highest score is worth."""
    folded = [round(score, 9) for score in scores]
    best = max(folded)
    return (folded[asked.right] == best) / folded.count(best)


def alike(one: str, other: str) -> float:
    """Shared words of two texts, of all their words; 0 of texts without words."""
    ours, theirs = set(words(one)), set(words(other))
    return len(ours & theirs) / max(1, len(ours | theirs))


def like_others(asked: Asked) -> list[float]:
    """Of each option, how much it shares with the others."""
    return [
        sum(alike(choice, other) for place, other in enumerate(asked.choices) if place != own)
        for own, choice in enumerate(asked.choices)
    ]


class Learnt:
    """What right options have that wrong ones have not, in the other questions of a table (naive Bayes, one left out).

    Args:
        asked: all questions.
    """

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._right, self._wrong = Counter[str](), Counter[str]()
        self._rights, self._wrongs = len(asked), sum(len(each.choices) - 1 for each in asked)
        for each in asked:
            for place, choice in enumerate(each.choices):
                (self._right if place == each.right else self._wrong).update(traits(choice))

    def scores(self, asked: Asked) -> list[float]:
        """Of each option, how much it looks like a right one; the question itself is not known."""
        own_right, own_wrong = Counter[str](), Counter[str]()
        for place, choice in enumerate(asked.choices):
            (own_right if place == asked.right else own_wrong).update(traits(choice))
        rights, wrongs = self._rights - 1, self._wrongs - len(asked.choices) + 1

        def weight(trait: str) -> float:
            right = (self._right[trait] - own_right[trait] + 1) / (rights + 2)
            wrong = (self._wrong[trait] - own_wrong[trait] + 1) / (wrongs + 2)
            return math.log(right / wrong)

        return [sum(map(weight, sorted(traits(choice)))) for choice in asked.choices]


def traits(choice: str) -> set[str]:
    """Words of an option, and marks of its form: how long, digits, a capital at its start, a stop at its end, a list."""
    said = words(choice)
    marks = {f"#{len(said).bit_length()}"}
    for mark, there in (
        ("#digit", any(character.isdigit() for character in choice)),
        ("#capital", choice[:1].isupper()),
        ("#stop", choice.endswith(".")),
        ("#list", "," in choice),
    ):
        marks.add(mark if there else f"{mark} no")
    return set(said) | marks
