"""params/helmet.yaml built whole, no index of vectors and no GPU: every task of it, fewer rows, from files of the layouts of its sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from haymaker.core.rows.parquet import read_row_groups
from pipelines.project import Project
from tests.corpora.sources import helmet_archive
from tests.extras import Once
from tests.pipelines import tiny

pytestmark = [pytest.mark.real, pytest.mark.slow]
LENGTHS = ("8k", "16k")
PASSAGES = 300  # of a question: enough to fill the longest row
FEW = {"kilt_nq": 12, "kilt_triviaqa": 12, "kilt_popqa": 12, "kilt_hotpotqa": 6, "msmarco_rerank": 6, "json_kv": 6}


def books(mirror: Path) -> list[str]:
    return [
        path.read_text(encoding="utf-8")[20_000:140_000] for path in sorted((mirror / "pg19/test").glob("*.txt"))[:8]
    ]


def lines(folder: Path, name: str, records: list[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")


def infinitebench(folder: Path, texts: list[str]) -> str:
    """Eight real books with a made-up question each, in InfiniteBench's three files."""
    asked = [
        {"id": i, "context": f"{said}\n\nThe keeper of lock {i} was Perrin{i}.", "input": f"Who kept lock {i}?"}
        for i, said in enumerate(texts)
    ]
    names = [f"Perrin{i}" for i in range(8)]
    for i, each in enumerate(asked):
        each |= {"answer": [names[i]], "options": [names[(i + j) % 8] for j in range(4)]}
    lines(folder, "longbook_choice_eng.jsonl", asked)
    lines(folder, "longbook_qa_eng.jsonl", [each | {"options": []} for each in asked])
    summaries = [{"answer": [f"A book with lock {i}, kept by Perrin."], "options": []} for i in range(8)]
    lines(folder, "longbook_sum_eng.jsonl", [each | more for each, more in zip(asked, summaries, strict=True)])
    return folder.as_uri()


def multi_lexsum(folder: Path, texts: list[str]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    filings = {f"F{i}": {"doc_text": said, "doc_type": "x"} for i, said in enumerate(texts)}
    (folder / "sources.json").write_text(json.dumps(filings), encoding="utf-8")
    for name, keys in (("dev.json", range(4)), ("test.json", range(4, 6)), ("train.json", range(6, 8))):
        summaries = {i: {"summary/short": f"Case {i} was dismissed.", "summary/long": f"Long {i}."} for i in keys}
        cases = [{"case_id": f"C-{i}", "case_documents": [f"F{i}"], "summary/tiny": None} | summaries[i] for i in keys]
        lines(folder, name, cases)
    return folder.as_uri()


def pg19(folder: Path, texts: list[str]) -> str:
    """As many books as two rows of 128k are made of, in the layout of the original."""
    (folder / "test").mkdir(parents=True)
    for number, said in enumerate(texts):
        (folder / f"test/{number}.txt").write_text(said, encoding="utf-8")
    return str(folder)


def given(root: Path, mirror: Path) -> dict[str, Any]:
    """The parameters of the repository: sources that were not here from files of their layout, the others from the mirror; few rows."""
    values = tiny.shipped("helmet")
    texts = books(mirror)
    made = helmet_archive.lists(questions=12, count=PASSAGES)
    values["sources"] = {
        "helmet": {
            "kind": "helmet_retrieved",
            "url": helmet_archive.write(root / "there/helmet", made),
            "splits": {"test": 70, "train": 30},
        },
        "pg19": {"kind": "pg19_folder", "path": pg19(root / "there/pg19", texts)},
        "trec_questions": {"kind": "trec_mirror"},
        "banking77": {"kind": "banking77_mirror"},
        "clinc150": {"kind": "clinc150_mirror"},
        "nlu": {"kind": "nlu_mirror"},
        "narrativeqa": {"kind": "narrativeqa_mirror"},
        "infinitebench": {"kind": "infinitebench", "url": infinitebench(root / "there/infinite", texts)},
        "multi_lexsum": {"kind": "multi_lexsum", "url": multi_lexsum(root / "there/lexsum", texts)},
    }
    values["tokenizer"] = {"release": "tekken", "also": []}
    for mined in values["retrieval_sets"].values():
        mined["count"] = {"test": 4, "train": 4}
        mined.update(top_k=PASSAGES + 10, num_negatives=PASSAGES + 10)
    for suite in values["suites"].values():
        for name, entry in suite["tasks"].items():
            entry["lengths"] = _few(name, entry["lengths"])
    # The six stories of the mirror have no worked examples, and nobody knows where they answer their questions.
    values["suites"]["helmet"]["tasks"]["narrativeqa"].update(shots=0, lengths={"natural": 2})
    values["suites"]["helmet"]["tasks"]["narrativeqa_distractors"]["shots"] = 0
    return values


def _few(name: str, lengths: dict[str, int]) -> dict[str, int]:
    if "natural" in lengths:
        return {"natural": 2}
    if name.endswith("_distractors"):
        return {"128k": 2}
    return {length: FEW.get(name, 2) for length in LENGTHS}


@pytest.fixture(scope="module")
def finished(once: Once, mirror: Path) -> Project:
    """The finished release; to be read only."""

    def build(root: Path) -> None:
        project = tiny.make(root)
        values = given(root, mirror)
        tiny.write_params(root, values)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HAYMAKER_MIRROR", str(mirror))
            tiny.run_alone(project)

    return Project(once("helmet", build))


def test_every_task_of_the_release_is_built_and_verified(finished: Project) -> None:
    report = json.loads((finished.reports / "validate.json").read_text())
    assert report["failures"] == 0
    asked = {(s, t) for s, block in tiny.shipped("helmet")["suites"].items() for t in block["tasks"]}
    built = {tuple(path.parts[-4:-2]) for path in finished.release.glob("data/*/*/*/test-*.parquet")}
    assert built == asked
    assert len(asked) == 24


def test_distractors_are_the_organisers_in_their_order(finished: Project) -> None:
    made = helmet_archive.lists(questions=12, count=PASSAGES)["kilt/nq-dev-multikilt_1000_k1000_dep6.jsonl"]
    listed = {row["question"]: [f"kilt-{each['id']}" for each in row["ctxs"]] for row in made[::6]}
    holding = {
        row["question"]: f"kilt-{row['ctxs'][row['ctxs'].index(row['positive_ctxs'][0]) + 1]['id']}"
        for row in made[::6]
    }
    table = pq.read_table(finished.data / "retrieval_sets/nq.parquet").to_pylist()
    for question in (row for row in table if row["split"] == "test"):
        gold = [each["passage_id"] for each in question["gold"]]
        found = [each["passage_id"] for each in question["distractors"]]
        assert found == [
            i for i in listed[question["question"]] if i not in gold and i != holding[question["question"]]
        ]
        assert (question["gold_source"], question["n_gold"]) == ("provenance", 1)
    for name, source in {"popqa": "subject", "asqa": "subject", "dl19": "judged"}.items():
        column = pq.read_table(finished.data / f"retrieval_sets/{name}.parquet")["gold_source"]
        assert set(column.to_pylist()) == {source}
    file = next((finished.release / "data/helmet/kilt_nq/8k").glob("test-*.parquet"))
    row = next(row for rows in read_row_groups(file) for row in rows.to_pylist())
    assert row["gold_source"] == "provenance" and row["depth_index"] in range(6)
    assert "as their publisher found them" in (finished.release / "TASKS.md").read_text(encoding="utf-8")
