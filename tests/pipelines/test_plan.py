"""haymaker --help and haymaker plan: quick, offline, and right."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from haymaker.errors import EnvironmentProblem
from pipelines import plan as planning
from pipelines.project import Project
from tests.pipelines import tiny

ZERO = 450  # tokens that the plan gives a row of 0k
K = 1024
PER_TASK = {  # tokens per task, from the buckets of the parameter files
    "demo": 100 * ZERO + 100 * 4 * K + 20 * 16 * K + 10 * 64 * K + 5 * 128 * K,
    "world": 100 * (ZERO + (4 + 16 + 32 + 64 + 128) * K) + 3 * 1_000_000,
    "mirror": 100 * (ZERO + (4 + 16 + 64 + 128) * K),
    "full": 500 * (ZERO + (1 + 2 + 4 + 8 + 16 + 32 + 64) * K) + 100 * ((128 + 256 + 512) * K + 1_000_000),
}
PASSAGES = {  # (rows, tokens) of HELMET's tasks, from the buckets of the parameter files
    "demo": (
        3 * 120 + 12 * 2 + 2 * 6 + 12 + 6 + 72 + 39 + 4 * 26 + 12,
        (3 * 60 + 30) * (4 + 16) * K + 30 * 16 * K + (3 * 12 + 6 + 6) * 64 * K + (12 + 6 + 6 + 6 + 3) * 128 * K + 6_000_000
        + 4 * (10 * (8 + 16) + 4 * 64 + 2 * 128) * K,
    ),
    "world": (
        3 * 1830 + 915 + 600 + 4 * 305,
        3 * ((600 * (4 + 16) + 300 * (64 + 128)) * K + 30_000_000)
        + 2 * (300 * 16 + 150 * (64 + 128)) * K + 300 * 4 * K + 15_000_000
        + 4 * ((100 * (8 + 16) + 50 * (64 + 128)) * K + 5_000_000),
    ),
    "world-large": (0, 0),
    "dense": (3 * 66 + 33, 3 * (48 * 4 + 12 * 16 + 6 * 32) * K + (24 * 4 + 6 * 16 + 3 * 32) * K),
    "mirror": (
        3 * 852 + 426 + 210 + 2 * 102,
        3 * ((300 * (4 + 16) + 120 * (64 + 128)) * K + 12_000_000)
        + (150 * (4 + 16) + 60 * (64 + 128)) * K + 6_000_000
        + (96 * 16 + 60 * 32 + 36 * 64 + 18 * 128) * K
        + 2 * ((30 * (4 + 16) + 20 * (64 + 128)) * K + 2_000_000),
    ),
    "babilong": (0, 0),
    "full": (
        3 * 3540 + 1770 + 2 * 744 + 4 * 590,
        3 * ((600 * (8 + 16 + 32 + 64 + 128) + 300 * 256 + 120 * 512) * K + 120_000_000)
        + (300 * (8 + 16 + 32 + 64 + 128) + 150 * 256 + 60 * 512) * K + 60_000_000
        + 2 * ((114 * (8 + 16 + 32 + 64 + 128 + 256) + 30 * 512) * K + 30_000_000)
        + 4 * ((100 * (8 + 16 + 32 + 64 + 128) + 50 * 256 + 20 * 512) * K + 20_000_000),
    ),
}  # fmt: skip
STORIES = {
    "demo": (20 * 235 + 2, 20 * PER_TASK["demo"] + 2 * 1_000_000),
    "world": (20 * 603, 20 * PER_TASK["world"]),
    "world-large": (20 * 603, 20 * PER_TASK["world"]),
    "dense": (0, 0),
    "mirror": (20 * 500 + 5 * 10, 20 * PER_TASK["mirror"] + 50 * 1_000_000),
    "babilong": (20 * (8 * 500 + 4 * 100), 20 * PER_TASK["full"]),
    "full": (20 * (8 * 500 + 4 * 100), 20 * PER_TASK["full"]),
}
WANTED = {name: (rows + PASSAGES[name][0], tokens + PASSAGES[name][1]) for name, (rows, tokens) in STORIES.items()}
HEAVY = (
    "numpy",
    "pyarrow",
    "nltk",
    "datasets",
    "torch",
    "transformers",
    "pandas",
    "dvc",
    "huggingface_hub",
    "tokenizers",
)
NO_NETWORK = """
import socket, sys
def refused(*_, **__):
    raise AssertionError("the network was asked")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refused
