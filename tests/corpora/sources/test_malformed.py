"""Records with another value in place of one: every source reads them, or refuses them in one line that names the file."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources import create
from corpora.sources.hub_rows import Row
from corpora.sources.multi_lexsum import MultiLexSum
from haymaker.core.errors import SourceError
from tests.corpora.sources.junk import JUNK, places, replaced
from tests.corpora.sources.test_alce import ASQA, QAMPARI
from tests.corpora.sources.test_documents import case, infinite
from tests.corpora.sources.test_hub_rows import ROWS
from tests.corpora.sources.test_kilt_tasks import NQ as KILT
from tests.corpora.sources.test_labelled import CLINC
from tests.corpora.sources.test_longbench import sets
from tests.corpora.sources.test_meetings_and_chats import CHAT, meeting
from tests.corpora.sources.test_mirror_questions import hotpot
from tests.corpora.sources.test_multihop import musique
from tests.corpora.sources.test_popqa import row as person
from tests.corpora.sources.test_squad import article, query
from tests.corpora.sources.test_wikipedia import FILE, RIVER

HOTPOT = hotpot() | {"supporting_facts": {"title": ["Long"], "sent_id": [0]}}
PASSAGE = {"title": "Ada", "text": "Ada, poet.", "is_supporting": True}
POPQA = person(3, s_pop="12", possible_answers='["poet"]', s_wiki_title="Ada", paragraphs=[PASSAGE])
NQ = {"question": "who?", "answers": ["Ada"], "ctxs": [{"title": "Ada", "text": "Ada was.", "isgold": True}]}
LOOGLE = {"input": "One two.", "title": "T", "qa_pairs": "[{'Q': 'q', 'A': 'a', 'S': ['One.']}]", "output": "None"}
MINI = {"_id": "mini-0", "context": "A story.", "input": "Who?", "answers": ["Ada"]}
SPLIT = {"data": [article("A", ("Ada ran.", [query("q1", "Who ran?", "Ada")]))]}
RASA = {"rasa_nlu_data": {"common_examples": [{"text": "wake me", "intent": "alarm_set", "entities": []}]}}
PARAGRAPHS = "passage_retrieval_en"
BOOK = cast(Any, infinite())["longbook_choice_eng.jsonl"][0]
ALL = {"splits": {"test": 1}}
GTR = "unpacked/{}_eval_gtr_top100.json"
CASES: dict[str, tuple[str, dict[str, Any], str, Any, str]] = {  # kind, options, file, its record, set
    "hotpotqa": ("hotpotqa_mirror", {}, "hotpotqa_train_100.json", [HOTPOT], "hotpotqa"),
    "musique": ("musique_mirror", ALL, "musique_train_100.json", [musique()], "musique"),
    "popqa": ("popqa_mirror", {**ALL, "popularity_below": None}, "popqa_1000_with_paragraphs.json", [POPQA], "popqa"),
    "nq": ("nq_mirror", ALL, "nq-open-oracle.jsonl", NQ, "nq"),
    "kilt": ("kilt_tasks", {}, "nq-dev-kilt.jsonl", KILT, "nq"),
    "asqa": ("alce", ALL, GTR.format("asqa"), [ASQA], "asqa"),
    "qampari": ("alce", ALL, GTR.format("qampari"), [QAMPARI], "qampari"),
    "article": ("kilt_wikipedia", {}, FILE, RIVER, ""),
    "infinitebench": ("infinitebench", {}, "longbook_choice_eng.jsonl", BOOK, "infbench_choice_eng"),
    "loogle": ("loogle_mirror", {}, "longdep_qa.jsonl", LOOGLE, "loogle_qa"),
    "narrativeqa": ("narrativeqa_mirror", {}, "narrativeqa.jsonl", MINI, "narrativeqa"),
    "multi_lexsum": ("multi_lexsum", {"splits": ["test"]}, "releases/v20230518/dev.json", case("A-1", ["F1"]), ""),
    "squad": ("squad", {}, "dev-v2.0.json", SPLIT, "squad"),
    "clinc150": ("clinc150", {}, "data_oos_plus.json", json.loads(CLINC["data_oos_plus.json"]), "clinc150"),
    "nlu": ("nlu_mirror", {}, "kfold1_test.json", RASA, "nlu"),
    "hops": ("longbench", {}, "hotpotqa.jsonl", sets()["hotpotqa"][0], "hotpotqa"),
    "triviaqa": ("longbench", {}, "triviaqa.jsonl", sets()["triviaqa"][0], "triviaqa"),
    "multi_news": ("longbench", {}, "multi_news.jsonl", sets()["multi_news"][0], "multi_news"),
    "paragraphs": ("longbench_paragraphs", {}, f"{PARAGRAPHS}.jsonl", sets()[PARAGRAPHS][0], PARAGRAPHS),
    "qmsum": ("qmsum_mirror", {}, "all.test.jsonl", meeting(), "qmsum"),
    "samsum": ("samsum_mirror", {}, "samsum_test_repaired.jsonl", CHAT, "samsum"),
}
OWN = {"path": "x", "on_bad_record": "stop"}
GOLD = [{"article_id": "a1", "paragraph": 2}]
LISTED = {"answer_groups": [["Ada"]], "references": ["x"], "evidence": [GOLD[0] | {"group": 0}]}
for own, own_kind, own_record in (
    ("article", "articles_jsonl", {"id": "a", "title": "T", "paragraphs": ["x"]}),
    ("article text", "articles_jsonl", {"id": "a1", "title": "Ada  Low", "text": "Ada was\na poet.\n\nShe died."}),
    ("question", "questions_jsonl", {"answers": ["Ada"], "evidence": [{"article_id": "a1", "text": "x"}]}),
    ("list", "questions_jsonl", LISTED),
    ("search", "questions_jsonl", {"evidence": [GOLD[0] | {"grade": 3}]}),
):
    asked = {} if own_kind == "articles_jsonl" else {"id": 1, "question": "Who?", "split": "test"}
    CASES[f"own {own}"] = (own_kind, OWN, "files/a.jsonl", asked | own_record, "user")
EMPTY = ("all.val.jsonl", "academic.train.jsonl", "committee.train.jsonl")


def read(key: str, record: object, raw: Path) -> list[Any]:
    kind, options, file, _, name = CASES[key]
    for other in (file, *EMPTY, "train-v2.0.json"):
        (raw / other).parent.mkdir(parents=True, exist_ok=True)
        (raw / other).write_text('{"data": []}' if other == "train-v2.0.json" else "")
    (raw / file).write_text(json.dumps(record))
    source = create("s", kind, options, where="w")
    if isinstance(source, MultiLexSum):
        return [each._asdict() for each in source._cases(raw)]
    if kind in ("narrativeqa_mirror", "clinc150") or key.startswith("own"):
        source.check(raw)
    if kind in ("kilt_wikipedia", "articles_jsonl"):
        return [asdict(each) for batch in source.batches(raw) for each in source.articles(raw, batch)]
    if name in source.label_sets():
        return list(map(asdict, source.labelled(raw, name, "test")))
    if name in source.document_sets():
        return list(map(asdict, source.document_questions(raw, name)))
    return list(map(asdict, source.questions(raw, name, "train" if kind == "hotpotqa_mirror" else "test")))


@pytest.mark.parametrize("key", CASES)
@given(data=st.data())
def test_a_value_of_any_other_kind_is_read_or_refused_in_one_line(key, data, tmp_path_factory):
    file, record = CASES[key][2:4]
    damaged = replaced(record, data.draw(st.sampled_from(places(record))), data.draw(JUNK))
    try:
        found = read(key, damaged, tmp_path_factory.getbasetemp() / f"malformed-{key}")
    except SourceError as error:
        assert "\n" not in str(error)
        of_all = key in ("clinc150", "narrativeqa") or key.startswith("own")
        assert Path(file).name in str(error) or (of_all and "source s" in str(error))
    else:
        json.dumps(found, ensure_ascii=False).encode()  # no lone surrogate came through


def test_the_sound_records_are_read(tmp_path):
    assert all(read(key, record, tmp_path / key) for key, (_, _, _, record, _) in CASES.items())


@pytest.mark.parametrize("kind", list(ROWS))
@given(data=st.data())
def test_a_row_of_parquet_is_read_or_refused_in_one_line(kind, data):
    source, record = cast(Any, create("s", kind, {}, where="w")), ROWS[kind][0]
    damaged = replaced(record, data.draw(st.sampled_from([p for p in places(record) if p])), data.draw(JUNK))
    row = Row("f.parquet: row 3", "k", "test", damaged)
    try:
        source.entry(row, Counter()) if hasattr(source, "entry") else source._question(row)
    except SourceError as error:
        assert "\n" not in str(error) and "f.parquet: row 3" in str(error)
