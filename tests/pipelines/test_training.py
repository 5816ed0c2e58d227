"""Training streams: what is in them, how they are shared out, how they go on."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from datasets import IterableDataset, concatenate_datasets
from datasets.distributed import split_dataset_by_node
from hypothesis import given, settings
from hypothesis import strategies as st

from haymaker.core.errors import BuildError, HaymakerError, ParamsError, ReleaseError, SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.schema import arrow_schema
from haymaker.evaluation.score.score_row import NEEDED, SCORE_COLUMNS, score_row
from haymaker.releases.messages import messages
from haymaker.scoring.metrics import all_metrics
from pipelines.checks.row_checks import Findings, RowChecks
from pipelines.project import Project
from pipelines.training.stream import COLUMNS, ENDLESS, StreamRecipe, recipe_for, training_stream
from tests.errors import Fix, refused, refused_line
from tests.extras import LONG, Once, few
from tests.pipelines import tiny
from tests.pipelines.test_stages import WRITE
from tests.rows import conversation
from tests.scoring.test_scorecard import sample

TASKS = {"qa1": 2, "qa2": 1, "qa1_grid": 1}  # qa2 is not in the release
LENGTHS = {"0k": 1, "2k": 2, "5k": 1}  # nor is any of these lengths
PERIOD = 16
ROWS = 24  # of an interrupted stream: more than a period
GOLDEN = Path(__file__).parents[1] / "golden/training.json"
PAGE = Path(__file__).parents[2] / "docs/reference/training.md"


@pytest.fixture(scope="module")
def project(once: Once) -> Project:
    """A project whose data are prepared; no row of its release is built."""
    changes: dict[str, Any] = {
        "sources.stories.questions": {"test": 60, "train": 20},
        "sources.novels.novels": {"test": 2, "train": 2},
        "sources.novels.words": 8000,
        "suites.babilong.tasks": {
            "qa1": {"lengths": {"1k": 4}},
            "qa1_grid": {"base": "qa1", "placement": "grid", "depths": 3, "lengths": {"4k": 6}},
        },
    }
    made = once("training", lambda root: tiny.run_alone(tiny.make(root, **changes), "download", "prepare"))
    return Project(made)


ASKED = {"tasks": TASKS, "lengths": LENGTHS, "seed": 0, "start": 0, "samples": None, "columns": COLUMNS}


def stream(project: Project, **changes: Any) -> IterableDataset:
    return training_stream(project.root, **{"tasks": TASKS, "lengths": LENGTHS, **changes})


def ids(rows: Iterator[dict[str, Any]] | IterableDataset, count: int | None = None) -> list[str]:
    return [row["id"] for row in islice(rows, count)]


# ------------------------------------------------------------------------------------------------------- what is in it


def test_rows_change_only_with_the_name_that_states_carry(project: Project) -> None:
    """Otherwise a run that goes on after an update would be given other rows without a word."""
    rows = list(stream(project).take(6))
    marked = digest(json.dumps(rows, sort_keys=True)).hex()
    name = recipe_for(project.root, "babilong", **ASKED).digest
    fresh = {"stream": name, "ids": [row["id"] for row in rows], "rows": marked}
    if os.environ.get(WRITE) == "write":
        GOLDEN.write_text(json.dumps(fresh, indent=1) + "\n", encoding="utf-8")
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    changed = [key for key in fresh if fresh[key] != known[key]]
    assert changed in ([], ["stream", "rows"], ["stream", "ids", "rows"], ["stream"]), "raise STREAM_VERSION"
    assert not changed, f"if that is meant: {WRITE}=write pytest tests/pipelines/test_training.py"
    assert tuple(rows[0]) == COLUMNS
    assert [row["task"] for row in rows] == ["qa1", "qa2", "qa1", "qa1_grid", "qa1", "qa1"]
    assert [row["length"] for row in rows] == ["2k"] * 5 + ["5k"]


def verified(project: Project, rows: Sequence[dict[str, Any]]) -> Counter[str]:
    """How often each check was made; none fails."""
    findings = Findings()
    checks = RowChecks(project.suites()[0], project.inputs.tokenizers, lambda row, index: True)
    for index, row in enumerate(rows):
        assert list(row) == arrow_schema().names
        checks.look(row, index, findings)
    assert findings.failures == []
    return findings.checked


def test_every_row_is_verified_as_rows_of_a_release_are(project: Project) -> None:
    rows = list(stream(project, columns=arrow_schema().names).take(3 * PERIOD))
    assert verified(project, rows) == {
        "BUDGET": 48, "recounted": 48, "VERBATIM": 48, "ORACLE": 48, "STRICT": 48, "FILL": 36
    }  # fmt: skip
    assert {row["split"] for row in rows} == {"train"}
    assert Counter(row["depth_index"] for row in rows if row["task"] == "qa1_grid").keys() == {0, 1, 2}
    assert len({row["prompt"] for row in rows if row["length"] != "0k"}) == 36
    # Stories of qa2 are long: in 1k many leave no room for background, and none of them comes.
    short = stream(project, tasks=["qa2"], lengths=["1k"], columns=arrow_schema().names).take(20)
    assert verified(project, list(short))["FILL"] == 20


def test_training_books_and_questions_only(project: Project) -> None:
    splits = {e.doc_id: e.split for e in project.inputs.background("books").documents}
    source, raw = project.inputs.source("stories"), project.inputs.raw("stories")
    asked = {
        split: {("\n".join(q.facts), q.question) for task in ("qa1", "qa2") for q in source.stories(raw, task, split)}
        for split in ("train", "test")
    }
    used: Counter[str] = Counter()
    for row in stream(project, columns=["doc_ids", "question", "metadata"]).take(200):
        used.update(row["doc_ids"])
        question = "\n".join(json.loads(row["metadata"])["facts"]), row["question"]
        assert question in asked["train"] and question not in asked["test"]
    assert len(used) == 2 and {splits[doc] for doc in used} == {"train"}
    assert sorted(Counter(splits.values()).items()) == [("test", 2), ("train", 2)]


def test_questions_come_in_rounds_and_look_different_each_time(project: Project) -> None:
    rows = list(stream(project, tasks="qa1", lengths="4k", columns=["id", "metadata", "depth"]).take(60))
    seen = [json.loads(row["metadata"]) for row in rows]
    per_round = [[extra["position"] for extra in seen[i : i + 20]] for i in (0, 20, 40)]
    assert [sorted(positions) for positions in per_round] == [list(range(20))] * 3
    assert len({tuple(positions) for positions in per_round}) == 3
    assert len({json.dumps(extra["background"]) for extra in seen}) >= 58  # a short walk may come again
    assert len({(extra["position"], row["depth"]) for extra, row in zip(seen, rows, strict=True)}) >= 58


def test_weights_are_exact_in_every_window(project: Project) -> None:
    rows = stream(project, columns=["task", "length"]).take(4 * PERIOD)
    pairs = [(row["task"], row["length"]) for row in rows]
    windows = [pairs[i : i + PERIOD] for i in range(0, len(pairs), PERIOD)]
    wanted = {(task, length): a * b for task, a in TASKS.items() for length, b in LENGTHS.items()}
    assert [Counter(window) for window in windows] == [wanted] * 4
    assert len({tuple(window) for window in windows}) == 4


# ----------------------------------------------------------------------------------------------------------- shared out


def test_nodes_and_workers_share_the_stream(project: Project) -> None:
    """Each reads blocks of its own, in the mix of the whole stream; the first reads the first rows."""
    whole = stream(project, columns=["id", "task"])
    shares = [
        ids(split_dataset_by_node(split_dataset_by_node(whole, rank, 2), worker, 2), 2)
        for rank in range(2)
        for worker in range(2)
    ]
    assert shares[0] == ids(whole, 2)
    assert len({name for share in shares for name in share}) == 8


def test_blocks_are_stretches_of_the_stream(project: Project) -> None:
    whole = stream(project, columns=["id"])
    assert whole.num_shards == 11_520
    assert ids(whole.shard(10, 3), 2) == ids(stream(project, columns=["id"], start=3 * ENDLESS // 10), 2)
    for samples in (3, 10):
        ending = stream(project, columns=["id"], samples=samples)
        names = ids(whole, samples)
        assert ids(ending) == names
        assert ids(concatenate_datasets([ending.shard(3, i) for i in range(3)])) == names
        assert sorted(name for i in range(3) for name in ids(ending.shard(3, i, contiguous=False))) == sorted(names)


@pytest.mark.slow  # the process imports everything
def test_a_stream_can_be_sent_to_a_process_that_knows_nothing(project: Project) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        rows = pool.submit(list, stream(project).take(6)).result(timeout=120)
    assert rows == list(stream(project).take(6))


# ------------------------------------------------------------------------------------------------------------- going on


@cache
def whole(root: Path) -> IterableDataset:
    return training_stream(root, tasks=TASKS, lengths=LENGTHS, columns=["id"])


SHAPES: dict[str, Callable[[IterableDataset], IterableDataset]] = {
    "plain": deepcopy,
    "map": lambda ds: ds.map(lambda row: {"id": row["id"]}),
    "take": lambda ds: ds.take(ROWS),
    "node": lambda ds: split_dataset_by_node(ds, 0, 1),
}


@pytest.mark.parametrize("shape", SHAPES)
@settings(few, max_examples=100 if os.environ.get(LONG) else 2)
@given(cuts=st.lists(st.integers(1, 7), min_size=1, max_size=3))
def test_going_on_equals_never_having_stopped(project: Project, shape: str, cuts: list[int]) -> None:
    """A reader stops after so many rows, and goes on from its written state."""
    found: list[str] = []
    state = None
    for cut in [*cuts, ROWS - sum(cuts)]:
        dataset = SHAPES[shape](whole(project.root))
        if state is not None:
            dataset.load_state_dict(json.loads(json.dumps(state)))
        reader = iter(dataset)
        found += [str(row["id"]) for row in islice(reader, cut)]
        state = dataset.state_dict()
    assert found == ids(whole(project.root), ROWS)


def test_going_on_builds_no_row_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stream(project, columns=["id"])
    state = whole.state_dict()
    state["examples_iterable"]["examples_iterable"]["shard_example_idx"] = 100_000
    whole.load_state_dict(state)
    built = Counter[str]()
    draw = StreamRecipe.row
    monkeypatch.setattr(StreamRecipe, "row", lambda self, number: built.update([str(number)]) or draw(self, number))
    assert ids(whole, 1) == [draw(recipe_for(project.root, "babilong", **ASKED), 100_000)["id"]]
    assert len(built) <= 2


def test_the_description_names_the_stream(project: Project, tmp_path: Path) -> None:
    """The library does not compare states; a training run can compare this."""

    def description(of: Project = project, **changes: Any) -> str:
        return str(stream(of, **changes).info.description)

    mine = tiny.copy(project.root, tmp_path / "mine")
    source = mine.data / "raw/stories/SOURCE.json"
    source.write_text(source.read_text() + " ", encoding="utf-8")
    first, other = ({row["prompt"] for row in stream(project, seed=seed, lengths="2k").take(8)} for seed in (0, 1))
    assert len(first | other) == 16, "no row of another seed"
    assert description() == description(start=3, columns=["id"])
    others = {description(seed=1), description(lengths=["2k"]), description(tasks=["qa1"]), description(mine)}
    assert len(others | {description()}) == 5, "other parameters or other data"


def test_default_columns_hold_what_scoring_needs(project: Project) -> None:
    metrics = list(all_metrics().values())
    assert {column for metric in metrics for column in metric.columns} | set(NEEDED) <= set(COLUMNS)
    assert {column for metric in metrics if not metric.needs_model for column in metric.columns} <= set(SCORE_COLUMNS)
    for row in stream(project).take(8):
        metric = row["metrics"][0]
        assert (score_row(row, row["answers"][0])[metric], score_row(row, "")[metric]) == (1.0, 0.0)
        assert messages(row)[-1] == {"role": "user", "content": row["prompt"][: row["answer_prefix_start"]]}


def test_the_reward_function_of_the_page(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code block runs as it stands, without Torch and TRL; the trainer calls the function as here."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    [block] = [code for code in blocks if "def reward" in code]
    monkeypatch.chdir(project.root)
    names: dict[str, Any] = {}
    exec(block.replace('"32k"', '"1k"'), names)
    rows = list(names["rows"].take(4))
    assert [each["role"] for each in rows[0]["prompt"]] == ["user"]
    columns = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
    more = {"completion_ids": [[1]] * 4, "trainer_state": None, "log_extra": print, "log_metric": print}

    def rewards(outputs: Sequence[str]) -> list[float]:
        completions = [[{"role": "assistant", "content": output}] for output in outputs]
        prompts = [row["prompt"] for row in rows]
        return list(names["reward"](prompts=prompts, completions=completions, **columns, **more))

    right = [f"<think>Let me see.</think>{row['answers'][0]}" for row in rows]
    wrong = [next(each for each in row["choices"] if each not in row["answers"]) for row in rows]
    assert rewards(right) == [1.0] * 4 and rewards([""] * 4) == [0.0] * 4
    assert rewards([right[0], *wrong[1:]]) == [1.0, 0.0, 0.0, 0.0]


def test_streams_of_conversations_have_their_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are made up: what counts is which columns a stream has by default."""
    made = [conversation(sample("talk", "4k", 0, ("ruler_all@strict",), ["0"]), "One?", "1", "Two?")]
    built: Any = SimpleNamespace(draw=lambda *place: made[0], fingerprint=lambda table: "x")
    module = training_stream.__module__
    monkeypatch.setattr(f"{module}.payload", lambda home: {})
    monkeypatch.setattr(f"{module}.suite_of", lambda sent, suite: built)
    monkeypatch.setattr(f"{module}._prepared", lambda *given: "")
    [row] = training_stream(tasks="talk", lengths="4k", suite="frontier", samples=1)
    assert messages(row) == made[0].messages
    [row] = training_stream(tasks="talk", lengths="4k", suite="frontier", samples=1, columns=["id"])
    assert list(row) == ["id"]
    made[0] = replace(made[0], messages=None, metadata=None)
    [row] = training_stream(tasks="talk", lengths="4k", suite="frontier", samples=1)
    assert tuple(row) == COLUMNS


