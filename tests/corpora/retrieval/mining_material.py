"""Small stores and questions for the tests of mining."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams, Passages
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Evidence, Passage, Question


def passage(number: int, text: str, title: str = "", article: str = "", **more: Any) -> Passage:
    return Passage(f"p{number}", article, title, "", text, **more)


def make_store(folder: Path, passages: Iterable[Passage], **params: Any) -> Passages:
    build_store(passages, folder, PassageParams(source="x", **params), [tokenizer.load("tekken")], {"source": "test"})
    return Passages(folder)


def texts(folder: Path, *given: str, **params: Any) -> Passages:
    """A store of passages p0, p1, ... with these texts and no titles."""
    return make_store(folder, [passage(i, text) for i, text in enumerate(given)], **params)


def question(kind: str = "single", *evidence: Evidence, **more: Any) -> Question:
    return Question("q", more.pop("split", "test"), more.pop("text", "Who built it?"), kind, evidence=evidence, **more)
