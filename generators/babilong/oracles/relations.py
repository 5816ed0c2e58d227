"""Tasks about relations in space and size: qa4, qa17, qa18, qa19 (docs/spec/babilong.md 5.4, 5.17, 5.18, 5.19)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from generators.babilong.oracles.core import Solution, Solver, Story

_OPPOSITE = {"north": "south", "east": "west", "above": "below", "to the left of": "to the right of"}
_OPPOSITE |= {there: here for here, there in _OPPOSITE.items()}
# Step (x, y) from the second figure to the first.
_STEP = {"above": (0, 1), "below": (0, -1), "to the left of": (-1, 0), "to the right of": (1, 0)}


class Edge(NamedTuple):
    """A step from one thing to another, and its line."""

    start: str
    goal: str
    label: str
    line: int


def solve_qa4(story: Story) -> Solution:
    """The place on a side of the named place ("what is"), or the place that it is on that side of."""
    place, way = story.question["place"], story.question["way"]
    wanted = way if story.question.shape == "what is" else _OPPOSITE[way]
    edges = _both_ways(story, "second", "first", "way")
    found = [edge for edge in edges if edge.start == place and edge.label == wanted]
    if not found:
        raise story.unknown(f"no fact states what lies there next to the {place}")
    if len({edge.goal for edge in found}) > 1:
        story.guess("several places lie there")
    return Solution(found[-1].goal, (found[-1].line,))


def solve_qa19(story: Story) -> Solution:
    """The walk from start to goal, one letter a step."""
    start, goal = story.question["start"], story.question["goal"]
    walks = _shortest(_both_ways(story, "second", "first", "way"), start)
    path = walks.to(goal)
    if not path:
        raise story.unknown("the two places are not connected")
    if walks.number[goal] > 1:
        story.guess("several walks are equally short")
    return Solution(",".join(edge.label[0] for edge in path), tuple(edge.line for edge in path))


def _both_ways(story: Story, start: str, goal: str, label: str) -> list[Edge]:
    """Every fact as two steps by its slots; "A is north of B": a step north from B to A, a step south from A to B."""
    edges = []
    for line, fact in enumerate(story.facts):
        edges.append(Edge(fact[start], fact[goal], fact[label], line))
        edges.append(Edge(fact[goal], fact[start], _OPPOSITE[fact[label]], line))
    return edges


def solve_qa17(story: Story) -> Solution:
    """Whether the first figure is on that side of the second; each relation is one step on the grid."""
    edges = _both_ways(story, "first", "second", "side")
    paths = _shortest(edges, story.question["first"])
    path = paths.to(story.question["second"])
    if not path:
        raise story.unknown("the two figures are not connected")
    if not _on_one_grid(edges, paths):
        story.guess("the facts place a figure in different ways")
    dx, dy = _STEP[story.question["side"]]
    distance = sum(_STEP[edge.label][0] * dx + _STEP[edge.label][1] * dy for edge in path)
    return Solution("yes" if distance > 0 else "no", tuple(edge.line for edge in path))


def _on_one_grid(edges: Sequence[Edge], paths: Paths) -> bool:
    """Whether every fact agrees with the places of its figures."""
    at = {paths.start: (0, 0)}
    for goal, edge in paths.last.items():
        at[goal] = _before(at[edge.start], edge.label)
    return all(_before(at[edge.start], edge.label) == at[edge.goal] for edge in edges if edge.start in at)


def _before(at: tuple[int, int], side: str) -> tuple[int, int]:
    """The place that has `at` on this side."""
    return at[0] - _STEP[side][0], at[1] - _STEP[side][1]


def solve_qa18(story: Story) -> Solution:
    """Whether the first thing is bigger than, or fits in, the second; without a path: no."""
    first, second = story.question["first"], story.question["second"]
    big, small = (first, second) if story.question.shape == "bigger" else (second, first)
    edges = [Edge(fact["big"], fact["small"], "", line) for line, fact in enumerate(story.facts)]
    down, up = _shortest(edges, big).to(small), _shortest(edges, small).to(big)
    if not down and not up:
        story.guess("no fact compares the two")
    if down and up:
        story.guess("the facts contradict each other")
    path = _two_steps(edges, big, small) or tuple(edge.line for edge in down or reversed(up))
    return Solution("yes" if down else "no", path)


def _two_steps(edges: Sequence[Edge], big: str, small: str) -> tuple[int, ...]:
    """Two lines that join the things, the line of `big` first; of several pairs the first (in bAbI, any)."""
    for upper, lower in ((big, small), (small, big)):
        lows: dict[str, int] = {}
        for edge in edges:
            if edge.goal == lower:
                lows.setdefault(edge.start, edge.line)
        pairs = [(top.line, lows[top.goal]) for top in edges if top.start == upper and top.goal in lows]
        if pairs:
            pair = min(pairs, key=lambda lines: (max(lines), min(lines)))
            return pair if upper == big else pair[::-1]
    return ()


@dataclass(frozen=True, slots=True)
class Paths:
    """The shortest paths from one thing to all others.

    Attributes:
        start: first thing of all paths.
        last: thing, nearest first -> last step of its shortest path (of several: by the earliest steps).
        number: thing -> number of shortest paths; a repeated fact counts once.
    """

    start: str
    last: dict[str, Edge]
    number: dict[str, int]

    def to(self, goal: str) -> tuple[Edge, ...]:
        """Return the steps to `goal`; empty if it cannot be reached, or is the start."""
        steps: list[Edge] = []
        while goal in self.last:
            steps.append(self.last[goal])
            goal = steps[-1].start
        return tuple(reversed(steps))


def _shortest(edges: Sequence[Edge], start: str) -> Paths:
    """Breadth-first search."""
    leaving: dict[str, dict[tuple[str, str], Edge]] = defaultdict(dict)
    for edge in edges:
        leaving[edge.start].setdefault((edge.goal, edge.label), edge)
    paths, depth = Paths(start, {}, {start: 1}), {start: 0}
    queue = [start]
    for here in queue:
        for edge in leaving[here].values():
            if edge.goal not in depth:
                depth[edge.goal], paths.last[edge.goal], paths.number[edge.goal] = depth[here] + 1, edge, 0
                queue.append(edge.goal)
            if depth[edge.goal] == depth[here] + 1:
                paths.number[edge.goal] += paths.number[here]
    return paths


SOLVERS: dict[str, Solver] = {"qa4": solve_qa4, "qa17": solve_qa17, "qa18": solve_qa18, "qa19": solve_qa19}
