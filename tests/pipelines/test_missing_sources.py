"""Optional sources that are unavailable: a release is built without their tasks and says so; any other problem stops the run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from corpora import sources
from corpora.sources import info
from corpora.sources.base import FetchContext
from corpora.sources.transport.absent import MARK
from corpora.sources.user_files import Listed
from generators.inputs import KINDS, Use
from haymaker.core.errors import ParamsError, ReleaseError, SourceError, UnavailableError
from haymaker.core.files.addresses import explain
from haymaker.core.files.disk import read_json, write_json
from haymaker.core.progress import console, out
from haymaker.releases import manifest
from pipelines import stages
from pipelines.plan import catalogue
from pipelines.plan import plan as planning
from pipelines.project import Project
from pipelines.stages import optional_sources, records
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
    "helmet": {
        "icl_trec_coarse": f"source trec: {WHY['trec']}",
        "kilt_nq": f"source squad: {WHY['squad']}",
        "narrativeqa": f"source loogle: {WHY['loogle']}",
    },
    "synthetic": {"niah_single_2": f"source gutenberg: {WHY['gutenberg']}"},
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
    forms = {
        "NUM:count": "How many {} has the",
        "HUM:ind": "Who sold {} to the",
        "LOC:city": "Which town buys {} from the",
    }
    things = "ropes bells lamps sails carts looms kites drums spoons masks nets coins".split()
    places = "harbour abbey mill school market castle garden bakery".split()
    lines = [
        f"{label} {form.format(thing)} {place} ?"
        for thing in things
        for place in places
        for label, form in forms.items()
    ]
    return {
        "icl/trec_qc/train_5500.label": "\n".join(lines[9:]).encode() + b"\n",
        "icl/trec_qc/TREC_10.label": "\n".join(lines[:9]).encode() + b"\n",
    }  # fmt: skip


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
    """A release whose parameters never named them."""
    return Project(once("never named", lambda root: build(make(root))))


@pytest.fixture
def mine(finished: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    return tiny.copy(finished.root, tmp_path / "mine")


# ------------------------------------------------------------------------------------------------------ the release


def test_one_line_a_source_says_what_is_left_out(finished: Project) -> None:
    said = (finished.root / "said.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in said if line.startswith("source ")] == [
        f"source gutenberg: not here ({WHY['gutenberg']}); task niah_single_2 is left out",
        f"source loogle: not here ({WHY['loogle']}); task narrativeqa is left out",
        f"source squad: not here ({WHY['squad']}); task kilt_nq is left out",
        f"source trec: not here ({WHY['trec']}); task icl_trec_coarse is left out",
    ]
    assert [line.partition(" (")[0].strip() for line in said if line.startswith("  ") and " left out (" in line] == [
        "corpora books: left out", "passages squad: left out", "classification_sets coarse: left out", "documents qa: left out",
        "indexes squad: left out", "retrieval_sets squad: left out",
        *(f"{suite} {task}: left out" for suite, tasks in LEFT_OUT.items() for task in tasks),
    ]  # fmt: skip


def test_rows_are_those_of_a_release_that_never_named_the_sources(finished: Project, never: Project) -> None:
    rows = tiny.digests(finished.root, "data/releases/tiny/data")
    assert rows == tiny.digests(never.root, "data/releases/tiny/data")
    assert list(rows) == [
        "helmet/icl_banking77/4k/test-00000-of-00001.parquet", "synthetic/json_kv/4k/test-00000-of-00001.parquet"
    ]  # fmt: skip
    assert read_json(finished.reports / "validate.json") == read_json(never.reports / "validate.json")
    assert read_json(finished.reports / "validate.json")["rows"] == 14
    assert (finished.data / "classification_sets/ferry.parquet").read_bytes() == (
        never.data / "classification_sets/ferry.parquet"
    ).read_bytes()


def test_card_and_manifest_say_so_and_differ_in_nothing_else(finished: Project, never: Project) -> None:
    ours, theirs = (read_json(project.release / "manifest.json") for project in (finished, never))
    assert ours.pop("unavailable") == LEFT_OUT
    assert ours == theirs and ours["suites"].keys() == {"helmet", "synthetic"}
    assert [task["name"] for task in ours["suites"]["helmet"]["tasks"]] == ["icl_banking77"] and list(
        ours["sources"]
    ) == ["said"]
    assert (
        f"{sum(map(len, LEFT_OUT.values()))} tasks are not in this release"
        in (finished.release / "README.md").read_text()
    )
    card = (finished.release / "TASKS.md").read_text(encoding="utf-8")
    listed = card.partition("## Not in this release\n")[2].partition("\n## ")[0]
    rows = [
        tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in listed.splitlines() if line.startswith("|")
    ]
    assert rows[2:] == [(suite, task, why) for suite, tasks in LEFT_OUT.items() for task, why in tasks.items()]
    assert "Not in this release" not in (never.release / "TASKS.md").read_text(encoding="utf-8")


def test_nothing_is_prepared_and_the_records_say_so(finished: Project) -> None:
    """The only trace in the outputs is a note in data/raw."""
    lacking = {
        "prepare": [
            ("corpora", "books"),
            ("passages", "squad"),
            ("classification_sets", "coarse"),
            ("documents", "qa"),
        ],
        "retrieve": [("indexes", "squad"), ("retrieval_sets", "squad")],
    }
    for stage, inputs in lacking.items():
        noted = (records.read(finished, stage) or {})["unavailable"]
        assert noted == {f"{kind}/{name}": finished.inputs.unavailable(Use(kind, name)) for kind, name in inputs}
        for kind, name in inputs:
            assert not KINDS[kind].path(finished.data, name).exists() and not finished.inputs.is_here(Use(kind, name))
    for name in GONE:
        place = finished.inputs.raw(name)
        assert [path.name for path in place.iterdir()] == [MARK] and not finished.inputs.is_here(Use("sources", name))
        assert finished.inputs.unavailable(Use("sources", name)) == f"source {name}: {WHY[name]}"
    assert read_json(finished.data / "raw/trec" / MARK) == {
        "source": "trec_mirror", "options": {}, "title": "TREC question classification (mirror copy)", "obtain": "",
        "homepage": "https://cogcomp.seas.upenn.edu/Data/QA/QC", "unavailable": WHY["trec"],
    }  # fmt: skip
    assert tiny.leftovers(finished.root) == []


def test_plan_tasks_and_sources_show_it(finished: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out, "width", 1000)  # a line of the table is a line
    plan = planning.make_plan(finished)
    assert (plan.rows, {table.task for table in plan.tables}) == (14, {"icl_banking77", "json_kv"})
    assert plan.left_out == [(suite, task, why) for suite, tasks in LEFT_OUT.items() for task, why in tasks.items()]
    with out.capture() as captured:
        catalogue.tasks(finished)
        catalogue.sources(finished)
    printed = "".join(captured.get().split())
    for text in (
        *(why for tasks in LEFT_OUT.values() for why in tasks.values()),
        f"trec: not here: {WHY['trec']}",
        "said: here",
    ):
        assert "".join(text.split()) in printed, text


def test_a_training_stream_says_why_it_cannot_be_drawn(finished: Project) -> None:
    with refused(ReleaseError, "classification_sets.coarse", "trec"):
        training_stream(finished.root, suite="helmet", tasks="icl_trec_coarse", lengths="4k")


def test_a_release_is_verified_without_its_raw_files(mine: Project) -> None:
    """Raw files and stores may be gone: what the release goes without is known all the same."""
    before = tiny.digests(mine.root)
    for folder in ("raw", "corpora", "classification_sets", "documents", "retrieval_sets", "indexes"):
        (mine.data / folder).rename(mine.root / folder)
    build(mine, "validate", "card")
    assert tiny.digests(mine.root) == before


def test_a_downloaded_release_may_lack_what_its_manifest_says(mine: Project) -> None:
    with console.capture() as captured:
        manifest.verify(mine.release)
    assert f"left out: helmet kilt_nq ({LEFT_OUT['helmet']['kilt_nq']})" in captured.get()
    said = read_json(mine.release / "manifest.json")
    for wrong, values in (
        ({"helmet": {"icl_banking77": "lost"}}, ("helmet icl_banking77", "data/helmet/icl_banking77/")),
        ({"helmet": ["kilt_nq"]}, ("tasks",)),
        ("helmet", ("tasks",)),
    ):
        write_json(mine.release / "manifest.json", {**said, "unavailable": wrong})
        digest, card = sha256((mine.release / "manifest.json").read_bytes()).hexdigest(), mine.release / "README.md"
        card.write_text(
            re.sub(r"`manifest\.json`, SHA-256 `\w+`", f"`manifest.json`, SHA-256 `{digest}`", card.read_text())
        )
        with refused(ReleaseError, "manifest.json", *values):
            manifest.verify(mine.release)


# ------------------------------------------------------------------------------------------------------- and later


def test_a_source_comes_goes_and_is_lost(mine: Project) -> None:
    """It adds its rows and changes no others; what was downloaded stays in use, until that is lost too."""
    before = tiny.digests(mine.root, "data/releases/tiny/data")
    fill_mirror(mine.root / "mirror", trec())
    assert "source trec" not in build(mine) and (mine.data / "classification_sets/coarse.parquet").is_file()
    after = tiny.digests(mine.root, "data/releases/tiny/data")
    assert after.keys() - before.keys() == {"helmet/icl_trec_coarse/1k/test-00000-of-00001.parquet"}
    assert {name: digest for name, digest in after.items() if name in before} == before
    assert read_json(mine.release / "manifest.json")["unavailable"]["helmet"].keys() == {"kilt_nq", "narrativeqa"}

    shutil.rmtree(mine.root / "mirror")
    fill_mirror(mine.root / "mirror", {"other.txt": b"of another source"})
    assert "source trec" not in build(mine)
    assert tiny.digests(mine.root, "data/releases/tiny/data") == after
    shutil.rmtree(mine.work)
    assert f"source trec: not here ({WHY['trec']}); task icl_trec_coarse is left out" in build(mine)
    assert [path.name for path in (mine.data / "raw/trec").iterdir()] == [MARK]
    assert not (mine.data / "classification_sets/coarse.parquet").exists()
    assert tiny.digests(mine.root, "data/releases/tiny/data") == before
    assert read_json(mine.release / "manifest.json")["unavailable"] == LEFT_OUT


# ------------------------------------------------------------------------------------------------- what still stops


def test_what_stops_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing source that is not optional; a mirror that is not set, or damaged files in it, optional or not."""
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    with refused(
        UnavailableError, "HAYMAKER_MIRROR", "icl/trec_qc/train_5500.label", fix="sources.trec.optional: true"
    ):
        stages.run(required := make(tmp_path / "p", **(MORE | {"sources.trec": GONE["trec"]})), "download")
    no_mirror = tiny.make(tmp_path / "q", **{key: value for key, value in (KEPT | MORE).items() if key != "mirror"})
    with refused(SourceError, "mirror", fix="HAYMAKER_MIRROR"):
        stages.run(no_mirror, "download")
    damaged = make(
        tmp_path / "r",
        **{
            **KEPT,
            "sources.trec": MORE["sources.trec"],
            "classification_sets.coarse": MORE["classification_sets.coarse"],
        },
    )
    fill_mirror(damaged.root / "mirror", trec())
    (damaged.root / "mirror/icl/trec_qc/TREC_10.label").write_bytes(b"NUM:count changed ?\n")
    with refused(SourceError, "TREC_10.label", "checksum"):
        stages.run(damaged, "download")
    assert not any((project.data / "raw/trec").exists() for project in (required, no_mirror, damaged))


