"""LooGLE as the Hub has it: from a replica of its layouts, filled with the real sample, come the records that the mirror's kinds give."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.corpora.conftest import Held
from tests.corpora.sources.faults import zipped
from tests.corpora.sources.test_documents import documents
from tests.corpora.sources.test_hub_sources import client_of
from tests.corpora.sources.test_loogle import SCRIPT
from tests.forks import Forks
from tests.hub import LocalHub

NAMES = ("longdep_qa", "shortdep_qa", "shortdep_cloze", "longdep_summarization")
SETS = ("longdep", "shortdep", "scripts")


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