# ------------------------------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("changes", "where", "values", "fix"),
    [
        ({"tasks": ["qa_1"]}, "suites.babilong", ("'qa_1'",), "'qa1'"),
        ({"tasks": "qa4"}, "source stories", ("'qa4'", "en-10k", "1, 2, 3"), ("task", "fetch")),
        ({"lengths": "4000"}, "training_stream: lengths.4000", ("(given: '4000')",), ""),
        ({"tasks": {"qa1": 0.5}}, "training_stream: tasks.qa1", ("(given: 0.5)",), "whole number"),
        ({"lengths": {"4k": 400, "8k": 401}, "tasks": {"qa1": 400, "qa2": 401}}, "weights of tasks and lengths", ("641,601",), "weights"),
        ({"samples": 0}, "training_stream: samples", (1, "(given: 0)"), ""),
        ({"columns": ["prompt", "anwers"]}, "training_stream", ("'anwers'",), "'answers'"),
    ],
)  # fmt: skip
def test_mistakes(project: Project, changes: dict[str, Any], where: str, values: tuple[object, ...], fix: Fix) -> None:
    with pytest.raises(HaymakerError) as caught:
        stream(project, **changes)
    refused_line(str(caught.value), where, *values, fix=fix)


def test_a_length_that_no_text_fits(project: Project) -> None:
    with refused(BuildError, "babilong_qa1_sim_32k", "tokens", "train", "'books'") as caught:
        stream(project, lengths=["16k", "32k"])
    assert re.search(r"\b32,4\d\d\b", str(caught.value))


def test_nothing_to_train_on(tmp_path: Path) -> None:
    mine = tiny.make(tmp_path / "mine", **{
        "sources.stories.questions": {"test": 20}, "sources.novels.novels": {"test": 1}, "sources.novels.words": 3000,
        "suites.babilong.tasks": {"qa1": {"lengths": {"1k": 2}}},
    })  # fmt: skip
    for kind, name in (("raw", "stories"), ("corpora", "books")):
        with refused(ReleaseError, f"data/{kind}/{name}", fix=f"haymaker run in {mine.root}"):
            training_stream(mine.root, tasks="qa1", lengths="1k")
        tiny.run(mine, "download" if kind == "raw" else "prepare")
    with refused(SourceError, "", "train", "'qa1'"):
        training_stream(mine.root, tasks="qa1", lengths="1k")
    with refused(ParamsError, "params.yaml"):
        training_stream(tmp_path / "nowhere", tasks="qa1", lengths="4k")
