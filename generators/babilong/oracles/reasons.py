"""Tasks about what follows from what someone is: qa15, qa16, qa20 (docs/spec/babilong.md 5.15, 5.16, 5.20)."""

from __future__ import annotations

from generators.babilong.oracles.core import Solution, Solver, Story


def solve_qa15(story: Story) -> Solution:
    """The species that the person's species fears, in the singular."""
    who = story.question["who"]
    plural = dict(story.vocabulary.kinds)
    kind_line, kind = _only(story, "kind", "who", who, "kind")
    fear_line, feared = _only(story, "fear", "kind", plural[kind], "feared")
    singular = next(one for one, many in plural.items() if many == feared)
    return Solution(singular, (kind_line, fear_line))


def solve_qa16(story: Story) -> Solution:
    """The colour of the fellow of the species who was introduced last."""
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
    """The person's state, or the place it leads to."""
    line, motive = _only(story, "state", "who", story.question["who"], "motive")
    place = next(place for state, place, _ in story.vocabulary.motives if state == motive)
    return Solution(place if story.question.shape == "where" else motive, (line,))


def _only(story: Story, shape: str, slot: str, word: str, wanted: str) -> tuple[int, str]:
    """Line and wanted word of the fact of this shape about `word`; the last one when there are several."""
    found = [
        (line, fact[wanted]) for line, fact in enumerate(story.facts) if fact.shape == shape and fact[slot] == word
    ]
    if not found:
        raise story.unknown(f"no fact tells the {wanted} for {word}")
    if len({value for _, value in found}) > 1:
        story.guess(f"the facts give {word} more than one {wanted}")
    return found[-1]


SOLVERS: dict[str, Solver] = {"qa15": solve_qa15, "qa16": solve_qa16, "qa20": solve_qa20}
