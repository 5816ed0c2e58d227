"""Control characters and lost characters in what is built: the first are taken out, texts with the second are left out; both are counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corpora.retrieval.mining.places import places_of
from corpora.stores.documents.store import DocumentParams
from corpora.stores.labelled import sifted
from corpora.stores.passages.build import build_store
from corpora.stores.passages.cut import CutParams, cut
from corpora.stores.passages.store import PassageParams, Passages
from corpora.stores.sentences import split
from corpora.stores.sentences.build import build_batch
from corpora.stores.sentences.clean import CleaningParams, sentences
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Article, Document, Evidence, LabelledText, Paragraph, Passage

HOSTILE = "The miller \x1b]0;owned\x07counted\u202e his\x00 sacks\u2066 of\x9b grain\x7f twice."
CLEAN = "The miller ]0;ownedcounted his sacks of grain twice."
FOUND = 7
GONE = "黄绍\ufffdf went to the house of the miller and stayed."
KEPT = "He counted his sacks of grain twice before he slept."
LOOSE = {"front_matter": False, "headings": False}


@pytest.mark.parametrize("splitter", ["punkt", "cjk", "lines"])
def test_of_documents(splitter):
    for fix_encoding, text, found in ((True, CLEAN, FOUND), (False, HOSTILE, 0)):
        dropped: Counter[str] = Counter()
        rules = CleaningParams(**LOOSE, splitter=splitter, fix_encoding=fix_encoding)
        kept = "".join(sentence for sentence, _ in sentences(HOSTILE, rules, dropped))
        assert kept == text and dropped["mended"] == found


def test_marks_that_scripts_need_and_white_space_stay():
    text = "\u05e9\u05dc\u05d5\u05dd\u200f \u200ewords\u200d here\x0cand\x85there and more."
    dropped: Counter[str] = Counter()
    (found,) = sentences(text, CleaningParams(**LOOSE), dropped)
    assert found[0] == " ".join(text.split()) and "mended" not in dropped


def test_of_articles():
    article = Article("1", "T\x1bt", (Paragraph("title", "T\x1bt"), Paragraph("text", HOSTILE)))
    for fix_encoding, title, text in ((True, "Tt", CLEAN), (False, "T\x1bt", HOSTILE)):
        dropped: Counter[str] = Counter()
        (passage,) = cut(article, CutParams(min_words=1, fix_encoding=fix_encoding, normalize=False), dropped)
        assert (passage.title, passage.text) == (title, f"{title}\n{text}")
        assert dropped["mended"] == (FOUND + 1 if fix_encoding else 0)


@pytest.mark.parametrize("text", ["He went on. " * 30_000, "x" * 250_000 + " " + "y" * 300_000 + ". Z"])
def test_a_paragraph_without_end_is_split_in_stretches_that_lose_nothing(text):
    stretches = list(split._stretches(text))
    assert "".join(text[start:end] for start, end in stretches) == text
    assert all(0 < end - start <= split._STRETCH for start, end in stretches)


def test_an_endless_run_of_spaces_is_looked_at_once():
    """With its square: a million spaces took hours."""
    text = f"[Pg 1]  Words {' ' * 200_000}here {{12}} and there.\n"
    (found,) = sentences(text, CleaningParams(**LOOSE, tables=False), Counter())
    assert found[0] == "Words here and there."


def test_of_passages_with_a_lost_character(tmp_path: Path) -> None:
    read = [Passage("a", "", "Simon & Simon", "", KEPT), Passage("b", "", "Lost", "", GONE)]
    folder = tmp_path / "store"
    meta = build_store(read, folder, PassageParams(source="web"), [tokenizer.load("tekken")], {"kind": "x"})
    assert (meta["totals"]["passages"], meta["dropped"]["lost_character"]) == (1, 1)
    store = Passages(folder)
    assert places_of(Evidence(title="Simon &amp; Simon"), store) == [0]
    assert places_of(Evidence(title="Simon & Garfunkel"), store) == []


def test_of_labelled_texts():
    texts = [LabelledText(str(i), "train", text, "a") for i, text in enumerate((HOSTILE, GONE, KEPT))]
    for fix_encoding, left, found, lost in ((True, [CLEAN, KEPT], FOUND, 1), (False, [HOSTILE, GONE, KEPT], 0, 0)):
        kept, dropped = sifted({"train": texts}, fix_encoding=fix_encoding)
        assert [each.text for each in kept["train"]] == left
        assert (dropped["train"]["mended"], dropped["train"]["lost_character"]) == (found, lost)


def test_of_documents_with_a_lost_character(tmp_path: Path) -> None:
    read = [Document(name, "", "test", text) for name, text in (("a", f"{KEPT} {GONE}"), ("b", KEPT))]
    result = build_batch(read, DocumentParams(source="x", set="y").corpus, [tokenizer.load("tekken")], tmp_path)
    assert [each["doc_id"] for each in result["documents"]] == ["b"] and result["dropped"]["lost_character"] == 1
