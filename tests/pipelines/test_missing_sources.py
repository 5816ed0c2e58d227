"""Optional sources that are unavailable: a release is built without their tasks and says so; any other problem stops the run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from corpora import sources
from corpora.sources.base import FetchContext
from corpora.sources.transport.absent import MARK
from haymaker.core.errors import BuildError, ReleaseError, SourceError, UnavailableError
from haymaker.core.files.disk import read_json
from haymaker.core.progress import console
from pipelines import stages
from pipelines.project import Project
from pipelines.run import dvc
from pipelines.stages.stage_table import STAGES
from pipelines.training.stream import training_stream
from tests.errors import refused
from tests.extras import Once
from tests.hub import LocalHub
from tests.pipelines import tiny

GONE = {
    "gutenberg": {"kind": "pg19_mirror"},
    "loogle": {"kind": "loogle_mirror"},
    "squad": {"kind": "squad_mirror"},
    "trec": {"kind": "trec_mirror"},
}
KEPT: dict[str, Any] = {
    "mirror": "mirror",
    "sources": {"said": {"kind": "simulated_utterances", "seed": 3, "sets": {"ferry": {"test": 1, "train": 16}}}},
    "corpora": {},
    "classification_sets": {"ferry": {"source": "said", "set": "ferry"}},
    "suites": {
        "helmet": {"tasks": {"icl_banking77": {"classification_set": "ferry", "lengths": {"4k": 8}}}},
        "synthetic": {"tasks": {"json_kv": {"lengths": {"4k": 6}}}},
    },
}
MORE: dict[str, Any] = {
    **{f"sources.{name}": {**block, "optional": True} for name, block in GONE.items()},
    "corpora.books": {"source": "gutenberg", "clean": {}},
    "passages": {"squad": {"source": "squad", "titles": False}},
    "indexes": {"squad": {"lexical": {}, "dense": None}},
    "retrieval_sets": {
        "squad": {"questions": "squad", "set": "squad", "passages": "squad", "retriever": "lexical", "count": {"test": 4, "train": 4},
                  "top_k": 50, "num_negatives": 50},
    },
    "classification_sets.coarse": {"source": "trec", "set": "trec_coarse"},
    "documents": {"qa": {"source": "loogle", "set": "loogle_qa"}},
    "suites.helmet.tasks.icl_trec_coarse": {"classification_set": "coarse", "lengths": {"1k": 2}},
    "suites.helmet.tasks.kilt_nq": {"retrieval_set": "squad", "lengths": {"4k": 6}},
    "suites.helmet.tasks.narrativeqa": {"documents": "qa", "shots": 0, "lengths": {"4k": 2}},
    "suites.synthetic.tasks.niah_single_2": {"background": "books", "lengths": {"4k": 4}},
}  # fmt: skip
"""Every kind of prepared input once, of sources that the mirror lacks."""
WHY = {
    "gutenberg": "missing from the mirror: books of test",
    "loogle": "missing from the mirror: loogle/longdep_qa.jsonl",
    "squad": "missing from the mirror: squad/cs224n-dev-v2.0.json.gz",
    "trec": "missing from the mirror: icl/trec_qc/train_5500.label",
}
LEFT_OUT = {
    suite: {task: f"source {name}: {WHY[name]}" for task, name in tasks.items()}
    for suite, tasks in {
        "helmet": {"icl_trec_coarse": "trec", "kilt_nq": "squad", "narrativeqa": "loogle"},
        "synthetic": {"niah_single_2": "gutenberg"},
    }.items()
}


def fill_mirror(root: Path, files: dict[str, bytes]) -> None:
    """A mirror folder with these files, and a list of them alone."""
    root.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    sums = "".join(f"{sha256(data).hexdigest()}  {name}\n" for name, data in files.items())
    (root / "SHA256SUMS").write_text(sums)


def trec() -> dict[str, bytes]:
    """Questions of three classes, all different."""
    forms = {"NUM:count": "How many {} in", "HUM:ind": "Who sold {} in", "LOC:city": "Which town has {} in"}
    lines = [f"{label} {form.format(n)} it ?" for n in "abcdefghijklmnopqrstuvwxyz" for label, form in forms.items()]
    return {
        "icl/trec_qc/train_5500.label": "\n".join(lines[9:]).encode() + b"\n",
        "icl/trec_qc/TREC_10.label": "\n".join(lines[:9]).encode() + b"\n",
    }


def make(root: Path, **changes: Any) -> Project:
    project = tiny.make(root, **(KEPT | changes))
    fill_mirror(root / "mirror", {"other.txt": b"of another source"})
    return project


def build(project: Project, *only: str) -> str:
    """Run all stages, or the given ones; what they printed."""
    with pytest.MonkeyPatch.context() as patch, console.capture() as captured:
        patch.delenv("HAYMAKER_MIRROR", raising=False)
        tiny.run_alone(project, *only)
    return captured.get()


@pytest.fixture(scope="module")
def finished(once: Once) -> Project:
    """The release without four of its sources, and next to it what was printed; read only."""

    def fill(root: Path) -> None:
        (root / "said.txt").write_text(build(make(root, **MORE)), encoding="utf-8")

    return Project(once("missing sources", fill))


@pytest.fixture(scope="module")
def never(once: Once) -> Project:
    """A release whose parameters never named them; `optional: false` is no parameter of a release."""
    return Project(once("never named", lambda root: build(make(root, **{"sources.said.optional": False}))))


@pytest.fixture
def mine(finished: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    return tiny.copy(finished.root, tmp_path / "mine")


def test_the_release_is_one_that_never_named_the_sources_and_says_what_is_left_out(
    finished: Project, never: Project
) -> None:
    said = (finished.root / "said.txt").read_text(encoding="utf-8").splitlines()
    tasks = [(suite, task, why) for suite, tasks in LEFT_OUT.items() for task, why in tasks.items()]
    for _, task, why in tasks:
        name, _, reason = why.removeprefix("source ").partition(": ")
        assert f"source {name}: not here ({reason}); task {task} is left out" in said
    rows = tiny.digests(finished.root, "data/releases/tiny/data")
    assert rows == tiny.digests(never.root, "data/releases/tiny/data")
    assert [name.rpartition("/")[0] for name in rows] == ["helmet/icl_banking77/4k", "synthetic/json_kv/4k"]
    assert read_json(finished.reports / "validate.json") == read_json(never.reports / "validate.json")
    ours, theirs = (read_json(project.release / "manifest.json") for project in (finished, never))
    assert ours.pop("unavailable") == LEFT_OUT
    assert ours == theirs and list(ours["sources"]) == ["said"]
    card, plain = ((each.release / "TASKS.md").read_text(encoding="utf-8") for each in (finished, never))
    listed = card.partition("## Not in this release\n")[2].partition("\n## ")[0]
    cells = [tuple(map(str.strip, line.split("|")[1:-1])) for line in listed.splitlines() if line.startswith("|")]
    assert cells[2:] == tasks and "Not in this release" not in plain
    assert f"{len(tasks)} tasks are not in this release" in (finished.release / "README.md").read_text()


def test_a_release_without_its_raw_files_is_verified_all_the_same(mine: Project) -> None:
    """And a training stream says why it cannot be drawn."""
    with refused(ReleaseError, "classification_sets.coarse", "trec"):
        training_stream(mine.root, suite="helmet", tasks="icl_trec_coarse", lengths="4k")
    before = tiny.digests(mine.root)
    for folder in ("raw", "corpora", "classification_sets", "documents", "retrieval_sets", "indexes"):
        shutil.rmtree(mine.data / folder)
    build(mine, "validate", "card")
    assert tiny.digests(mine.root) == before


def test_what_stops_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing source that is not optional; a mirror that is not set or damaged, optional or not; a suite of which nothing is left."""
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    with refused(
        UnavailableError, "HAYMAKER_MIRROR", "icl/trec_qc/train_5500.label", fix="sources.trec.optional: true"
    ):
        stages.run(required := make(tmp_path / "p", **(MORE | {"sources.trec": GONE["trec"]})), "download")
    no_mirror = tiny.make(tmp_path / "q", **{key: value for key, value in (KEPT | MORE).items() if key != "mirror"})
    with refused(SourceError, "mirror", fix="HAYMAKER_MIRROR"):
        stages.run(no_mirror, "download")
    coarse = {key: MORE[key] for key in ("sources.trec", "classification_sets.coarse")}
    damaged = make(tmp_path / "r", **coarse)
    fill_mirror(damaged.root / "mirror", trec())
    (damaged.root / "mirror/icl/trec_qc/TREC_10.label").write_bytes(b"NUM:count changed ?\n")
    with refused(SourceError, "TREC_10.label", "checksum"):
        stages.run(damaged, "download")
    assert not any((project.data / "raw/trec").exists() for project in (required, no_mirror, damaged))
    tasks = {"icl_trec_coarse": MORE["suites.helmet.tasks.icl_trec_coarse"]}
    with refused(BuildError, "suites.helmet", "source trec"):
        stages.run(make(tmp_path / "s", **coarse, **{"suites.helmet.tasks": tasks}), "download")


