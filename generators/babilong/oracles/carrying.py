"""Tasks about people who carry things: qa2, qa3, qa5, qa7, qa8 (docs/spec/babilong.md 5.2, 5.3, 5.5, 5.7, 5.8)."""

from __future__ import annotations

from typing import NamedTuple

from generators.babilong.oracles.core import Solution, Solver, Story
from generators.babilong.oracles.shapes import Parsed

_COUNTS = ("none", "one", "two", "three")


class Stop(NamedTuple):
    """A place on the way of a person or an object, and the line of the move to it.

    Attributes:
        held: for an object, the line in which the mover got it or put it down.
    """

    place: str
    line: int
    held: int = -1


class _World:
    """State after all facts.

    Attributes:
        at: person -> last known place.
        holder: object -> its holder.
        way: object -> its known places, consecutive repeats merged.
        touched: object -> last line that got, dropped or gave it.
    """

    def __init__(self, story: Story) -> None:
        self.at: dict[str, Stop] = {}
        self.holder: dict[str, str] = {}
        self.way: dict[str, list[Stop]] = {}
        self.touched: dict[str, int] = {}
        for line, fact in enumerate(story.facts):
            self._read(line, fact, fact["who"])

    def _read(self, line: int, fact: Parsed, who: str) -> None:
        if fact.shape == "move":
            self.at[who] = Stop(fact["where"], line)
            for what in [what for what, holder in self.holder.items() if holder == who]:
                self._arrive(what, self.at[who])
            return
        self.touched[fact["what"]] = line
        if fact.shape == "drop":
            self.holder.pop(fact["what"], None)
        else:
            self.holder[fact["what"]] = fact.get("whom") or who
        if who in self.at:
            self._arrive(fact["what"], self.at[who])

    def _arrive(self, what: str, stop: Stop) -> None:
        way = self.way.setdefault(what, [])
        if not way or way[-1].place != stop.place:
            way.append(Stop(stop.place, stop.line, self.touched[what]))


def solve_qa2(story: Story) -> Solution:
    """The place of the object: its holder's place, or the place of the person who dropped it."""
    what, world = story.question["what"], _World(story)
    if what not in world.way:
        raise story.unknown(f"no fact gives a place of the {what}")
    touched, stop = world.touched[what], world.way[what][-1]
    moves = _carrier_moves(story, world, what)
    if not moves:  # only an earlier carrier moved
        return Solution(stop.place, (touched, stop.line), also=(stop.held,))
    return Solution(stop.place, (touched, moves[-1]))


def _carrier_moves(story: Story, world: _World, what: str) -> list[int]:
    """Moves of the last carrier, up to the drop if the object was dropped."""
    touched = world.touched[what]
    carrier = story.facts[touched]["who"]
    end = len(story.facts) if what in world.holder else touched
    return [i for i in range(end) if story.facts[i].shape == "move" and story.facts[i]["who"] == carrier]


def solve_qa3(story: Story) -> Solution:
    """The place of the object before its last stay in the named place."""
    what, where, world = story.question["what"], story.question["where"], _World(story)
    way = world.way.get(what, [])
    stays = [i for i, stop in enumerate(way) if stop.place == where and i > 0]
    if not stays:
        raise story.unknown(f"the {what} is not known to have come to the {where} from another place")
    here, before = way[stays[-1]], way[stays[-1] - 1]
    supporting = (world.touched[what], here.line, before.line)
    return Solution(before.place, supporting, also=(here.held, before.held))


def solve_qa5(story: Story) -> Solution:
    """The giver, object or receiver of the last handover."""
    gives = [(i, fact) for i, fact in enumerate(story.facts) if fact.shape == "give"]
    line, fact = (_last_between if story.question.shape == "what" else _last_of_object)(story, gives)
    slot = {"what": "what", "giver": "who", "giver to": "who", "receiver": "whom", "receiver from": "whom"}
    return Solution(fact[slot[story.question.shape]], (line,))


def _last_of_object(story: Story, gives: list[tuple[int, Parsed]]) -> tuple[int, Parsed]:
    question = story.question
    of_object = [(line, fact) for line, fact in gives if fact["what"] == question["what"]]
    fits = [give for give in of_object if all(question.get(slot) in (None, give[1][slot]) for slot in ("who", "whom"))]
    if not fits:
        raise story.unknown("the facts contain no such hand-over")
    if fits[-1] != of_object[-1]:
        story.guess(f"the {question['what']} was handed on later")
    return fits[-1]


def _last_between(story: Story, gives: list[tuple[int, Parsed]]) -> tuple[int, Parsed]:
    who, whom = story.question["who"], story.question["whom"]
    between = [(line, fact) for line, fact in gives if fact["who"] == who and fact["whom"] == whom]
    if not between:
        raise story.unknown(f"{who} gave nothing to {whom}")
    if len({fact["what"] for _, fact in between}) > 1:
        story.guess(f"{who} gave {whom} several objects")
    last = {fact["what"]: line for line, fact in gives}
    settled = [(line, fact) for line, fact in between if last[fact["what"]] == line]
    return (settled or between)[-1]


def solve_qa7(story: Story) -> Solution:
    """The number of objects that the person holds, as a word."""
    who, facts = story.question["who"], enumerate(story.facts)
    lines = tuple(i for i, fact in facts if fact.shape != "move" and who in (fact["who"], fact.get("whom")))
    if not lines:
        raise story.unknown(f"no fact states what {who} does with an object")
    held = sum(holder == who for holder in _World(story).holder.values())
    if held >= len(_COUNTS):
        raise story.unknown(f"{held} objects are more than the task's answers can count")
    return Solution(_COUNTS[held], lines)


def solve_qa8(story: Story) -> Solution:
    """The objects that the person holds, in order of first pick-up, or "nothing"."""
    who = story.question["who"]
    lines: dict[str, list[int]] = {}
    for i, fact in enumerate(story.facts):
        if fact.shape != "move" and fact["who"] == who:
            lines.setdefault(fact["what"], []).append(i)
    if not lines:
        raise story.unknown(f"no fact states what {who} does with an object")
    holder = _World(story).holder
    held = [what for what in lines if holder.get(what) == who]
    return Solution(",".join(held) or "nothing", tuple(i for group in lines.values() for i in group))


SOLVERS: dict[str, Solver] = {"qa2": solve_qa2, "qa3": solve_qa3, "qa5": solve_qa5, "qa7": solve_qa7, "qa8": solve_qa8}
