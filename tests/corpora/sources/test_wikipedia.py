"""Ready-made passages of Wikipedia: DPR's columns and quoting; the mirror's slice in full."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources import create
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Passage
from tests.errors import refused

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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("1\t", "one\t", 1), ("psgs_w100.tsv:2", "'id'", "'one'")),
        (GOOD[:-2], ("psgs_w100.tsv:5", 3, 2)),
        (GOOD.replace('a prophet."', "a prophet."), ("psgs_w100.tsv:2",)),
        ("id\ttext\n", ("psgs_w100.tsv:1", "expected")),
    ],
)
def test_damage_is_named(tmp_path, context, text, message):
    (tmp_path / "psgs_w100.tsv.gz").write_bytes(gzip.compress(text.encode()))
    source = create("p", "dpr_passages", {"url": tmp_path.as_uri()}, where="w")
    with refused(SourceError, *message):
        source.fetch(tmp_path / "raw", context)
        [list(source.passages(tmp_path / "raw", batch)) for batch in source.batches(tmp_path / "raw")]


@given(st.integers(0, 460))
def test_the_rule_of_the_slice(count):
    pieces = slice_pieces("  ".join(f"w{i}" for i in range(count)))
    sizes = [len(piece.split()) for piece in pieces]
    assert " ".join(pieces).split() == [f"w{i}" for i in range(count)]
    assert sizes == ([count] if 0 < count <= 150 else [100] * (count // 100) + [count % 100] * (count % 100 > 0))


@pytest.mark.real
def test_the_whole_slice(real, tmp_path):
    source = create("w", "wikipedia_mirror", {}, where="w")
    source.fetch(tmp_path / "raw", real)
    assert source.verify(tmp_path / "raw", real) == []
    batches = source.batches(tmp_path / "raw")
    found = [p for batch in batches for p in source.passages(tmp_path / "raw", batch)]
    assert len(batches) == 7 and [p.passage_id for p in found] == [str(i) for i in range(1, 30_197)]
    assert len({p.title for p in found}) == 21_352 and len({(p.title, p.text) for p in found}) == 30_196
    lengths = Counter(len(p.text.split()) for p in found)
    assert max(lengths) == 150 and lengths[100] == 6_230 and all(p.text == " ".join(p.text.split()) for p in found)
    assert found[1].title == "Deadpool 2" and found[1].text.endswith("A sequel, Deadpool 3, is in development.")
