"""ALCE: readings and short answers of ASQA, lists of QAMPARI, from the published archive and from the mirror."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.sources import create
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question
from tests.corpora.sources.faults import tarred
from tests.corpora.sources.test_documents import fetched as fetched_from
from tests.errors import refused

ASQA = {
    "sample_id": "-675",
    "question": "Who won the cup?",
    "qa_pairs": [
        {"question": "Who won in 1990?", "short_answers": ["Ada", "Ada L."], "context": "Ada won.", "wikipage": "Cup"},
        {"question": "Who won in 1994?", "short_answers": ["Bo"], "context": "No context provided", "wikipage": None},
    ],
    "annotations": [
        {"long_answer": "Ada, then Bo.", "knowledge": []},
        {"long_answer": "Bo after Ada.", "knowledge": []},
    ],
    "answer": "Ada, then Bo.",
    "docs": [{"id": "17", "title": "Cup", "text": "x", "score": 0.5}],
}
QAMPARI = {
    "id": "799__simple__dev",
    "question": "What did Ada draw?",
    "answers": [["Heat"], ["Mai", "Mai, the Girl"], [""], ["Heat"]],
    "answer": "Heat, Mai.",
    "docs": [],
}


def fetched(tmp_path: Path, context, asqa: object, qampari: object, **options: object) -> tuple[object, Path]:
    members = {"asqa_eval_gtr_top100": asqa, "qampari_eval_gtr_top100": qampari, "eli5_eval_bm25_top100": []}
    texts = {
        f"ALCE-data/{name}.json": records if isinstance(records, str) else json.dumps(records, indent=1)
        for name, records in members.items()
    }
    return fetched_from(
        tmp_path, context, "alce", {"ALCE-data.tar": tarred(texts)}, **{"splits": {"test": 1}, **options}
    )


def test_asqa_has_one_group_a_reading_and_long_answers(tmp_path, context):
    source, raw = fetched(tmp_path, context, [ASQA], [QAMPARI])
    assert source.question_sets() == ("asqa", "qampari")
    assert source.questions(raw, "asqa", "test") == [
        Question(
            "-675",
            "test",
            "Who won the cup?",
            "ambiguous",
            answer_groups=(("Ada", "Ada L."), ("Bo",)),
            readings=("Who won in 1990?", "Who won in 1994?"),
            references=("Ada, then Bo.", "Bo after Ada."),
            evidence=(Evidence(title="Cup", text="Ada won.", group=0),),
        )
    ]


def test_qampari_has_one_group_an_answer_empty_and_repeated_ones_left_out(tmp_path, context):
    source, raw = fetched(tmp_path, context, [ASQA], [QAMPARI])
    groups = (("Heat",), ("Mai", "Mai, the Girl"))
    assert source.questions(raw, "qampari", "test") == [
        Question("799__simple__dev", "test", "What did Ada draw?", "list", answer_groups=groups)
    ]


@pytest.mark.parametrize(
    ("asqa", "message"),
    [
        ([ASQA, {**ASQA, "qa_pairs": []}], ("asqa_eval_gtr_top100.json: record 2", "'qa_pairs'")),
        ([ASQA, 3], ("asqa_eval_gtr_top100.json: record 2", "expected")),
        ([ASQA, ASQA], ("source s: set asqa", "'-675'")),
        ({}, ("asqa_eval_gtr_top100.json", "expected")),
        (json.dumps([ASQA], indent=1)[:-5], ("asqa_eval_gtr_top100.json:42", "JSON")),
    ],
)
def test_damage_shows_at_download(tmp_path, context, asqa, message):
    with refused(SourceError, *message):
        fetched(tmp_path, context, asqa, [QAMPARI])
    assert not (tmp_path / "raw").exists()


def test_a_set_that_was_not_asked_for_is_unknown(tmp_path, context):
    source, raw = fetched(tmp_path, context, "broken", [QAMPARI], tasks=["qampari"])
    with refused(SourceError, "source s", "'asqa'"):
        source.questions(raw, "asqa", "test")


@pytest.mark.real
def test_the_mirrors_thousand_lists(real, tmp_path):
    source = create("q", "qampari_mirror", {}, where="w")
    source.fetch(tmp_path / "raw", real)
    test, train = (source.questions(tmp_path / "raw", "qampari", split) for split in ("test", "train"))
    assert (len(test), len(train)) == (896, 104)
    assert not {q.text for q in test} & {q.text for q in train}
    assert sum(len(q.answer_groups) for q in test + train) == 13_217  # 14,434, less 5 empty and 1,212 repeated
    assert all(not q.evidence and not q.answers and q.answer_groups for q in test + train)
    assert test[0].answer_groups[:2] == (("Heat",), ("Mai, the Psychic Girl",))
