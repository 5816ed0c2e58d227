"""HELMET's tasks from article to card: how many rows, the same bytes as ever, and mined files that need nothing else."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpora.retrieval.bm25_index import LEXICAL_VERSION
from corpora.retrieval.index import INDEX_VERSION
from corpora.retrieval.mining import MINED_RULES_VERSION
from corpora.retrieval.vectors import DENSE_VERSION
from corpora.stores.mined import MINED_VERSION
from corpora.stores.passages.cut import CUTTING_VERSION
from corpora.stores.passages.store import PASSAGES_VERSION
from corpora.stores.sentences.split import SENTENCES_VERSION
from haymaker.core.errors import BuildError, ReleaseError
from haymaker.core.files.disk import read_json
from haymaker.core.rows.parquet import read_row_groups
from pipelines import stages
from pipelines.project import Project
from pipelines.stages import records
from tests.errors import refused
from tests.extras import Once
from tests.pipelines import tiny, tiny_passages
from worlds.encyclopaedia import ENCYCLOPAEDIA_VERSION

GOLDEN = Path(__file__).parents[1] / "golden/passages.json"
PARTS = ("sources.simulated_encyclopaedia", "passages", "index", "mined", "generate.helmet")


@pytest.fixture(scope="module")
def finished(once: Once) -> Project:
    """The finished release; to be read only."""
    return Project(once("passages", lambda root: tiny.run_alone(tiny_passages.make(root))))


def rows(project: Project, task: str, length: str) -> list[dict[str, Any]]:
    files = sorted((project.release / "data/helmet" / task / length).glob("test-*.parquet"))
    return [row for file in files for table in read_row_groups(file) for row in table.to_pylist()]


def test_exactly_the_rows_that_were_asked_for(finished: Project) -> None:
    assert {
        (task, length): len(rows(finished, task, length)) for task, length in tiny_passages.ROWS
    } == tiny_passages.ROWS
    report = json.loads((finished.reports / "validate.json").read_text())
    assert report["failures"] == 0
    assert report["rows"] == 3 + sum(tiny_passages.ROWS.values()) + 15
    placed = tiny_passages.ROWS["kilt_nq", "4k"] + tiny_passages.ROWS["kilt_nq", "16k"]
    assert report["checked"]["CLEAN"] == 52 - 9 + 15 == placed + 6 + 3 + 3 + 2 + 3 + 2 + 15


def test_gold_at_six_depths_and_nothing_twice(finished: Project) -> None:
    for length in ("4k", "16k"):
        found = rows(finished, "kilt_nq", length)
        assert Counter(row["depth_index"] for row in found) == dict.fromkeys(range(6), 2)
        for row in found:
            assert abs(row["depth"] - row["depth_index"] / 5) <= 0.5 / (row["num_segments"] - 1) + 1e-6
            assert len(set(row["doc_ids"])) == row["num_segments"] == row["num_unique_segments"]


def now(project: Project) -> dict[str, dict[str, str]]:
    """Digests by the key of versions.yaml that stands for the code behind them."""
    files = json.loads((project.reports / "validate.json").read_text())["files"]
    digests = {
        "sources.simulated_encyclopaedia": tiny.digests(project.root, "data/raw/world"),
        "passages": tiny.digests(project.root, "data/corpora/encyclopaedia"),
        "index": tiny.digests(project.root, "data/indexes/encyclopaedia"),
        "mined": tiny.digests(project.root, "data/retrieval_sets"),
        "generate.helmet": {n: facts["logical_digest"] for n, facts in files.items() if n.startswith("helmet/")},
    }
    assert tuple(digests) == PARTS
    return digests


@pytest.mark.parametrize("part", PARTS)
def test_bytes_change_only_with_their_version(finished: Project, part: str) -> None:
    tiny.hold_golden(GOLDEN, part, now(finished)[part], "tests/pipelines/test_passages_release.py")


def test_versions_yaml_is_what_the_code_says() -> None:
    numbers = yaml.safe_load((tiny.ROOT / "versions.yaml").read_text(encoding="utf-8"))
    assert numbers["sources"]["simulated_encyclopaedia"] == ENCYCLOPAEDIA_VERSION
    assert numbers["passages"] == 1 + (PASSAGES_VERSION + CUTTING_VERSION + SENTENCES_VERSION - 3)
    assert numbers["index"] == 1 + (INDEX_VERSION + LEXICAL_VERSION + DENSE_VERSION - 3)
    assert numbers["mined"] == 1 + (MINED_VERSION + MINED_RULES_VERSION - 2)


def test_mined_files_alone_give_the_same_rows(finished: Project, tmp_path: Path) -> None:
    alone = tiny_passages.make(tmp_path / "alone", **{"suites.babilong": None, "suites.synthetic": None})
    for folder in ("retrieval_sets", "tokenizers"):
        shutil.copytree(finished.data / folder, alone.data / folder)
    stages.run(alone, "generate")
    assert tiny.digests(alone.root, "data/releases/tiny/data/helmet") == tiny.digests(
        finished.root, "data/releases/tiny/data/helmet"
    )
    noted = read_json(alone.reports / "tables/helmet.json")
    assert set(noted["sources"]) == {"world"}
    assert set(noted["retrieval_sets"]) == set(tiny_passages.CHANGES["retrieval_sets"])


@pytest.mark.slow
def test_workers_change_no_byte(finished: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_WORKERS", "3")
    again = tiny_passages.make(tmp_path / "again")
    tiny.run(again, "download", "prepare", "retrieve")
    for below in ("data/corpora", "data/indexes", "data/retrieval_sets", "data/counts", "data/stages"):
        assert tiny.digests(again.root, below) == tiny.digests(finished.root, below), below


def test_a_changed_mined_file_is_named(finished: Project, tmp_path: Path) -> None:
    mine = tiny.copy(finished.root, tmp_path / "mine")
    path = mine.data / "retrieval_sets/nq.parquet"
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.unlink()
    path.write_bytes(raw)
    for stage in ("generate", "validate"):
        with refused(ReleaseError, "data/retrieval_sets/nq.parquet", "changed", fix="haymaker run"):
            stages.run(Project(mine.root), stage)


def test_a_stage_leaves_what_was_asked_for_and_nothing_else(finished: Project, tmp_path: Path) -> None:
    mine = Project(shutil.copytree(finished.root, tmp_path / "mine"))
    shutil.rmtree(mine.work / "locks")
    before = tiny.digests(mine.root, "data")
    strays = ("data/retrieval_sets/old.parquet", "data/indexes/old/index.json", "data/counts/retrieve/retrieval_sets/old/counts.json",
              "data/reports/tiny/tables/gone.json", "data/releases/tiny/data/gone/a/4k/test-00000-of-00001.parquet")  # fmt: skip
    for name in strays:
        (mine.root / name).parent.mkdir(parents=True, exist_ok=True)
        (mine.root / name).write_bytes(b"{}")
    tiny.run(mine, "retrieve", "generate")
    shutil.rmtree(mine.work / "locks")
    assert tiny.digests(mine.root, "data") == before
    noted = {name for stage in ("download", "prepare", "retrieve") for name in read_record(mine, stage)["inputs"]}
    kinds = ("sources", "passages", "indexes", "retrieval_sets")
    assert noted == {f"{kind}/{name}" for kind in kinds for name in tiny_passages.CHANGES[kind]} | {"corpora/books"}
    mined = read_record(mine, "retrieve")["files"]["data/retrieval_sets/nq.parquet"]
    assert mined == mine.inputs.mined("nq").digest


def read_record(project: Project, stage: str) -> dict[str, Any]:
    found = records.read(project, stage)
    assert found
    return found


def test_a_length_beyond_the_mined_passages_names_the_longest_one(finished: Project, tmp_path: Path) -> None:
    changed = {"suites.helmet.tasks": {"kilt_nq": {"retrieval_set": "nq", "lengths": {"128k": 6}}}}
    mine = tiny.copy(finished.root, tmp_path / "mine")
    values = tiny.params(**tiny_passages.CHANGES)
    values["suites"]["helmet"]["tasks"] = changed["suites.helmet.tasks"]
    tiny.write_params(mine.root, values)
    with refused(BuildError, "helmet_kilt_nq_sim_128k test", 1, 0, "32k", fix=("32k", "retrieval_sets.nq")):
        stages.run(Project(mine.root), "generate")


def test_an_alias_in_a_distractor_fails_validation(finished: Project, tmp_path: Path) -> None:
    """Put another question's answer among the accepted ones: the verification's own matcher finds it in the distractors."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from haymaker.core.rows.parquet import open_writer
    from haymaker.core.rows.schema import arrow_schema
    from pipelines.checks.row_checks import Findings
    from pipelines.execution.worker_state import payload
    from pipelines.stages.validate import check_file

    mine = tiny.copy(finished.root, tmp_path / "mine")
    name = "helmet/kilt_nq/4k/test-00000-of-00001.parquet"
    path = mine.release / "data" / name
    changed = pq.read_table(path).to_pylist()
    row = changed[0]
    span = next(s for s in row["spans"] if s["kind"] == "distractor")
    said = row["prompt"][span["start"] : span["end"]].split()
    threes = (" ".join(said[at : at + 3]) for at in range(len(said)))
    stolen = next(three for three in threes if row["prompt"].count(three) == 1)
    row["answers"] = [*row["answers"], stolen]
    path.unlink()
    with open_writer(path, 1) as writer:
        writer.write_table(pa.Table.from_pylist(changed, schema=arrow_schema()))
    found = check_file(payload(Project(mine.root), file=name, sha256=None), tmp_path)
    assert found["failed"]["CLEAN"] == 1
    assert any(line.startswith("CLEAN: ") and "distractor" in line for line in found["failures"])
    assert isinstance(Findings().failed, Counter)
    with refused(ReleaseError, name, "changed", fix="haymaker run"):
        check_file(payload(Project(mine.root), file=name, sha256="0" * 64), tmp_path)


def test_paragraph_tasks_of_the_synthetic_suite(finished: Project) -> None:
    """RULER's qa_1 and qa_2: gold at six depths in turn, or in three orders; another row of the same question is another place
    (docs/defects/synthetic.md A5 #1)."""
    for task, length, points in (("qa_1", "4k", 6), ("qa_1", "16k", 6), ("qa_2", "4k", 3)):
        files = sorted((finished.release / "data/synthetic" / task / length).glob("test-*.parquet"))
        found = [row for file in files for table in read_row_groups(file) for row in table.to_pylist()]
        assert len(found) == points and {row["suite"] for row in found} == {"synthetic"}
        places = [tuple(i for i, s in enumerate(_passages(row)) if s["kind"] == "gold") for row in found]
        assert len(set(places)) == points
        assert len({row["group_id"] for row in found}) == 1 and not any(row["fewshot_ids"] for row in found)


def _passages(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [span for span in row["spans"] if span["kind"] in ("gold", "distractor", "passage")]
