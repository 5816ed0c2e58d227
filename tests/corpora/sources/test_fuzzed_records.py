"""Records with any other value in place of one: every source reads them, or refuses them in one line."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources import create
from corpora.sources.hub_rows import Row
from corpora.sources.multi_lexsum import MultiLexSum
from haymaker.core.errors import SourceError
from tests.corpora.sources.test_documents import case, infinite
from tests.corpora.sources.test_hub_rows import ROWS
from tests.corpora.sources.test_labelled import CLINC
from tests.corpora.sources.test_longbench import sets
from tests.corpora.sources.test_malformed import JUNK, places, replaced
from tests.corpora.sources.test_meetings_and_chats import CHAT, meeting
from tests.corpora.sources.test_squad import article, query

LOOGLE = {"input": "One two.", "title": "T", "qa_pairs": "[{'Q': 'q', 'A': 'a', 'S': ['One.']}]", "output": "None"}
MINI = {"_id": "mini-0", "context": "A story.", "input": "Who?", "answers": ["Ada"]}
SPLIT = {"data": [article("A", ("Ada ran.", [query("q1", "Who ran?", "Ada")]))]}
RASA = {"rasa_nlu_data": {"common_examples": [{"text": "wake me", "intent": "alarm_set", "entities": []}]}}
PARAGRAPHS = "passage_retrieval_en"
EMPTY = ("all.val.jsonl", "academic.train.jsonl", "committee.train.jsonl")
BOOK = cast(Any, infinite())["longbook_choice_eng.jsonl"][0]
FILES: dict[str, tuple[str, str, Any, str]] = {  # kind, file, its record, set
    "infinitebench": ("infinitebench", "longbook_choice_eng.jsonl", BOOK, "infbench_choice_eng"),
    "loogle": ("loogle_mirror", "longdep_qa.jsonl", LOOGLE, "loogle_qa"),
    "narrativeqa": ("narrativeqa_mirror", "narrativeqa.jsonl", MINI, "narrativeqa"),
    "multi_lexsum": ("multi_lexsum", "releases/v20230518/dev.json", case("A-1", ["F1"]), "multi_lexsum"),
    "squad": ("squad", "dev-v2.0.json", SPLIT, "squad"),
    "clinc150": ("clinc150", "data_oos_plus.json", json.loads(CLINC["data_oos_plus.json"]), "clinc150"),
    "nlu": ("nlu_mirror", "kfold1_test.json", RASA, "nlu"),
    "hops": ("longbench", "hotpotqa.jsonl", sets()["hotpotqa"][0], "hotpotqa"),
    "triviaqa": ("longbench", "triviaqa.jsonl", sets()["triviaqa"][0], "triviaqa"),
    "multi_news": ("longbench", "multi_news.jsonl", sets()["multi_news"][0], "multi_news"),
    "paragraphs": ("longbench_paragraphs", f"{PARAGRAPHS}.jsonl", sets()[PARAGRAPHS][0], PARAGRAPHS),
    "qmsum": ("qmsum_mirror", "all.test.jsonl", meeting(), "qmsum"),
    "samsum": ("samsum_mirror", "samsum_test_repaired.jsonl", CHAT, "samsum"),
}


@pytest.mark.parametrize("key", FILES)
@given(data=st.data())
def test_a_value_of_any_other_kind_is_read_or_refused_in_one_line(key, data, tmp_path_factory):
    record = FILES[key][2]
    try:
        read(key, replaced(record, data.draw(st.sampled_from(places(record))), data.draw(JUNK)), tmp_path_factory)
    except SourceError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("key", FILES)
def test_the_sound_value_is_read(key, tmp_path_factory):
    read(key, FILES[key][2], tmp_path_factory)


def read(key: str, record: object, tmp_path_factory) -> None:
    kind, file, _, name = FILES[key]
    raw = tmp_path_factory.getbasetemp() / f"fuzzed-{key}"
    (raw / file).parent.mkdir(parents=True, exist_ok=True)
    for other in EMPTY:
        (raw / other).touch()
    (raw / "train-v2.0.json").write_text('{"data": []}')
    (raw / file).write_text(json.dumps(record))
    source = create("s", kind, {"parts": ["test"]} if kind == "multi_lexsum" else {}, where="w")
    if isinstance(source, MultiLexSum):
        list(source._cases(raw))  # all that reads this file
    elif kind in ("narrativeqa_mirror", "clinc150"):
        source.check(raw)
    elif name in source.label_sets():
        source.labelled(raw, name, "test")
    elif name in source.document_sets():
        source.document_questions(raw, name)
    else:
        source.questions(raw, name, "test")


@pytest.mark.parametrize("kind", ["multi_news", "qasper", "triviaqa_reading", "hotpotqa", "wikimqa2"])
@given(data=st.data())
def test_a_row_of_parquet_is_read_or_refused_in_one_line(kind, data):
    source, record = cast(Any, create("s", kind, {}, where="w")), ROWS[kind][0]
    damaged = replaced(record, data.draw(st.sampled_from([p for p in places(record) if p])), data.draw(JUNK))
    row = Row("f.parquet: row 3", "k", "test", damaged)
    try:
        source.entry(row, Counter()) if hasattr(source, "entry") else source._question(row)
    except SourceError as error:
        assert "\n" not in str(error) and "f.parquet: row 3" in str(error)
