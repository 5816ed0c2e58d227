"""All stages in one process, end to end: how many rows, which rows, the same bytes as ever."""

from __future__ import annotations

import json
import socket
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpora import sources
from corpora.stores.sentences.clean import CLEANING_VERSION
from corpora.stores.sentences.split import SENTENCES_VERSION
from corpora.stores.sentences.store import BACKGROUND_VERSION
from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.suite import SUITES, suite
from haymaker.core.rows.parquet import read_row_groups
from pipelines.project import Project
from pipelines.stages.card import CARD_VERSION
from tests.pipelines import tiny
from worlds.babi import BABI_WORLD_VERSION
from worlds.novels import NOVELS_VERSION

ROWS = {
    ("qa1", "0k", "test"): 8,
    ("qa1", "0k", "train"): 5,
    ("qa1", "1k", "test"): 6,
    ("qa1", "1k", "train"): 4,
    ("qa1", "4k", "test"): 6,
    ("qa1", "4k", "train"): 4,
    ("qa1", "16k", "test"): 2,
    ("qa2", "0k", "test"): 8,
    ("qa2", "4k", "test"): 5,
    ("qa3", "1k", "test"): 4,
    ("qa1_quarter", "1k", "test"): 8,
    ("qa1_quarter", "4k", "test"): 8,
    ("qa1_grid", "4k", "test"): 6,
}
GOLDEN = Path(__file__).parents[1] / "golden/tiny.json"
WRITE = "HAYMAKER_GOLDEN"


def rows_of(project: Project, task: str, length: str, split: str = "test") -> list[dict[str, Any]]:
    files = sorted((project.release / "data/babilong" / task / length).glob(f"{split}-*.parquet"))
    return [row for file in files for table in read_row_groups(file) for row in table.to_pylist()]


def test_exactly_the_rows_that_were_asked_for(built: Project) -> None:
    found = {}
    for path in (built.release / "data").rglob("*.parquet"):
        suite, task, length, name = path.relative_to(built.release / "data").parts
        assert suite == "babilong"
        assert name.endswith("-00000-of-00001.parquet")
        found[task, length, name.split("-")[0]] = len(rows_of(built, task, length, name.split("-")[0]))
    assert found == ROWS
    report = json.loads((built.reports / "validate.json").read_text())
    groups = {key: {row["group_id"] for row in rows_of(built, *key)} for key in ROWS}
    others = sum(len(groups["qa1", "1k", split] - groups["qa1", "4k", split]) for split in ("test", "train"))
    others += 4 * len(groups["qa1_quarter", "1k", "test"] - groups["qa1_quarter", "4k", "test"])
    assert others <= 2, "1k and 4k have the same questions, but for one that cannot fill 1k"
    assert (report["rows"], report["failures"]) == (sum(ROWS.values()), 0) == (74, 0)
    assert report["checked"] == {
        **dict.fromkeys(("APART", "BUDGET", "ORACLE", "STRICT", "UNIQUE", "VERBATIM", "recounted"), 74),
        "FILL": 74 - 8 - 5 - 8,  # all but 0k
        "NESTED": 6 + 4 + 2 + 8 - others,  # qa1: 1k in 4k of test and train, 4k in 16k; qa1_quarter: 1k in 4k
    }


@pytest.mark.parametrize(
    ("task", "split", "at", "row_id", "answer", "support", "question", "tokens", "prompt"),
    [
        ("qa1", "test", 0, "00031", "bedroom", ["John went back to the bedroom."], "Where is John?", 201, "91878cb53348ebdd"),
        ("qa1", "train", 0, "00016", "bathroom", ["Daniel journeyed to the bathroom."], "Where is Daniel?", 199, "ac05f6e5d1573f06"),
        ("qa2", "test", -1, "00053", "garden", ["Mary moved to the garden.", "Mary discarded the football."], "Where is the football?", 286, "b553ad40dc1e96ae"),
    ],
)  # fmt: skip
def test_first_and_last_record_at_0k(
    built: Project, task: str, split: str, at: int, row_id: str, answer: str, support: list[str], question: str,
    tokens: int, prompt: str,
) -> None:  # fmt: skip
    row = rows_of(built, task, "0k", split)[at]
    assert row["id"] == f"babilong-{task}-0k-{task}-{split}-{row_id}"
    assert (row["answers"], row["question"], row["prompt_tokens"]) == ([answer], question, tokens)
    assert [row["prompt"][s["start"] : s["end"]] for s in row["spans"] if s["kind"] == "support"] == support
    assert all(row[column] is None for column in ("length_tokens", "unused_tokens", "background_corpus"))
    assert row["doc_ids"] == []
    assert row["prompt"].endswith(f"\n</text>\n\nQuestion: {question}\nAnswer:")
    assert row["prompt"][row["answer_prefix_start"] :] == "Answer:"
    assert sha256(row["prompt"].encode()).hexdigest()[:16] == prompt