sys.argv = ["haymaker", *sys.argv[1:]]
from pipelines.cli import main
main()
"""


def python(root: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=root,
        env=tiny.environment(PYTHONPATH=str(tiny.ROOT), COLUMNS="200"),
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    """Modules are counted, not seconds: a second is another thing on every machine."""
    code = (
        "import sys\nsys.argv = ['haymaker', '--help']\nfrom pipelines.cli import main\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code, stop.code\n"
        f"print('loaded:', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = python(tmp_path, code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].strip() == "loaded:"
    for command in (
        "run",
        "plan",
        "stage",
        "sources",
        "tasks",
        "show",
        "validate",
        "score",
        "quality",
        "bench",
        "doctor",
    ):
        assert f" {command} " in done.stdout, command


@pytest.mark.parametrize("release", list(WANTED))
def test_the_plan_of_each_release_without_network_or_mirror(release: str, tmp_path: Path) -> None:
    root = tiny.make(tmp_path).root
    shutil.copytree(tiny.ROOT / "params", root / "params", dirs_exist_ok=True)
    done = python(root, NO_NETWORK, "plan", "--release", release)
    if "GB are free" in done.stderr:  # the plan is printed first, then the disk of this machine refuses it
        assert done.returncode == 2
    else:
        assert done.returncode == 0, done.stderr
    rows, tokens = WANTED[release]
    total = next(line.split() for line in done.stdout.splitlines() if line.startswith("all "))
    assert total == ["all", f"{rows:,}", f"{tokens:,}", f"{tokens / 1e6:,.2f}"]
    assert not (root / "data").exists()


def test_the_numbers_written_out() -> None:
    assert WANTED == {
        "demo": (5_343, 65_203_616),
        "world": (20_285, 1_018_616_800),
        "world-large": (12_060, 560_612_000),
        "dense": (231, 2_064_384),
        "mirror": (13_446, 652_506_016),
        "babilong": (88_000, 5_139_988_000),
        "full": (104_238, 7_073_819_168),
    }


def test_the_tiny_plan_to_the_token(fresh: Project) -> None:
    plan = planning.make(fresh)
    assert plan.rows == 74
    assert plan.tokens == 21 * ZERO + 22 * 1 * K + 29 * 4 * K + 2 * 16 * K == 183_530
    assert plan.price(2.0) == pytest.approx(0.36706)
    assert {t.config for t in plan.tables} >= {"babilong_qa1_grid_4k", "babilong_qa3_1k"}
    assert sum(t.rows for t in plan.tables) == 74


def test_the_plan_is_near_what_is_built(built: Project) -> None:
    """The release's size and tokens within a third of what the plan says; only rows are exact."""
    plan = planning.make(built)
    tokens = sum(f["tokens"] for f in _files(built).values())
    assert 0.8 < tokens / plan.tokens <= 1.0


def _files(project: Project) -> dict[str, dict[str, int]]:
    import json

    return dict(json.loads((project.reports / "files.json").read_text())["files"])


def test_too_small_a_disk_is_refused_before_anything_is_done(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    plan = planning.make(fresh)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 0, plan.disk_bytes - 1))
    with pytest.raises(
        EnvironmentProblem, match=r"needs about .* GB, .* GB are free.*Next: free space, or ask for fewer"
    ):
        planning.check_disk(fresh, plan)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 0, plan.disk_bytes))
    planning.check_disk(fresh, plan)
    from pipelines import runner

    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 0, 0))
    before = sorted(fresh.root.rglob("*"))
    with pytest.raises(EnvironmentProblem, match="GB are free"):
        runner.run(fresh, "tiny")
    assert sorted(fresh.root.rglob("*")) == before
