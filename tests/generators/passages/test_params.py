"""Mistakes in suites.helmet are named, with the key and the nearest right one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generators.helmet.passages import TASKS as HELMET
from generators.synthetic.paragraphs import TASKS as RULER
from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import read_yaml
from tests.generators.kit import refused
from tests.generators.passages import small

ENTRY = {"retrieval_set": "nq", "lengths": {"4k": 6}}


@pytest.mark.parametrize(
    ("name", "entry", "said"),
    [
        ("kilt_nqq", ENTRY, "unknown task 'kilt_nqq'. Next: did you mean 'kilt_nq'?"),
        ("kilt_nq", ENTRY | {"permutations": 3}, "unknown key 'permutations'"),
        ("kilt_hotpotqa", ENTRY | {"depths": 3}, "unknown key 'depths'"),
        ("kilt_hotpotqa", ENTRY | {"order": "retrieval"}, "3 permutations of passages in the order of retrieval"),
        ("kilt_nq", ENTRY | {"shots": 9}, "less than or equal to 8"),
    ],
)
def test_mistakes(tmp_path: Path, name: str, entry: dict[str, Any], said: str) -> None:
    line = refused(ParamsError, small.suite, tmp_path, {name: entry})
    assert said in line
    assert line.startswith(f"suites.helmet.tasks.{name}")


def test_examples_that_nobody_mines(tmp_path: Path) -> None:
    mined = {"nq": {"count": {"test": 5}}, "popqa": {"count": {"test": 5, "train": 20}}}
    small.suite(
        tmp_path, {"kilt_popqa": ENTRY | {"retrieval_set": "popqa"}, "kilt_nq": ENTRY | {"shots": 0}}, mined=mined
    )
    with pytest.raises(
        ParamsError, match=r"retrieval_sets.nq.count: task 'kilt_nq' uses 2 worked examples, but the set contains none"
    ):
        small.suite(tmp_path, {"kilt_nq": ENTRY}, mined=mined)


def test_titles_say_whose_questions_are_asked() -> None:
    """The demo asks a simulated version of NQ in RULER's form: its title must not say SQuAD."""
    for task, mined, simulated, title in (
        ("qa_1", "nq", True, "Simulated version of RULER QA 1 (Natural Questions): an answer in one of many numbered passages of an encyclopaedia"),
        ("qa_1", "squad", False, "RULER QA 1 (SQuAD): an answer in one of many numbered passages of an encyclopaedia"),
        ("qa_2", "law", False, "RULER QA 2 (the set law): an answer that takes two of many numbered passages of an encyclopaedia"),
        ("kilt_nq", "nq_dense", False, "Natural Questions: a short answer in one of many passages"),
        ("kilt_nq", "popqa", True, "Simulated version of PopQA: a short answer in one of many passages"),
        ("alce_asqa_nocite", "asqa", False, "ASQA without citations"),
    ):  # fmt: skip
        spec = next(spec for spec in (*HELMET, *RULER) if spec.name == task)
        settings = spec.task.settings_type.model_validate({**spec.defaults, "retrieval_set": mined})
        assert spec.titled(settings, simulated=simulated) == title
    assert RULER[0].titled(simulated=False).startswith("RULER QA 1 (SQuAD)"), "of no entry: the usual set"


NO_GOLD = {("triviaqa_mirror", "triviaqa"), ("qampari_mirror", "qampari"), ("alce", "qampari")}


@pytest.mark.parametrize("name", ["mirror", "full"])
def test_the_mirror_and_full_ask_nothing_without_gold(name: str) -> None:
    """No set of questions whose source names neither passage nor article is mined or asked (docs/reference/gold.md)."""
    given = read_yaml(Path(f"params/{name}.yaml"))
    kinds = {source: block["kind"] for source, block in given["sources"].items()}
    assert not NO_GOLD & {(kinds[block["questions"]], block["set"]) for block in given["retrieval_sets"].values()}
    asked = {
        entry["retrieval_set"]
        for suite in given["suites"].values()
        for entry in suite["tasks"].values()
        if "retrieval_set" in entry
    }
    assert asked == set(given["retrieval_sets"])
    assert given["retrieval_sets"]["nq"]["require_annotator_agreement"] is True
