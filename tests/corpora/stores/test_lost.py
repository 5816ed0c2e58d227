"""Texts with a character that nobody can restore are left out of every store, and what was mended is still found by its old name."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from corpora.retrieval.mining.places import places_of
from corpora.stores.documents.store import DocumentParams
from corpora.stores.labelled import sifted
from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams, Passages
from corpora.stores.sentences.build import build_batch
from corpora.stores.sentences.clean import CleaningParams, sentences
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Document, Evidence, LabelledText, Passage

GONE = "黄绍\ufffdf went to the house of the miller and stayed."
KEPT = "He counted his sacks of grain twice before he slept."


def test_of_passages(tmp_path: Path) -> None:
    read = [Passage("a", "", "Simon & Simon", "", KEPT), Passage("b", "", "Lost", "", GONE)]
    folder = tmp_path / "store"
    meta = build_store(read, folder, PassageParams(source="web"), [tokenizer.load("tekken")], {"kind": "x"})
    assert (meta["totals"]["passages"], meta["dropped"]["lost_character"]) == (1, 1)
    store = Passages(folder)
    assert places_of(Evidence(title="Simon &amp; Simon"), store) == [0]
    assert places_of(Evidence(title="Simon & Garfunkel"), store) == []


def test_of_sentences() -> None:
    dropped: Counter[str] = Counter()
    rules = CleaningParams(front_matter=False, headings=False, min_letter_share=0)
    assert [text for text, _ in sentences(f"{GONE} {KEPT}", rules, dropped)] == [KEPT]
    assert dropped["lost_character"] == 1


def test_of_labelled_texts() -> None:
    texts = [LabelledText(str(i), "train", text, "a") for i, text in enumerate((GONE, KEPT))]
    kept, dropped = sifted({"train": texts})
    assert [each.text for each in kept["train"]] == [KEPT] and dropped["train"]["lost_character"] == 1


def test_of_documents(tmp_path: Path) -> None:
    read = [Document(name, "", "test", text) for name, text in (("a", f"{KEPT} {GONE}"), ("b", KEPT))]
    result = build_batch(read, DocumentParams(source="x", set="y").corpus, [tokenizer.load("tekken")], tmp_path)
    assert [each["doc_id"] for each in result["documents"]] == ["b"] and result["dropped"]["lost_character"] == 1