def test_a_suite_of_which_nothing_is_left_is_one_line(tmp_path: Path) -> None:
    only = {
        **KEPT,
        "suites": {
            **KEPT["suites"],
            "helmet": {"tasks": {"icl_trec_coarse": MORE["suites.helmet.tasks.icl_trec_coarse"]}},
        },
    }
    wanted = {"sources.trec": MORE["sources.trec"], "classification_sets.coarse": MORE["classification_sets.coarse"]}
    project = tiny.make(tmp_path / "p", **only, **wanted)
    fill_mirror(project.root / "mirror", {})
    tiny.one_line(tiny.called(project.root, "dev", "stage", "download"), "suites.helmet", "source trec")


def test_optional_is_yes_or_no(tmp_path: Path) -> None:
    with refused(ParamsError, "sources.said.optional", "(given: 'yes')"):
        assert make(tmp_path / "p", **{"sources.said.optional": "yes"}).params
    params = make(tmp_path / "q", **{"sources.said.optional": False}).params
    assert "optional" not in params.model_dump_json() and "optional" not in params.sources["said"].options


# ----------------------------------------------------------------------------------------- what counts as not here


@pytest.fixture(scope="module")
def server() -> Iterator[LocalHub]:
    with LocalHub().serving() as served:
        yield served


