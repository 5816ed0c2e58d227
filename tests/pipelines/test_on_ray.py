"""The same shards on a real Ray cluster of several nodes: the same bytes, errors and ends as with processes here."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import haymaker
from haymaker.errors import EnvironmentProblem
from pipelines import cluster as ray_cluster
from pipelines import on_ray
from pipelines.executor import is_on_ray, run
from pipelines.project import Project
from tests.corpora.retrieval import small_models
from tests.extras import needs
from tests.pipelines import test_index_stage, tiny, tiny_generated, tiny_passages
from tests.pipelines.shardwork import slow_jobs
from tests.pipelines.test_executor import contents, jobs

with_ray = needs("ray", "ray")
_PATIENCE_S = 240.0
_AUTHENTICATION = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


@contextlib.contextmanager
def cluster(nodes: int) -> Iterator[Any]:
    """So many nodes of one processor each, beside a head that has none."""
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
        "from pathlib import Path\nfrom haymaker.errors import HaymakerError\nfrom pipelines.executor import Job, run\n"
        "from tests.pipelines.shardwork import *\nfrom tests.pipelines.test_executor import jobs\n"
        f"try:\n    {what}\nexcept HaymakerError as error:\n    print(f'{{type(error).__name__}}: {{error}}')\n"
    )
    environment = tiny.environment(HAYMAKER_EXECUTOR="ray", HAYMAKER_WORKERS="2", RAY_ADDRESS=address, **more)
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=cwd, env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def shards(work: Path) -> dict[str, str]:
    """Files of finished shards, and temporary ones."""
    return {name: sha for name, sha in contents(work).items() if "/" in name}


@pytest.mark.parametrize("given", ["Ray", "", "dask"])
def test_an_executor_that_there_is_not(given: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HAYMAKER_EXECUTOR", given)
    with pytest.raises(EnvironmentProblem, match=r"HAYMAKER_EXECUTOR=.* is neither local nor ray\. Next: unset it"):
        run(jobs(2), tmp_path, title="t")
    project = tiny.make(tmp_path / "project")
    line = tiny.one_line(tiny.called(project.root, "run", HAYMAKER_EXECUTOR=given))
    assert "is neither local nor ray" in line
    monkeypatch.setenv("HAYMAKER_EXECUTOR", "local")
    assert not is_on_ray()


def test_a_node_must_see_the_files_of_the_run_and_have_its_versions(tmp_path: Path) -> None:
    (tmp_path / ".ray").write_text("this run")
    did = on_ray._attempt(lambda shard, work: (shard, work), "shard", tmp_path, "this run", on_ray._versions())
    assert did == ("shard", tmp_path)
    for work, mark in ((tmp_path, "another run"), (tmp_path / "elsewhere", "this run")):
        with pytest.raises(EnvironmentProblem, match=f"node .*: does not see {work}. Next: put the project on"):
            on_ray._attempt(pytest.fail, "shard", work, mark, on_ray._versions())
    with pytest.raises(EnvironmentProblem, match=r"node .*: has pyarrow [0-9.]+, the run 1\.0\."):
        on_ray._attempt(pytest.fail, "shard", tmp_path, "this run", on_ray._versions() | {"pyarrow": "1.0"})


def test_another_commit_is_another_version(tmp_path: Path) -> None:
    said = []
    for name, more in (("one", ""), ("same", ""), ("other", "# a word more\n")):
        for package in on_ray._PACKAGES:
            keep = shutil.ignore_patterns("__pycache__")
            shutil.copytree(tiny.ROOT / package, tmp_path / name / package, ignore=keep)
        file = tmp_path / name / "generators/suite.py"
        file.write_text(file.read_text() + more)
        code = "from pipelines import on_ray; print(on_ray._versions()['Haymaker'])"
        environment = tiny.environment(PYTHONPATH=str(tmp_path / name))
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        said.append(done.stdout)
    assert said[0] == said[1] != said[2] and f"{haymaker.__version__} (" in said[0]


@with_ray
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1:9", "Ray at 127.0.0.1:9: cannot be reached: .*refused"),
        ("nowhere", "Ray at nowhere: cannot be reached: Invalid address"),
        ("ray://127.0.0.1:10001", "RAY_ADDRESS=ray://127.0.0.1:10001 names a client's port  -> run on a node"),
    ],
)
def test_a_cluster_that_does_not_answer_is_one_line(address: str, told: str, tmp_path: Path) -> None:
    project = tiny.make(tmp_path)
    result = tiny.haymaker(project.root, "doctor", HAYMAKER_EXECUTOR="ray", RAY_ADDRESS=address)
    assert tiny.one_line(result)
    bad = [line for line in result.stdout.splitlines() if line.startswith("BAD")]
    assert len(bad) == 1
    assert re.search(told, bad[0]), bad[0]


@with_ray
def test_ray_here_gives_the_same_files_and_errors(tmp_path: Path) -> None:
    bad = "Job('bad', 'tests.pipelines.shardwork:work', {'n': 9, 'fail': True})"
    what = f"run(jobs(5), Path('a'), title='first'); run([{bad}, *slow_jobs(4, 60)], Path('b'), title='second')"
    what = what.replace("Path('", f"Path('{tmp_path}/")
    home = {"HOME": str(tmp_path / "home"), **dict.fromkeys(_AUTHENTICATION)}
    out, said = started(what, None, **home).communicate(timeout=_PATIENCE_S)
    assert out == "BuildError: job 9: told to fail. Next: ask for less\n", said
    assert "first: 5 of 5 shards in " in said
    assert all(line.startswith("first: ") for line in said.splitlines()), said
    run(jobs(5), tmp_path / "here", title="t", workers=1)
    assert shards(tmp_path / "a") == shards(tmp_path / "here")
    assert shards(tmp_path / "b") == {}
    assert tiny.leftovers(tmp_path) == []
    assert not (tmp_path / "home/.ray").exists(), "a token left there is demanded by the next ray start"


@pytest.mark.parametrize(
    ("address", "given", "added"),
    [
        ("", {}, {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"}),
        ("", {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": "mine"}, {"RAY_AUTH_MODE"}),
        ("", {"RAY_AUTH_MODE": "disabled"}, set()),
        ("127.0.0.1:6379", {}, set()),
    ],
)
def test_a_ray_started_here_has_a_token_of_its_own(
    address: str, given: dict[str, str], added: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in _AUTHENTICATION:
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert ray_cluster._settings(address).keys() == {"RAY_USAGE_STATS_ENABLED", *added}


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_any_number_of_nodes_gives_the_same_release(nodes: int, built_root: Path, tmp_path: Path) -> None:
    project = tiny.make(tmp_path)
    with cluster(nodes) as made:
        environment = {"HAYMAKER_EXECUTOR": "ray", "RAY_ADDRESS": made.address}
        checked = tiny.haymaker(project.root, "doctor", **environment)
        assert f"Ray answers: nodes {nodes + 1}, processors {nodes}" in checked.stdout, checked.stdout
        result = tiny.haymaker(project.root, "run", **environment)
    assert result.returncode == 0, result.stderr
    assert "Ray" not in result.stderr
    assert tiny.digests(project.root) == tiny.digests(built_root)


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize("kind", [tiny_passages, tiny_generated], ids=["mined sets", "labelled sets and documents"])
def test_every_stage_makes_the_same(kind: Any, tmp_path: Path) -> None:
    here, there = (kind.make(tmp_path / name) for name in ("here", "there"))
    kind.run(here)
    with cluster(2) as made:
        for name, what in kind.STAGES:
            asked = ["stage", name, *([what] if what else [])]
            done = tiny.haymaker(there.root, *asked, HAYMAKER_EXECUTOR="ray", RAY_ADDRESS=made.address)
            assert done.returncode == 0, done.stderr
    folders = [path.name for path in here.data.iterdir() if path.name not in ("work", "raw", "prepared")]
    assert {"corpora", "releases"} < set(folders)
    for folder in folders:
        assert tiny.digests(there.root, f"data/{folder}") == tiny.digests(here.root, f"data/{folder}"), folder


@with_ray
@pytest.mark.slow
def test_a_node_that_is_killed_costs_its_own_shards(tmp_path: Path) -> None:
    begun, work, here = (tmp_path / name for name in ("begun", "work", "here"))
    begun.mkdir()
    with cluster(2) as made:
        process = started(f"run(counted_jobs(7, 3, Path('{begun}')), Path('{work}'), title='t')", made.address)
        until(lambda: len(list(begun.iterdir())) >= 4)  # both nodes are at work on their second shard
        whole = {path: path.stat().st_ino for path in work.glob("job-*/out.txt")}
        made.remove_node(next(iter(made.worker_nodes)), allow_graceful=False)
        out, said = process.communicate(timeout=_PATIENCE_S)
    assert (process.returncode, out) == (0, ""), said
    assert all(line.startswith("t: ") for line in said.splitlines()), said
    again = [path.name[:3] for path in begun.iterdir()]
    assert len(set(again)) == 7 and len(again) == 8, "one was at work on the node, and is begun again"
    assert {path: path.stat().st_ino for path in whole} == whole
    run(slow_jobs(7, 0), here, title="t", workers=1)
    assert shards(work) == shards(here)


@with_ray
@pytest.mark.slow
def test_a_node_that_is_killed_while_rows_are_made(tmp_path: Path) -> None:
    here, there = tiny.many_rows(tmp_path)
    work = there.work / "generate/tiny/babilong"
    with cluster(2) as made:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipelines.cli", "stage", "generate", "babilong"], cwd=there.root, text=True,
            env=tiny.environment(HAYMAKER_EXECUTOR="ray", RAY_ADDRESS=made.address), stderr=subprocess.PIPE,
        )  # fmt: skip
        until(lambda: len(list(work.glob("*/done.json"))) > 3 or process.poll() is not None)
        whole = {path: path.stat().st_ino for path in work.glob("*/done.json")}
        made.remove_node(next(iter(made.worker_nodes)), allow_graceful=False)
        assert len(whole) < 50
        said = process.communicate(timeout=_PATIENCE_S)[1]
    assert process.returncode == 0, said
    assert {path: path.stat().st_ino for path in whole} == whole
    made_files = tiny.digests(there.root, "data/releases")
    assert made_files == tiny.digests(here.root, "data/releases") and len(made_files) > 50


@with_ray
@pytest.mark.slow
def test_a_shard_that_kills_its_process_ends_the_run_in_one_line(tmp_path: Path) -> None:
    deadly = "Job('bad', 'tests.pipelines.shardwork:deadly', {})"
    with cluster(1) as made:
        process = started(f"run([*jobs(2), {deadly}], Path('{tmp_path}'), title='t')", made.address)
        out, said = process.communicate(timeout=_PATIENCE_S)
    assert out.startswith(f"EnvironmentProblem: {tmp_path}: a worker process died (killed, or out of memory)"), said
    assert out.count("\n") == 1 and all(line.startswith("t: ") for line in said.splitlines()), said
    assert tiny.leftovers(tmp_path) == []


@with_ray
@pytest.mark.slow
def test_ray_that_ends_on_the_machine_of_the_command_is_one_line(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    with cluster(2) as made:
        process = started(
            f"run(counted_jobs(12, 1, Path('{begun}')), Path('{tmp_path}/work'), title='t')", made.address
        )
        until(lambda: len(list(begun.iterdir())) >= 3)
        made.head_node.all_processes["raylet"][0].process.kill()
        out, said = process.communicate(timeout=_PATIENCE_S)
    assert (
        out
        == "EnvironmentProblem: Ray: ended on this machine. Next: ray start here, then run again; finished shards are kept\n"
    ), said


@with_ray
@pytest.mark.slow
def test_the_first_machine_that_dies_is_one_line(tmp_path: Path) -> None:
    """Ray itself would end the process of the command, after a minute, with words of its own and status 1."""
    work, here = tmp_path / "work", tmp_path / "here"
    with cluster(1) as made:
        process = started(f"run(slow_jobs(90, 2), Path('{work}'), title='t')", made.address)
        until(lambda: list(work.glob("job-*/done.json")))
        made.head_node.all_processes["gcs_server"][0].process.kill()
        out, said = process.communicate(timeout=_PATIENCE_S)
    told = (
        "Ray: its first machine does not answer any more. Next: start Ray again there and on the others, then run again"
    )
    assert (process.returncode, out.count("\n")) == (0, 1) and out.startswith(f"EnvironmentProblem: {told}"), out + said
    run(slow_jobs(90, 0), work, title="t", workers=1)
    run(slow_jobs(90, 0), here, title="t", workers=1)
    assert shards(work) == shards(here)


@with_ray
@pytest.mark.slow
def test_a_node_that_cannot_even_read_its_task_is_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other/pipelines/__init__.py"
    other.parent.mkdir(parents=True)
    other.touch()
    with cluster(0) as made:
        made.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(tmp_path / "other")})
        process = started(f"run(jobs(2), Path('{tmp_path}/work'), title='t')", made.address, cwd=tmp_path)
        out, said = process.communicate(timeout=_PATIENCE_S)
    told = r"EnvironmentProblem: Ray: a node cannot do what it is asked: No module named 'pipelines\..*'\. Next: install the same"
    assert re.match(told, out) and out.count("\n") == 1, out + said


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_to_a_worker_stops_no_run(how: signal.Signals, tmp_path: Path) -> None:
    """Whoever sends it: a run once said that it was stopped, and nobody knew of having done so."""
    work = tmp_path / "work"
    with cluster(1) as made:
        process = started(f"run(named_jobs(5, 1), Path('{work}'), title='t')", made.address)
        until(lambda: list(work.glob("job-000/pid.txt")))
        os.kill(int((work / "job-000/pid.txt").read_text()), how)
        out, said = process.communicate(timeout=_PATIENCE_S)
    assert (process.returncode, out) == (0, ""), said
    assert all(line.startswith("t: ") for line in said.splitlines()), said


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize("to", ["the program", "all that the terminal has"])
def test_ctrl_c_ends_what_runs_on_the_nodes(to: str, tmp_path: Path) -> None:
    begun, work = tmp_path / "begun", tmp_path / "work"
    begun.mkdir()
    with cluster(2) as made:
        process = started(f"run(counted_jobs(40, 1, Path('{begun}')), Path('{work}'), title='t')", made.address)
        until(lambda: len(list(work.glob("job-*"))) >= 1)
        with pytest.raises(EnvironmentProblem, match=f"another run .process {process.pid}. is working here"):
            run(jobs(1), work, title="a second run")
        (os.kill if to == "the program" else os.killpg)(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=_PATIENCE_S)
        assert said.strip().endswith("KeyboardInterrupt")
        left, count = shards(work), len(list(begun.iterdir()))
        assert tiny.leftovers(work) == [] and len(left) < 80
        time.sleep(2.5)
        assert (shards(work), len(list(begun.iterdir()))) == (left, count), "somebody goes on"
        what = f"run(counted_jobs(40, 0, Path('{begun}')), Path('{work}'), title='t')"
        assert "kept from before" in started(what, made.address).communicate(timeout=_PATIENCE_S)[1]


@with_ray
@pytest.mark.slow
def test_shards_that_need_a_gpu_go_to_nodes_that_have_one(tmp_path: Path) -> None:
    """The GPU is one that the node only says it has."""
    asked = "[Job(f'job-{n}', 'tests.pipelines.shardwork:placed', {}, gpu=n < 6) for n in range(9)]"
    what = f"print([done.result for done in run({asked}, Path('{tmp_path}'), title='t')])"
    with cluster(2) as made:
        made.add_node(num_cpus=1, num_gpus=1, env_vars={"NODE_NAME": "with"})
        out, said = started(what, made.address).communicate(timeout=_PATIENCE_S)
    found = ast.literal_eval(out)
    assert [(each["NODE_NAME"], each["CUDA_VISIBLE_DEVICES"]) for each in found[:6]] == [("with", "0")] * 6, said
    assert len({each["process"] for each in found[:6]}) == 1, "one process keeps the model for all"
    assert all(each["CUDA_VISIBLE_DEVICES"] != "0" for each in found[6:]), "these need none"


@with_ray
@needs("embed-cpu", "sentence_transformers")
@pytest.mark.slow
def test_vectors_made_on_nodes_with_a_gpu_are_those_made_here(tmp_path: Path) -> None:
    model = small_models.encoder(tmp_path / "model")
    here, there = (test_index_stage.project(tmp_path / name, model) for name in ("here", "there"))
    tiny.run(here, "index", steps=[("index", "wiki100")])
    with cluster(1) as made:
        made.add_node(num_cpus=1, num_gpus=1)
        environment = {"HAYMAKER_EXECUTOR": "ray", "RAY_ADDRESS": made.address}
        done = tiny.haymaker(there.root, "stage", "index", "wiki100", **environment)
    assert done.returncode == 0, done.stderr
    made_files = tiny.digests(there.root, "data/indexes")
    assert made_files == tiny.digests(here.root, "data/indexes") and any("vectors" in name for name in made_files)


def _vectors(root: Path) -> Project:
    return test_index_stage.project(root, small_models.encoder(root.parent / "model"))


_MORE_BOOKS = {
    "sources.novels": {"kind": "world_novels", "seed": 3, "novels": {"test": 20, "train": 1}, "words": 40000}
}
_MORE_ARTICLES = {  # of more articles more have the lists in common: more questions are needed for examples that give nothing away
    "sources.world.articles": 3000, "sources.world.questions.list.train": 60, "mined.qampari.count.train": 54,
}  # fmt: skip
KILLED = {  # a project, its stages, and in which of them a node is killed: folder of their shards
    "books": (
        lambda root: tiny.make(root, **_MORE_BOOKS), tiny.STAGES,
        {"background": "background/books-*/batch-*", "generate": "generate/tiny/babilong/*", "validate": "validate/*",
         "shortcuts": "shortcuts/*"},
    ),
    "mined sets": (
        lambda root: tiny_passages.make(root, **_MORE_ARTICLES), tiny_passages.STAGES,
        {"passages": "passages/*/batch-*", "mine": "mine/qampari-*/mine-*", "generate": "generate/tiny/helmet/*"},
    ),
    "labelled sets and documents": (
        tiny_generated.make, tiny_generated.STAGES,
        {"generate": "generate/tiny/synthetic/*", "validate": "validate/*", "shortcuts": "shortcuts/*"},
    ),
    "vectors": (_vectors, (("index", "wiki100"),), {"index": "index/wiki100-dense-*/shard-*"}),
}  # fmt: skip


@with_ray
@pytest.mark.slow
@pytest.mark.parametrize("name", [*KILLED])
def test_a_node_that_is_killed_in_each_stage_changes_no_byte(name: str, tmp_path: Path) -> None:
    make, steps, folders = KILLED[name]
    here, there = (make(tmp_path / name) for name in ("here", "there"))
    tiny.run(here, steps=steps)
    killed = set()
    with cluster(2) as made:
        for step, what in steps:
            for at in (step, "shortcuts") if step == "validate" else (step,):
                asked = ["stage", step, *([what] if what else [])]
                process = subprocess.Popen(
                    [sys.executable, "-m", "pipelines.cli", *asked], cwd=there.root, text=True, stderr=subprocess.PIPE,
                    env=tiny.environment(HAYMAKER_EXECUTOR="ray", RAY_ADDRESS=made.address),
                )  # fmt: skip
                if at in folders and _is_under_way(process, there.work, folders[at]):
                    made.remove_node(next(iter(made.worker_nodes)), allow_graceful=False)
                    killed.add(at)
                said = process.communicate(timeout=_PATIENCE_S)[1]
                assert process.returncode == 0, (at, what, said)
                if len(made.worker_nodes) < 2:
                    made.add_node(num_cpus=1)
    assert killed == folders.keys()
    for folder in [path.name for path in here.data.iterdir() if path.name not in ("work", "raw", "prepared")]:
        assert tiny.digests(there.root, f"data/{folder}") == tiny.digests(here.root, f"data/{folder}"), folder


def _is_under_way(process: subprocess.Popen[str], work: Path, shards: str) -> bool:
    """Wait for the first shard that it finished; False when it ends without."""
    begun = time.time()
    while process.poll() is None:
        if any(path.stat().st_mtime > begun for path in work.glob(f"{shards}/done.json")):
            return True
        time.sleep(0.01)
    return False
