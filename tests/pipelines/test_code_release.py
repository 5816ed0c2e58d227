"""A user's own repository as he meets it: a small release from files to card, by the page's example."""

from __future__ import annotations

import json
import re

import pyarrow.parquet as pq
import pytest

from haymaker.core.files.yaml_file import read_yaml
from pipelines.project import Project
from tests.pipelines import tiny
from worlds.programs.build import programs

PAGE = (
    (tiny.ROOT / "docs/reference/own-corpus.md")
    .read_text(encoding="utf-8")
    .partition("## Source code\n")[2]
    .partition("\n## ")[0]
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The page's example over five programs; without long rows."""
    root = tmp_path_factory.mktemp("own")
    for file in programs(9, {"test": 5}):
        (root / "shop" / file.path).parent.mkdir(parents=True, exist_ok=True)
        (root / "shop" / file.path).write_text(file.text, encoding="utf-8")
    (root / "example.yaml").write_text(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0], encoding="utf-8")
    example = read_yaml(root / "example.yaml")
    example["sources"]["shop"]["folder"] = str(root / "shop")
    for task in example["suites"]["longbench"]["tasks"].values():
        task["lengths"] = {length: 6 for length in task["lengths"] if length == "natural"}
    project = tiny.make(root / "project", sources=example["sources"], suites=example["suites"], corpora={})
    tiny.run_alone(project)
    return project


def test_the_example_of_the_page(finished: Project) -> None:
    card, tasks = ((finished.release / name).read_text(encoding="utf-8") for name in ("README.md", "TASKS.md"))
    assert "`longbench_repobench_p_natural`" in card and "| shop | Source code | MIT |" in tasks
    assert json.loads((finished.data / "reports/tiny/validate.json").read_text(encoding="utf-8"))["failures"] == 0
    for task in ("repobench_p", "lcc"):
        rows = pq.read_table(finished.release / "data/longbench" / task / "natural")
        assert rows["use_chat_template"].to_pylist() == [False] * 6 and rows["category"].to_pylist() == ["code"] * 6
        assert set(rows["sources"].to_pylist()[0]) == {"shop"}
