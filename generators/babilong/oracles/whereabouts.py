"""Tasks about where a person is: qa1, qa6, qa9 to qa14 (docs/spec/babilong.md 5.1, 5.6, 5.9, 5.10, 5.11, 5.12, 5.13, 5.14)."""

from __future__ import annotations

from generators.babilong.oracles.core import Solution, Solver, Story
from generators.babilong.oracles.shapes import TIMES, Parsed


def _last(story: Story, *shapes: str) -> tuple[int, Parsed]:
    """The last line of these shapes about the person asked for."""
    who = story.question["who"]
    for line in range(len(story.facts) - 1, -1, -1):
        fact = story.facts[line]
        if fact.shape in shapes and who in (fact["who"], fact.get("whom")):
            return line, fact
    raise story.unknown(f"no fact tells where {who} is")


def solve_place(story: Story) -> Solution:
    """qa1, qa11 to qa13: the place of the last line that names the person; he, she or they are those of the line before."""
    line, _ = _last(story, "move", "pair")
    follower = line
    while follower + 1 < len(story.facts) and story.facts[follower + 1].shape in ("pronoun", "they"):
        follower += 1
    return Solution(story.facts[follower]["where"], (line, follower) if follower > line else (line,))


def solve_is_in(story: Story) -> Solution:
    """qa6, qa9, qa10: whether the person is in the place asked about, by the last line that says where the person is or is not.

    A denial is a plain no (qa9); "either A or B" is maybe for both places, no for any other (qa10).
    """
    line, fact = _last(story, "move", "in", "not in", "either")
    is_same = fact["where"] == story.question["where"]
    answer = "yes" if is_same else "no"
    if fact.shape == "not in":
        answer = "no"
        if not is_same:
            story.guess("the person is known not to be in another place")
    elif fact.shape == "either":
        answer = "maybe" if is_same or fact["other"] == story.question["where"] else "no"
        if fact["where"] == fact["other"]:
            story.guess("both places of an either-or are the same")
    return Solution(answer, (line,))


def solve_qa14(story: Story) -> Solution:
    """The place in the time slot before the person's last stay in the place asked about."""
    who, where = story.question["who"], story.question["where"]
    slots: dict[int, tuple[str, int]] = {}
    for line, fact in enumerate(story.facts):
        if fact["who"] != who:
            continue
        time = TIMES.index(fact["when"])
        if time in slots and slots[time][0] != fact["where"]:
            story.guess(f"two places for {who} {fact['when']}")
        slots[time] = (fact["where"], line)
    timeline = [slots[time] for time in sorted(slots)]
    stays = [i for i, (place, _) in enumerate(timeline) if place == where and i > 0]
    if not stays:
        raise story.unknown(f"no fact tells where {who} was before")
    here, before = timeline[stays[-1]], timeline[stays[-1] - 1]
    return Solution(before[0], (here[1], before[1]))


SOLVERS: dict[str, Solver] = {
    **dict.fromkeys(("qa1", "qa11", "qa12", "qa13"), solve_place),
    **dict.fromkeys(("qa6", "qa9", "qa10"), solve_is_in),
    "qa14": solve_qa14,
}
