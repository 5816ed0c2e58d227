"""Documents keep their shape: paragraphs and headings stand in the prompt as in the source, cuts are whole sentences, all counted exactly."""

from __future__ import annotations

import os
import re
import tempfile
from array import array
from dataclasses import replace
from itertools import accumulate, combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.stores.documents.store import Documents
from corpora.stores.sentences.store import Background
from corpora.tokenizers import tokenizer
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.sentences import Run
from generators.documents import cuts, layout
from generators.documents.cuts import following, without_headings
from generators.documents.layout import Shown, Subject
from generators.documents.stock import Stock
from generators.suite import ReleaseSuite
from haymaker.core.rows.source_records import Document, DocumentQuestion
from tests.extras import LONG
from tests.generators.documents import small
from tests.generators.kit import context, metadata, note, rows_of

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
@some(24)
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


SIZES = st.lists(st.one_of(st.integers(1, 60), st.integers(1, 700)), min_size=40, max_size=400)


def sums_of(sizes: list[int]) -> memoryview:
    return memoryview(array("q", accumulate(sizes, initial=0)))


@st.composite
def cases(draw: st.DrawFn) -> tuple[memoryview, Run, Run, float]:
    """A document that does not begin with the store's first unit, evidence in it, a share."""
    sizes = draw(SIZES)
    first = draw(st.integers(0, 10))
    last = len(sizes) - draw(st.integers(0, 10))
    begin = draw(st.integers(first, last - 1))
    end = draw(st.integers(begin + 1, min(last, begin + 12)))
    return sums_of(sizes), Run(first, last), Run(begin, end), draw(st.floats(0.1, 0.9))


@given(case=cases(), budget=st.integers(1, 12_000), growth=st.floats(1.4, 4))
def test_a_window_is_inside_the_document_holds_the_evidence_and_is_full(
    case: tuple[memoryview, Run, Run, float], budget: int, growth: float
) -> None:
    """A larger budget holds the window of a smaller one."""
    sums, document, evidence, share = case
    run = cuts.window(sums, document, evidence, share, budget)
    size = sums[evidence.last] - sums[evidence.first]
    if run is None:
        assert size > budget
        return
    assert document.first <= run.first <= evidence.first < evidence.last <= run.last <= document.last
    left = budget - (sums[run.last] - sums[run.first])
    assert left >= 0
    behind = sums[run.last + 1] - sums[run.last] if run.last < document.last else 0
    before = sums[run.first] - sums[run.first - 1] if run.first > document.first else 0
    assert left < behind + before or (behind, before) == (0, 0), "a sentence more on each side fits"
    large = cuts.window(sums, document, evidence, share, size + int((budget - size) * growth))
    assert large is not None and large.first <= run.first and run.last <= large.last


@st.composite
def libraries(draw: st.DrawFn) -> tuple[memoryview, list[Shown], Subject]:
    sizes = [draw(st.lists(st.integers(1, 40), min_size=3, max_size=80)) for _ in range(draw(st.integers(3, 8)))]
    bounds = list(accumulate(map(len, sizes), initial=0))
    documents = [Shown(f"d{i}", Run(a, b)) for i, (a, b) in enumerate(pairwise(bounds))]
    main = documents[0]
    at = draw(st.integers(main.run.first, main.run.last - 1))
    evidence = draw(st.sampled_from([None, Run(at, at + 1)]))
    subject = Subject(main.doc_id, main.run, evidence, draw(st.floats(0.1, 0.9)), draw(st.floats(0, 1)))
    return sums_of([size for each in sizes for size in each]), documents[1:], subject


def _mark(doc: str) -> int:
    return 5 + int(doc[1:])


@given(library=libraries(), budget=st.integers(400, 3000), growth=st.floats(2, 4))  # a window of ten longest sentences
def test_documents_stand_whole_around_the_asked_one_and_longer_contexts_hold_shorter_ones(
    library: tuple[memoryview, list[Shown], Subject], budget: int, growth: float
) -> None:
    sums, others, subject = library
    whole = {each.doc_id: each.run for each in (*others, Shown(subject.doc_id, subject.document))}
    shown: list[tuple[Shown, ...]] = []
    for size in (budget, int(budget * growth)):
        place = layout.among(sums, subject, size, others, _mark, lambda run: run)
        if place is None:
            size_of_own = sums[subject.document.last] - sums[subject.document.first]
            assert subject.evidence is not None or size_of_own > 0.75 * (size - _mark("d0")) - 1
            return
        used = sum(_mark(each.doc_id) + sums[each.run.last] - sums[each.run.first] for each in place.shown)
        assert used <= size and place.missing in (0, size - used)
        assert len({each.doc_id for each in place.shown}) == len(place.shown)
        cut = [i for i, each in enumerate(place.shown) if i != place.at and each.run != whole[each.doc_id]]
        assert len(cut) <= 1 and set(cut) <= {0, len(place.shown) - 1}, "an outermost one"
        assert all(place.shown[i].run.first == whole[place.shown[i].doc_id].first for i in cut)
        assert not place.missing or len(place.shown) == len(whole)
        if subject.evidence is None:
            assert place.main == subject.document, "a beginning might lack the answer"
        else:
            assert place.main.first <= subject.evidence.first < place.main.last
        shown.append(place.shown)
    rest = iter(shown[1])
    for each in shown[0]:
        held = next((other for other in rest if other.doc_id == each.doc_id), None)
        assert held is not None, "a document is missing, or stands in another order"
        assert held.run.first <= each.run.first and each.run.last <= held.run.last
