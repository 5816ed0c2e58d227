"""The same shards on a real Ray cluster of several nodes: the same bytes, errors and endings as with local processes."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import EnvironmentProblem
from pipelines.execution import ray_cluster, ray_executor
from pipelines.execution.executor import run
from pipelines.project import Project
from pipelines.stages.stage_table import STAGES
from tests.corpora.retrieval import small_models
from tests.errors import refused, refused_line
from tests.extras import needs
from tests.pipelines import test_index_stage, tiny, tiny_generated, tiny_passages
from tests.pipelines.shardwork import slow_jobs
from tests.pipelines.test_executor import contents, jobs

with_ray = needs("ray", "ray")
_PATIENCE_S = 240.0
_AUTHENTICATION = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


@contextlib.contextmanager
def cluster(nodes: int) -> Iterator[Any]:
    """A cluster of this many nodes with one processor each, and a head node that has none."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(nodes):
            made.add_node(num_cpus=1)
        yield made
    finally:
        made.shutdown()


def started(what: str, address: str | None, cwd: Path = tiny.ROOT, **more: str | None) -> subprocess.Popen[str]:
    """A program that runs shards on Ray, in a session of its own."""
    code = (
        "from pathlib import Path\nfrom haymaker.core.errors import HaymakerError\nfrom pipelines.execution.executor import Job, run\n"
        "from tests.pipelines.shardwork import *\nfrom tests.pipelines.test_executor import jobs\n"
        f"try:\n    {what}\nexcept HaymakerError as error:\n    print(f'{{type(error).__name__}}: {{error}}')\n"
    )
    environment = tiny.environment(HAYMAKER_EXECUTOR="ray", HAYMAKER_WORKERS="2", RAY_ADDRESS=address, **more)
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=cwd, env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """The results and errors that the program printed, without Ray's messages about lost nodes and processes; its stderr."""
    out, said = process.communicate(timeout=_PATIENCE_S)
    return "".join(re.findall(r"^(?:\w+(?:Error|Problem): |\[\{).*\n", out, re.MULTILINE)), said


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def shards(work: Path) -> dict[str, str]:
    """Files of finished shards, and temporary ones."""
    return {name: sha for name, sha in contents(work).items() if "/" in name}


def counting(work: Path, count: int, seconds: float) -> str:
    """Code that runs jobs which leave a file in `begun` each time that one begins."""
    (begun := work.with_name("begun")).mkdir(exist_ok=True)
    return f"run(counted_jobs({count}, {seconds}, Path('{begun}')), Path('{work}'), title='t')"


def _vectors(root: Path) -> Project:
    return test_index_stage.project(root, small_models.encoder(root.parent / "model"))


def test_a_node_must_see_the_project_folder_and_have_the_same_versions(tmp_path: Path) -> None:
    (tmp_path / ".ray").write_text("this run")
    (job,) = jobs(1)
    assert ray_executor._attempt(job, tmp_path, "this run", ray_executor._versions()).result == {"n": 0}
    for work, mark in ((tmp_path, "another run"), (tmp_path / "elsewhere", "this run")):
        with refused(EnvironmentProblem, "", "node", work, fix="mount"):
            ray_executor._attempt(job, work, mark, ray_executor._versions())
        assert not (tmp_path / "elsewhere").exists()
    with refused(EnvironmentProblem, "", "node", "pyarrow", "1.0"):
        ray_executor._attempt(job, tmp_path, "this run", ray_executor._versions() | {"pyarrow": "1.0"})


