"""A real classification set of the stage prepare, from a source to rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.tokenizers import tokenizer
from haymaker.core.files.disk import read_json
from pipelines.project import Project
from tests.pipelines import tiny


@pytest.mark.real
def test_banking77(tmp_path: Path, mirror: Path) -> None:
    """The real set: 10,003 and 3,080 texts; by heart what is dropped (docs/spec/helmet.md 9)."""
    entry = {"classification_set": "bank", "lengths": {"4k": 2, "128k": 1}}
    once = entry | {"base": "icl_banking77", "repeats": False}
    changes: dict[str, Any] = {
        "sources": {"bank": {"kind": "banking77_mirror"}},
        "corpora": {},
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
