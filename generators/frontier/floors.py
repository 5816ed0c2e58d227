"""Cheap answers with scores in the card (TaskSpec.floors)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from generators.context.checks import texts_at
from generators.frontier.oracles import graphwalks, mrcr
from generators.spec import Row

Floor = Callable[[Row], Sequence[str]]
_graph = lru_cache(maxsize=64)(graphwalks.read)  # of the measured rows of a table; each floor goes through all rows


def _with_string(texts: Callable[[Row], Sequence[str]]) -> Floor:
    """Return the outputs that put the demanded string before each of some texts."""
    return lambda row: [json.loads(row["metadata"])["string"] + text for text in texts(row)]


def _near(row: Row) -> list[str]:
    """Return the replies to the requests of the near misses."""
    requests = {f"Write {turn.partition('.')[0]}." for turn in texts_at(row, "distractor")}
    return [reply for request, reply in mrcr.read(row["prompt"]).turns if request in requests]


MRCR: Mapping[str, Floor] = {
    "first": _with_string(lambda row: row["references"][:1]),
    "last": _with_string(lambda row: row["references"][-1:]),
    "random": _with_string(lambda row: row["references"]),
    "all": _with_string(lambda row: ["\n\n".join(row["references"])]),
    "near_miss": _with_string(_near),
    "string_alone": _with_string(lambda row: [""]),
    "empty": lambda row: [""],
}


def _names(answer: Callable[[graphwalks.Graph], set[str]], right_for: str = "") -> Floor:
    """Return the output with an answer; none for the operation that it answers rightly."""

    def outputs(row: Row) -> list[str]:
        graph = _graph(row["prompt"])
        return [] if graph.operation == right_for else [graphwalks.line(answer(graph))]

    return outputs


def _busiest(graph: graphwalks.Graph) -> set[str]:
    return {name for name, _ in Counter(node for edge in graph.edges for node in edge).most_common(1)}


GRAPHWALKS: Mapping[str, Floor] = {
    "empty_list": _names(lambda graph: set()),
    "constant_3": _names(lambda graph: {"3"}),
    "neighbours": _names(lambda graph: graph.at(1), "children"),
    "up_to_distance": _names(lambda graph: set().union(*graph.levels()[1 : graph.depth + 1]), "children"),
    "both_directions": _names(lambda graph: graph.at(1) | graph.at(1, back=True)),
    "turned_round": _names(lambda graph: graph.at(1, back=True), "parents"),
    "busiest": _names(_busiest),
    "of_the_busiest": _names(lambda graph: graph._replace(asked=[*_busiest(graph)]).at(1)),
    "first_wide_level": _names(
        lambda graph: next((level for level in graph.levels() if len(level) > 3), set()), "children"
    ),
    "all_names": _names(lambda graph: {node for edge in graph.edges for node in edge}),
}
