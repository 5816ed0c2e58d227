"""Documents keep their shape: paragraphs and headings stand in the prompt as in the source, and any cut is counted exactly."""

from __future__ import annotations

import os
import tempfile
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.stores.documents.store import Documents
from corpora.tokenizers import tokenizer
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.sentences import Run
from generators.documents.stock import Stock
from haymaker.core.rows.source_records import Document, DocumentQuestion
from tests.extras import LONG
from tests.generators.documents import small

MIRROR = os.environ.get("HAYMAKER_MIRROR", "")
FILES = {"llama2": "llama2/tokenizer.model", "mistral_v1": "mistral_v1/tokenizer.model.v1"}
REAL = [pytest.mark.real, pytest.mark.skipif(not MIRROR, reason="set HAYMAKER_MIRROR to the folder of real raw files")]
EVERY = ["tekken", "gpt2", *(pytest.param(name, marks=REAL) for name in (("cl100k", "o200k", *FILES) if os.environ.get(LONG) else ("llama2",)))]  # fmt: skip
TOLD = [
    "He came.", "“Who’s there?”", "It cost $5, or 3.50 (a lot)!", "'Tis so.", "And then she said no.", "Intro", "Chapter 8: High Words",
    "1.", "42", "(a)", "—", "/", "//", "/ path", "-", "'s", "…", "|x|", "中文，没有空格。", "▁x", "x▁y", "é\u0301", "🙂", "I", "THE END", "http://a.b/",
    "\u200b", "=" * 70, "a" * 90,
]  # fmt: skip
DOCUMENT = st.lists(st.lists(st.sampled_from(TOLD), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=6)


def some(examples: int) -> settings:
    """The same examples in every run; half of them unless in a long run."""
    return settings(max_examples=examples if os.environ.get(LONG) else examples // 2, deadline=None, derandomize=True)


def get(name: str) -> Tokenizer:
    return tokenizer.load(f"file:{MIRROR}/tokenizers/{FILES[name]}" if name in FILES else name)


def stock_of(folder: Path, tokenizers: list[Tokenizer], *texts: str) -> Stock:
    documents = [Document(f"d{i}", f"T{i}", "test", text) for i, text in enumerate(texts)]
    asks = [DocumentQuestion("q", "d0", "test", "summary", "", references=("It is so.",))]
    small.build_with(folder, documents, asks, tokenizers)
    return Stock(Documents(folder / "documents/books"), tokenizers, 1, "helmet", "books")


@pytest.mark.parametrize("name", EVERY)
@some(40)
@given(documents=st.lists(DOCUMENT, min_size=1, max_size=3))
def test_any_run_of_any_document_is_counted_exactly_and_begins_a_paragraph_behind_its_title(
    name: str, documents: list[list[str]]
) -> None:
    """By itself, behind other words, with its first white space gone, behind the line that opens it; all documents in a row."""
    loaded, texts = get(name), ["\n\n".join(paragraphs) for paragraphs in documents]
    head, tail = loaded.part("Read this.\n\n<text>\n"), loaded.part("\n</text>\n\nWho?\nAnswer:")
    with tempfile.TemporaryDirectory() as folder:
        stock = stock_of(Path(folder), [loaded], *texts)
        whole = stock.documents["d0"]
        assert stock.tokens(whole) == loaded.count_part("\n\n" + texts[0])
        for run in (Run(*ends) for ends in combinations(range(whole.first, whole.last + 1), 2)):
            shown = stock.shown("d0", run)
            text = shown.text.decode()
            assert (shown.tokens[0], shown.characters, shown.words) == _counts(loaded, text)
            flush = shown.flush([loaded])
            assert flush.text.decode() == text.lstrip()
            assert loaded.joined([head, flush.parts()[0][0], tail]) == loaded.count(f"{head}{text.lstrip()}{tail}")
            opened, expected = Context.joined(stock.opened("d0", run), [loaded]), f"\n\n***\n\n[T0]\n\n{text.lstrip()}"
            assert opened.text.decode() == expected
            assert (opened.tokens[0], opened.characters, opened.words) == _counts(loaded, expected)
        pieces = [piece for doc, run in stock.documents.items() for piece in stock.opened(doc, run)]
        woven, expected = (
            Context.joined(pieces, [loaded]),
            "".join(f"\n\n***\n\n[T{i}]\n\n{t}" for i, t in enumerate(texts)),
        )
        assert woven.text.decode() == expected
        assert (woven.tokens[0], woven.characters, woven.words) == _counts(loaded, expected)
        told = [expected[a:b] for a, b in zip(woven.starts, woven.ends, strict=True)]
        assert told == [piece.text.decode() for piece in pieces]


def _counts(loaded: Tokenizer, text: str) -> tuple[int, int, int]:
    return loaded.count_part(text), len(text), len(text.split())