@pytest.fixture
def hub() -> Iterator[LocalHub]:
    with LocalHub().serving() as served:
        yield served


def test_a_file_that_is_refused_or_withdrawn_is_not_here_and_other_trouble_is_an_error(
    hub: LocalHub, tmp_path: Path
) -> None:
    """`fetch` and `ask` say the same of each status."""
    hub.commit("me/law", {"a.jsonl": b""})
    source = sources.create("law", "jsonl", {"path": f"{hub.url}/datasets/me/law/resolve/main/a.jsonl", "text_key": "t",
                                             "id_key": "i", "split": "test"}, where="x")  # fmt: skip
    context = FetchContext(None, tmp_path / "work", tmp_path / "lock.json")
    for hub.status in (401, 403, 404, 410, 451, 400, 407, 408, 429, 500, 503):
        with pytest.raises(SourceError) as asked:
            source.ask(context)
        with pytest.raises(SourceError) as fetched:
            source.fetch(tmp_path / "raw", context)
        assert (asked.type, asked.value.what) == (fetched.type, fetched.value.what)
        assert (fetched.type is UnavailableError) == (hub.status in (401, 403, 404, 410, 451)), hub.status
        assert not (tmp_path / "raw").exists()


def test_a_gated_hub_dataset_is_not_here(hub: LocalHub, tmp_path: Path) -> None:
    """Its files are listed for everybody: only reading them tells."""
    for repo in ("me/open", "me/gated"):
        hub.commit(repo, {"data/a.parquet": b"x"})
    hub.gated.add("me/gated")
    client = """
import sys
from pathlib import Path
from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import SourceError
root = Path(sys.argv[1])
for repo, files in (("me/gated", "data/*"), ("me/none", "data/*"), ("me/open", "other/*"), ("me/open", "data/*.parquet")):
    source = create("mine", "hub", {"repo": repo, "files": files, "text_column": "t", "split": "test"}, where="x")
    try:
        source.ask(FetchContext(None, root / "work", root / "lock.json"))
        print("fine")
    except SourceError as error:
        print(f"{type(error).__name__}: {error.what}")
"""
    command = [sys.executable, "-c", client, str(tmp_path)]
    done = subprocess.run(command, env=hub.environment(tmp_path / "home"), capture_output=True, text=True, timeout=120)
    gated, unknown, *others = done.stdout.splitlines()
    assert gated == "UnavailableError: access was refused" and unknown.startswith("UnavailableError: "), done.stderr
    assert others == ["UnavailableError: no file matches other/*; found: data/a.parquet", "fine"]


