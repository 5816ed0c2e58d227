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
    files_ = {f"data/{name}.jsonl": data for name, data in given.items()}
    archive = zipped(files_ | {f"__MACOSX/{path}": b"x" for path in files_})
    return {"data.zip": archive, "LooGLE.py": b"raise SystemExit('nobody runs this')", "README.md": b"x"}


def by_json(found: list[Any]) -> list[dict[str, Any]]:
    return json.loads(json.dumps([asdict(each) for each in found]))


@pytest.mark.slow
@pytest.mark.real
def test_the_hub_gives_what_the_mirror_gives(
    hub: LocalHub, programs: Forks, tmp_path: Path, mirror: Path, held: Held
) -> None:
    given = {name: (mirror / f"loogle/{name}.jsonl").read_bytes() for name in NAMES}
    for name in NAMES[:3:2]:  # the sample asks nothing of its scripts, the data set does: one of ours
        given[name] = given[name].rstrip() + b"\n" + json.dumps(SCRIPT).encode() + b"\n"
    sha = hub.commit("bigai-nlco/LooGLE", packed(given))
    got = client_of(programs)(tmp_path / "hub", "loogle", revision=sha, summaries=True)
    assert got.get("error", "") == "" and got["problems"] == []
    (script,) = got["sets"]["longdep_scripts"]
    assert script["text"] == "Whose script?"
    got["documents"] = [each for each in got["documents"] if each[0] != script["doc_id"]]
    asked = {name: [q for q in found if q["doc_id"] != script["doc_id"]] for name, found in got["sets"].items()}

    source, raw = held("loogle_typed_mirror")
    found = [[each.doc_id, each.title, each.split, each.text] for each in documents(source, raw)]
    assert got["documents"][:14] == found, "papers last"
    for name in SETS:
        assert asked[name] == by_json(list(source.document_questions(raw, name))), name
    assert len(asked["longdep"]) == 28 and {each["sort"] for each in asked["longdep"]} > {"computation"}

    source, raw = held("loogle_mirror")
    texts = {each.doc_id: each.text.strip() for each in documents(source, raw)}
    ours = {each[0]: each[3] for each in got["documents"]}
    wanted = [(texts[each.doc_id], list(each.references)) for each in source.document_questions(raw, "loogle_sum")]
    assert [(ours[each["doc_id"]], each["references"]) for each in asked["summaries"]] == wanted and len(wanted) == 5
    asked_of = {texts[each.doc_id] for each in source.document_questions(raw, "loogle_qa")}
    assert {ours[each["doc_id"]] for each in asked["longdep"]} == asked_of


def test_papers_come_where_they_are_asked_for(hub: LocalHub, programs: Forks, tmp_path: Path) -> None:
    lines = {name.removesuffix(".jsonl"): data for name, data in files([record(ALL), SCRIPT]).items()}
    lines["longdep_summarization"] = [PAPER, PAPER | {"title": "Again"}]
    given = {name: "".join(json.dumps(each) + "\n" for each in data).encode() for name, data in lines.items()}  # type: ignore[attr-defined]
    sha = hub.commit("bigai-nlco/LooGLE", plain(given))
    without = client_of(programs)(tmp_path / "without", "loogle", revision=sha)
    asked = [request for request in hub.requests if "/resolve/" in request]
    later = hub.commit("bigai-nlco/LooGLE", plain(given, later_name=True) | {"data.zip": b"no archive"})
    beside = client_of(programs)(tmp_path / "beside", "loogle", revision=later, summaries=True)
    archive = hub.commit("bigai-nlco/LooGLE", packed(given))
    assert client_of(programs)(tmp_path / "archive", "loogle", revision=archive, summaries=True) == beside
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