# ------------------------------------------------------------------------------------------------ golden digests


def _texts(files: dict[str, str]) -> dict[str, str]:
    return {name: sha256 for name, sha256 in files.items() if name != "SOURCE.json"}


def now(project: Project) -> dict[str, dict[str, str]]:
    """Digests of the tiny release, by the key of versions.yaml that stands for the code behind them."""
    files = json.loads((project.reports / "validate.json").read_text())["files"]
    return {
        "sources.simulated_babi": _texts(tiny.digests(project.root, "data/raw/stories")),
        "sources.simulated_novels": _texts(tiny.digests(project.root, "data/raw/novels")),
        "tokenizers": tiny.digests(project.root, "data/tokenizers"),
        "background": tiny.digests(project.root, "data/corpora/books"),
        "generate.babilong": {name: facts["logical_digest"] for name, facts in files.items()},
        "validate": {
            n: d for n, d in tiny.digests(project.root, "data/reports/tiny").items() if n.startswith(("plots", "val"))
        },
        "card": {n: d for n, d in tiny.digests(project.root).items() if not n.startswith("data/")},
    }


PARTS = "sources.simulated_babi sources.simulated_novels tokenizers background generate.babilong validate card".split()


@pytest.mark.parametrize("part", PARTS)
def test_bytes_change_only_with_their_version(built: Project, part: str) -> None:
    tiny.hold_golden(GOLDEN, part, now(built)[part], "tests/pipelines/test_stages.py")


def test_versions_yaml_is_what_the_code_says() -> None:
    numbers = yaml.safe_load((tiny.ROOT / "versions.yaml").read_text(encoding="utf-8"))
    assert numbers["card"] == CARD_VERSION
    assert numbers["tokenizers"] == COUNTING_VERSION
    raised = BACKGROUND_VERSION + CLEANING_VERSION + SENTENCES_VERSION - 3
    assert numbers["background"] == 1 + raised, "background is one more than all raises of its three constants"
    assert numbers["sources"]["simulated_babi"] == BABI_WORLD_VERSION
    assert numbers["sources"]["simulated_novels"] == NOVELS_VERSION
    wanted = {kind for kind in sources.kinds() if {"documents", "stories"} & set(sources.info(kind).roles)}
    assert wanted <= set(numbers["sources"]), "a kind that a release may name needs a number for DVC to watch"
    assert set(numbers["sources"]) - {"reviewed"} <= set(sources.kinds())


def test_a_task_of_another_version_is_another_number_for_dvc_to_watch() -> None:
    raised = {
        f"{name} {spec.name}": str(spec.version) for name in SUITES for spec in suite(name).tasks if spec.version > 1
    }
    tiny.hold_golden(GOLDEN, "generate", raised, "tests/pipelines/test_stages.py")


# --------------------------------------------------------------------------------------------------------- stages


def test_a_stage_leaves_nothing_half_written(built: Project) -> None:
    assert tiny.leftovers(built.root) == []
    assert not list(built.work.glob("batches/*/*")), "batches of a merged store are not kept"


def test_stale_files_of_an_earlier_build_go(mine: Project) -> None:
    stray = mine.release / "data/babilong/qa1/9k/test-00000-of-00001.parquet"
    stray.parent.mkdir()
    stray.write_bytes(b"old")
    before = tiny.digests(mine.root)
    tiny.run(mine, "generate")
    assert not stray.parent.exists()
    assert tiny.digests(mine.root) == {k: v for k, v in before.items() if "9k" not in k}


def test_no_place_time_or_host_in_any_output(built: Project) -> None:
    banned = [word.encode() for word in (str(built.root), f"{Path.home()}/", socket.gethostname()) if len(word) > 3]
    for folder in ("raw", "corpora", "tokenizers", "releases", "reports", "counts"):
        for path in (built.data / folder).rglob("*"):
            if path.is_file() and path.suffix != ".parquet":
                content = path.read_bytes()
                assert not any(word in content for word in banned), path
    row = json.dumps({k: v for k, v in rows_of(built, "qa1_grid", "4k")[0].items() if k != "prompt"}).encode()
    assert not any(word in row for word in banned)
