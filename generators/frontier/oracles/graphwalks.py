"""Solver of GraphWalks: reads the edges of the prompt and answers by breadth-first search."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

_EDGE = re.compile(r"- (\S+) -> (\S+)")


class Graph(NamedTuple):
    """Contents of a prompt.

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

    def levels(self, *, start: int = 0, back: bool = False) -> list[set[str]]:
        """Return the nodes by length of the shortest path from an asked node (`back`: to it), itself first."""
        after = defaultdict(list)
        for a, b in self.edges:
            after[b if back else a].append(a if back else b)
        found, met = [{self.asked[start]}], {self.asked[start]}
        while level := {node for each in found[-1] for node in after[each]} - met:
            found.append(level)
            met |= level
        return found

    def at(self, depth: int, *, start: int = 0, back: bool = False) -> set[str]:
        """Return the nodes at a distance."""
        found = self.levels(start=start, back=back)
        return found[depth] if depth < len(found) else set()

    def before(self, depth: int) -> int:
        """Return the number of edges from nodes at a smaller distance."""
        near = set[str]().union(*self.levels()[:depth])
        return sum(a in near for a, _ in self.edges)

    def path(self) -> int | None:
        """Return the length of the shortest path between the asked nodes."""
        return next((i for i, level in enumerate(self.levels()) if self.asked[1] in level), None)


class Rule(NamedTuple):
    """How a question is recognised and answered.

    Attributes:
        question: pattern; its groups are the asked nodes, and `depth`.
        answer: names of nodes, or a number.
        evidence: number of edges that decide the answer.
    """

    question: str
    answer: Callable[[Graph], set[str]]
    evidence: Callable[[Graph], int]


_RULES: Mapping[str, Rule] = {
    "parents": Rule(
        r"Which nodes have an edge to (\S+)\?",
        lambda graph: graph.at(1, back=True),
        lambda graph: sum(b == graph.asked[0] for _, b in graph.edges),
    ),
    "children": Rule(
        r"Which nodes have an edge from (\S+)\?", lambda graph: graph.at(1), lambda graph: graph.before(1)
    ),
    "common": Rule(
        r"Which nodes have both an edge from (\S+) and an edge from (\S+)\?",
        lambda graph: graph.at(1) & graph.at(1, start=1),
        lambda graph: sum(a in graph.asked for a, _ in graph.edges),
    ),
    "bfs": Rule(
        r"Which nodes are exactly (?P<depth>\d+) edges away from (\S+),",
        lambda graph: graph.at(graph.depth),
        lambda graph: graph.before(graph.depth),
    ),
    "path_length": Rule(
        r"How many edges does the shortest path from (\S+) to (\S+) have,",
        lambda graph: set() if graph.path() is None else {str(graph.path())},
        lambda graph: graph.before(len(graph.edges) if (length := graph.path()) is None else length),
    ),
}


def read(prompt: str) -> Graph:
    """Read the edges and the question.

    Raises:
        ValueError: no edges, a line that is not an edge, an edge twice, an edge from a node to itself, another question, or a
            question about a node without edges.
    """
    _, opened, rest = prompt.partition("<edges>\n")
    body, closed, tail = rest.rpartition("\n</edges>")
    found = [_EDGE.fullmatch(line) for line in body.split("\n")]
    edges = [(edge[1], edge[2]) for edge in found if edge]
    if not (opened and closed) or not all(found):
        raise ValueError("no list of edges between its tags")
    if len(set(edges)) < len(edges) or any(a == b for a, b in edges):
        raise ValueError("an edge appears twice, or joins a node to itself")
    for operation, rule in _RULES.items():
        if question := re.search(rule.question, tail):
            depth = question.groupdict().get("depth")
            asked = [group for group in question.groups() if group != depth]
            if missing := set(asked) - {node for edge in edges for node in edge}:
                raise ValueError(f"no edge has the asked node {min(missing)}")
            return Graph(edges, operation, asked, int(depth or 1))
    raise ValueError("no question that is known")


def counts(graph: Graph) -> dict[str, int]:
    """Return the number of edges, and of the edges that decide the answer."""
    return {"edges": len(graph.edges), "evidence": _RULES[graph.operation].evidence(graph)}


def line(names: Iterable[str]) -> str:
    """Return the line that ends an answer."""
    return f"Final Answer: [{', '.join(sorted(names))}]"


def solve(prompt: str) -> list[str]:
    """Return the line with the answer.

    Raises:
        ValueError: see `read`.
    """
    graph = read(prompt)
    return [line(_RULES[graph.operation].answer(graph))]
