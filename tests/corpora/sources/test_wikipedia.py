"""Articles of KILT with numbered paragraphs, and ready-made passages: DPR's columns and quoting; the mirror's slice in full."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources import create
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.rows.source_records import Article, Passage
from tests.corpora.sources.test_documents import fetched as fetched_from

GOOD = (
    "id\ttext\ttitle\n"
    '1\t"Aaron or ""Ahärôn"" is\na prophet."\tAaron\n'
    '2\t he died. \t"""Weird Al"" Yankovic"\n'
    "3\tThird.\t\n"
)


@pytest.mark.parametrize("kind", ["dpr_passages", "kilt_passages"])
def test_quotes_and_line_breaks(tmp_path, context, kind):
    (tmp_path / "psgs_w100.tsv.gz").write_bytes(gzip.compress(GOOD.encode()))
    source = create("p", kind, {"url": tmp_path.as_uri()}, where="w")
    source.fetch(tmp_path / "raw", context)
    (batch,) = source.batches(tmp_path / "raw")
    assert list(source.passages(tmp_path / "raw", batch)) == [
        Passage("1", "", "Aaron", "", 'Aaron or "Ahärôn" is\na prophet.'),
        Passage("2", "", '"Weird Al" Yankovic', "", "he died."),
        Passage("3", "", "", "", "Third."),
    ]


@given(st.integers(0, 460))
def test_the_rule_of_the_slice(count):
    pieces = slice_pieces("  ".join(f"w{i}" for i in range(count)))
    sizes = [len(piece.split()) for piece in pieces]
    assert " ".join(pieces).split() == [f"w{i}" for i in range(count)]
    assert sizes == ([count] if 0 < count <= 150 else [100] * (count // 100) + [count % 100] * (count % 100 > 0))


@pytest.mark.real
def test_the_whole_slice(held):
    source, raw = held("wikipedia_mirror")
    batches = source.batches(raw)
    found = [p for batch in batches for p in source.passages(raw, batch)]
    assert len(batches) == 7 and [p.passage_id for p in found] == [str(i) for i in range(1, 30_197)]
    assert not any("%C3" in p.title or "%E2" in p.title for p in found)
    assert len({p.title for p in found}) == 21_351 and len({(p.title, p.text) for p in found}) == 30_195
    lengths = Counter(len(p.text.split()) for p in found)
    assert max(lengths) == 150 and lengths[100] == 6_230 and all(p.text == " ".join(p.text.split()) for p in found)


TEXT = ["Ouse (river)", "The Ouse is a river.", "Section::::Course.", "", "It flows."]
TEXT += ["Section::::Course:Upper reaches.", "BULLET::::- Ely", "BULLET::::2. Lewes – a town"]
RIVER = {"_id": "12", "wikipedia_id": "12", "wikipedia_title": "Ouse (river)", "text": [f"{line}\n" for line in TEXT]}
FILE = "kilt_knowledgesource.json"


def fetched(tmp_path: Path, context, *lines_: object) -> tuple[object, Path]:
    return fetched_from(tmp_path, context, "kilt_wikipedia", {FILE: list(lines_)})


def articles(source, raw) -> list[Article]:
    return [article for batch in source.batches(raw) for article in source.articles(raw, batch)]


def test_paragraphs_keep_their_numbers_and_lose_their_marks(tmp_path, context):
    (found,) = articles(*fetched(tmp_path, context, RIVER))
    assert (found.article_id, found.title) == ("12", "Ouse (river)")
    assert [(each.kind, each.text) for each in found.paragraphs] == [
        ("title", "Ouse (river)"), ("text", "The Ouse is a river."), ("section", "Course"), ("text", ""),
        ("text", "It flows."), ("section", "Course:Upper reaches"), ("bullet", "Ely"), ("bullet", "2. Lewes – a town"),
    ]  # fmt: skip
