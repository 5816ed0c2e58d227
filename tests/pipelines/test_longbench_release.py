"""LongBench as a person meets it: a config of natural length from a hub, and the mistakes that its parameters invite."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipelines.project import Project
from tests.errors import Fix
from tests.extras import Once
from tests.hub import LocalHub
from tests.pipelines import tiny

CHANGES: dict[str, Any] = {
    "sources": {
        "world": {
            "kind": "simulated_encyclopaedia",
            "seed": 5,
            "articles": 400,
            "questions": {"twohop": {"test": 12}},
        },
        "said": {"kind": "simulated_utterances", "seed": 3, "sets": {"fine": {"test": 1, "train": 40}}},
    },
    "corpora": {},
    "passages": {"wiki": {"source": "world"}, "articles": {"source": "world", "cut": {"rule": "whole"}}},
    "indexes": {"articles": {"lexical": {}, "dense": None}},
    "retrieval_sets": {
        "hops": {
            "questions": "world", "set": "twohop", "passages": "articles", "retriever": "lexical",
            "count": {"test": 4}, "top_k": 100, "num_negatives": 60,
        }
    },
    "classification_sets": {"fine": {"source": "said", "set": "fine"}},
    "suites": {
        "longbench": {
            "tasks": {
                "hotpotqa": {"retrieval_set": "hops", "lengths": {"natural": 3}},
                "hotpotqa_e": {"base": "hotpotqa", "retrieval_set": "hops", "lengths": {"0-4k": 2, "4-8k": 2}},
                "trec": {"classification_set": "fine", "lengths": {"natural": 4, "4k": 4}},
                "trec_e": {"base": "trec", "classification_set": "fine", "lengths": {"8k+": 2}},
                "passage_count": {"passages": "wiki", "lengths": {"natural": 4}},
            }
        }
    },
}  # fmt: skip
TASKS = "suites.longbench.tasks"


@pytest.fixture(scope="module")
def finished(once: Once) -> Project:
    """The finished release; to be read only."""
    return Project(once("longbench", lambda root: tiny.run_alone(tiny.make(root, **CHANGES))))


def test_a_config_with_a_plus_loads_from_a_hub(finished: Project, tmp_path: Path) -> None:
    """Whole and streamed, by the name that the card gives it."""
    hub = LocalHub()
    files = [path for path in finished.release.rglob("*") if path.is_file()]
    hub.commit("me/lb", {path.relative_to(finished.release).as_posix(): path.read_bytes() for path in files})
    code = """
import json, os
from datasets import load_dataset
for streaming in (False, True):
    rows = load_dataset("me/lb", "longbench_trec_e_sim_8k+", split="test", streaming=streaming, columns=["id", "length", "length_tokens"])
    print("rows", json.dumps([[row["length"], row["length_tokens"], row["id"]] for row in rows]), flush=True)
os._exit(0)  # without the end of the interpreter: threads that read ahead for a stream may abort it then
"""
    with hub.serving():
        online = {"HF_HUB_OFFLINE": "0", "HF_DATASETS_OFFLINE": "0", "USE_TORCH": "0"}
        environment = hub.environment(tmp_path / "home") | online
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    found = [json.loads(line.removeprefix("rows ")) for line in done.stdout.splitlines() if line.startswith("rows ")]
    file = finished.release / "data/longbench/trec_e/8k+/test-00000-of-00001.parquet"
    ids = pq.read_table(file).column("id").to_pylist()
    assert found == [[["8k+", None, each] for each in ids]] * 2, done.stderr


@pytest.mark.parametrize(
    ("key", "value", "where", "values", "fix"),
    [
        ("passages.articles.cut", {"rule": "whole", "words": 9999, "min_words": 5}, "passages.articles: cut", ("whole", "min_words", "words"), ""),
        (f"{TASKS}.trec.natural_shots", [600], f"{TASKS}.trec: natural_shots", (1,), "missing values"),
        (f"{TASKS}.samsum_e", {"lengths": {"0-4k": 3}}, f"{TASKS}.samsum_e", ("samsum_e",), ("samsum", "`base: TASK`")),
        (f"{TASKS}.passage_retrieval_en", {"passages": "wiki", "summaries": "world", "lengths": {"natural": 2}},
         f"{TASKS}.passage_retrieval_en.set", ("world", "passage_retrieval_en"), "twohop"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_before_anything_is_built(
    tmp_path: Path, key: str, value: Any, where: str, values: tuple[object, ...], fix: Fix
) -> None:
    root = tiny.make(tmp_path, **CHANGES, **{key: value}).root
    tiny.one_line(tiny.called(root, "plan"), where, *values, fix=fix)
    assert not (root / "data").exists()
