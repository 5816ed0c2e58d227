"""GraphWalks: a question about a long list of directed edges (docs/suites/frontier.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import lcm
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.checks import context_of, counts, is_context, texts_at
from generators.context.pieces import Ints, Pieces
from generators.frontier import floors
from generators.frontier.graphs import OPERATIONS, Core, Edge, Operation, about
from generators.frontier.oracles import graphwalks as oracle
from generators.generated.base import GENERATED_SKIPS, GeneratedSettings, GeneratedTask
from generators.generated.listed import Column, ListUnits, fitted
from generators.generated.rows import framed
from generators.generated.splits import texts_of
from generators.generated.vocabulary import POOL, compounds
from generators.spec import Allowed, BackgroundUnits, Candidate, Row, Table, TaskSpec
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split

NameForm = Literal["words", "hex"]
_SIZES = (1, 8, 16, 0, 8, 1, 16, 8, 16, 8)  # nodes in the answers of ten groups: none, one, 2 to 8, 9 to 16
_OPEN, _NEXT, _CUE = "-", "\n-", "Reply:"
_FIRST_NODES = 64  # outside of the core: an edge of rank r joins two of the first 64 + r / 2 nodes
_APART = 16  # numbers between the nodes that begin most edges and the nodes that end most
_MOST_ASKED = 2  # nodes in a question; each has at least one edge
_FORM = "Reply with one line of this form only, with the names in any order, or with empty brackets if there is nothing to name:\nFinal Answer: [name, name]"
_INSTRUCTION = f"Below is a directed graph. Each line `- a -> b` is an edge from node a to node b; edges are in no order, and each is listed once. A question about the graph follows.\n{_FORM}"
_EXAMPLE = "<example>\n- ash -> birch\n- cedar -> elm\n- birch -> elm\n- ash -> cedar\n- elm -> fir\n- cedar -> birch\n\n{question}\n{cue} Final Answer: [{answer}]\n</example>"


class GraphSettings(GeneratedSettings):
    """Settings of `graphwalks`.

    Attributes:
        operation: kind of the question: parents, children, common (children of two nodes), bfs (nodes at an exact distance), path_length.
        depths: distances of bfs and path_length, in turn.
        names: names of the nodes: words (adjective-noun), or ten hexadecimal digits.
    """

    operation: Literal["parents", "children", "common", "bfs", "path_length"] = "bfs"
    depths: Annotated[tuple[Annotated[int, Field(strict=True, ge=2, le=8)], ...], Field(min_length=1)] = (2, 3, 4)
    names: NameForm = "words"

    def title_words(self) -> Mapping[str, object]:
        return {"operation": self.operation.replace("_", " ")}

    def metrics(self, spec: TaskSpec) -> Sequence[str]:
        """A number is right or wrong: a list of several numbers must not score."""
        return spec.metrics[::-1] if OPERATIONS[self.operation].counts else spec.metrics


class GraphWalks(GeneratedTask[GraphSettings]):
    """One graph per group: the edges that decide the answer, edges that hide them, and edges of other nodes."""

    settings_type = GraphSettings

    def limit(self, split: Split = "test") -> int:
        return 2 * POOL * self.inputs.tokenizers[0].count_part(" calm-lamp -> brisk-otter\n-") * 9 // 10

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        operation, tokenizers = self._operation, tuple(self.inputs.tokenizers)
        have = _stock(self.release.stream_key, candidate.split, self.settings.names, tokenizers)
        depth = self._depth(candidate)
        edges = self._edges(candidate, depth, have)
        names = sorted(edges.name(node) for node in edges.core.answer)
        names = [str(depth)] if operation.counts and names else names
        answer = f"Final Answer: [{', '.join(names)}]"
        question = operation.question.format(*map(edges.name, range(operation.asked)), depth=depth)
        shown = operation.question.format(*operation.example[0].split(), depth=2)
        frame = framed(
            self.writer, _INSTRUCTION, f"<edges>\n{_OPEN}", f"\n</edges>\n\n{question}\n{_CUE}", cue=_CUE, opener=_OPEN,
            worked=_EXAMPLE.format(question=shown, cue=_CUE, answer=operation.example[1]),
        )  # fmt: skip
        room = self.spec.max_new_tokens + 13 * tokenizers[0].count_part(answer) // 10
        [columns] = fitted(self, table, candidate, frame, edges.units(), [[]], room)
        claims = {"edges": columns["num_segments"], "evidence": len(edges.core.evidence)}
        return self.writer.sample(
            table, candidate.key, **columns, question=question, answers=[answer], answer_groups=[[name] for name in names],
            max_new_tokens=room, num_distractors=len(edges.hiding),
            metadata={"operation": self.settings.operation, "depth": depth, **claims},
        )  # fmt: skip

    def _depth(self, candidate: Candidate) -> int:
        """Return the distance in the question: each of `depths` with each size of answer, in turn."""
        depths, number = self.settings.depths, candidate.number
        return (
            depths[(number + number // lcm(len(depths), len(_SIZES))) % len(depths)] if self._operation.has_depth else 1
        )

    def _edges(self, candidate: Candidate, depth: int, have: Stock) -> Edges:
        draws = partial(self.draws, candidate.split, candidate.number)
        most = _SIZES[candidate.number % len(_SIZES)]
        size = draws("size").between(most // 2 + 1, most) if most > 1 else most
        return Edges(self._operation.core(size, depth, draws("core")), have, draws)

    @property
    def _operation(self) -> Operation:
        return OPERATIONS[self.settings.operation]

    def background(self, row: Row) -> BackgroundUnits:
        return context_of(row).split("\n")

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        graph, claims = oracle.read(row["prompt"]), json.loads(row["metadata"])
        yield from counts(row, [f"{a} {b}" for a, b in graph.edges])
        yield from is_context(row, "\n".join(f"- {a} -> {b}" for a, b in graph.edges))
        if wrong := {name: found for name, found in oracle.counts(graph).items() if claims[name] != found}:
            yield f"the prompt has {wrong}, the row claims {claims}"
        depth = claims["depth"] if "{depth}" in self._operation.question else 1
        if (graph.operation, graph.depth) != (claims["operation"], depth):
            yield f"the question is {graph.operation} at distance {graph.depth}, the row claims {claims}"
        if (marked := len(texts_at(row, "support"))) != claims["evidence"]:
            yield f"{marked} edges are marked, {claims['evidence']} decide the answer"


class Stock(NamedTuple):
    """Names of nodes for all groups of a split, as they are written at the start and at the end of an edge."""

    names: list[str]
    starts: Pieces
    ends: Pieces


@lru_cache(maxsize=4)
def _stock(stream_key: Key, split: Split, form: NameForm, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    if form == "hex":
        words = Stream("frontier", "nodes", stream_key, split).bulk(POOL)
        names = [f"{word >> 24:010x}" for word in words.tolist()]
    else:
        names = texts_of(lambda count: compounds(count, "nodes", stream_key), POOL, split)
    starts, ends = [f" {name} ->" for name in names], [f" {name}{_NEXT}" for name in names]
    return Stock(names, Pieces(starts, tokenizers), Pieces(ends, tokenizers))


class Edges:
    """The edges of a group by rank: core, edges that hide it, edges of other nodes.

    Node 0 .. core.size - 1 are the core; the rank of an edge of others decides how many nodes it may choose from, so that nodes have
    about four edges each in a graph of any size. Low numbers are chosen more often: few nodes have many edges, and many have few.

    Args:
        core: edges that decide the answer.
        stock: names.
        draws: returns the random stream of the group for a purpose.
    """

    def __init__(self, core: Core, stock: Stock, draws: Callable[[str], Stream]) -> None:
        self.core, self._stock, self._draws = core, stock, draws
        self._names = draws("names").permutation(POOL)
        self.hiding = [*self._outside(core.leaving, out=True), *self._outside(core.entered, out=False)]
        self._drawn = np.empty((0, 2), dtype=np.int64)
        self._fixed = np.array([*core.evidence, *core.others, *self.hiding], dtype=np.int64)

    def _outside(self, nodes: list[int], *, out: bool) -> Iterator[Edge]:
        """Join nodes to some of the first nodes outside: an asked node as often as it has edges in the other direction, about."""
        draws, core = self._draws("out" if out else "in"), self.core
        ends = Counter(edge[out] for edge in [*core.evidence, *core.others])
        for node in nodes:
            count = max(1, about(ends[node], draws)) if node < _MOST_ASKED else draws.between(0, 2)
            for other in draws.sample(range(core.size, core.size + _FIRST_NODES), count):
                yield (node, other) if out else (other, node)

    def name(self, node: int) -> str:
        """Return the name of a node."""
        return self._stock.names[int(self._names[node])]

    def units(self) -> ListUnits:
        """Return the edges as units."""
        marks = {rank: ("support", f"edge:{rank}") for rank in range(len(self.core.evidence))}
        most = 2 * (POOL - self.core.size - _FIRST_NODES)
        return ListUnits(self._columns, len(self._fixed), most, marks, _NEXT)

    def _columns(self, count: int) -> list[Column]:
        edges = np.concatenate((self._fixed, self.core.size + self._others(count)))
        starts, ends = self._names[edges].T
        return [[(self._stock.starts, starts)], [(self._stock.ends, ends)]]

    def _others(self, count: int) -> Ints:
        """Return the first `count` edges of other nodes, shape (count, 2); a larger count extends the list."""
        while len(self._drawn) < count:
            tries = max(count + count // 2, 2 * len(self._drawn)) + 64
            drawn = self._draws("edges").bulk(2 * tries).reshape(tries, 2) / 2.0**64
            known = np.minimum(_FIRST_NODES + np.arange(tries) // 2, POOL - self.core.size)
            starts, ends = (known[:, None] * drawn**2).astype(np.int64).T
            ends = (ends + _APART) % known
            firsts = np.sort(np.unique(starts * POOL + ends, return_index=True)[1])
            firsts = firsts[starts[firsts] != ends[firsts]]
            self._drawn = np.column_stack((starts[firsts], ends[firsts]))
        return self._drawn[:count]


_PART = "A list that is found in part scores: who reads a share r of the edges gets about 2r / (1 + r)."

TASKS = (
    TaskSpec(
        "graphwalks", GraphWalks, "GraphWalks: {operation} in a long list of edges", "reasoning",
        ("graphwalks@strict", "graphwalks@official", "graphwalks_exact@strict"), 64, ends="65,536 nodes of a release: about 1.5M tokens", solver=oracle.solve,
        skips=GENERATED_SKIPS, floors=floors.GRAPHWALKS,
        allows={"first_1k": Allowed(55, _PART), "last_1k": Allowed(55, _PART), "first_half": Allowed(75, _PART)},
    ),
)  # fmt: skip
