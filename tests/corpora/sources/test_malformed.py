"""Whatever stands in place of a value: a record is read, or refused with one line; never a traceback."""

from __future__ import annotations

import copy
import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources.alce import Alce
from corpora.sources.formats.batches import Batch, Piece
from corpora.sources.kilt_tasks import KiltTasks, NqMirror
from corpora.sources.multihop import HotpotQaMirror
from corpora.sources.popqa import PopQaMirror
from corpora.sources.wikipedia import kilt_articles
from haymaker.core.errors import SourceError

ALL = {"test": 1}
HOTPOT = {
    "question": "Same?",
    "answer": "yes",
    "type": "comparison",
    "supporting_facts": {"title": ["A"], "sent_id": [0]},
    "context": [["A", ["One.", " Two."]], ["B", ["Three."]]],
}
POPQA = {
    "id": 3,
    "s_pop": "12",
    "prop": "occupation",
    "question": "What is Ada?",
    "possible_answers": '["poet"]',
    "s_wiki_title": "Ada",
    "paragraphs": [{"title": "Ada", "text": "Ada, poet.", "is_supporting": True}],
}
NQ = {"question": "who?", "answers": ["Ada"], "ctxs": [{"title": "Ada", "text": "Ada was.", "isgold": True}]}
KILT = {
    "id": "1",
    "input": "who?",
    "output": [{"answer": "Ada", "provenance": [{"wikipedia_id": "7", "title": "Ada"}]}],
}
ASQA = {
    "sample_id": 5,
    "question": "Who?",
    "qa_pairs": [{"question": "Who in 1990?", "short_answers": ["Ada"], "context": "Ada did.", "wikipage": "Ada"}],
    "annotations": [{"long_answer": "Ada."}],
}
QAMPARI = {"id": "9", "question": "Which?", "answers": [["Ada", "A."], ["Bo"]]}
ARTICLE = {"wikipedia_id": "1", "wikipedia_title": "Ada", "text": ["Ada\n", "Section::::Life.\n", "BULLET::::- x\n"]}

CASES: dict[str, tuple[str, Any, Any]] = {
    "hotpotqa": ("hotpotqa_train_100.json", HOTPOT, lambda raw: HotpotQaMirror().questions(raw, "hotpotqa", "train")),
    "popqa": (
        "popqa_1000_with_paragraphs.json",
        POPQA,
        lambda raw: PopQaMirror(parts=ALL, popularity_below=None).questions(raw, "popqa", "test"),
    ),
    "nq": ("nq-open-oracle.jsonl", NQ, lambda raw: NqMirror(parts=ALL).questions(raw, "nq", "test")),
    "kilt": ("nq-dev-kilt.jsonl", KILT, lambda raw: KiltTasks().questions(raw, "nq", "test")),
    "asqa": ("unpacked/asqa_eval_gtr_top100.json", ASQA, lambda raw: Alce(parts=ALL).questions(raw, "asqa", "test")),
    "qampari": (
        "unpacked/qampari_eval_gtr_top100.json",
        QAMPARI,
        lambda raw: Alce(parts=ALL).questions(raw, "qampari", "test"),
    ),
    "article": ("a.jsonl", ARTICLE, lambda raw: list(kilt_articles(raw, Batch(0, (Piece("a.jsonl", 0, -1),))))),
}
NUMBERS, TEXTS = (None, True, -1, 0, 7, 10**30, 1.5), ("", " ", "x", "7", "\ud800", "[]", '["\\ud800"]')
JUNK = st.sampled_from([*NUMBERS, *TEXTS, [], ["x"], [None], [[]], {}, {"x": 1}, [{}]])


def places(value: Any, path: tuple = ()) -> list[tuple]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def replaced(value: Any, path: tuple, junk: Any) -> Any:
    if not path:
        return junk
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], junk)
    return changed


@pytest.mark.parametrize("case", CASES)
@given(data=st.data())
def test_a_value_of_any_other_kind(case, data, tmp_path_factory):
    name, record, load = CASES[case]
    raw = tmp_path_factory.getbasetemp() / f"malformed-{case}"
    (raw / "unpacked").mkdir(parents=True, exist_ok=True)
    damaged = replaced(record, data.draw(st.sampled_from(places(record))), data.draw(JUNK))
    (raw / name).write_text(json.dumps(damaged if name.endswith("l") else [damaged]))
    try:
        found = load(raw)
    except SourceError as error:
        assert "\n" not in str(error) and name.rsplit("/", 1)[-1] in str(error)
    else:
        json.dumps([asdict(each) for each in found], ensure_ascii=False).encode()  # no lone surrogate came through


@pytest.mark.parametrize("case", CASES)
def test_the_sound_record_is_read(case, tmp_path):
    name, record, load = CASES[case]
    (tmp_path / "unpacked").mkdir()
    (tmp_path / name).write_text(json.dumps(record if name.endswith("l") else [record]))
    assert len(load(tmp_path)) == 1
