"""ALCE: readings and short answers of ASQA, lists of QAMPARI, from the published archive and from the mirror."""

from __future__ import annotations

import json

from haymaker.core.rows.source_records import Evidence, Question
from tests.corpora.sources.faults import tarred
from tests.corpora.sources.test_documents import fetched

READINGS = [
    {"question": "Who won in 1990?", "short_answers": ["Ada", "Ada L."], "context": "Ada won.", "wikipage": "Cup"},
    {"question": "Who won in 1994?", "short_answers": ["Bo"], "context": "No context provided", "wikipage": None},
]
TOLD = [{"long_answer": "Ada, then Bo.", "knowledge": []}, {"long_answer": "Bo after Ada.", "knowledge": []}]
DOC = {"id": "17", "title": "Cup", "text": "x", "score": 0.5}
ASQA = {"sample_id": "-675", "question": "Who won the cup?", "qa_pairs": READINGS, "annotations": TOLD, "docs": [DOC]}
QAMPARI = {
    "id": "799__simple__dev",
    "question": "What did Ada draw?",
    "answers": [["Heat"], ["Mai", "Mai, the Girl"], [""], ["Heat"]],
    "answer": "Heat, Mai.",
    "docs": [],
}


def archive(asqa: object = (ASQA,)) -> dict[str, object]:
    """The publisher's archive."""
    members = {"asqa_eval_gtr_top100": asqa, "qampari_eval_gtr_top100": [QAMPARI], "eli5_eval_bm25_top100": []}
    texts = {
        f"ALCE-data/{name}.json": records if isinstance(records, str) else json.dumps(records, indent=1)
        for name, records in members.items()
    }
    return {"ALCE-data.tar": tarred(texts)}


def test_readings_of_asqa_and_answers_of_qampari_are_groups(tmp_path, context):
    """Of QAMPARI, empty and repeated answers are left out."""
    source, raw = fetched(tmp_path, context, "alce", archive(), splits={"test": 1})
    assert source.question_sets() == ("asqa", "qampari")
    assert source.questions(raw, "asqa", "test") == [
        Question(
            "-675", "test", "Who won the cup?", "ambiguous", answer_groups=(("Ada", "Ada L."), ("Bo",)),
            readings=("Who won in 1990?", "Who won in 1994?"), references=("Ada, then Bo.", "Bo after Ada."),
            evidence=(Evidence(title="Cup", text="Ada won.", group=0),),
        )
    ]  # fmt: skip
    groups = (("Heat",), ("Mai", "Mai, the Girl"))
    assert source.questions(raw, "qampari", "test") == [
        Question("799__simple__dev", "test", "What did Ada draw?", "list", answer_groups=groups)
    ]
