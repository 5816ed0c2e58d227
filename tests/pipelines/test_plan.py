"""haymaker --help and haymaker plan: quick, offline, and right."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.files.disk import read_json, write_json
from pipelines.plan import plan as planning
from pipelines.plan import sizes
from pipelines.project import Project
from pipelines.run import runner
from tests.errors import refused
from tests.pipelines import tiny

TOTALS = tiny.ROOT / "tests/golden/plans.json"
RELEASES = ("demo", "world", "world-large", "dense", "mirror", "babilong", "full")


HEAVY = tuple("numpy pyarrow nltk datasets torch transformers pandas dvc huggingface_hub tokenizers".split())


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    """Modules are counted, not seconds: a second is another thing on every machine."""
    code = (
        "import sys\nsys.argv = ['haymaker', '--help']\nfrom haymaker.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code, stop.code\n"
        f"print('loaded:', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=tiny.environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].strip() == "loaded:"


@pytest.mark.parametrize("release", RELEASES)
def test_the_plan_of_each_release_without_network_or_mirror(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and tokens are those of tests/golden; HAYMAKER_GOLDEN=write renews them."""
    root = tiny.make(tmp_path).root
    shutil.copytree(tiny.ROOT / "params", root / "params", dirs_exist_ok=True)
    for name in ("socket.connect", "socket.connect_ex", "getaddrinfo", "create_connection"):
        monkeypatch.setattr(f"socket.{name}", None)
    done = tiny.called(root, "plan", release, COLUMNS="200")
    if "GB are free" not in done.stderr:  # the plan is printed first, then the disk of this machine refuses it
        assert done.returncode == 0, done.stderr
    total = next(line.split() for line in done.stdout.splitlines() if line.startswith("all "))
    rows, tokens = (int(number.replace(",", "")) for number in total[1:3])
    assert total[3] == f"{tokens / 1e6:,.2f}"
    if os.environ.get("HAYMAKER_GOLDEN") == "write":
        write_json(TOTALS, read_json(TOTALS) | {release: {"rows": rows, "tokens": tokens}})
    assert read_json(TOTALS)[release] == {"rows": rows, "tokens": tokens}
    assert not (root / "data").exists()


def test_the_plan_is_near_what_is_built(built: Project) -> None:
    """Tokens within a fifth, bytes within 1.3 times; only rows are exact."""
    plan = planning.make_plan(built)
    tokens = read_json(built.reports / "validate.json")["tokens"]
    assert 0.8 < tokens / plan.tokens <= 1.0
    [suite] = built.suites()
    size = sum(path.stat().st_size for path in (built.release / "data").rglob("*.parquet"))
    assert 1 / 1.3 < sum(sizes.table_bytes(suite, table, 1) for table in suite.tables()) / size < 1.3


def test_a_mirror_that_is_none_is_found_before_anything_is_built(fresh: Project) -> None:
    (fresh.root / "data").mkdir()
    real = {"sources.stories": {"kind": "babi_mirror", "variant": "en-10k"}, "release.edition": "real"}
    below = {"sources.novels": {"kind": "jsonl", "path": "mirror:a.jsonl", "text_key": "t"}}
    for changes, mirror, where in (
        (real, "/nope", "/nope"),
        (real, "data", "data/SHA256SUMS"),
        (below, "/nope", "/nope"),
        ({}, "/nope", ""),  # nobody needs it
    ):
        for key, variable in ((mirror, None), (None, mirror)):
            tiny.write_params(fresh.root, tiny.params(**changes, **({"mirror": key} if key else {})))
            for command in ("plan", "run") if where else ("plan",):
                done = tiny.called(fresh.root, command, HAYMAKER_MIRROR=variable)
                assert tiny.one_line(done, where, fix="HAYMAKER_MIRROR") if where else done.returncode == 0
                assert all("locks" in file for file in tiny.digests(fresh.root, "data"))


def test_too_small_a_disk_is_refused_before_anything_is_done(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    usage, plan = namedtuple("usage", "total used free"), planning.make_plan(fresh)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 0, plan.disk_bytes))
    planning.check_disk(fresh, plan)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 0, plan.disk_bytes - 1))
    with refused(EnvironmentProblem, "fresh/data", "0.0 GB", fix="params.yaml"):
        planning.check_disk(fresh, plan)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 0, 0))
    before = tiny.digests(fresh.root, ".")
    with refused(EnvironmentProblem, "fresh/data", "0.0 GB", fix="params/tiny.yaml"):
        runner.run(fresh, "tiny")
    after = {name: mark for name, mark in tiny.digests(fresh.root, ".").items() if "locks" not in name}
    assert after == before


def test_row_counts_are_rounded_up_to_whole_questions_with_one_note(fresh: Project) -> None:
    changes = {"suites.babilong.tasks.qa1_grid.depths": 4, "suites.babilong.tasks.qa1_quarter.lengths": {"1k": 10}}
    tiny.write_params(fresh.root, tiny.params(**changes))
    project = Project(fresh.root)
    rows = {(table.task, table.length): table.rows for table in planning.make_plan(project).tables}
    assert rows["qa1_grid", "4k"] == 8 and rows["qa1_quarter", "1k"] == 12
    done = tiny.called(fresh.root, "plan", "--tables")
    [note] = done.stderr.strip().splitlines()
    assert "qa1_grid" in note and "qa1_quarter" in note and "6 to 8" in note and "10 to 12" in note
    assert re.search(r"qa1_grid_sim_4k +test +8 rows", done.stdout)
    tiny.write_params(fresh.root, tiny.params())
    assert tiny.called(fresh.root, "plan").stderr == ""
