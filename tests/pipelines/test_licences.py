"""Terms of sources: the words and what programs make of them, what is not published without a flag, and a release without it."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from corpora.sources import info, kinds, terms
from corpora.sources.base import SourceInfo
from haymaker.core.errors import ParamsError
from haymaker.core.files.disk import read_json
from haymaker.releases.manifest import LEFT_OUT
from pipelines.plan import licence_limits
from pipelines.project import Project
from pipelines.publishing.card import licences
from pipelines.publishing.card.texts import texts
from tests.errors import refused
from tests.extras import Once
from tests.pipelines import tiny

BEYOND_WORDS = {"longbench": {"research"}, "longbench_mirror": {"research"}, "samsum": {"gated"}}
"""What a bundle or its publisher asks beyond the words of its licence: multi_news is in LongBench; SAMSum has instructions how to get it."""
SYNTHETIC = {"background": "letters", "tasks": {"niah_single_2": {"lengths": {"4k": 3}}, "vt": {"lengths": {"4k": 2}}, "json_kv": {"lengths": {"4k": 6}}}}  # fmt: skip


def changes(letters: Path, **stated: str) -> dict[str, Any]:
    """The tiny release, and needles in letters of the user's own."""
    return {
        "sources.letters": {"kind": "text_folder", "path": str(letters), "split": "test", **stated},
        "corpora.letters": {**deepcopy(tiny.PARAMS["corpora"]["books"]), "source": "letters"},
        "suites.babilong.tasks": {"qa1": {"lengths": {"0k": 3, "4k": 2}}},
        "suites.synthetic": SYNTHETIC,
    }


@pytest.fixture(scope="session")
def mixed_root(once: Once, built_root: Path) -> Path:
    """A built release of simulated texts and of the user's own; to be read only."""
    texts_of = built_root / "data/raw/novels/test"
    return once("mixed terms", lambda root: tiny.run_alone(tiny.make(root, **changes(texts_of))))


@pytest.fixture
def mixed(mixed_root: Path) -> Project:
    return Project(mixed_root)


def said(project: Project) -> dict[str, Any]:
    return read_json(project.release / "manifest.json")


def test_words_and_terms_say_the_same() -> None:
    for kind in kinds():
        known = info(kind)
        assert set(known.licences) == set(terms.named_in(known.licence)) | BEYOND_WORDS.get(kind, set()), kind
        found = terms.terms(known.licences)
        if kind not in BEYOND_WORDS:
            words = re.search(r"\bNC\b|no commercial|non-commercial|research use", known.licence)
            assert (terms.NON_COMMERCIAL in found) == bool(words), kind
        assert (terms.NO_DERIVATIVES in found) == bool(re.search(r"\bND\b", known.licence)), kind
        assert (terms.SHARE_ALIKE in found) == bool(re.search(r"\bSA\b", known.licence)), kind
        if known.redistribution is False or re.search(r"\bask\b|look at", str(known.redistribution)) or known.obtain:
            assert terms.barred(found), f"{kind} may not simply be given on"
        if known.edition == "simulated":
            assert known.licences == ("cc0-1.0",) and not found, kind
    unknown = SourceInfo(title="New", homepage="", licence="see the home page", roles=("documents",))
    assert terms.barred(terms.terms(unknown.licences)) == "terms not stated"


def test_a_stated_licence_stands_in_the_record_and_lifts_the_bar(built_root: Path, tmp_path: Path) -> None:
    letters, records = built_root / "data/raw/novels/test", []
    for name, stated, barred in (("plain", {}, ["letters"]), ("stated", {"licence": "CC BY 4.0"}, [])):
        project = tiny.make(tmp_path / name, **changes(letters, **stated))
        tiny.run(project, "download")
        records.append(read_json(project.data / "raw/letters/SOURCE.json"))
        assert [each.source for each in licence_limits.make(project, project.suites()).barred] == barred
    assert "licence" not in records[0]["options"] and records[0]["licence"] == info("text_folder").licence
    assert records[1]["licence"] == records[1]["options"]["licence"] == "CC BY 4.0"
    known = licences.known({"a": records[0], "b": records[1]})
    assert list(licences.restricted({"sources": known})) == ["a"]
    assert licences.licence(known, ["b"]) == "CC-BY-4.0"


def test_a_licence_that_no_table_can_hold_and_one_of_a_publisher_are_refused(tmp_path: Path) -> None:
    for licence in ("", "a\nb", "a | b", "<b>free</b>", " MIT", "x" * 201):
        with refused(ParamsError, "sources.letters: licence"):
            tiny.make(tmp_path / "p", **changes(tmp_path, licence=licence)).inputs.source("letters")
    with refused(ParamsError, "sources.novels: licence"):
        tiny.make(tmp_path / "p", **{"sources.novels.licence": "MIT"}).inputs.source("novels")


def test_the_manifest_says_terms_of_sources_and_tasks(mixed: Project) -> None:
    whole = said(mixed)
    assert whole["sources"]["letters"]["terms"] == ["own"] and whole["sources"]["novels"]["terms"] == []
    by_name = {task["name"]: task for facts in whole["suites"].values() for task in facts["tasks"]}
    assert {name: task["licence"] for name, task in by_name.items()} == {
        "qa1": "CC0-1.0", "json_kv": "CC0-1.0", "niah_single_2": "the user's own", "vt": "CC0-1.0",
    }  # fmt: skip
    assert by_name["niah_single_2"]["reads"] == ["corpora/letters"] and by_name["json_kv"]["reads"] == []
    assert list(licences.restricted(whole)) == ["letters"] and licences.hub_ids(whole) == ["other", "cc0-1.0"]
    del whole["sources"]["novels"]["terms"]
    assert set(licences.restricted(whole)) == {"letters", "novels"}, "a manifest that says no terms is not free of them"


def test_a_release_without_a_source_is_whole(mixed: Project) -> None:
    """test_publish_permissive.py verifies it as it lies on the Hub."""
    whole = said(mixed)
    before = deepcopy(whole)
    left = licences.without(whole, {"letters"})
    assert whole == before
    assert [task["name"] for task in left["suites"]["synthetic"]["tasks"]] == ["vt", "json_kv"]
    assert set(left["sources"]) == {"novels", "stories"} and set(left["corpora"]) == {"books"}
    own = [facts for name, facts in left["files"].items() if name.startswith("data/")]
    assert left["verification"]["rows"] == 3 + 2 + 2 + 6 == sum(facts["rows"] for facts in own)
    assert left["verification"]["tokens"] == sum(facts["tokens"] for facts in own)
    assert left["verification"]["whole"] == {key: whole["verification"][key] for key in ("rows", "tokens")}
    assert not licences.restricted(left) and "niah_single_2" not in json.dumps(left | {LEFT_OUT: None})
    assert left[LEFT_OUT]["synthetic"]["niah_single_2"].startswith("not published here; source letters: yours")
    card = texts(left, "org/name")["README.md"]
    assert f"of the whole release ({before['verification']['rows']} rows)" in card and "\nlicense: cc0-1.0\n" in card


def test_terms_that_a_user_states() -> None:
    for words, keys, why in (
        ("cc by-nc 4.0", ("cc-by-nc-4.0",), "no commercial use"),
        ("Apache-2.0; scans CC BY-SA 3.0", ("cc-by-sa-3.0", "apache-2.0"), ""),
        ("NC, ND", ("research", "no-derivatives"), "no derivatives, no commercial use"),
        ("unknown", ("unstated",), "terms not stated"),
    ):
        assert terms.of_words(words) == keys
        assert terms.barred(terms.terms(keys)) == why
