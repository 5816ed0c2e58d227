"""Readers without code of ours: `datasets`, plain pyarrow; whole, streamed, and a few columns."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from haymaker.core.rows.schema import arrow_schema
from pipelines.project import Project
from tests.pipelines import tiny
from tests.pipelines.test_stages import ROWS

SCRIPT = """
import json, sys
from datasets import Features, disable_progress_bars, get_dataset_config_names, get_dataset_split_names, load_dataset
disable_progress_bars()
root, seen = sys.argv[1], {}
for config in get_dataset_config_names(root):
    for split in get_dataset_split_names(root, config):
        whole = load_dataset(root, config, split=split)
        streamed = load_dataset(root, config, split=split, streaming=True)
        few = load_dataset(root, config, split=split, streaming=True, columns=["id", "prompt", "answers"])
        ids = [row["id"] for row in streamed]
        first = next(iter(few))
        seen[f"{config} {split}"] = {
            "rows": len(whole), "same": ids == whole["id"][:], "columns": sorted(first), "answer": first["answers"],
            "prompt": first["prompt"] == whole[0]["prompt"], "fields": list(whole.features), "tokens": whole["prompt_tokens"][0],
            "schema": str(whole.features.arrow_schema.remove_metadata()),
        }
default = load_dataset(root, split="test")
print(json.dumps({"configs": seen, "default": [default[0]["id"], len(default)]}))
"""


def test_load_dataset_reads_every_config(built: Project, tmp_path: Path) -> None:
    script = tmp_path / "read.py"
    script.write_text(SCRIPT)
    read = subprocess.run(
        [sys.executable, str(script), str(built.release)],
        env=tiny.environment(
            PYTHONPATH=None,
            HF_DATASETS_CACHE=str(tmp_path / "cache"),
            HF_HOME=str(tmp_path / "home"),
            USE_TORCH="0",  # a reader has none
        ),
        capture_output=True,
        text=True,
        timeout=240,
        cwd=tmp_path,
    )
    assert read.returncode == 0, read.stderr[-3000:]
    found = json.loads(read.stdout.splitlines()[-1])
    rows = {key: facts["rows"] for key, facts in found["configs"].items()}
    expected = Counter({f"babilong_{task}_sim_{length} {split}": n for (task, length, split), n in ROWS.items()})
    for (_, length, split), n in ROWS.items():
        expected += Counter({f"{group}_sim_{length} {split}": n for group in ("all", "babilong")})
    expected += Counter({"mini test": 11, "mini_exact test": 11})
    assert rows == expected
    for key, facts in found["configs"].items():
        assert facts["same"] and facts["prompt"], key
        assert facts["columns"] == ["answers", "id", "prompt"], key
        assert facts["fields"] == arrow_schema().names, key
        assert facts["schema"] == str(arrow_schema()), key
    assert found["default"] == ["babilong-qa1-4k-qa1-test-00031", 11]


def test_a_few_columns_with_pyarrow_alone(built: Project) -> None:
    files = sorted((built.release / "data").rglob("*.parquet"))
    assert sum(pq.read_table(file, columns=["id", "unused_tokens"]).num_rows for file in files) == 74
    metadata = pq.ParquetFile(files[0]).metadata
    chunk = metadata.row_group(0)
    sizes = {chunk.column(i).path_in_schema: chunk.column(i) for i in range(chunk.num_columns)}
    assert {column.compression for column in sizes.values()} == {"ZSTD"}
    assert not sizes["prompt"].is_stats_set, "no statistics on long text"
    assert sizes["prompt_tokens"].is_stats_set


def test_the_card_and_the_manifest_say_what_is_there(built: Project) -> None:
    text = (built.release / "README.md").read_text(encoding="utf-8")
    assert "simulated edition" in text.lower()
    manifest = json.loads((built.release / "manifest.json").read_text())
    on_disk = tiny.digests(built.root, "data/releases/tiny")
    assert {n: f["sha256"] for n, f in manifest["files"].items()} == {
        n: d for n, d in on_disk.items() if n.endswith(".parquet")
    }
    assert {n: f["rows"] for n, f in manifest["files"].items() if n.startswith("data/")} == {
        f"data/babilong/{task}/{length}/{split}-00000-of-00001.parquet": n for (task, length, split), n in ROWS.items()
    }
    assert manifest["canary"] in text
    assert manifest["sources"]["stories"]["licence"] == "CC0-1.0"
    assert (manifest["name"], manifest["version"], manifest["seed"]) == ("tiny", "0.1.0", 7)
