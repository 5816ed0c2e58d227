"""Tasks about relations in space and size: qa4, qa17, qa18, qa19 (spec/babilong.md 5.4, 5.17, 5.18, 5.19)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from generators.babilong.oracles.core import Story, StorySolution

_OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
# Step (x, y) from the second figure to the first.
_STEP = {"above": (0, 1), "below": (0, -1), "to the left of": (-1, 0), "to the right of": (1, 0)}


class Edge(NamedTuple):
    """A step from one named thing to another, and the line that tells it."""

    start: str
    goal: str
    label: str
    line: int


def solve_qa4(story: Story) -> StorySolution:
    """The one place on that side of the place asked about, or the one that has it on that side."""
    place, way = story.asked["place"], story.asked["way"]
    wanted = way if story.asked.shape == "what is" else _OPPOSITE[way]
    found = [edge for edge in _compass(story) if edge.start == place and edge.label == wanted]
    if not found:
        raise story.unknown(f"no fact tells what lies there beside the {place}")
    if len({edge.goal for edge in found}) > 1:
        story.guess("several places lie there")
    return StorySolution(found[-1].goal, (found[-1].line,))


def solve_qa19(story: Story) -> StorySolution:
    """The walk from start to goal, one letter a step."""
    paths = _shortest_paths(_compass(story), story.asked["start"], story.asked["goal"])
    if not paths:
        raise story.unknown("the two places are not connected")
    if len(paths) > 1:
        story.guess("several walks are equally short")
    return StorySolution(",".join(edge.label[0] for edge in paths[0]), tuple(edge.line for edge in paths[0]))


def _compass(story: Story) -> list[Edge]:
    """Both directions of every "A is north of B": from B one goes north to A, from A south to B."""
    edges = []
    for line, fact in enumerate(story.facts):
        edges.append(Edge(fact["second"], fact["first"], fact["way"], line))
        edges.append(Edge(fact["first"], fact["second"], _OPPOSITE[fact["way"]], line))
    return edges


def solve_qa17(story: Story) -> StorySolution:
    """Whether the first figure lies on that side of the second, each relation being one step on the grid."""
    first, second = story.asked["first"], story.asked["second"]
    edges = []
    for line, fact in enumerate(story.facts):
        edges.append(Edge(fact["first"], fact["second"], fact["side"], line))
        edges.append(Edge(fact["second"], fact["first"], _mirror(fact["side"]), line))
    paths = _shortest_paths(edges, first, second)
    if not paths:
        raise story.unknown("the two figures are not connected")
    verdicts = [_lies(path, story.asked["side"]) for path in paths]
    if len(set(verdicts)) > 1:
        story.guess("the facts place the figures in different ways")
    return StorySolution("yes" if verdicts[0] else "no", tuple(edge.line for edge in paths[0]))


def _mirror(side: str) -> str:
    dx, dy = _STEP[side]
    return next(name for name, step in _STEP.items() if step == (-dx, -dy))


def _lies(path: Sequence[Edge], side: str) -> bool:
    """Whether the path's start is strictly on that side of its goal; on the other axis nothing is asked."""
    dx, dy = _STEP[side]
    return sum(_STEP[edge.label][0] * dx + _STEP[edge.label][1] * dy for edge in path) > 0


def solve_qa18(story: Story) -> StorySolution:
    """Whether the first thing is bigger than, or fits in, the second; size is transitive, no path means no."""
    first, second = story.asked["first"], story.asked["second"]
    bigger = story.asked.shape == "bigger"
    big, small = (first, second) if bigger else (second, first)
    edges = [Edge(fact["big"], fact["small"], "", line) for line, fact in enumerate(story.facts)]
    down, up = _shortest_paths(edges, big, small), _shortest_paths(edges, small, big)
    if not down and not up:
        story.guess("no fact compares the two")
    if down and up:
        story.guess("the facts contradict each other")
    return StorySolution("yes" if down else "no", _two_steps(edges, big, small))


def _two_steps(edges: Sequence[Edge], big: str, small: str) -> tuple[int, ...]:
    """Two lines that join the things, the line of the thing asked to be bigger first; the file's pick is arbitrary."""
    for upper, lower in ((big, small), (small, big)):
        for top in edges:
            for low in edges:
                if top.start == upper and top.goal == low.start and low.goal == lower:
                    return (top.line, low.line) if upper == big else (low.line, top.line)
    return ()


def _shortest_paths(edges: Sequence[Edge], start: str, goal: str) -> list[tuple[Edge, ...]]:
    """All shortest paths; the same step told by two lines counts once, by its first line."""
    if start == goal:
        return []
    paths: list[tuple[Edge, ...]] = [()]
    seen = {start}
    while paths:
        longer = [(*path, edge) for path in paths for edge in _steps(edges, path[-1].goal if path else start, seen)]
        done = [path for path in longer if path[-1].goal == goal]
        if done:
            return done
        seen |= {path[-1].goal for path in longer}
        paths = longer
    return []


def _steps(edges: Sequence[Edge], here: str, seen: set[str]) -> list[Edge]:
    first: dict[tuple[str, str], Edge] = {}
    for edge in edges:
        if edge.start == here and edge.goal not in seen:
            first.setdefault((edge.goal, edge.label), edge)
    return list(first.values())


SOLVERS: dict[str, Callable[[Story], StorySolution]] = {
    "qa4": solve_qa4,
    "qa17": solve_qa17,
    "qa18": solve_qa18,
    "qa19": solve_qa19,
}
