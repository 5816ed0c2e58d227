"""LooGLE as the Hub has it: from a replica of its layouts, filled with the real sample, come the records that the mirror's kinds give."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.rows.source_records import DocumentQuestion
from tests.corpora.conftest import Held
from tests.corpora.sources.faults import zipped
from tests.corpora.sources.test_documents import documents
from tests.corpora.sources.test_hub_sources import client_of
from tests.corpora.sources.test_loogle import ALL, SCRIPT, files, record
from tests.forks import Forks
from tests.hub import LocalHub

NAMES = ("longdep_qa", "shortdep_qa", "shortdep_cloze", "longdep_summarization")
SETS = ("longdep", "shortdep", "scripts")
PAPER = record([], "A paper.\nIts end.", "P") | {"qa_pairs": "none", "output": "In short."}


def plain(given: dict[str, bytes], *, later_name: bool = False) -> dict[str, bytes]:
    """The layout with a file a config; later its summaries have another name."""
    renamed = {"longdep_summarization": "summarization"} if later_name else {}
    return {f"data/{renamed.get(name, name)}.jsonl": data for name, data in given.items()} | {"README.md": b"x"}


def packed(given: dict[str, bytes]) -> dict[str, bytes]:
    """The layout of a loading script beside an archive."""
    archive = zipped({f"data/{name}.jsonl": data for name, data in given.items()})
    return {"data.zip": archive, "LooGLE.py": b"raise SystemExit('nobody runs this')", "README.md": b"x"}


def by_json(found: list[Any]) -> list[dict[str, Any]]:
    return json.loads(json.dumps([asdict(each) for each in found]))


@pytest.fixture(scope="module")
def of_mirror(held: Held) -> dict[str, tuple[list[Any], dict[str, list[Any]]]]:
    """Documents and questions by set, of both kinds of the mirror."""
    found = {}
    bare = ("bare", "loogle_mirror", ("loogle_sum", "loogle_qa"))
    for kind, of, names in (("typed", "loogle_typed_mirror", SETS), bare):
        source, raw = held(of)
        found[kind] = documents(source, raw), {name: list(source.document_questions(raw, name)) for name in names}
    return found


@pytest.mark.real
@pytest.mark.parametrize("layout", [pytest.param("plain", marks=pytest.mark.slow), "packed"])
def test_the_hub_gives_what_the_mirror_gives(hub, programs, layout, tmp_path: Path, mirror: Path, of_mirror) -> None:
    given = {name: (mirror / f"loogle/{name}.jsonl").read_bytes() for name in NAMES}
    for name in (
        "longdep_qa",
        "shortdep_cloze",
    ):  # the sample asks nothing of its scripts, the data set does: one of ours
        given[name] = given[name].rstrip() + b"\n" + json.dumps(SCRIPT).encode() + b"\n"
    made = packed(given) if layout == "packed" else plain(given)
    sha = hub.commit("bigai-nlco/LooGLE", made)
    got = client_of(programs)(tmp_path / "hub", "loogle", revision=sha, summaries=True)
    assert got.get("error", "") == "" and got["problems"] == []
    assert [each["text"] for each in got["sets"]["longdep_scripts"]] == ["Whose script?"]
    script = got["sets"]["longdep_scripts"][0]["doc_id"]
    got["documents"] = [each for each in got["documents"] if each[0] != script]
    got["sets"] = {name: [each for each in found if each["doc_id"] != script] for name, found in got["sets"].items()}
    found, sets = of_mirror["typed"]
    assert got["documents"][:14] == [[each.doc_id, each.title, each.split, each.text] for each in found], "papers last"
    for name in SETS:
        assert got["sets"][name] == by_json(sets[name]), name
    assert len(got["sets"]["longdep"]) == 28 and {each["sort"] for each in got["sets"]["longdep"]} > {"computation"}

    found, sets = of_mirror["bare"]
    texts = {each.doc_id: each.text.strip() for each in found}
    ours = {each[0]: each[3] for each in got["documents"]}
    wanted = [(texts[each.doc_id], list(each.references)) for each in sets["loogle_sum"]]
    assert [(ours[each["doc_id"]], each["references"]) for each in got["sets"]["summaries"]] == wanted
    asked_of = {texts[each.doc_id] for each in sets["loogle_qa"]}
    assert {ours[each["doc_id"]] for each in got["sets"]["longdep"]} == asked_of and len(wanted) == 5


def test_papers_come_where_they_are_asked_for(hub: LocalHub, programs: Forks, tmp_path: Path) -> None:
    lines = {name.removesuffix(".jsonl"): data for name, data in files([record(ALL), SCRIPT]).items()}
    lines["longdep_summarization"] = [PAPER, PAPER | {"title": "Again"}]
    given = {name: "".join(json.dumps(each) + "\n" for each in data).encode() for name, data in lines.items()}  # type: ignore[attr-defined]
    sha = hub.commit("bigai-nlco/LooGLE", plain(given))
    without = client_of(programs)(tmp_path / "without", "loogle", revision=sha)
    asked = [request for request in hub.requests if "/resolve/" in request]
    later = hub.commit("bigai-nlco/LooGLE", plain(given, later_name=True) | {"data.zip": b"no archive"})
    beside = client_of(programs)(tmp_path / "beside", "loogle", revision=later, summaries=True)
    del given["longdep_summarization"]
    bare = hub.commit("bigai-nlco/LooGLE", plain(given))
    refused = client_of(programs)(tmp_path / "bare", "loogle", revision=bare, summaries=True)["error"]
    assert set(beside["sets"]) - set(without["sets"]) == {"summaries"}
    assert not any("summarization" in request for request in asked)
    assert [each[1] for each in without["documents"]] == ["T", "C", "S"]
    assert [each[1] for each in beside["documents"]] == ["T", "C", "S", "P"]
    (summary,) = beside["sets"]["summaries"]
    doc_id = beside["documents"][-1][0]
    assert summary == by_json([DocumentQuestion(doc_id, doc_id, "test", "summary", "", references=("In short.",))])[0]
    assert "longdep_summarization.jsonl" in refused and "\n" not in refused
