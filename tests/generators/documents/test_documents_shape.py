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
@some(60)
@given(paragraphs=DOCUMENT)
def test_any_run_of_any_document_is_counted_exactly(name: str, paragraphs: list[str]) -> None:
    """By itself, behind other words, and with its first white space gone, as rows show it."""
    loaded = get(name)
    head, tail = loaded.part("Read this.\n\n<text>\n"), loaded.part("\n</text>\n\nWho?\nAnswer:")
    with tempfile.TemporaryDirectory() as folder:
        stock = stock_of(Path(folder), [loaded], "\n\n".join(paragraphs))
        whole = stock.documents["d0"]
        assert stock.tokens(whole) == loaded.count_part("\n\n" + "\n\n".join(paragraphs))
        for first, last in combinations(range(whole.first, whole.last + 1), 2):
            shown = stock.shown("d0", Run(first, last))
            text = shown.text.decode()
            assert (shown.tokens[0], shown.characters, shown.words) == (
                loaded.count_part(text), len(text), len(text.split())
            )  # fmt: skip
            flush = shown.flush([loaded])
            assert flush.text.decode() == text.lstrip()
            assert loaded.joined([head, flush.parts()[0][0], tail]) == loaded.count(f"{head}{text.lstrip()}{tail}")


@pytest.mark.parametrize("name", EVERY)
@some(30)
@given(documents=st.lists(DOCUMENT, min_size=2, max_size=3))
def test_documents_among_others_are_counted_exactly(name: str, documents: list[list[str]]) -> None:
    """What stands between them too; and what fitting takes for it is right but for the end of the last one."""
    loaded = get(name)
    with tempfile.TemporaryDirectory() as folder:
        texts = ["\n\n".join(paragraphs) for paragraphs in documents]
        stock = stock_of(Path(folder), [loaded], *texts)
        pieces = [piece for doc, run in stock.documents.items() for piece in stock.opened(doc, run)]
        woven = Context.joined(pieces, [loaded])
        expected = "".join(f"\n\n***\n\n[T{i}]\n\n{text}" for i, text in enumerate(texts))
        assert woven.text.decode() == expected
        assert (woven.tokens[0], woven.words) == (loaded.count_part(expected), len(expected.split()))
        assert [expected[a:b] for a, b in zip(woven.starts, woven.ends, strict=True)] == [
            p.text.decode() for p in pieces
        ]


@pytest.mark.parametrize("name", EVERY)
@some(30)
@given(paragraphs=DOCUMENT)
def test_behind_the_line_that_opens_it_any_run_begins_a_paragraph(name: str, paragraphs: list[str]) -> None:
    """Also a run from the middle of one; and it is counted exactly."""
    loaded = get(name)
    with tempfile.TemporaryDirectory() as folder:
        stock = stock_of(Path(folder), [loaded], "\n\n".join(paragraphs))
        whole = stock.documents["d0"]
        for first, last in combinations(range(whole.first, whole.last + 1), 2):
            words = stock.shown("d0", Run(first, last)).text.decode().lstrip()
            woven, expected = (
                Context.joined(stock.opened("d0", Run(first, last)), [loaded]),
                f"\n\n***\n\n[T0]\n\n{words}",
            )
            assert woven.text.decode() == expected
            assert (woven.tokens[0], woven.characters) == (loaded.count_part(expected), len(expected))


def test_sums_without_seams_are_wrong_so_the_tests_above_can_fail() -> None:
    with tempfile.TemporaryDirectory() as folder:
        loaded = get("tekken")
        stock = stock_of(Path(folder), [loaded], "He came.\n\nShe left.\n\nAll was well.")
        sums, second = stock.sums[0], stock.shown("d0", Run(1, 2))
        assert sums[2] - sums[1] != second.tokens[0] == loaded.count("\n\nShe left.")
        assert sum(loaded.count(f"\n\n{t}") for t in ("He came.", "She left.", "All was well.")) != sums[3]
