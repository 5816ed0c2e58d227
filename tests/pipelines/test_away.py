"""Nodes that share nothing but a store: the same bytes, errors and ends as with a folder that all see."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpora.retrieval.models import ModelParams
from haymaker.errors import BuildError, EnvironmentProblem
from pipelines import shards
from pipelines.away import Away, brought
from pipelines.depot import Content, Depot, given
from pipelines.shards import Job, Model
from pipelines.workers import model_reads, suite_reads
from tests.corpora.retrieval import small_models
from tests.extras import needs
from tests.pipelines import test_mine_stage, tiny, tiny_generated, tiny_passages
from tests.pipelines.far import HIDDEN, far_nodes, s3, with_far_nodes, with_s3
from tests.pipelines.test_on_ray import cluster, until, with_ray

KINDS = {"babilong": tiny, "mined sets": tiny_passages, "labelled sets and documents": tiny_generated}
RELEASES = [
    pytest.param(kind, store, id=f"{name}, {store}", marks=with_s3 if store == "s3" else ())
    for name, kind in KINDS.items()
    for store in (("s3", "folder") if kind is tiny else ("s3",))
]


@pytest.fixture
def depot(tmp_path: Path) -> Depot:
    return Depot(f"file://{tmp_path}/store")


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this process, as that of a node, keeps what it fetches."""
    place = tmp_path / "node"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@contextlib.contextmanager
def a_store(kind: str, folder: Path) -> Iterator[dict[str, str]]:
    """What the environment of the command and of the nodes must hold."""
    if kind == "folder":
        yield {"HAYMAKER_STORE": f"file://{folder}/store"}
        return
    with s3() as credentials:
        yield {"HAYMAKER_STORE": "s3://hay/some/where", **credentials}


def jobs(project: Path, count: int = 2) -> list[Job]:
    """Read a folder and a file of a project."""
    read = (project / "data/corpora/books", project / "data/mined/nq.txt", project / "data/nothing")
    return [
        Job(f"job-{n}", "tests.pipelines.shardwork:reading", {"data": project / "data", "n": n}, reads=read)
        for n in range(count)
    ]


def made(project: Path) -> Path:
    """A project with something to read."""
    for name, text in {"corpora/books/a.txt": "a", "corpora/books/deep/b.txt": "b", "mined/nq.txt": "nq"}.items():
        (project / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "data" / name).write_text(text)
    return project


# ------------------------------------------------------------------------------------------------------ a cluster


@with_ray
@with_far_nodes
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "store"), RELEASES)
def test_nodes_that_share_nothing_but_a_store_make_the_same(kind: Any, store: str, tmp_path: Path) -> None:
    here, there = (kind.make(tmp_path / name) for name in ("here", "there"))
    kind.run(here)
    nodes = tmp_path / "nodes"
    with a_store(store, tmp_path) as given, cluster(0) as made, far_nodes(made, 2, there.root, nodes, **given):
        on_ray = {"HAYMAKER_EXECUTOR": "ray", "RAY_ADDRESS": made.address}
        first = tiny.haymaker(there.root, "stage", *kind.STAGES[0], **on_ray, **given)
        assert first.returncode == 0, first.stderr
        for name, what in kind.STAGES[1:]:
            done = tiny.haymaker(there.root, "stage", name, *([what] if what else []), **on_ray, **given)
            assert done.returncode == 0, (name, what, done.stderr)
        checked = tiny.haymaker(there.root, "doctor", **on_ray, **given)
        assert "HAYMAKER_STORE answers: files " in checked.stdout, checked.stdout
    folders = [path.name for path in here.data.iterdir() if path.name not in ("work", "raw", "prepared")]
    assert {"corpora", "releases", "reports"} < set(folders)
    for folder in folders:
        assert tiny.digests(there.root, f"data/{folder}") == tiny.digests(here.root, f"data/{folder}"), folder
    assert tiny.leftovers(there.root) == []
    assert all(any(node.glob("haymaker-*/kept/*")) for node in nodes.iterdir()), "both nodes did some of it"


