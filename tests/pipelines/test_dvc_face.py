"""DVC as its users know it: a release goes to another clone by push and pull; metrics, pictures and the graph can be read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from haymaker.core.files.disk import read_json
from pipelines.checks import plots
from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny

WIDTH = 100
"""Columns of a terminal."""


def call(folder: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=folder, env=tiny.environment(), capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def git(folder: Path, *words: str) -> str:
    return call(folder, "git", "-c", "user.name=a", "-c", "user.email=a@b", *words)


@pytest.fixture(scope="module")
def pushed(once: Once, built_root: Path) -> Path:
    """A repository `home` whose release was pushed to the folder `store` beside; to be read only."""

    def make(folder: Path) -> None:
        home = folder / "home"
        tiny.copy(built_root, home)
        for name in (".dvc/.gitignore", ".gitignore"):
            shutil.copyfile(tiny.ROOT / name, home / name)
        config = (tiny.ROOT / ".dvc/config").read_text(encoding="utf-8").replace("[core]", "[core]\n    remote = store")
        (home / ".dvc/config").write_text(f"{config}['remote \"store\"']\n    url = ../../store\n", encoding="utf-8")
        git(home, "init", "--quiet")
        call(home, "dvc", "commit", "--quiet", "--force")
        git(home, "add", "--all")
        git(home, "commit", "--quiet", "--message", "A release")
        call(home, "dvc", "push", "--quiet")

    return once("pushed", make)


@pytest.fixture
def clone(pushed: Path, tmp_path: Path) -> Path:
    """A clone beside a link to the store: nothing is built in it."""
    git(tmp_path, "clone", "--quiet", str(pushed / "home"), "clone")
    (tmp_path / "store").symlink_to(pushed / "store")
    return tmp_path / "clone"


@pytest.fixture
def home(pushed: Path, tmp_path: Path) -> Path:
    """A copy of the repository in which the release was built."""
    subprocess.run(["cp", "-a", str(pushed / "home"), str(tmp_path / "home")], check=True)
    return tmp_path / "home"


# ---------------------------------------------------------------------------------------------------- push and pull


def test_a_pulled_release_is_the_built_one_and_nothing_is_left_to_do(clone: Path, built_root: Path) -> None:
    call(clone, "dvc", "pull", "--quiet")
    for below in ("releases", "reports", "counts", "stages", "corpora", "raw", "tokenizers"):
        assert tiny.digests(clone, f"data/{below}") == tiny.digests(built_root, f"data/{below}"), below
    said = tiny.called(clone, "run")
    assert said.returncode == 0 and "Release tiny 0.1.0 is ready" in said.stderr
    assert " shards in " not in said.stderr, said.stderr
    verified = tiny.called(clone, "validate")
    assert (verified.returncode, "74 rows verified, 0 failures" in verified.stderr) == (0, True), verified.stderr
    assert git(clone, "status", "--short") == ""


@pytest.mark.slow
def test_pulled_files_are_read_only_and_yet_the_release_can_be_changed(clone: Path) -> None:
    call(clone, "dvc", "pull", "--quiet")
    before = tiny.digests(clone / ".dvc/cache", "files")
    tiny.write_params(clone, tiny.params(**{"suites.babilong.tasks.qa2": {"lengths": {"0k": 9, "4k": 5}}}))
    said = tiny.haymaker(clone, "run")
    assert said.returncode == 0 and "(75 rows" in said.stderr, said.stderr
    assert "simulate" not in said.stderr and "prepare" not in said.stderr, "what was pulled is kept"
    assert before.items() <= tiny.digests(clone / ".dvc/cache", "files").items(), "what was pulled is as it was"


# ------------------------------------------------------------------------------------------------ metrics and plots


def test_metrics_are_one_short_line(home: Path, built: Project) -> None:
    shown = call(home, "dvc", "metrics", "show").splitlines()
    assert shown[0].split() == ["Path", "MB", "failed", "files", "fill", "rows", "tokens"]
    assert len(shown) == 2 and max(map(len, shown)) <= WIDTH - 14  # of a longer name and longer figures
    report, short = read_json(built.reports / "validate.json"), read_json(built.reports / "metrics.json")
    lowest = min(fill["min"] for fill in report["fill_percent"].values())
    assert (short["rows"], short["failed"], short["fill"]) == (74, 0, lowest)
    assert (short["tokens"], short["files"]) == (report["tokens"], 13)


def test_the_page_of_plots_needs_no_network(home: Path) -> None:
    call(home, "dvc", "plots", "show")
    page = (home / "dvc_plots/index.html").read_text(encoding="utf-8")
    assert "http" not in page and "<script" not in page
    shown = re.findall(r'<img src="(.+?)">', page)
    assert [name.rpartition("_")[2] for name in shown] == ["depth.svg", "fill.svg", "labels.svg"]
    for name in shown:
        text = (home / "dvc_plots" / name).read_text(encoding="utf-8")
        assert text.count("http") == 1 and "href" not in text, "its namespace alone"
        ElementTree.fromstring(text)


def test_the_least_even_task_comes_first_and_a_release_without_such_rows_says_so() -> None:
    found = {"even": Counter(a=5, b=5), "<odd> & " + "x" * 40: Counter(a=9, b=1)}
    words = [each.text for each in ElementTree.fromstring(plots.labels(found)).iter("{http://www.w3.org/2000/svg}text")]
    assert words.index("<odd> & " + "x" * 25 + "\u2026") < words.index("even")
    for text in (plots.fill({}), plots.depth({}), plots.labels({})):
        assert "no such rows in this release" in text


# ------------------------------------------------------------------------------------------------------------ graph


def test_the_graph_in_the_documentation_is_the_one_of_dvc_yaml(fresh: Project) -> None:
    """Of the default release, which has every stage."""
    shutil.copyfile(tiny.ROOT / "params/demo.yaml", fresh.root / "params.yaml")
    shown = call(fresh.root, "dvc", "dag").rstrip()
    lines = [line.rstrip() for line in shown.splitlines()]
    assert max(map(len, lines)) < WIDTH
    text = [line.rstrip() for line in (tiny.ROOT / "docs/reference/dvc.md").read_text(encoding="utf-8").splitlines()]
    assert "\n".join(lines) in "\n".join(text), f"the page should contain\n{shown}"


def test_tokenizers_reach_rows_and_card(built: Project) -> None:
    noted = read_json(built.reports / "tables/babilong.json")["tokenizers"]
    recorded = read_json(built.data / "tokenizers/tokenizers.json")["tokenizers"]
    assert noted == {name: facts["fingerprint"] for name, facts in recorded.items()}
    manifest = json.loads((built.release / "manifest.json").read_bytes())
    assert manifest["tokenizers"] == [{"name": name, "fingerprint": mark} for name, mark in noted.items()]
