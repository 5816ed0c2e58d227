"""Models of random weights, a few kilobytes large, in the shape of real ones: what tests of loading and limits need."""

from __future__ import annotations

import json
from pathlib import Path

from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams, Passages
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Passage

WORDS = "river tower bridge castle mountain painter composer senator library orchard harbour festival railway comet glacier".split()
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def _bert(folder: Path, labels: int | None, dimensions: int) -> None:
    """A BERT with one layer and its vocabulary."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

    torch.manual_seed(1)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join([*MARKS, *WORDS, "."]) + "\n")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(MARKS) + len(WORDS) + 1, hidden_size=dimensions, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, max_position_embeddings=32, num_labels=labels or 1, initializer_range=0.5,
    )  # fmt: skip
    model = BertForSequenceClassification(config) if labels else BertModel(config)
    model.save_pretrained(folder)


def encoder(folder: Path, dimensions: int = 16) -> Path:
    """A sentence encoder; vectors of `dimensions` numbers, 32 word pieces."""
    _bert(folder, None, dimensions)
    kinds = ("sentence_transformers.models.Transformer", "sentence_transformers.models.Pooling")
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": kind}
        for i, (path, kind) in enumerate(zip(("", "1_Pooling"), kinds, strict=True))
    ]
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 32, "do_lower_case": false}')
    (folder / "1_Pooling/config.json").write_text(
        json.dumps(
            {"word_embedding_dimension": dimensions, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
        )
    )
    return folder


def texts(n: int) -> list[str]:
    """Different texts of the vocabulary, 1 to 20 words long."""
    return [" ".join(WORDS[(i * 7 + j * (1 + i % 5)) % len(WORDS)] for j in range(1 + (i * 11) % 20)) for i in range(n)]


def store(folder: Path, lines: list[str]) -> Passages:
    """A passage store of such texts, ids p0, p1 ...; repeats are kept."""
    params = PassageParams(source="x", duplicates=True)
    build_store(
        [Passage(f"p{i}", "", "", "", text) for i, text in enumerate(lines)],
        folder,
        params,
        [tokenizer.load("tekken")],
        {},
    )
    return Passages(folder)