def test_a_ray_started_here_has_its_own_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for address, given, added in (
        ("", {}, {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"}),
        ("", {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": "mine"}, {"RAY_AUTH_MODE"}),
        ("", {"RAY_AUTH_MODE": "disabled"}, set()),
        ("127.0.0.1:6379", {}, set()),
    ):
        with monkeypatch.context() as patch:
            for name in _AUTHENTICATION:
                patch.delenv(name, raising=False)
            for name, value in given.items():
                patch.setenv(name, value)
            assert ray_cluster._settings(address).keys() == {"RAY_USAGE_STATS_ENABLED", *added}


@with_ray
def test_ray_here_gives_the_same_files_and_errors(tmp_path: Path) -> None:
    bad = "Job('bad', 'tests.pipelines.shardwork:work', {'n': 9, 'fail': True})"
    what = f"run(jobs(5), Path('a'), title='first'); run([{bad}, *slow_jobs(4, 60)], Path('b'), title='second')"
    what = what.replace("Path('", f"Path('{tmp_path}/")
    home = {"HOME": str(tmp_path / "home"), **dict.fromkeys(_AUTHENTICATION)}
    sessions = set(Path("/tmp").glob("haymaker-ray-*"))
    out, said = ended(started(what, None, **home))
    assert out.startswith("BuildError: ") and out.count("\n") == 1, (out, said)
    refused_line(out, "job 9", fix="less")
    assert "first: 5 of 5 shards in " in said
    assert all(line.startswith("first: ") for line in said.splitlines()), said
    run(jobs(5), tmp_path / "here", title="t", workers=1)
    assert shards(tmp_path / "a") == shards(tmp_path / "here")
    assert shards(tmp_path / "b") == {}
    assert tiny.leftovers(tmp_path) == [] and set(Path("/tmp").glob("haymaker-ray-*")) == sessions
    assert not (tmp_path / "home/.ray").exists(), "a token left there is demanded by the next ray start"


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "names"),
    [
        pytest.param(tiny_passages.make, tuple(STAGES), id="mined sets"),
        pytest.param(tiny_generated.make, tuple(STAGES), id="classification sets and documents"),
        pytest.param(_vectors, ("retrieve",), marks=needs("embed-cpu", "sentence_transformers"), id="vectors"),
    ],
)
def test_every_stage_gives_the_same_files(
    make: Callable[[Path], Project], names: tuple[str, ...], tmp_path: Path
) -> None:
    """One of the nodes claims that it has a GPU."""
    here, there = (make(tmp_path / name) for name in ("here", "there"))
    tiny.run(here, *names)
    with cluster(1) as made:
        made.add_node(num_cpus=1, num_gpus=1)
        for name in names:
            done = tiny.haymaker(there.root, "dev", "stage", name, HAYMAKER_EXECUTOR="ray", RAY_ADDRESS=made.address)
            assert done.returncode == 0, (name, done.stderr)
    for path in here.data.iterdir():
        if path.name not in ("work", "raw"):
            assert tiny.digests(there.data, path.name) == tiny.digests(here.data, path.name), path.name


@with_ray
@pytest.mark.slow
def test_a_node_that_is_killed_costs_its_own_shards(tmp_path: Path) -> None:
    begun, work, here = (tmp_path / name for name in ("begun", "work", "here"))
    with cluster(2) as made:
        process = started(counting(work, 7, 3), made.address)
        until(lambda: len(list(begun.iterdir())) >= 4)  # both nodes are at work on their second shard
        whole = {path: path.stat().st_ino for path in work.glob("job-*/out.txt")}
        made.remove_node(next(iter(made.worker_nodes)), allow_graceful=False)
        out, said = ended(process)
    assert (process.returncode, out) == (0, ""), said
    assert all(line.startswith("t: ") for line in said.splitlines()), said
    again = [path.name[:3] for path in begun.iterdir()]
    assert len(set(again)) == 7 and len(again) == 8, "one was at work on the node, and is begun again"
    assert {path: path.stat().st_ino for path in whole} == whole
    run(slow_jobs(7, 0), here, title="t", workers=1)
    assert shards(work) == shards(here)


@with_ray
@pytest.mark.slow
def test_a_shard_that_kills_its_process_ends_the_run_in_one_line(tmp_path: Path) -> None:
    deadly = "Job('bad', 'tests.pipelines.shardwork:deadly', {})"
    with cluster(1) as made:
        out, said = ended(started(f"run([*jobs(2), {deadly}], Path('{tmp_path}'), title='t')", made.address))
    assert out.startswith(f"EnvironmentProblem: {tmp_path}: "), out
    refused_line(out, str(tmp_path), "process", "memory")
    assert out.count("\n") == 1 and all(line.startswith("t: ") for line in said.splitlines()), said
    assert tiny.leftovers(tmp_path) == []


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize(
    ("daemon", "value", "fix"), [("raylet", "this machine", "ray start"), ("gcs_server", "head node", "Ray")]
)
def test_a_head_node_that_dies_is_one_line(daemon: str, value: str, fix: str, tmp_path: Path) -> None:
    """Without a GCS server, Ray itself would end the process of the command after a minute, with status 1."""
    work = tmp_path / "work"
    with cluster(2) as made:
        process = started(f"run(slow_jobs(180, 1), Path('{work}'), title='t')", made.address)
        until(lambda: list(work.glob("job-*/done.json")))
        made.head_node.all_processes[daemon][0].process.kill()
        out, said = ended(process)
    assert (process.returncode, out.count("\n")) == (0, 1) and out.startswith("EnvironmentProblem: Ray: "), out + said
    refused_line(out, "Ray", value, fix=fix)
    assert tiny.leftovers(work) == []


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize("to", ["the program", "its process group"])
def test_ctrl_c_ends_what_runs_on_the_nodes(to: str, tmp_path: Path) -> None:
    begun, work = tmp_path / "begun", tmp_path / "work"
    with cluster(2) as made:
        process = started(counting(work, 40, 1), made.address)
        until(lambda: len(list(work.glob("job-*"))) >= 1)
        with refused(EnvironmentProblem, "work", process.pid):
            run(jobs(1), work, title="a second run")
        (os.kill if to == "the program" else os.killpg)(process.pid, signal.SIGINT)
        assert ended(process)[1].strip().endswith("KeyboardInterrupt")
        left, count = shards(work), len(list(begun.iterdir()))
        assert tiny.leftovers(work) == [] and len(left) < 80
        time.sleep(2.5)
        assert (shards(work), len(list(begun.iterdir()))) == (left, count), "a task is still running"
        assert "kept from before" in ended(started(counting(work, 40, 0), made.address))[1]
