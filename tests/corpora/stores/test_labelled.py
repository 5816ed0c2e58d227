"""Sets of labelled texts: what is dropped and why, what the file holds by heart, the same bytes again, damage named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.labelled import LABELLED_VERSION, SPLITS, Labelled, sifted, write_labelled
from corpora.tokenizers import tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import sha256_file
from haymaker.core.rows.source_records import LabelledText, Split
from tests.errors import refused


def labelled_texts(split: Split, *pairs: tuple[str, str]) -> list[LabelledText]:
    return [LabelledText(f"{split}-{i}", split, text, label) for i, (text, label) in enumerate(pairs)]


TEXTS = {
    "train": labelled_texts(
        "train",
        ("Where is  my\tcard?", "card"),
        ("where is my card?", "card"),  # repeated: case and white space aside
        ("What is it?", "a"),
        ("what is it?", "b"),  # two labels: both go
        (" \n ", "a"),
        ("Pay it", "pay"),
        ("Both splits differ", "pay"),
        ("Only\u00a0here", "a"),
    ),
    "dev": labelled_texts("dev", ("Asked in dev", "a"), ("New in test", "pay")),
    "test": labelled_texts(
        "test",
        ("New in test", "pay"),
        ("PAY IT", "pay"),  # also in train
        ("Both splits differ", "card"),  # two labels, in two splits: goes from both
        ("No such label", "unseen"),
        ("Another", "card"),
        ("another", "card"),
    ),
}


def test_what_is_dropped() -> None:
    kept, dropped = sifted(TEXTS)  # type: ignore[arg-type]
    assert {split: [(text.text_id, text.text, text.label) for text in kept[split]] for split in SPLITS} == {
        "train": [
            ("train-0", "Where is my card?", "card"), ("train-5", "Pay it", "pay"), ("train-7", "Only here", "a"),
        ],
        "test": [("test-0", "New in test", "pay"), ("test-4", "Another", "card")],
        "dev": [("dev-0", "Asked in dev", "a")],
    }  # fmt: skip
    assert dropped == {
        "train": Counter(repeated=1, two_labels=3, empty=1),
        "test": Counter(also_in_train=1, two_labels=1, label_without_shots=1, repeated=1),
        "dev": Counter(also_in_test=1),
    }


PAIRS = st.lists(st.tuples(st.sampled_from(["a", "A", "b ", " b", "c", "d", " "]), st.sampled_from("xyz")), max_size=12)


@given(PAIRS, PAIRS, PAIRS)
def test_every_text_is_kept_once_or_counted(
    train: list[tuple[str, str]], test: list[tuple[str, str]], dev: list[tuple[str, str]]
) -> None:
    given_: dict[Split, list[LabelledText]] = {
        "train": labelled_texts("train", *train), "test": labelled_texts("test", *test), "dev": labelled_texts("dev", *dev),
    }  # fmt: skip
    kept, dropped = sifted(given_)
    for split in SPLITS:
        assert len(kept[split]) + dropped[split].total() == len(given_[split])
    texts = [text.text.lower() for split in SPLITS for text in kept[split]]
    assert len(set(texts)) == len(texts)
    assert {text.label for split in SPLITS for text in kept[split]} == {text.label for text in kept["train"]}


def write(path: Path, *names: str) -> Path:
    kept, _ = sifted(TEXTS)  # type: ignore[arg-type]
    write_labelled(kept, path, [tokenizer.load(name) for name in names], {"sources": {"talk": {"licence": "x"}}})
    return path


def test_the_same_bytes_and_what_changes_them(tmp_path: Path) -> None:
    """By heart: a file of other bytes is a new LABELLED_VERSION (pyarrow is pinned)."""
    first, again = write(tmp_path / "a.parquet", "tekken"), write(tmp_path / "b.parquet", "tekken")
    assert first.read_bytes() == again.read_bytes()
    assert Labelled(first).digest == sha256_file(first)
    assert (LABELLED_VERSION, sha256_file(first)[:16]) == (4, "399e8cc07ab5a012")


def test_damage_and_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    with refused(CorpusError, str(path), fix="haymaker run"):
        Labelled(path)
    write(path, "tekken")
    raw = bytearray(path.read_bytes())
    raw[60:90] = b"\0" * 30
    path.write_bytes(raw)
    with refused(CorpusError, "a.parquet", "damaged"):
        Labelled(path).split("train")
    monkeypatch.setattr("corpora.stores.labelled.LABELLED_VERSION", 99)
    write(path, "tekken")
    monkeypatch.undo()
    with refused(CorpusError, "a.parquet", 99, 4):
        Labelled(path)
