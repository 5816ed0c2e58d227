"""The small graphs that decide a question of GraphWalks, and the questions: one Operation for each kind.

Nodes are numbers from 0; the nodes in the question come first. The task adds edges that cannot change the answer (graphwalks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import NamedTuple

from haymaker.core.rng import Stream

Edge = tuple[int, int]
_NARROW = 3  # most nodes of a level on the way to a small answer


class Core(NamedTuple):
    """The edges that decide the answer to a question. No edge is listed twice or joins a node to itself.

    Attributes:
        size: number of nodes.
        evidence: edges that a solver must find, as the solver counts them.
        others: further edges between the same nodes.
        answer: nodes of the answer: as many as were asked for.
        leaving: nodes that may have edges to any nodes outside without changing the answer.
        entered: nodes that may have edges from any nodes outside without changing the answer.
    """

    size: int
    evidence: list[Edge]
    others: list[Edge]
    answer: list[int]
    leaving: list[int]
    entered: list[int]

    @property
    def reversed(self) -> Core:
        """The same with every edge turned round."""
        evidence, others = ([(b, a) for a, b in edges] for edges in (self.evidence, self.others))
        return self._replace(evidence=evidence, others=others, leaving=self.entered, entered=self.leaving)


class Operation(NamedTuple):
    """A kind of question.

    Attributes:
        question: with {0} and {1} for the nodes and {depth} for a number of edges.
        asked: number of nodes in the question: 0 .. asked - 1.
        core: (number of nodes in the answer, depth, random stream) -> the graph; the number may be 0.
        example: nodes asked for in the graph of the worked example (graphwalks.py), with depth 2, and the answer.
        counts: whether the answer is the depth instead of names of nodes.
    """

    question: str
    asked: int
    core: Callable[[int, int, Stream], Core]
    example: tuple[str, str]
    counts: bool = False

    @property
    def has_depth(self) -> bool:
        """Whether the depth is part of the question or the answer."""
        return self.counts or "{depth}" in self.question


def _bfs(size: int, depth: int, draws: Stream) -> Core:
    """Every level has about as many nodes as the answer, so that only the distance tells which one it is."""
    return levels([1, *(about(size, draws) for _ in range(depth - 1)), size], draws)


def about(size: int, draws: Stream) -> int:
    """Return a number from a half to five quarters of another, from 1 to 3 for small ones."""
    return draws.between(max(1, size // 2), max(_NARROW, size + size // 4))


def levels(sizes: list[int], draws: Stream) -> Core:
    """Return a graph in which so many nodes are at each distance from node 0; the answer is the last level.

    Edges from a node lead to the next level, to its own, or back, so that no path becomes shorter.
    """
    starts = list(accumulate(sizes, initial=0))
    every = [range(a, b) for a, b in pairwise(starts)]
    edges = dict.fromkeys((draws.choice(above), node) for above, level in pairwise(every) for node in level)
    for above, level in pairwise(every):
        edges |= dict.fromkeys((draws.choice(above), node) for node in level if draws.chance(0.5))
    for node in range(1, starts[-1]):
        level = next(level for level in every if node in level)
        edges |= dict.fromkeys(
            (node, other) for other in [draws.below(level.stop)] if draws.chance(0.5) and other != node
        )
    read, rest = ([edge for edge in edges if (edge[0] < starts[-2]) == near] for near in (True, False))
    return Core(starts[-1], read, rest, list(every[-1]), list(every[-1]), list(range(starts[-1])))


def _parents(size: int, depth: int, draws: Stream) -> Core:
    return levels([1, size], draws).reversed


def _children(size: int, depth: int, draws: Stream) -> Core:
    return levels([1, size], draws)


def _common(size: int, depth: int, draws: Stream) -> Core:
    """Nodes 0 and 1 share `size` children; each has about as many of its own."""
    both, first, second = size, about(size, draws), about(size, draws)
    end = 2 + both + first + second
    edges = [(parent, node) for node in range(2, 2 + both) for parent in (0, 1)]
    edges += [(0 if node < 2 + both + first else 1, node) for node in range(2 + both, end)]
    return Core(end, edges, [], list(range(2, 2 + both)), list(range(2, end)), list(range(end)))


def _path(size: int, depth: int, draws: Stream) -> Core:
    """Node 1 is at the end of a shortest path of `depth` edges from node 0; without a node in the answer there is no path."""
    core = _bfs(draws.between(1, _NARROW) if size else 0, depth, draws)
    if not size:
        core = core._replace(size=core.size + 1, leaving=[core.size], entered=[*core.entered, core.size])
    target = core.size - 1
    return _swapped(core, 1, target)._replace(answer=[1] if size else [])


def _swapped(core: Core, a: int, b: int) -> Core:
    """Return a graph in which two nodes have changed names."""
    name = {a: b, b: a}
    evidence, others = ([(name.get(x, x), name.get(y, y)) for x, y in edges] for edges in (core.evidence, core.others))
    lists = ([name.get(node, node) for node in nodes] for nodes in (core.answer, core.leaving, core.entered))
    return Core(core.size, evidence, others, *lists)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "parents": Operation("Which nodes have an edge to {0}?", 1, _parents, ("birch", "ash, cedar")),
        "children": Operation("Which nodes have an edge from {0}?", 1, _children, ("cedar", "birch, elm")),
        "common": Operation(
            "Which nodes have both an edge from {0} and an edge from {1}?", 2, _common, ("ash cedar", "birch")
        ),
        "bfs": Operation(
            "Which nodes are exactly {depth} edges away from {0}, along a shortest path that follows the direction of the edges? "
            "Nodes that are nearer do not count.",
            1, _bfs, ("ash", "elm"),
        ),
        "path_length": Operation(
            "How many edges does the shortest path from {0} to {1} have, following the direction of the edges? "
            "Answer with the number, or with an empty list if there is no path.",
            2, _path, ("ash elm", "2"), counts=True,
        ),
    }
)  # fmt: skip
