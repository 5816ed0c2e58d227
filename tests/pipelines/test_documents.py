"""Readers without code of ours: `datasets`, plain pyarrow; whole, streamed, and a few columns."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from haymaker.core.rows.schema import LEAN_COLUMNS, arrow_schema
from pipelines.project import Project
from tests.pipelines import tiny
from tests.pipelines.test_stages import ROWS

SCRIPT = """
import json, re, sys
from datasets import disable_progress_bars, get_dataset_config_names, load_dataset, load_dataset_builder
disable_progress_bars()
root, seen = sys.argv[1], {}
names = get_dataset_config_names(root)
for config in sys.argv[2:] or names:
    for split, files in load_dataset_builder(root, config).config.data_files.items():
        whole = load_dataset(root, config, split=split)
        streamed = load_dataset(root, config, split=split, streaming=True)
        few = load_dataset(root, config, split=split, streaming=True, columns=["id", "prompt", "answers"])
        ids = [row["id"] for row in streamed]
        first = next(iter(few))
        seen[f"{config} {split}"] = {
            "rows": len(whole), "same": ids == whole["id"][:] and next(iter(streamed)) == whole[0], "columns": sorted(first),
            "prompt": first["prompt"] == whole[0]["prompt"], "fields": list(whole.features),
            "files": sorted(path.rpartition("/tiny/")[2] for path in files),
            "schema": str(whole.features.arrow_schema.remove_metadata()),
        }
default = load_dataset(root, split="test")
exec(re.search(r"```python\\n(.*?)```", open(f"{root}/README.md").read(), re.S)[1])
print(json.dumps({"configs": seen, "default": [default[0]["id"], len(default)], "names": names, "snippet": len(rows)}))
"""
EACH_KIND = ("mini", "mini_full", "all_sim_4k", "babilong_sim_0k_full", "babilong_qa1_sim_1k")


def configs_of(task: str, length: str) -> list[str]:
    """All configs that hold a table."""
    groups = [f"{group}_sim_{length}" for group in ("all", "babilong")]
    return [f"babilong_{task}_sim_{length}", *groups, *(f"{group}_full" for group in groups)]


@pytest.mark.parametrize("wanted", [EACH_KIND, pytest.param((), marks=pytest.mark.slow, id="every config")])
def test_load_dataset_reads_each_config_and_the_snippet_of_the_card_runs(
    built: Project, tmp_path: Path, wanted: tuple[str, ...]
) -> None:
    read = subprocess.run(
        [sys.executable, "-c", SCRIPT, "data/releases/tiny", *wanted],
        env=tiny.environment(
            PYTHONPATH=None,
            HF_DATASETS_CACHE=str(tmp_path / "cache"),
            HF_HOME=str(tmp_path / "home"),
            USE_TORCH="0",  # a reader has none
        ),
        capture_output=True,
        text=True,
        timeout=240,
        cwd=built.root,
        check=False,
    )
    assert read.returncode == 0, read.stderr[-3000:]
    found = json.loads(read.stdout.splitlines()[-1])
    expected = Counter({f"{name} test": 11 for name in ("mini", "mini_exact", "mini_full")})
    files: dict[str, list[str]] = defaultdict(list)
    for (task, length, split), rows in ROWS.items():
        for name in configs_of(task, length):
            expected[f"{name} {split}"] += rows
            files[f"{name} {split}"].append(f"data/babilong/{task}/{length}/{split}-00000-of-00001.parquet")
    asked = {key: rows for key, rows in expected.items() if not wanted or key.split(" ")[0] in wanted}
    assert {key: facts["rows"] for key, facts in found["configs"].items()} == asked
    for key, facts in found["configs"].items():
        assert facts["same"] and facts["prompt"] and facts["columns"] == ["answers", "id", "prompt"], key
        assert key not in files or facts["files"] == sorted(files[key]), "a reader of 4k fetches 4k alone"
        columns = arrow_schema().names if "_full " in key else list(LEAN_COLUMNS)
        assert facts["fields"] == columns, key
        assert facts["schema"] == str(pa.schema([arrow_schema().field(name) for name in columns])), key
    assert found["default"] == ["babilong-qa1-4k-qa1-test-00031", 11] and found["snippet"] == ROWS["qa1", "1k", "test"]
    names = found["names"]
    assert set(names) == {key.split(" ")[0] for key in expected} and len(names) == len(set(names))
    assert names[:5] == ["mini", "all_sim_0k", "all_sim_1k", "all_sim_4k", "all_sim_16k"]
    tables = {table.config for suite in built.built_suites() for table in suite.tables()}
    assert tables == {f"babilong_{task}_sim_{length}" for task, length, _ in ROWS}, "what plan says"


def test_a_few_columns_with_pyarrow_alone(built: Project) -> None:
    files = sorted((built.release / "data").rglob("*.parquet"))
    assert sum(pq.read_table(file, columns=["id", "unused_tokens"]).num_rows for file in files) == 74
    metadata = pq.ParquetFile(files[0]).metadata
    chunk = metadata.row_group(0)
    sizes = {chunk.column(i).path_in_schema: chunk.column(i) for i in range(chunk.num_columns)}
    assert {column.compression for column in sizes.values()} == {"ZSTD"}
    assert not sizes["prompt"].is_stats_set, "no statistics on long text"
    assert sizes["prompt_tokens"].is_stats_set
