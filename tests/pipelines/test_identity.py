"""The same parameters give the same bytes: any number of workers, any hash seed, any folder."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipelines.project import Project
from tests.pipelines import tiny

SCRIPT = """
import sys
from pathlib import Path
from tests.pipelines import tiny
if __name__ == "__main__":
    tiny.run(tiny.make(Path(sys.argv[1])))
"""


@pytest.mark.slow  # golden digests hold the same bytes in each process, test_kills.py with two workers
@pytest.mark.parametrize(
    ("workers", "seed", "folder"),
    [
        ("1", "1", "one"),  # as `built` is made, in a process of its own
        ("4", "2", "été with a space"),
    ],
)
def test_same_bytes_everywhere(built: Project, tmp_path: Path, workers: str, seed: str, folder: str) -> None:
    script, root = tmp_path / "build.py", tmp_path / folder / "project"
    script.write_text(SCRIPT)
    result = subprocess.run(
        [sys.executable, str(script), str(root)],
        env=tiny.environment(HAYMAKER_WORKERS=workers, PYTHONHASHSEED=seed, LC_ALL="C"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert result.returncode == 0, result.stderr
    for below in ("raw", "tokenizers", "corpora", "releases", "reports", "counts"):
        assert tiny.digests(root, f"data/{below}") == tiny.digests(built.root, f"data/{below}"), below


def test_order_of_keys_and_files_from_before_change_nothing(built: Project, tmp_path: Path) -> None:
    """Entries written in another order, and shards of another seed lying in the work folder."""
    project = tiny.make(tmp_path, **{"release.seed": 8})
    tiny.run(project, "download", "prepare", "generate")
    assert tiny.digests(project.root, "data/releases/tiny/data") != tiny.digests(built.root, "data/releases/tiny/data")
    values = tiny.params()
    values["suites"]["babilong"]["tasks"] = dict(reversed(values["suites"]["babilong"]["tasks"].items()))
    values["sources"] = dict(reversed(values["sources"].items()))
    tiny.write_params(project.root, dict(reversed(values.items())))
    tiny.run(project, "generate")
    assert tiny.digests(project.root, "data/releases/tiny/data") == tiny.digests(built.root, "data/releases/tiny/data")


def test_releases_of_one_seed_share_no_rows(built: Project, tmp_path: Path) -> None:
    """Same sources, same seed, another name or edition: other questions, other places, other background."""
    rows = {"tiny": _prompts(built)}
    for number, change in enumerate(({"release.name": "other"}, {"release.edition": "real"})):
        project = tiny.make(tmp_path / str(number), **change)
        tiny.run(project, "download", "prepare", "generate")
        rows[str(number)] = _prompts(project)
    for one, other in combinations(rows.values(), 2):
        assert len(one & other) == 0


def _prompts(project: Project) -> set[str]:
    """Prompts of rows with a context; a story without one may be asked in two releases."""
    files = [path for path in (project.release / "data").rglob("*.parquet") if path.parent.name != "0k"]
    return {prompt for path in files for prompt in pq.read_table(path, columns=["prompt"])["prompt"].to_pylist()}
