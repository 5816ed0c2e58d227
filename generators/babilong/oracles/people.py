"""Tasks about one person: places (qa1, qa6, qa9 to qa14) and deduction (qa15, qa16, qa20); docs/spec/babilong.md 5."""

from __future__ import annotations

from generators.babilong.oracles.core import Solution, Solver, Story
from generators.babilong.oracles.shapes import TIMES, Parsed


def _last(story: Story, *shapes: str) -> tuple[int, Parsed]:
    """The last line of these shapes about the person in the question."""
    who = story.question["who"]
    for line, fact in reversed(list(enumerate(story.facts))):
        if fact.shape in shapes and who in (fact["who"], fact.get("whom")):
            return line, fact
    raise story.unknown(f"no fact states where {who} is")


def solve_place(story: Story) -> Solution:
    """qa1, qa11 to qa13: the place of the last line that names the person, or of the pronoun lines after it."""
    line, _ = _last(story, "move", "pair")
    follower = line
    while follower + 1 < len(story.facts) and story.facts[follower + 1].shape in ("pronoun", "they"):
        follower += 1
    return Solution(story.facts[follower]["where"], (line, follower) if follower > line else (line,))


def solve_is_in(story: Story) -> Solution:
    """qa6, qa9, qa10: whether the person is in the place; after "either A or B" maybe for both places (qa10)."""
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
    """qa14: the place in the time slot before the person's last stay in the named place."""
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
        raise story.unknown(f"no fact states where {who} was before")
    here, before = timeline[stays[-1]], timeline[stays[-1] - 1]
    return Solution(before[0], (here[1], before[1]))


def solve_qa15(story: Story) -> Solution:
    """qa15: the species that the person's species fears, in the singular."""
    who = story.question["who"]
    plural = dict(story.vocabulary.kinds)
    kind_line, kind = _only(story, "kind", "who", who, "kind")
    fear_line, feared = _only(story, "fear", "kind", plural[kind], "feared")
    singular = next(one for one, many in plural.items() if many == feared)
    return Solution(singular, (kind_line, fear_line))


def solve_qa16(story: Story) -> Solution:
    """qa16: the colour of the last introduced animal of the same species."""
    who = story.question["who"]
    kind_line, kind = _only(story, "kind", "who", who, "kind")
    colours = {fact["who"]: (line, fact["colour"]) for line, fact in enumerate(story.facts) if fact.shape == "colour"}
    fellows = [
        (line, *colours[fact["who"]])
        for line, fact in enumerate(story.facts)
        if fact.shape == "kind" and fact["kind"] == kind and fact["who"] != who and fact["who"] in colours
    ]
    if not fellows:
        raise story.unknown(f"no other {kind} has a colour")
    if len({colour for _, _, colour in fellows}) > 1:
        story.guess(f"not every {kind} has the same colour")
    fellow_line, colour_line, colour = fellows[-1]
    return Solution(colour, (kind_line, fellow_line, colour_line))


def solve_qa20(story: Story) -> Solution:
    """qa20: the person's state, or the place it leads to."""
    line, motive = _only(story, "state", "who", story.question["who"], "motive")
    place = next(place for state, place, _ in story.vocabulary.motives if state == motive)
    return Solution(place if story.question.shape == "where" else motive, (line,))


def _only(story: Story, shape: str, slot: str, word: str, wanted: str) -> tuple[int, str]:
    """Line and wanted word of the last fact of a shape about `word`."""
    facts = enumerate(story.facts)
    found = [(line, fact[wanted]) for line, fact in facts if fact.shape == shape and fact[slot] == word]
    if not found:
        raise story.unknown(f"no fact states the {wanted} for {word}")
    if len({value for _, value in found}) > 1:
        story.guess(f"the facts give {word} more than one {wanted}")
    return found[-1]


SOLVERS: dict[str, Solver] = {
    **dict.fromkeys(("qa1", "qa11", "qa12", "qa13"), solve_place),
    **dict.fromkeys(("qa6", "qa9", "qa10"), solve_is_in),
    "qa14": solve_qa14,
    "qa15": solve_qa15,
    "qa16": solve_qa16,
    "qa20": solve_qa20,
}
