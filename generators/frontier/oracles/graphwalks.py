"""Solver of GraphWalks: reads the edges of the prompt and answers by breadth-first search."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

_EDGE = re.compile(r"- (\S+) -> (\S+)")
_ASKED = {
    "parents": re.compile(r"Which nodes have an edge to (\S+)\?"),
    "children": re.compile(r"Which nodes have an edge from (\S+)\?"),
    "common": re.compile(r"Which nodes have both an edge from (\S+) and an edge from (\S+)\?"),
    "bfs": re.compile(r"Which nodes are exactly (?P<depth>\d+) edges? away from (\S+),"),
    "path_length": re.compile(r"How many edges does the shortest path from (\S+) to (\S+) have,"),
}


class Graph(NamedTuple):
    """What a prompt says.

    Attributes:
        edges: in order.
        operation: kind of the question.
        asked: nodes in the question.
        depth: number of edges in the question; 1 without one.
    """

    edges: list[tuple[str, str]]
    operation: str
    asked: list[str]
    depth: int

    def levels(self, start: str, *, back: bool = False) -> list[set[str]]:
        """Return the nodes by length of the shortest path from a node (`back`: to it), itself first."""
        after = defaultdict(list)
        for a, b in self.edges:
            after[b if back else a].append(a if back else b)
        found, met = [{start}], {start}
        while level := {node for each in found[-1] for node in after[each]} - met:
            found.append(level)
            met |= level
        return found


def read(prompt: str) -> Graph:
    """Read the edges and the question.

    Raises:
        ValueError: no edges, a line that is not an edge, an edge twice, an edge from a node to itself, or another question.
    """
    _, opened, rest = prompt.partition("<edges>\n")
    body, closed, tail = rest.rpartition("\n</edges>")
    found = [_EDGE.fullmatch(line) for line in body.split("\n")]
    edges = [(edge[1], edge[2]) for edge in found if edge]
    if not (opened and closed) or not all(found):
        raise ValueError("no list of edges between its tags")
    if len(set(edges)) < len(edges) or any(a == b for a, b in edges):
        raise ValueError("an edge appears twice, or joins a node to itself")
    for operation, pattern in _ASKED.items():
        if question := pattern.search(tail):
            depth = question.groupdict().get("depth")
            asked = [group for group in question.groups() if group != depth]
            return Graph(edges, operation, asked, int(depth or 1))
    raise ValueError("no question that is known")


def solution(graph: Graph) -> set[str]:
    """Return the answer to the question: names of nodes, or the number of edges."""
    first = graph.asked[0]
    if graph.operation == "common":
        return set.intersection(*(_at(graph.levels(node), 1) for node in graph.asked))
    if graph.operation == "path_length":
        lengths = (str(i) for i, level in enumerate(graph.levels(first)) if graph.asked[1] in level)
        return set(lengths)
    return _at(graph.levels(first, back=graph.operation == "parents"), graph.depth)


def _at(levels: list[set[str]], depth: int) -> set[str]:
    return levels[depth] if depth < len(levels) else set()


def counts(graph: Graph) -> dict[str, int]:
    """Return the number of edges, and of those that decide the answer."""
    return {"edges": len(graph.edges), "evidence": _evidence(graph)}


def _evidence(graph: Graph) -> int:
    if graph.operation == "parents":
        return sum(b == graph.asked[0] for _, b in graph.edges)
    if graph.operation == "common":
        return sum(a in graph.asked for a, _ in graph.edges)
    levels = graph.levels(graph.asked[0])
    until = next((i for i, level in enumerate(levels) if graph.asked[-1] in level), len(levels))
    near = set[str]().union(*levels[: until if graph.operation == "path_length" else graph.depth])
    return sum(a in near for a, _ in graph.edges)


def line(names: Iterable[str]) -> str:
    """Return the line that ends an answer."""
    return f"Final Answer: [{', '.join(sorted(names))}]"


def solve(prompt: str) -> list[str]:
    """Return the line with the answer.

    Raises:
        ValueError: see `read`.
    """
    return [line(solution(read(prompt)))]
