"""Models of random weights, a few kilobytes large, in the shape of real ones: what tests of loading and limits need."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from corpora.retrieval.embedding import finish
from corpora.retrieval.models import DenseParams
from corpora.retrieval.vectors import Vectors, shard_name, shard_ranges
from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams, Passages
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Passage

WORDS = "river tower bridge castle mountain painter composer senator library orchard harbour festival railway comet glacier".split()
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def vocabulary(folder: Path) -> None:
    """Write the vocabulary of all models here."""
    from transformers import BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join([*MARKS, *WORDS, "."]) + "\n")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)


def modules(folder: Path, dimensions: int, most_pieces: int, pooling: str, *more: str) -> None:
    """Write the files that make a sentence encoder of a model, with pooling "mean" or "cls"."""
    kinds = ("Transformer", "Pooling", *more)
    paths = ("", *(f"{i}_{kind}" for i, kind in enumerate(kinds[1:], 1)))
    listed = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(zip(paths, kinds, strict=True))
    ]
    modes = {f"pooling_mode_{mode}": mode.startswith(pooling) for mode in ("mean_tokens", "cls_token")}
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling/config.json").write_text(json.dumps({"word_embedding_dimension": dimensions} | modes))
    (folder / "modules.json").write_text(json.dumps(listed))
    settings = {"max_seq_length": most_pieces, "do_lower_case": False}
    (folder / "sentence_bert_config.json").write_text(json.dumps(settings))


def encoder(folder: Path, dimensions: int = 16) -> Path:
    """A sentence encoder: a BERT of one layer, vectors of `dimensions` numbers, 32 word pieces."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    vocabulary(folder)
    config = BertConfig(
        vocab_size=len(MARKS) + len(WORDS) + 1, hidden_size=dimensions, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, max_position_embeddings=32, num_labels=1, initializer_range=0.5,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    modules(folder, dimensions, 32, "mean")
    return folder


def texts(n: int) -> list[str]:
    """Different texts of the vocabulary, 1 to 20 words long."""
    return [" ".join(WORDS[(i * 7 + j * (1 + i % 5)) % len(WORDS)] for j in range(1 + (i * 11) % 20)) for i in range(n)]


def store(folder: Path, lines: list[str]) -> Passages:
    """A passage store of such texts, ids p0, p1 ...; repeats are kept."""
    passages = [Passage(f"p{i}", "", "", "", text) for i, text in enumerate(lines)]
    build_store(passages, folder, PassageParams(source="x", duplicates=True), [tokenizer.load("tekken")], {})
    return Passages(folder)


def vectors(folder: Path, built: np.ndarray, params: DenseParams) -> Vectors:
    """A store of as many passages as there are vectors, and the vectors in its folder "dense", as the index stage makes them."""
    passages = store(folder / "store", [f"passage {i}" for i in range(len(built))])
    (folder / "dense").mkdir()
    for number, (first, last) in enumerate(shard_ranges(len(built), params.shard_passages)):
        built[first:last].astype("<f2").tofile(folder / "dense" / shard_name(number))
    finish(passages, folder / "dense", params, {"model": "made up"})
    return Vectors(folder / "dense", passages)