@with_ray
@with_far_nodes
@pytest.mark.slow
def test_a_far_node_that_is_killed_costs_its_own_shards(tmp_path: Path) -> None:
    here, there = tiny.many_rows(tmp_path)
    work = there.work / "generate/tiny/babilong"
    store, nodes_in = a_store("folder", tmp_path), tmp_path / "nodes"
    with store as given, cluster(0) as made, far_nodes(made, 2, there.root, nodes_in, **given) as nodes:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipelines.cli", "stage", "generate", "babilong"], cwd=there.root, text=True,
            env=tiny.environment(HAYMAKER_EXECUTOR="ray", RAY_ADDRESS=made.address, **given), stderr=subprocess.PIPE,
        )  # fmt: skip
        until(lambda: len(list(work.glob("*/done.json"))) > 3 or process.poll() is not None)
        assert len(list(work.glob("*/done.json"))) < 50
        nodes[0].kill()
        said = process.communicate(timeout=240)[1]
    assert process.returncode == 0, said
    files = tiny.digests(there.root, "data/releases")
    assert files == tiny.digests(here.root, "data/releases") and len(files) > 50
    assert tiny.leftovers(there.root) == []


@with_ray
@with_far_nodes
@needs("embed-cpu", "sentence_transformers")
@pytest.mark.slow
def test_models_go_to_nodes_as_inputs_do(tmp_path: Path) -> None:
    """Vectors, a dense search and a cross-encoder, each on a node with a GPU that it only says it has, that sees neither project nor models."""
    folder, nodes = tmp_path / "there", tmp_path / "nodes"
    dense = {"model": str(small_models.encoder(folder / "encoder")), "dimensions": 16, "shard_passages": 50}
    rules = {"model": str(small_models.cross_encoder(folder / "judge")), "margin": 0.0}
    more = {"retriever": "dense", "count": {"test": 10}, "keep": 40, "filter": {"cross_encoder": rules}}
    here = test_mine_stage.project(folder / "first")
    given = test_mine_stage.read_params(here.root)
    tiny.write_params(here.root, given | {"indexes": {"wiki100": {"lexical": {}, "dense": dense}}})
    here = test_mine_stage.change(here.root, **more)
    there = tiny.copy(here.root, folder / "second")
    steps = (("index", "wiki100"), ("mine", "towns"))
    tiny.run(here, steps=steps)
    store = a_store("folder", tmp_path)
    with store as given, cluster(1) as made, far_nodes(made, 1, folder, nodes, gpus=1, **given):
        on_ray = {"HAYMAKER_EXECUTOR": "ray", "RAY_ADDRESS": made.address}
        for name, what in steps:
            done = tiny.haymaker(there.root, "stage", name, what, **on_ray, **given)
            assert done.returncode == 0, (name, done.stderr)
    for place in ("data/indexes", "data/mined"):
        assert tiny.digests(there.root, place) == tiny.digests(here.root, place), place
    kept = {path.name for path in nodes.rglob("*.safetensors")}
    assert kept == {"model.safetensors"} and len(list(nodes.rglob("kept/*/config.json"))) == 2


# -------------------------------------------------------------------------------------------- one shard, in this process


def test_a_shard_is_done_from_copies_and_brought_as_it_would_be_done_here(
    depot: Depot, node: Path, tmp_path: Path
) -> None:
    project = made(tmp_path / "project")
    here = [shards.perform(job, tmp_path / "here") for job in jobs(project)]
    sent = [(job, Away.of(depot, {}, job)) for job in jobs(project)]
    (tmp_path / "project").rename(tmp_path / "gone")
    for (job, away), expected in zip(sent, here, strict=True):
        done = away(job, tmp_path / "there")
        assert done.sent and not done.folder.exists() and done.folder == tmp_path / "there" / job.key
        done = brought(depot, done, tmp_path / "there")
        assert not done.sent and (done.files, done.result) == (expected.files, expected.result)
        names = {path.name for path in done.folder.iterdir()}
        assert names == {path.name for path in expected.folder.iterdir()} > {"done.json"}
        assert all((done.folder / name).read_bytes() == (expected.folder / name).read_bytes() for name in names)
        assert shards.finished(tmp_path / "there", job.key) == done
    assert tiny.leftovers(tmp_path) == []
    assert any(node.glob("haymaker-*/runs/*/shards")) and not any(node.glob("haymaker-*/runs/*/shards/*"))


