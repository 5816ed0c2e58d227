"""Tasks about where a person is: qa1, qa6, qa9 to qa14 (spec/babilong.md 5.1, 5.6, 5.9 to 5.14)."""

from __future__ import annotations

from collections.abc import Callable

from generators.babilong.oracles.core import Story, StorySolution
from generators.babilong.oracles.shapes import TIMES, Parsed


def _last(story: Story, *shapes: str) -> tuple[int, Parsed]:
    """The last line of these shapes about the person asked for."""
    who = story.asked["who"]
    for line in range(len(story.facts) - 1, -1, -1):
        fact = story.facts[line]
        if fact.shape in shapes and who in (fact["who"], fact.get("whom")):
            return line, fact
    raise story.unknown(f"no fact tells where {who} is")


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def solve_qa1(story: Story) -> StorySolution:
    """The place of the person's last move."""
    line, fact = _last(story, "move")
    return StorySolution(fact["where"], (line,))


def solve_qa6(story: Story) -> StorySolution:
    """Whether the person's last move led to the place asked about."""
    line, fact = _last(story, "move")
    return StorySolution(_yes(fact["where"] == story.asked["where"]), (line,))


def solve_qa9(story: Story) -> StorySolution:
    """As qa6, with "is in" as an update and a denial as a plain no."""
    line, fact = _last(story, "move", "in", "not in")
    same = fact["where"] == story.asked["where"]
    if fact.shape == "not in":
        if not same:
            story.guess("the person is known not to be in another place")
        return StorySolution("no", (line,))
    return StorySolution(_yes(same), (line,))


def solve_qa10(story: Story) -> StorySolution:
    """As qa6, with "either A or B": maybe for both places, no for any other."""
    line, fact = _last(story, "move", "in", "either")
    asked = story.asked["where"]
    if fact.shape != "either":
        return StorySolution(_yes(fact["where"] == asked), (line,))
    if fact["where"] == fact["other"]:
        story.guess("both places of an either-or are the same")
    return StorySolution("maybe" if asked in (fact["where"], fact["other"]) else "no", (line,))


def solve_qa11(story: Story) -> StorySolution:
    """As qa1; he or she is the person of the line before."""
    return _with_pronouns(story, "move")


def solve_qa12(story: Story) -> StorySolution:
    """The place of the last line that names the person."""
    line, fact = _last(story, "pair")
    return StorySolution(fact["where"], (line,))


def solve_qa13(story: Story) -> StorySolution:
    """As qa12; they are the pair of the line before."""
    return _with_pronouns(story, "pair")


def _with_pronouns(story: Story, named: str) -> StorySolution:
    line, fact = _last(story, named)
    lines: tuple[int, ...] = (line,)
    place = fact["where"]
    follower = line + 1
    while follower < len(story.facts) and story.facts[follower].shape != named:
        lines, place = (line, follower), story.facts[follower]["where"]
        follower += 1
    return StorySolution(place, lines)


def solve_qa14(story: Story) -> StorySolution:
    """The place in the time slot before the person's last stay in the place asked about."""
    who, where = story.asked["who"], story.asked["where"]
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
    return StorySolution(before[0], (here[1], before[1]))


SOLVERS: dict[str, Callable[[Story], StorySolution]] = {
    "qa1": solve_qa1,
    "qa6": solve_qa6,
    "qa9": solve_qa9,
    "qa10": solve_qa10,
    "qa11": solve_qa11,
    "qa12": solve_qa12,
    "qa13": solve_qa13,
    "qa14": solve_qa14,
}