def stages_here(project: Project, *options: str) -> None:
    """What DVC does where no file changed: the stage that it is forced to run, or those after the first."""
    for name in options[-1:] if "--single-item" in options else tuple(STAGES)[1:]:
        stages.perform(Project(project.root), name)


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_run_asks_again_and_what_was_had_stays_in_use_until_it_is_lost(
    mine: Project, monkeypatch: pytest.MonkeyPatch, real: bool
) -> None:
    """A source that came adds its rows and changes no others; a run without the others ends well."""
    before = tiny.digests(mine.root, "data/releases/tiny/data")
    if not real:
        monkeypatch.setattr(dvc, "repro", stages_here)
    dvc.repro(mine, "--single-item", "download")  # nothing that DVC sees changes afterwards
    fill_mirror(mine.root / "mirror", trec())
    done = tiny.called(mine.root, "run")
    assert done.returncode == 0, done.stderr
    assert "source trec: here now" in done.stderr and f"source squad: still not here ({WHY['squad']})" in done.stderr
    said = {line.partition(" (")[0] for line in done.stderr.splitlines() if line.startswith("Left out: ")}
    assert said == {f"Left out: {name}" for name in ("helmet kilt_nq", "helmet narrativeqa", "synthetic niah_single_2")}
    after = tiny.digests(mine.root, "data/releases/tiny/data")
    assert after.keys() - before.keys() == {"helmet/icl_trec_coarse/1k/test-00000-of-00001.parquet"}
    assert before.items() <= after.items()

    fill_mirror(mine.root / "mirror", {"icl/trec_qc/other.txt": b""})
    (mine.root / "mirror/icl/trec_qc/train_5500.label").unlink()
    assert "source trec" not in build(mine)
    assert tiny.digests(mine.root, "data/releases/tiny/data") == after
    shutil.rmtree(mine.work)
    assert f"source trec: not here ({WHY['trec']}); task icl_trec_coarse is left out" in build(mine)
    assert [path.name for path in (mine.data / "raw/trec").iterdir()] == [MARK]
    assert not (mine.data / "classification_sets/coarse.parquet").exists()
    assert tiny.digests(mine.root, "data/releases/tiny/data") == before
    assert read_json(mine.release / "manifest.json")["unavailable"] == LEFT_OUT
