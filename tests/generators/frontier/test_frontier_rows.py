"""MRCR and GraphWalks: rows are full, exact and solved; answers hold in graphs searched by other code; damage is found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers.tokenizer import load
from generators.frontier.graphs import OPERATIONS
from generators.frontier.graphwalks import GraphSettings
from generators.frontier.oracles import graphwalks, mrcr
from generators.frontier.suite import SUITE
from generators.inputs import Inputs
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.chat_template import TEMPLATES, render
from haymaker.scoring.metrics import get
from tests.errors import refused
from tests.generators import kit
from tests.generators.kit import Injury, Row, metadata, said
from tests.rows import row_digest

GRAPHS: dict[str, Any] = {
    name: {"base": "graphwalks", "operation": name, "lengths": {"4k": 10, "16k": 10}} for name in OPERATIONS
}
GRAPHS["path_length"]["depths"] = [2, 3, 4, 5, 6, 7, 8]
CHATS: dict[str, Any] = {
    "mrcr": {"lengths": {"4k": 12, "16k": 40}},
    "mrcr_8": {"base": "mrcr", "needles": 8, "chat_template": "chatml", "lengths": {"8k": 16, "16k": 6}},
    "mrcr_16": {"base": "mrcr", "needles": 16, "lengths": {"16k": 4, "64k": 2}},
}
TASKS = {**CHATS, **GRAPHS, "hex": {"base": "graphwalks", "names": "hex", "lengths": {"8k": 4}}}


def suite(tasks: dict[str, Any], tokenizers: tuple[str, ...] = ("tekken",)) -> ReleaseSuite:
    built = kit.params({"frontier": {"tasks": tasks}}, tokenizers)
    return ReleaseSuite(SUITE, built.suites["frontier"], Inputs(built, Path("data")))


@cache
def every() -> kit.Rows:
    return kit.by_place(suite(TASKS))


def rows_of(*tasks: str) -> Iterator[Row]:
    return (row for (task, _, _), rows in every().items() if task in tasks for row in rows)


def test_every_row_is_full_exact_solved_and_nested() -> None:
    checked, groups = (
        len([*rows_of(*TASKS)]),
        {(row["task"], row["group_id"], row["variant"]) for row in rows_of(*TASKS)},
    )
    kit.sound(suite(TASKS), every(), suite(TASKS), ORACLE=checked, FILL=checked, NESTED=checked - len(groups))


def test_first_rows_by_heart() -> None:
    """A changed byte is a new version of the task (version in its TaskSpec)."""
    assert {task: row_digest(next(rows_of(task))) for task in TASKS} == GOLDEN


@pytest.mark.real
def test_counts_under_two_more_tokenizers(mirror: Path) -> None:
    names = ("tekken", "gpt2", f"file:{mirror}/tokenizers/llama2/tokenizer.model")
    few = {name: TASKS[name] | {"lengths": {"16k": 2}} for name in ("mrcr", "bfs", "hex")}
    for row in kit.rows_of(suite(few, names)):
        kit.counted(row, names)


# ------------------------------------------------------------------------------------------------------------ MRCR


def test_number_and_depth_of_the_asked_reply_vary_apart() -> None:
    places = {(metadata(row)["asked"], row["depth_index"]) for row in rows_of("mrcr") if row["length"] == "16k"}
    assert len(places) == 20  # two numbers with each tenth of the context, in 20 groups
    assert {metadata(row)["asked"] for row in rows_of("mrcr_8")} == set(range(1, 9))
    for row in rows_of("mrcr"):
        if row["length"] == "16k":
            assert abs(row["depth"] * 10 - row["depth_index"] - 0.5) < 0.9


def test_both_forms_ask_for_the_same_and_messages_are_the_prompt() -> None:
    pairs = {}
    for row in rows_of(*CHATS):
        pairs.setdefault((row["task"], row["length"], row["group_id"]), {})[row["variant"]] = row
    for pair in pairs.values():
        chat, flat = pair["messages"], pair["flat"]
        same = ("question", "answers", "references", "depth_index", "num_distractors")
        assert [chat[key] for key in same] == [flat[key] for key in same]
        assert flat["messages"] is None and flat["prompt"].count("<conversation>\n") == 1
        assert render(chat["messages"], TEMPLATES[metadata(chat)["chat_template"]]) == chat["prompt"]
        roles = [each["role"] for each in chat["messages"]]
        assert (
            roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] and len(roles) == 2 * chat["num_segments"] + 1
        )
        assert chat["messages"][-1]["content"] == chat["question"]


def test_needles_are_counted_in_the_prompt_and_differ() -> None:
    for row in rows_of("mrcr", "mrcr_16"):
        requests = Counter(re.findall(r"^User: (Write an? .+)$", row["prompt"], re.MULTILINE))
        asked = requests[mrcr.read(row["prompt"]).asked]
        assert asked == metadata(row)["needles"] == len(row["references"]) == len(set(row["references"]))
        assert row["answers"] == [metadata(row)["string"] + row["references"][metadata(row)["asked"] - 1]]
    row = next(rows_of("mrcr_16"))
    for a, b in [*combinations(row["references"], 2)][::12]:
        assert (
            SequenceMatcher(None, a, b).ratio() <= 0.3 and SequenceMatcher(None, a, b, autojunk=False).ratio() <= 0.45
        )


def test_near_misses_have_the_format_or_the_topic() -> None:
    row = next(rows_of("mrcr"))
    near = [turn.split("\n")[0] for turn in said(row, "distractor")]
    form, topic = mrcr.read(row["prompt"]).asked.removeprefix("Write ").rstrip(".").split(" about ")
    assert len(near) == row["num_distractors"] == 4
    assert Counter((turn.startswith(form), f"about {topic}." in turn) for turn in near) == {
        (True, False): 2,
        (False, True): 2,
    }


def test_splits_share_no_topic() -> None:
    task = suite({"mrcr": {"lengths": {"16k": {"test": 6, "train": 6, "dev": 6}}}})
    topics = {
        table.split: {request.split(" about ")[1] for row in kit.rows_of(task, table) for request, _ in mrcr.read(row["prompt"]).turns}
        for table in task.tables()
    }  # fmt: skip
    assert len(topics) == 3 and not any(topics[a] & topics[b] for a, b in combinations(topics, 2))


# ------------------------------------------------------------------------------------------------------- GraphWalks


def reached(edges: Edges, start: int) -> dict[int, int]:
    """Distance of every node that a node reaches, by relaxing all edges until nothing changes."""
    found = {start: 0}
    while nearer := {b: found[a] + 1 for a, b in edges if a in found and found[a] + 1 < found.get(b, 1 << 30)}:
        found |= nearer
    return found


Edges = set[tuple[int, int]]
ANSWERS: dict[str, Callable[[Edges, int], set[int]]] = {  # of node 0 (and 1), found without a word of the solver's code
    "parents": lambda edges, depth: {a for a, b in edges if b == 0},
    "children": lambda edges, depth: {b for a, b in edges if a == 0},
    "common": lambda edges, depth: {b for a, b in edges if a == 0} & {b for a, b in edges if a == 1},
    "bfs": lambda edges, depth: {node for node, at in reached(edges, 0).items() if at == depth},
    "path_length": lambda edges, depth: {1} if reached(edges, 0).get(1) == depth else set(),
}


@given(
    st.sampled_from(sorted(OPERATIONS)), st.integers(0, 12), st.integers(2, 8), st.integers(0, 1 << 32),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 9), st.booleans()), max_size=40),
)  # fmt: skip
def test_no_edge_outside_changes_an_answer_and_the_evidence_is_what_a_solver_counts(
    operation: str, size: int, depth: int, seed: int, more: list[tuple[int, int, bool]]
) -> None:
    """Edges to and from other nodes, where the core allows them, and edges among the others."""
    core = OPERATIONS[operation].core(size, depth, Stream("test", seed))
    edges = [*core.evidence, *core.others]
    assert len(set(edges)) == len(edges) and not any(a == b for a, b in edges)
    around = {(core.size + i, core.size + (i * i + 1) % 10) for i in range(10)}
    asked = range(OPERATIONS[operation].asked)
    around |= {(core.size, node) if node in core.entered else (node, core.size) for node in asked}
    for at, other, out in more:
        nodes = core.leaving if out else core.entered
        if nodes:
            node = nodes[at % len(nodes)]
            around.add((node, core.size + other) if out else (core.size + other, node))
    assert ANSWERS[operation]({*edges, *around}, depth) == set(core.answer)
    assert len(core.answer) == (min(size, 1) if operation == "path_length" else size)
    lines = "\n".join(f"- n{a} -> n{b}" for a, b in {*edges, *around})
    question = OPERATIONS[operation].question.format("n0", "n1", depth=depth)
    prompt, names = f"<edges>\n{lines}\n</edges>\n\n{question}\n", [f"n{node}" for node in core.answer]
    names = [str(depth)] if names and OPERATIONS[operation].counts else names
    assert graphwalks.solve(prompt) == [graphwalks.line(names)]
    assert graphwalks.counts(graphwalks.read(prompt))["evidence"] == len(core.evidence)


def test_degrees_do_not_tell_the_answer() -> None:
    for operation in OPERATIONS.keys() - {"path_length"}:
        right, other = [], []
        for row in rows_of(operation):
            if row["length"] == "4k":
                names = {name for [name] in row["answer_groups"]}
                degrees = Counter(node for edge in graphwalks.read(row["prompt"]).edges for node in edge)
                for node, degree in degrees.items():
                    (right if node in names else other).append(degree)
        assert abs(fmean(right) - fmean(other)) < 1.2, operation


def test_sizes_of_answers_and_distances_are_spread() -> None:
    for operation in OPERATIONS:
        sizes = Counter(len(row["answer_groups"]) for row in rows_of(operation) if row["length"] == "4k")
        single = 9 if operation == "path_length" else 2
        assert (sizes[0], sizes[1], sum(sizes.values())) == (1, single, 10)
    assert {metadata(row)["depth"] for row in rows_of("bfs")} == {2, 3, 4}


def test_a_number_is_right_or_wrong_and_a_list_is_right_in_part() -> None:
    for operation in OPERATIONS:
        first = "graphwalks_exact@strict" if operation == "path_length" else "graphwalks@strict"
        assert {row["metrics"][0] for row in rows_of(operation)} == {first}
    row = [*rows_of("path_length")][1]
    assert get(row["metrics"][0]).function("Final Answer: [2, 3, 4, 5, 6, 7, 8]", row) == 0


def test_edges_are_in_no_order() -> None:
    """Edges from one node are as far apart as any edges, and evidence is in both halves."""
    for row in rows_of("bfs", "parents"):
        starts = [a for a, _ in graphwalks.read(row["prompt"]).edges]
        beside = sum(a == b for a, b in pairwise(starts))
        assert beside <= 0.05 * len(starts) and starts != sorted(starts)
    halves = Counter(
        2 * (span["start"] - row["context_start"]) // (row["context_end"] - row["context_start"])
        for row in rows_of("bfs", "children") for span in row["spans"] if span["kind"] == "support"
    )  # fmt: skip
    assert halves.keys() == {0, 1} and min(halves.values()) > 0.4 * halves.total()


def test_the_budget_holds_the_answer() -> None:
    for row in rows_of(*GRAPHS, "mrcr_8"):
        assert row["max_new_tokens"] >= 1.2 * load("tekken").count(row["answers"][0]) + 30


def test_operations_are_the_choices_of_the_setting() -> None:
    assert OPERATIONS.keys() == ANSWERS.keys() == set(get_args(GraphSettings.model_fields["operation"].annotation))


def test_every_example_is_right() -> None:
    """The worked example is a graph with a question like any other."""
    for operation in OPERATIONS:
        text = said(next(rows_of(operation)), "fewshot")[0]
        body, _, question = text.removeprefix("<example>\n").removesuffix("\n</example>").partition("\n\n")
        question, _, answer = question.rpartition("\nReply: ")
        assert graphwalks.solve(f"<edges>\n{body}\n</edges>\n\n{question}\nReply:") == [answer]


# ---------------------------------------------------------------------------------------------- what must be noticed


def _one_needle_less(row: Row) -> None:
    (at,) = {span["start"] for span in row["spans"] if span["kind"] == "needle"}
    kit.put(row, at, " b "[: 1 + (row["prompt"][at : at + 2] == "an")])


INJURIES: dict[str, tuple[str, Injury, str]] = {
    "another distance": ("bfs", lambda row: kit.note(row, depth=7), "distance"),
    "evidence that is not there": ("children", lambda row: kit.note(row, evidence=99), "claims"),
    "an unmarked edge": ("common", lambda row: row["spans"].pop(), "are marked"),
    "a needle less": ("mrcr", _one_needle_less, "claims"),
    "another number": ("mrcr", lambda row: kit.note(row, asked=9), "claims"),
    "references in another order": ("mrcr", lambda row: row["references"].reverse(), "references"),
    "a reply without its form": ("mrcr", lambda row: kit.put(row, row["context_end"] - 40, " " * 40), "the reply to"),
}


@pytest.mark.parametrize("name", INJURIES)
def test_damage_is_found(name: str) -> None:
    task, injure, message = INJURIES[name]
    kit.assert_named(suite(TASKS).task(task), [*rows_of(task)][6], injure, message)


@pytest.mark.parametrize(
    ("solve", "prompt"),
    [
        (graphwalks.solve, "<edges>\n- a -> b\n</edges>\n\nHow many?\nReply:"),
        (graphwalks.solve, "<edges>\n- a -> b\na -> c\n</edges>\n\nWhich nodes have an edge to b?\nReply:"),
        (graphwalks.solve, "<edges>\n- a -> b\n</edges>\n\nWhich nodes have an edge to c?\nReply:"),
        (graphwalks.solve, "<edges>\n- a -> b\n- a -> b\n</edges>\n\nWhich nodes have an edge to b?\nReply:"),
        (graphwalks.solve, "<edges>\n- a -> a\n</edges>\n\nWhich nodes have an edge to a?\nReply:"),
        (mrcr.solve, "User: Write a poem about x.\n\nUser: Write the 1st poem about x from this conversation again, word for word. Begin with q, "),
        (mrcr.solve, "User: Write a poem about x.\n\nAssistant: X\n\nUser: Write the 2nd poem about x from this conversation again, word for word. Begin with q, "),
    ],
)  # fmt: skip
def test_solvers_refuse_what_is_no_prompt(solve: Callable[[str], object], prompt: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        solve(prompt)


def test_a_length_without_room_for_the_needles_is_refused() -> None:
    few = suite({"mrcr_32": {"base": "mrcr", "needles": 32, "lengths": {"4k": 2}}})
    with refused(BuildError, "frontier_mrcr_32_4k", fix="drop the length"):
        kit.rows_of(few)


# ------------------------------------------------------------------------------------------------------ cheap answers


def test_cheap_answers_score_what_they_should() -> None:
    """The first reply of two is right in half of the rows; the empty list in one row of ten."""
    for task, name, low, high in (
        ("mrcr", "first", 50, 65), ("mrcr", "last", 50, 65), ("mrcr", "random", 50, 65), ("mrcr", "string_alone", 0, 1),
        ("mrcr", "near_miss", 0, 25), ("bfs", "empty_list", 10, 10), ("bfs", "neighbours", 0, 45), ("bfs", "all_names", 0, 10),
        ("parents", "neighbours", 0, 30), ("children", "turned_round", 0, 30),
        ("bfs", "up_to_distance", 0, 60), ("bfs", "first_wide_level", 0, 25), ("children", "both_directions", 0, 70),
        ("common", "neighbours", 0, 75), *((name, "of_the_busiest", 0, 25) for name in OPERATIONS),
    ):  # fmt: skip
        rows = [row for row in rows_of(task) if row["length"] == "16k"]
        metric, floor = get(rows[0]["metrics"][0]), suite(TASKS).task(task).spec.floors[name]
        scores = [
            sum(metric.function(said, row) for said in outputs) / len(outputs)
            for row in rows
            if (outputs := floor(row))
        ]
        assert low <= 100 * sum(scores) / len(scores) <= high, (task, name, scores)


GOLDEN: dict[str, str] = {
    "mrcr": "c10adcaf8db1",
    "mrcr_8": "a5686c2af3ed",
    "mrcr_16": "3d26b8dc8fa7",
    "parents": "fede68437705",
    "children": "5d45599f15f9",
    "common": "e4326d8b7708",
    "bfs": "6383edc69c02",
    "path_length": "31d8036e0d4b",
    "hex": "dd6bbb677018",
}