@pytest.fixture
def hub(server: LocalHub) -> LocalHub:
    server.status = 0
    return server


@pytest.mark.parametrize("status", [401, 403, 404, 410, 451])
def test_refused_or_withdrawn_is_not_here(hub: LocalHub, tmp_path: Path, status: int) -> None:
    assert isinstance(tried(hub, tmp_path, status), UnavailableError)


@pytest.mark.parametrize("status", [400, 407, 408, 429, 500, 502, 503])
def test_trouble_on_the_way_is_an_error(hub: LocalHub, tmp_path: Path, status: int) -> None:
    error = tried(hub, tmp_path, status)
    assert isinstance(error, SourceError) and not isinstance(error, UnavailableError)


def tried(hub: LocalHub, root: Path, status: int) -> Exception:
    """What `fetch` raises of a file that a web server refuses with a status; `ask` says the same."""
    hub.commit("me/law", {"a.jsonl": b""})
    hub.status = status
    source = sources.create("law", "jsonl", {"path": f"{hub.url}/datasets/me/law/resolve/main/a.jsonl", "text_key": "t",
                                             "id_key": "i", "split": "test"}, where="x")  # fmt: skip
    context = FetchContext(None, root / "work", root / "lock.json")
    with pytest.raises(SourceError) as asked:
        source.ask(context)
    with pytest.raises(SourceError) as fetched:
        source.fetch(root / "raw", context)
    assert (type(asked.value), asked.value.what) == (type(fetched.value), fetched.value.what)
    assert not (root / "raw").exists()
    return fetched.value


