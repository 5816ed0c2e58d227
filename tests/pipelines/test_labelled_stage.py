"""Classification sets of the stage prepare, from a source to rows: what the file and the report hold, the same bytes in any process, damage named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.stores.labelled import Labelled, unit
from corpora.tokenizers import tokenizer
from generators.inputs import KINDS
from haymaker.core.errors import CorpusError, ReleaseError
from haymaker.core.files.disk import read_json, sha256_file
from pipelines import stages
from pipelines.project import Project
from pipelines.stages import classification_sets as stage
from pipelines.stages import records
from tests.errors import refused
from tests.pipelines import tiny

CHANGES: dict[str, Any] = {
    "sources": {"talk": {"kind": "simulated_utterances", "seed": 4, "sets": {"coarse": {"train": 40, "test": 3}}}},
    "corpora": {},
    "classification_sets": {"coarse": {"source": "talk", "set": "coarse"}},
    "suites": {"helmet": {"tasks": {"icl_trec_coarse": {"classification_set": "coarse", "lengths": {"4k": 4}}}}},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """To be read only."""
    project = tiny.make(tmp_path_factory.mktemp("labelled") / "p", **CHANGES)
    tiny.run_alone(project, "download", "prepare")
    return project


def test_file_and_report(project: Project) -> None:
    path = KINDS["classification_sets"].path(project.data, "coarse")
    labelled, report = Labelled(path), read_json(project.counts / "prepare/classification_sets/coarse/counts.json")
    assert len(labelled.labels) == report["labels"] == 6
    record = records.read(project, "prepare")
    assert record and record["files"]["data/classification_sets/coarse.parquet"] == labelled.digest == sha256_file(path)
    left_out = {split: sum(reasons.values()) for split, reasons in report["dropped"].items()}
    wanted = {"train": 240, "test": 18, "dev": 0}
    assert {split: report["texts"][split] + left_out[split] for split in wanted} == wanted
    assert labelled.meta["sources"]["talk"]["source"] == "simulated_utterances"
    train = labelled.split("train")
    assert train.tokens[0].tolist() == [
        tokenizer.load("tekken").count_part(unit(text, "Label:")) for text in train.text
    ]


def test_damaged_raw_files_and_a_set_without_texts(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A set that is kept reads no raw file; without it they are checked first."""
    mine = tiny.copy(project.root, tmp_path / "mine")
    monkeypatch.setattr(
        stage, "sifted", lambda texts, **_: ({split: [] for split in texts}, {split: {} for split in texts})
    )
    with refused(CorpusError, "classification_sets.coarse", 0, fix=("coarse", "talk")):
        stages.run(mine, "prepare")
    raw = mine.inputs.raw("talk") / "coarse.jsonl"
    raw.write_bytes(raw.read_bytes().replace(b"a", b"e", 1))
    with refused(ReleaseError, "data/raw/talk/coarse.jsonl", "changed", fix="haymaker run"):
        stages.run(Project(mine.root), "prepare")


@pytest.mark.real
def test_banking77(tmp_path: Path, mirror: Path) -> None:
    """The real set: 10,003 and 3,080 texts; by heart what is dropped (docs/spec/helmet.md 9)."""
    entry = {"classification_set": "bank", "lengths": {"4k": 2, "128k": 1}}
    once = entry | {"base": "icl_banking77", "repeats": False}
    changes = CHANGES | {
        "sources": {"bank": {"kind": "banking77_mirror"}},
        "classification_sets": {"bank": {"source": "bank", "set": "banking77"}},
        "suites": {"helmet": {"tasks": {"icl_banking77": entry, "icl_once": once}}},
        "mirror": str(mirror),
    }
    project = tiny.make(tmp_path / "p", **changes)
    tiny.run(project, "download", "prepare")
    report = read_json(project.counts / "prepare/classification_sets/bank/counts.json")
    assert report["texts"] == {"train": 9999, "test": 3072, "dev": 0}
    assert report["dropped"] == {"train": {"repeated": 4}, "test": {"also_in_train": 7, "repeated": 1}, "dev": {}}
    built = next(suite for suite in Project(project.root).suites() if suite.name == "helmet")
    assert built.limit("icl_once") == 217_130 and built.limit("icl_banking77") is None
    for table in built.tables():
        for sample in built.build(table, 0, table.rows):
            assert sample.prompt_tokens == tokenizer.load("tekken").count(sample.text)
            assert sample.unused_tokens == 0
