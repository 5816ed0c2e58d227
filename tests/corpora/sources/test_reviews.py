"""Verdicts of readers: applied to every set of a source, counted, and part of what a build depends on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from corpora.sources import create, kinds, reviews
from corpora.sources.reviews import FOLDER, reviews_of, reviews_version
from haymaker.core.errors import ParamsError, SourceError
from tests.corpora.sources.test_popqa import fetched, row
from tests.errors import refused

GIVEN = {"possible_answers": json.dumps(["politician", "statesman"])}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of reviews."""
    found = tmp_path / "reviewed"
    found.mkdir()
    monkeypatch.setattr(reviews, "FOLDER", found)
    return found


def write(folder: Path, kind: str = "popqa", **popqa: object) -> None:
    (folder / f"{kind}.yaml").write_text(yaml.safe_dump({"popqa": popqa}))
    reviews._read.cache_clear()


def test_verdicts_change_what_is_asked(tmp_path, context, folder):
    write(
        folder,
        keep=["1"],
        leave_out={"2": "another person"},
        drop_answers={"3": {"answers": ["politician"], "reason": "she was none"}},
        extra_answers={"3": {"answers": ["minister"], "reason": "the passage has it"}},
    )
    source, raw = fetched(tmp_path, context, [row(n, **GIVEN) for n in (1, 2, 3, 4)], splits={"test": 1})
    asked = {each.question_id: each.answers for each in source.questions(raw, "popqa", "test")}
    both = ("politician", "statesman")
    assert asked == {"1": both, "3": ("statesman", "minister"), "4": both}
    assert json.loads((raw / "SOURCE.json").read_text())["left_out"] == {"popqa test (left out in a review)": 1}


def test_a_changed_verdict_makes_the_source_outdated(tmp_path, context, folder):
    source, raw = fetched(tmp_path, context, [row(1, **GIVEN)], splits={"test": 1})
    assert source.is_current(raw, context)
    write(folder, keep=["1"])
    assert not source.is_current(raw, context)
    source.fetch(raw, context)
    assert source.is_current(raw, context)
    (folder / "popqa.yaml").unlink()
    assert not source.is_current(raw, context)


def test_a_mirror_has_the_reviews_of_the_published_kind_unless_it_has_its_own(folder):
    write(folder, keep=["1"])
    assert reviews_of("popqa_mirror")["popqa"].keep == ("1",)
    write(folder, "popqa_mirror", keep=["2"])
    assert reviews_of("popqa_mirror")["popqa"].keep == ("2",)
    assert reviews_of("popqa")["popqa"].keep == ("1",)
    assert not reviews_of("squad_mirror")


def test_a_verdict_that_does_not_fit_is_one_line(tmp_path, context, folder):
    write(folder, drop_answers={"1": {"answers": ["actor"], "reason": "x"}})
    with refused(SourceError, "reviewed/popqa.yaml: popqa.drop_answers.1", "'actor'"):
        fetched(tmp_path, context, [row(1, **GIVEN)], splits={"test": 1})


def test_a_file_that_contradicts_itself_is_one_line(folder):
    wrong = [
        ({"keep": ["1"], "leave_out": {"1": "x"}}, "", "'1'"),
        ({"kept": ["1"]}, ": kept", "'kept'"),
    ]
    for popqa, at, told in wrong:
        write(folder, **popqa)
        with refused(ParamsError, f"reviewed/popqa.yaml: popqa{at}", told):
            reviews_of("popqa")


def test_files_are_named_like_kinds_and_sets_and_their_state_is_in_versions_yaml():
    for path in FOLDER.glob("*.yaml"):
        assert path.stem in kinds(), path.name
        source = create("it", path.stem, {}, where="w")
        known = {*source.question_sets(), *source.document_sets(), *source.label_sets()}
        assert set(reviews_of(path.stem)) <= known, path.name
    versions = yaml.safe_load(Path("versions.yaml").read_text(encoding="utf-8"))
    assert versions["sources"]["reviewed"] == reviews_version(), "write this value to versions.yaml"