def test_a_gated_hub_dataset_is_not_here(hub: LocalHub, tmp_path: Path) -> None:
    """Its files are listed for everybody: only reading them tells."""
    for repo in ("me/open", "me/gated"):
        hub.commit(repo, {"data/a.parquet": b"x"})
    hub.gated.add("me/gated")
    client = """
import json, sys
from pathlib import Path
from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import SourceError
root, found = Path(sys.argv[1]), []
for repo, files in (("me/gated", "data/*"), ("me/none", "data/*"), ("me/open", "other/*"), ("me/open", "data/*.parquet")):
    source = create("mine", "hub", {"repo": repo, "files": files, "text_column": "t", "split": "test"}, where="x")
    try:
        source.ask(FetchContext(None, root / "work", root / "lock.json"))
        found.append("")
    except SourceError as error:
        found.append(f"{type(error).__name__}: {error.what}")
print(json.dumps(found))
"""
    command = [sys.executable, "-c", client, str(tmp_path)]
    done = subprocess.run(command, env=hub.environment(tmp_path / "home"), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    gated, unknown, unmatched, fine = json.loads(done.stdout)
    assert gated == "UnavailableError: access was refused"
    assert unknown.startswith("UnavailableError: ")
    assert unmatched == "UnavailableError: no file matches other/*; found: data/a.parquet"
    assert fine == ""


def test_what_a_proxy_or_an_empty_cache_says_is_not_said_of_the_file() -> None:
    class ClientHttpProxyError(Exception):
        status = 403

    class LocalEntryNotFoundError(FileNotFoundError):
        pass

    for error in (ClientHttpProxyError(), LocalEntryNotFoundError(), TimeoutError()):
        found = explain(error, "https://example.org/a")
        assert isinstance(found, SourceError) and not isinstance(found, UnavailableError), error


def test_files_that_only_a_person_can_get_are_not_here_until_they_are_given(tmp_path: Path) -> None:
    class ByHand(Listed):
        kind = "by_hand"
        info = replace(info("text_folder"), title="By hand", obtain="sign the form at example.org, then set `path`")
        path: tuple[str, ...] = ()

    context = FetchContext(None, tmp_path / "work", tmp_path / "lock.json")
    with refused(UnavailableError, "", fix="example.org"):
        ByHand().fetch(tmp_path / "raw", context)
    (tmp_path / "a.txt").write_text("a")
    ByHand(path=(str(tmp_path / "a.txt"),)).fetch(tmp_path / "raw", context)
    assert (tmp_path / "raw/files/a.txt").read_text() == "a"


def test_tasks_of_a_source_follow_the_names_of_the_parameters() -> None:
    project = Project(tiny.ROOT).with_release("mirror")
    wanted = {
        "squad": ["qa_1"], "popqa": ["kilt_popqa"], "clinc150": ["icl_clinc150", "icl_aggregate"], "msmarco": ["msmarco_rerank"],
        "babi_mirror": [f"qa{number}" for number in range(1, 21)], "loogle": ["loogle_qa", "loogle_summary", "loogle_summary_distractors"],
        "samsum": ["samsum", "samsum_e"],
    }  # fmt: skip
    assert {name: optional_sources.tasks_of(project, name) for name in wanted} == wanted
    assert set(project.inputs.sources_of(Use("indexes", "squad"))) == {"squad"}
    assert set(project.inputs.sources_of(Use("retrieval_sets", "nq"))) == {"nq", "wikipedia_slice"}


def test_files_of_ones_own_that_are_not_there_yet(tmp_path: Path) -> None:
    context = FetchContext(None, tmp_path / "work", tmp_path / "lock.json")
    shape = {"text_key": "t", "id_key": "i", "split": "test"}
    for kind, options in (
        ("jsonl", {"path": str(tmp_path / "a.jsonl"), **shape}),
        ("text_folder", {"path": str(tmp_path / "none")}),
    ):
        source = sources.create("mine", kind, options, where="x")
        for had in (source.ask, partial(source.fetch, tmp_path / "raw")):
            with refused(UnavailableError, Path(options["path"]).name):
                had(context)


def test_no_place_of_this_machine_stands_in_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    mine = {"kind": "text_folder", "path": str(tmp_path / "secret/texts"), "optional": True}
    project = make(tmp_path / "p", **{"sources.notes": mine, "corpora.notes": {"source": "notes", "clean": {}}})
    with console.capture() as captured:
        stages.run(project, "download")
    assert "\nsource notes: not here (no such folder (texts)); no task needs it\n" in captured.get()
    assert "secret" not in (project.data / "raw/notes" / MARK).read_text()


# ------------------------------------------------------------------------------------------------------ haymaker run


def test_a_run_ends_well_and_the_next_one_asks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    tasks = {"icl_banking77": KEPT["suites"]["helmet"]["tasks"]["icl_banking77"],
             "icl_trec_coarse": MORE["suites.helmet.tasks.icl_trec_coarse"]}  # fmt: skip
    changes = {
        "suites": {"helmet": {"tasks": tasks}},
        "sources.trec": MORE["sources.trec"],
        "classification_sets.coarse": MORE["classification_sets.coarse"],
    }
    project = make(tmp_path / "p", **changes)
    first = tiny.haymaker(project.root, "run")
    assert first.returncode == 0, first.stderr
    assert f"source trec: not here ({WHY['trec']}); task icl_trec_coarse is left out" in first.stderr
    assert first.stderr.splitlines()[-2] == f"Left out: helmet icl_trec_coarse (source trec: {WHY['trec']})"
    before = tiny.digests(project.root)
    done = tiny.called(project.root, "run")
    assert done.returncode == 0 and f"source trec: still not here ({WHY['trec']})" in done.stderr, done.stderr
    assert tiny.digests(project.root) == before and tiny.called(project.root, "validate").returncode == 0
    (project.root / "mirror/SHA256SUMS").unlink()
    with console.capture() as captured:
        assert optional_sources.can_be_had_now(Project(project.root)) == []
    assert captured.get().startswith(
        "source trec: cannot be checked again, the mirror has no readable SHA256SUMS, and was not available before"
    )

    note = project.data / "raw/trec" / MARK
    note.chmod(0o644)
    note.write_text("{")
    assert project.inputs.unavailable(Use("classification_sets", "coarse")) == "", "a damaged note stops no plan"
    tiny.one_line(tiny.called(project.root, "validate"), f"data/raw/trec/{MARK}", "changed", code=1)
    fill_mirror(project.root / "mirror", {})
    assert tiny.called(project.root, "run").returncode == 0 and tiny.digests(project.root) == before

    fill_mirror(project.root / "mirror", trec())
    done = tiny.called(project.root, "run")
    assert done.returncode == 0 and "source trec: here now" in done.stderr and "Left out" not in done.stderr, (
        done.stderr
    )
    after = tiny.digests(project.root)
    assert {name for name in after if name.endswith("parquet") and "mini" not in name} == {
        f"data/helmet/{task}/{length}/test-00000-of-00001.parquet" for task, length in (("icl_banking77", "4k"), ("icl_trec_coarse", "1k"))
    }  # fmt: skip
    assert tiny.called(project.root, "validate").returncode == 0