def test_a_copy_is_fetched_once_and_anew_when_the_input_changed(depot: Depot, node: Path, tmp_path: Path) -> None:
    project = made(tmp_path / "project")
    first, second = jobs(project)
    assert Away.of(depot, {}, first)(first, tmp_path).result["read"] == {"a.txt": "a", "deep/b.txt": "b", "nq": "nq"}
    kept = {path: path.stat().st_ino for path in node.glob("haymaker-*/kept/*")}
    assert len(kept) == 2
    assert Away.of(depot, {}, second)(second, tmp_path).result["n"] == 1
    assert {path: path.stat().st_ino for path in node.glob("haymaker-*/kept/*")} == kept
    (project / "data/corpora/books/deep/b.txt").write_text("other")
    assert Away.of(depot, {}, second)(second, tmp_path).result["read"]["deep/b.txt"] == "other"
    assert kept.keys() < dict.fromkeys(node.glob("haymaker-*/kept/*"), 0).keys()


def test_a_model_is_found_by_its_name_where_it_was_sent(depot: Depot, node: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models/judge"
    (folder / "1_Pooling").mkdir(parents=True)
    files = {"config.json": "{}", "1_Pooling/config.json": "{ }", "model.safetensors": "weights"}
    for name, text in (files | {"run.py": "code", "pytorch_model.bin": "could hold code"}).items():
        (folder / name).write_text(text)
    params, known = ModelParams(model=str(folder)), ModelParams(model="owner/judge", revision="0" * 40)
    named = (*model_reads(params), Model(known.key, folder))
    job = Job("load", "tests.pipelines.shardwork:loading", {"model": params.model_dump()}, reads=named)
    on_hub = replace(job, payload={"model": known.model_dump()})
    away = Away.of(depot, {}, job)
    folder.rename(tmp_path / "gone")
    for asked in (job, on_hub):
        found = away(asked, tmp_path / asked.payload["model"]["model"].strip("/")).result
        assert found["files"] == files
        assert Path(found["place"]).is_relative_to(next(node.glob("haymaker-*/runs/*")))
    assert model_reads(params) == (), "what is not here is not sent"
    for asked, told in ((job, "no model here"), (on_hub, "model owner/judge at 000000000000 is not on this machine")):
        with pytest.raises(EnvironmentProblem, match=told):
            Away(depot.url, away.run, {})(asked, tmp_path / "without")


def test_nothing_is_sent_twice(depot: Depot, tmp_path: Path) -> None:
    project = made(tmp_path / "project")
    Away.of(depot, {}, jobs(project)[0])
    there = {path: path.stat().st_ino for path in tmp_path.glob("store/files/*")}
    assert sorted(path.name for path in there if path.stat().st_size == 1) == sorted(
        hashlib.sha256(text.encode()).hexdigest() for text in "ab"
    )
    next(iter(there)).write_bytes(b"cut short by somebody")
    Away.of(Depot(depot.url), {}, jobs(project)[1])
    again = {path: path.stat().st_ino for path in tmp_path.glob("store/files/*")}
    assert again.keys() == there.keys()
    assert sum(again[path] != there[path] for path in there) == 1, "the one that was cut short"


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_fetched_is_looked_at(kind: str, depot: Depot, node: Path, tmp_path: Path) -> None:
    project = made(tmp_path / "project")
    job = jobs(project)[0]
    away = Away.of(depot, {}, job)
    place = next(place for place in away.reads if place.is_dir() == (kind == "folder"))
    stored = tmp_path / "store/files" / away.reads[place].sha256
    raw = stored.read_bytes()
    stored.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    with pytest.raises(
        EnvironmentProblem, match=f"node .*: HAYMAKER_STORE=file:store: file {stored.name} there is dam"
    ):
        away(job, tmp_path)
    stored.unlink()
    with pytest.raises(EnvironmentProblem, match=r"cannot be used: FileNotFoundError.* a file was removed there"):
        away(job, tmp_path)
    stored.write_bytes(raw)
    assert away(job, tmp_path).result["n"] == 0


def test_a_mistake_names_places_as_they_are_in_the_project(depot: Depot, node: Path, tmp_path: Path) -> None:
    job = Job("bad", "tests.pipelines.shardwork:refusing", {"data": made(tmp_path / "project") / "data"})
    with pytest.raises(BuildError) as here:
        shards.perform(job, tmp_path / "work")
    with pytest.raises(BuildError) as there:
        Away.of(depot, {}, job)(job, tmp_path / "work")
    assert str(there.value) == str(here.value) and str(tmp_path / "project/data") in str(here.value)
    assert tiny.leftovers(tmp_path) == []


@with_far_nodes
@pytest.mark.parametrize("full", ["node", "store"])
def test_a_full_disk_is_one_line(full: str, tmp_path: Path) -> None:
    project, small = made(tmp_path / "project"), tmp_path / "small"
    depot = Depot(f"file://{small if full == 'store' else tmp_path}/store")
    (project / "data/mined/nq.txt").write_bytes(os.urandom(600_000))
    small.mkdir()
    code = (
        "from pathlib import Path\nfrom haymaker.errors import HaymakerError\nfrom pipelines.away import Away\n"
        "from pipelines.depot import Depot\nfrom tests.pipelines.test_away import jobs\n"
        f"job = jobs(Path('{project}'))[0]\n"
        f"try:\n    Away.of(Depot('{depot.url}'), {{}}, job)(job, Path('{tmp_path}/work'))\n"
        "except HaymakerError as error:\n    print(error)\n"
    )
    mounted = f'mount -t tmpfs -o size=400k none {small} && exec "$0" "$@"'
    done = subprocess.run(
        [*HIDDEN, "sh", "-c", mounted, sys.executable, "-c", code], env=tiny.environment(TMPDIR=str(small)), cwd=tiny.ROOT,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count("\n") == 1, done.stdout + done.stderr
    if full == "store":
        assert done.stdout.startswith("HAYMAKER_STORE=file:store: cannot be used: OSError: [Errno 28] No space left on")
        return
    assert done.stdout.startswith("node ")
    assert (
        f": {small}/haymaker-" in done.stdout
        and "the disk is full; nothing half-written was kept. Next: remove " in done.stdout
    )
    assert done.stdout.endswith(" there, or give it a TMPDIR with more room\n")


def test_what_ended_runs_left_on_a_node_goes(depot: Depot, node: Path, tmp_path: Path) -> None:
    project = made(tmp_path / "project")
    code = (
        "from pathlib import Path\nfrom pipelines.away import Away\nfrom pipelines.depot import Depot\nfrom pipelines.shards import Job\n"
        f"from tests.pipelines.test_away import jobs\njob = jobs(Path('{project}'))[0]\n"
        f"away = Away.of(Depot('{depot.url}'), {{}}, job)\naway(job, Path('{tmp_path}/work'))\nprint('done', flush=True)\n"
        f"away(Job('slow', 'tests.pipelines.shardwork:work', {{'n': 1, 'sleep': 600}}), Path('{tmp_path}/work'))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=tiny.environment(TMPDIR=str(node)), cwd=tiny.ROOT, stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "done\n"
    (theirs,) = node.glob("haymaker-*/runs/*")
    until(lambda: any(theirs.glob("shards/*/.slow.*")))
    job = jobs(project)[0]
    first = Away.of(depot, {}, job)
    for away, left in ((first, 2), (Away(first.url, "another", first.reads), 2)):
        if away is not first:
            process.kill()
            process.communicate()
        away(job, tmp_path)
        runs = list(node.glob("haymaker-*/runs/*"))
        assert len(runs) == left and (theirs in runs) == (away is first)
    assert not any(node.rglob("*.tmp")), "of the shard that was killed with its process"
    kept = list(node.glob("haymaker-*/kept/*"))
    long_ago = time.time() - 3 * 86_400
    os.utime(kept[0], (long_ago, long_ago))
    Away(first.url, "a third", {})(Job("job", "tests.pipelines.shardwork:work", {"n": 1}), tmp_path)
    assert list(node.glob("haymaker-*/kept/*")) == kept[1:]
    assert not any(node.rglob("*.old"))


def test_what_a_suite_reads_is_what_is_here_of_its_inputs(tmp_path: Path) -> None:
    suite = {"background": "books", "phrases": "own/de.yaml", "buckets": {"4k": 11}, "tasks": {"niah": {}}}
    lost = {"kind": "trec_mirror", "optional": True}
    project = tiny.make(
        tmp_path,
        **{
            "corpora.books.language": "de",
            "release.language": "de",
            "suites": {"synthetic": suite},
            "sources.lost": lost,
        },
    )
    own = tmp_path / "own/de.yaml"
    own.parent.mkdir()
    shutil.copyfile(tiny.ROOT / "generators/synthetic/languages/de.yaml", own)
    (built,) = project.suites()
    assert suite_reads(project, built) == (own,)
    expected = [project.data / name for name in ("work/vocabularies/tekken", "corpora/books", "raw/lost/MISSING.json")]
    for place in (*expected, project.data / "corpora/other"):
        place.mkdir(parents=True)
    assert suite_reads(project, built) == (*expected, own)


# ---------------------------------------------------------------------------------------------- a store that is not there


def test_a_store_that_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_STORE", "bucket/path")
    with pytest.raises(EnvironmentProblem, match=r"HAYMAKER_STORE='bucket/path' is no address\. Next: write s3://"):
        given()
    monkeypatch.setenv("HAYMAKER_STORE", "")
    assert given() is None


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("nothing://bucket", r"nothing://bucket: cannot be used: ValueError: Protocol not known: nothing"),
        ("gs://bucket/path", r"gs://bucket/path: gs addresses need a package that is not here .*\. Next: pip install"),
    ],
)
def test_a_store_that_nothing_here_can_read(url: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=f"HAYMAKER_STORE={told}") as error:
        Depot(url).content(made(tmp_path) / "data")
    assert "\n" not in str(error.value)


@with_s3
@with_ray
def test_a_bucket_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    project = tiny.make(tmp_path)
    with s3() as credentials:
        asked = {"HAYMAKER_EXECUTOR": "ray", "HAYMAKER_WORKERS": "1", "HAYMAKER_STORE": "s3://other/x", **credentials}
        result = tiny.haymaker(project.root, "doctor", **asked)
    (bad,) = (line for line in result.stdout.splitlines() if line.startswith("BAD"))
    assert "HAYMAKER_STORE=s3://other/x: cannot be used: FileNotFoundError: The specified bucket does not exist" in bad
    assert bad.endswith("-> check address, credentials and network of this machine: haymaker doctor")
    assert credentials["AWS_SECRET_ACCESS_KEY"] not in result.stdout + result.stderr


def test_a_tree_is_known_by_its_bytes_and_names(depot: Depot, tmp_path: Path) -> None:
    one, two = made(tmp_path / "one") / "data", made(tmp_path / "two") / "data"
    assert depot.content(one) == depot.content(two) == Content(depot.content(one).sha256, is_folder=True)
    (two / "mined/nq.txt").rename(two / "mined/other.txt")
    assert depot.content(one) != depot.content(two)
    depot.fetch_content(depot.content(two), tmp_path / "copy")
    assert tiny.digests(tmp_path, "copy") == tiny.digests(tmp_path, "two/data")
