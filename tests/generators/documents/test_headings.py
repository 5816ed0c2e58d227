"""A cut document, asked about or not, never ends with a heading of which nothing is shown."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from corpora.stores.documents.store import Documents
from corpora.stores.sentences.store import Background
from generators.context.sentences import Run
from generators.documents.cuts import following, without_headings
from generators.suite import ReleaseSuite
from haymaker.core.rows.source_records import Document
from tests.generators.documents import small
from tests.generators.kit import context, metadata, note, rows_of

CHAPTERS = (
    "The Mill\n\nOne was long ago. Two came later.\n\nPart A\n\nA.1 The beginning:\n\nThree went by, as said: \n\n"
    "[illustration]\n\nApples\n\nPears\n\nPlums\n\nFigs\n\nThe end.\n\nFinis"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Background:
    folder = tmp_path_factory.mktemp("headings")
    documents, questions = small.collection({"test": (30,), "train": (30,)})
    small.write(folder, [Document("own", "Mill", "test", CHAPTERS), *documents], questions, clean={"min_tokens": 1})
    return Documents(folder / "documents" / "books").store


def test_headings_at_the_end_are_not_shown_and_lists_are(store: Background) -> None:
    own = next(each for each in store.documents if each.doc_id == "own")
    at, text = store.byte_at, store.text
    units = [bytes(text[at[i] : at[i + 1]]).decode().strip() for i in range(own.first, own.last)]
    assert units == [
        "The Mill", "One was long ago.", "Two came later.", "Part A", "A.1 The beginning:", "Three went by, as said:",
        "[illustration]", "Apples", "Pears", "Plums", "Figs", "The end.", "Finis",
    ]  # fmt: skip
    closed = [without_headings(store, Run(own.first, own.first + n)).last - own.first for n in range(len(units))]
    #                 the mill  one two  part a, a.1, three          apples, pears, plums, figs: a list
    assert closed == [0, 0, 2, 3, 3, 3, 3, 7, 7, 7, 7, 11, 12]
    document = Run(own.first, own.last)
    after = [following(store, Run(own.first, own.first + n), document) for n in (0, 3, 7, 12)]
    assert [(run.first - own.first, run.last - own.first) for run in after] == [(0, 2), (3, 7), (7, 11), (12, 13)]
    last = max(store.documents, key=lambda each: each.last)  # a window to its end was an IndexError
    assert without_headings(store, Run(last.first, last.last)) == Run(last.first, last.last)


def _with_chapters(document: Document) -> Document:
    """Of two sentences each, below headings of their own."""
    sentences = re.split(r"(?<=\.)\s+", document.text)
    paragraphs = (" ".join(sentences[at : at + 2]) for at in range(0, len(sentences), 2))
    return replace(document, text="\n\n".join(f"Chapter {n}\n\n{each}" for n, each in enumerate(paragraphs)))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("chapters")
    documents, questions = small.collection({"test": (400, 260, 240), "train": (120, 130, 140)})
    small.write(folder, [_with_chapters(each) for each in documents], questions, clean={"min_tokens": 1})
    entry = {"base": "narrativeqa", "documents": "books", "shots": 0}
    among = entry | {"distractor_documents": True, "lengths": {"4k": 6, "8k": 6}}
    return small.suite(folder, {"among": among, "alone": entry | {"lengths": {"2k": 6, "4k": 6}}})


def test_no_row_ends_a_document_with_a_heading(suite: ReleaseSuite) -> None:
    rows = rows_of(suite)
    ends = [part.split("\n")[-1] for row in rows for part in context(row).split("\n\n***\n\n")]
    assert len(rows) == 24 and len(ends) >= 36 and not [end for end in ends if end.startswith("Chapter")]
    assert [problem for row in rows for problem in suite.task(row["task"]).problems(row)] == []


def test_a_heading_at_the_end_is_found(suite: ReleaseSuite) -> None:
    """Of a row in which a heading of another text is what comes next: shown, it is named."""
    stock = suite.task("among").stock  # type: ignore[attr-defined]
    for row in rows_of(suite):
        background = metadata(row)["background"]
        doc, first, last = background[-1]
        run = stock.units(doc, first, last + 1)
        own = f"-{doc}-" in row["group_id"]  # the text that is asked about may end with one
        if own or run.last > stock.documents[doc].last or without_headings(stock.store, run) == run:
            continue
        at, end = stock.store.byte_at, row["context_end"]
        title = bytes(stock.store.text[at[run.last - 1] : at[run.last]]).decode()
        row["prompt"] = row["prompt"][:end] + title + row["prompt"][end:]
        note(row, background=[*background[:-1], [doc, first, last + 1]])
        for key, more in (("context_end", len(title)), ("answer_prefix_start", len(title)), ("num_segments", 1)):
            row[key] += more
        found = list(suite.task(row["task"]).problems(row))
        assert any("ends with a heading, and none of its section is shown" in each for each in found), found
        return
    pytest.fail("no row is cut before a heading")
