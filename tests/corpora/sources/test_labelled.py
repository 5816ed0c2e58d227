"""Labelled texts: TREC, BANKING77, CLINC150 and NLU from files of their publishers' layout, and from the mirror by heart.

Shown: which file and key is which split, how a label is spelled, that a text is one line, that a request said twice is on one
side of the split made here, and that every mistake in a file is named with its place at download.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from corpora.sources import create, info
from haymaker.core.rows.source_records import LabelledText
from tests.corpora.sources.test_documents import fetched

KINDS = ("trec", "banking77", "clinc150", "nlu")
TREC = {
    "train_5500.label": b"NUM:date When did the war end ?\nABBR:exp What is F.B.I. ?\nNUM:count How many sister\xf0city ?\n\n",
    "TREC_10.label": b"NUM:date When was  it ?\n",
}
BANKING = {
    "train.csv": b'text,category\nWhere is it?,card_arrival\n"Ada, ""my""\n card",lost_card\n',
    "test.csv": b"text,category\r\nLost!,lost_card\r\n",
}
SETS = {
    "oos_val": [["why", "oos"]],
    "val": [["say fly", "translate"]],
    "train": [["say love", "translate"], ["next song", "next_song"]],
    "oos_test": [["who", "oos"]],
    "test": [["skip", "next_song"]],
    "oos_train": [["how", "oos"]],
}
CLINC = {"data_oos_plus.json": json.dumps(SETS).encode()}
HEAD = "userid;answerid;scenario;intent;status;answer_annotation;notes;suggested_entities;answer_normalised;answer;question"


def nlu(*rows: tuple[str, str, str]) -> dict[str, bytes]:
    rows_ = [["1", "2", scenario, intent, "", said, "", "", "x", "x", "Why?"] for scenario, intent, said in rows]
    lines = [";".join(f'"{cell}"' for cell in row) for row in (HEAD.split(";"), *rows_)]
    return {"NLU-Data-Home-Domain-Annotated-All.csv": "\n".join(lines).encode()}


WORDS = [(place, "set", f"wake me at [time : {n} am] in  {place}") for n in range(60) for place in ("alarm", "iot")]
FILES = {"trec": TREC, "banking77": BANKING, "clinc150": CLINC, "nlu": nlu(*WORDS)}


def brief(texts: list[LabelledText]) -> list[tuple[str, str, str]]:
    return [(text.text_id, text.text, text.label) for text in texts]


def test_trec_has_two_sets_and_its_odd_byte_is_a_space(tmp_path, context):
    source, raw = fetched(tmp_path, context, "trec", TREC)
    assert source.label_sets() == ("trec_coarse", "trec_fine")
    assert brief(source.labelled(raw, "trec_fine", "train")) == [
        ("train-00001", "When did the war end ?", "NUM:date"),
        ("train-00002", "What is F.B.I. ?", "ABBR:exp"),
        ("train-00003", "How many sister city ?", "NUM:count"),
    ]
    assert [text.label for text in source.labelled(raw, "trec_coarse", "train")] == ["NUM", "ABBR", "NUM"]
    assert source.labelled(raw, "trec_fine", "test") == [
        LabelledText("test-00001", "test", "When was it ?", "NUM:date")
    ]
    assert source.labelled(raw, "trec_fine", "dev") == []


def test_trec_leaves_out_questions_that_are_tags_or_cut(tmp_path, context):
    broken = b"HUM:ind Who wrote NN DT NNP NNP '' ?\nDESC:manner How was Lawrence\nNUM:count How many `` NNS ''\n"
    kept = b"HUM:ind Name the poem `` If . ''\nENTY:cremat What is a CD ?\n"
    source, raw = fetched(
        tmp_path, context, "trec", TREC | {"train_5500.label": TREC["train_5500.label"] + broken + kept}
    )
    found = [text.text for text in source.labelled(raw, "trec_fine", "train")]
    assert found[3:] == ["Name the poem `` If . ''", "What is a CD ?"]
    assert source.take_odd()["odd_trec_fine train (tags in place of words, or cut)"] == 3


def test_trec_gets_back_its_apostrophes(tmp_path, context):
    lines = {
        "When is Father s Day ?": "When is Father 's Day ?",
        "What was J.F.K. s wife s name ?": "What was J.F.K. 's wife 's name ?",
        "Who don t ask ?": "Who don 't ask ?",
        "What of the late 1700 s ?": "What of the late 1700 s ?",  # years have no apostrophe
        "Who 's it ?": "Who 's it ?",
    }
    text = "".join(f"NUM:date {line}\n" for line in lines)
    source, raw = fetched(tmp_path, context, "trec", TREC | {"TREC_10.label": text.encode()})
    assert [each.text for each in source.labelled(raw, "trec_fine", "test")] == list(lines.values())


def test_clinc150_asks_the_validation_set_and_names_what_is_out_of_scope(tmp_path, context):
    source, raw = fetched(tmp_path, context, "clinc150", CLINC)
    splits = {
        split: [each.text for each in source.labelled(raw, "clinc150", split)] for split in ("train", "test", "dev")
    }
    assert splits == {"train": ["say love", "next song", "how"], "test": ["say fly", "why"], "dev": ["skip", "who"]}
    assert source.labelled(raw, "clinc150", "test")[1].label == "out_of_scope"


def test_nlu_takes_marks_off_and_splits_by_words(tmp_path, context):
    shouted = [(scenario, intent, utterance.upper().replace("[TIME", "[time")) for scenario, intent, utterance in WORDS]
    rows = [*WORDS, ("alarm", "set", "null"), *shouted]
    source, raw = fetched(tmp_path, context, "nlu", nlu(*rows))
    train, test = (source.labelled(raw, "nlu", split) for split in ("train", "test"))
    assert len(train) + len(test) == 2 * len(WORDS) and 10 < len(test) < 50 and source.labelled(raw, "nlu", "dev") == []
    assert brief(train)[0] == ("train-00001", "wake me at 0 am in alarm", "alarm_set")
    assert {text.text.lower() for text in test}.isdisjoint(text.text.lower() for text in train)
    source, raw = fetched(tmp_path, context, "nlu", nlu(*reversed(rows)))
    assert {text.text for text in source.labelled(raw, "nlu", "test")} == {text.text for text in test}


def test_production_files_are_pinned(context):
    """docs/defects/helmet.md D18: no loading script is needed; each file has a known checksum, or a commit in its address."""
    for kind in KINDS:
        source = create("s", kind, {}, where="w")
        for file in source.raw_files(context):
            commit = source.resolve(context)
            assert file.sha256 or file.md5 or (commit and commit in file.url), file
        assert info(kind).roles == ("labelled",) and info(f"{kind}_mirror").roles == ("labelled",)


# What the mirror holds: texts and labels of each split, smallest and largest class of train.
MIRROR = {
    "trec_coarse": ({"train": (5_415, 6), "test": (500, 6)}, (85, 1_247)),
    "trec_fine": ({"train": (5_415, 50), "test": (500, 42)}, (4, 957)),
    "banking77": ({"train": (10_003, 77), "test": (3_080, 77)}, (35, 187)),
    "clinc150": ({"train": (15_100, 151), "test": (3_100, 151), "dev": (5_500, 151)}, (100, 100)),
    "nlu": ({"train": (9_960, 64), "test": (1_076, 64)}, (35, 175)),
}


@pytest.mark.real
@pytest.mark.parametrize("name", MIRROR)
def test_the_mirror(held, name):
    source, raw = held(f"{'trec' if name.startswith('trec') else name}_mirror")
    found = {split: source.labelled(raw, name, split) for split in ("train", "test", "dev")}
    sizes, classes = MIRROR[name]
    assert {split: (len(texts), len({t.label for t in texts})) for split, texts in found.items() if texts} == sizes
    counts = Counter(text.label for text in found["train"]).values()
    assert (min(counts), max(counts)) == classes
    everything = [text for texts in found.values() for text in texts]
    assert len({text.text_id for text in everything}) == len(everything)
    assert all(text.text == " ".join(text.text.split()) and text.label for text in everything)
