"""Trees on a grid: every node one step from the node it hangs on, no two on one point (docs/spec/babilong.md 5.17, 5.19)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from haymaker.core.rng import Stream

Step = tuple[int, int]
STEPS: tuple[Step, ...] = ((0, 1), (0, -1), (1, 0), (-1, 0))
"""Up, down, right, left."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes by number.

    Attributes:
        points: where each node lies.
        hosts: the node that each node but node 0 hangs on; a link goes by the number of the node that hangs.
    """

    points: tuple[Step, ...]
    hosts: tuple[int, ...]

    def offset(self, one: int, other: int) -> Step:
        """How far `one` lies right of and above `other`."""
        (x, y), (to_x, to_y) = self.points[one], self.points[other]
        return x - to_x, y - to_y

    def link(self, one: int, other: int) -> int:
        """The link that joins two neighbours."""
        return one if self.hosts[one] == other else other

    def two_apart(self) -> Iterator[tuple[int, int, int]]:
        """(one end, middle, other end) of every path of two links, each path from either end."""
        near: list[list[int]] = [[] for _ in self.points]
        for node, host in enumerate(self.hosts):
            if node:
                near[node].append(host)
                near[host].append(node)
        for middle, around in enumerate(near):
            for one, other in permutations(around, 2):
                yield one, middle, other


def grow(stream: Stream, size: int) -> Tree:
    """A random tree of `size` nodes.

    Nodes 1 and 2 hang on node 0, the next three on any of these, as all real stories have it; further ones anywhere.
    """
    points, hosts, taken = [(0, 0)], [0], {(0, 0)}
    while len(points) < size:
        grown = len(points)
        host, way = divmod(stream.below(len(STEPS) * (1 if grown < 3 else 3 if grown < 6 else grown)), len(STEPS))
        (x, y), (right, up) = points[host], STEPS[way]
        point = x + right, y + up
        if point not in taken:
            points.append(point)
            hosts.append(host)
            taken.add(point)
    return Tree(tuple(points), tuple(hosts))
