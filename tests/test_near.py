"""`make test-near`: a test that loads a changed module is always among the tests that run."""

from __future__ import annotations

import subprocess
import sys

import grimp
import pytest

from devtools.tests_near import PACKAGES, ROOT, import_graph, near


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return import_graph()


@pytest.mark.parametrize(
    "test",
    ["scoring/test_reader.py", "worlds/test_babi.py", "generators/shots/test_shots.py", "pipelines/test_plan.py"],
)
def test_every_module_that_a_test_file_loads_selects_it(graph: grimp.ImportGraph, test: str) -> None:
    code = f"import sys, tests.{test.removesuffix('.py').replace('/', '.')}\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    modules = {name for name in loaded.split() if name.partition(".")[0] in PACKAGES[:-1]}
    files = [f"{name.replace('.', '/')}.py" for name in modules if (ROOT / f"{name.replace('.', '/')}.py").exists()]
    assert len(files) > 5
    assert not [file for file in files if f"tests/{test}" not in near([file], graph)]


@pytest.mark.parametrize(
    ("changed", "selected", "left_out"),
    [
        ("pipelines/plan/show.py", "tests/pipelines/test_plan.py", "tests/scoring/test_reader.py"),
        ("pipelines/commands/building.py", "tests/pipelines/test_command_line.py", "tests/worlds/test_babi.py"),
        ("haymaker/scoring/reader/final.py", "tests/scoring/test_reader.py", "tests/worlds/test_babi.py"),
        ("generators/shots/oracle.py", "tests/generators/shots/test_shots.py", "tests/corpora/tokenizers/test_tokenizer.py"),
        ("worlds/prose/banks.txt", "tests/worlds/test_novels.py", "tests/scoring/test_reader.py"),
        ("docs/README.md", "tests/test_docs.py", "tests/scoring/test_reader.py"),
    ],
)  # fmt: skip
def test_what_a_change_selects(graph: grimp.ImportGraph, changed: str, selected: str, left_out: str) -> None:
    found = near([changed], graph)
    assert selected in found and left_out not in found


@pytest.mark.parametrize("changed", ["dvc.yaml", "tests/metrics/qa.json", "new/folder/file.py"])
def test_a_file_that_no_module_stands_for_selects_everything(graph: grimp.ImportGraph, changed: str) -> None:
    assert near(["docs/README.md", changed], graph) == ["tests"]
