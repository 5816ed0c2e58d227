"""Tab-separated files: records cut at any size give the same rows, and every damage is named with its line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources.formats import tsv
from corpora.sources.formats.tsv import quoted_batches, quoted_rows
from haymaker.core.errors import SourceError
from tests.errors import refused

COLUMNS = ("id", "text", "title")
HEADER = "id\ttext\ttitle\n"


def rows_of(raw: Path, path: str = "p.tsv") -> list[tuple[str, list[str]]]:
    return [row for batch in quoted_batches(raw, path, COLUMNS) for p in batch.pieces for row in quoted_rows(raw, p, 3)]


@given(
    st.lists(st.lists(st.text('ab"\n\t é\u2028', max_size=9), min_size=2, max_size=2), min_size=1, max_size=12),
    st.integers(1, 60),
)
def test_any_cut_gives_every_record_once_at_its_line(tmp_path_factory, fields, size):
    folder = tmp_path_factory.mktemp("tsv")
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    expected = []
    for number, (text, title) in enumerate(fields, 1):
        expected.append((f"p.tsv:{out.getvalue().count(chr(10)) + 1}", [str(number), text, title]))
        writer.writerow([number, text, title])
    (folder / "p.tsv").write_bytes(out.getvalue().encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tsv, "BATCH_BYTES", size)
        assert rows_of(folder) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id\ttitle\ttext\n1\ta\tb\n", ("p.tsv:1", "expected")),
        (HEADER + "1\ta\xff\tb\n", ("p.tsv:2", "UTF-8", 3)),
        (HEADER + '1\ta\tb\n2\t"a\nb\nc', ("p.tsv:3", "quoted")),
        (HEADER + '1\t"a\nb"\tT\n2\tx\ty\tz\n', ("p.tsv:4", 3)),
    ],
)
def test_damage_is_named_with_its_line(tmp_path, text, message):
    with refused(SourceError, "p.tsv", "missing"):
        rows_of(tmp_path)
    (tmp_path / "p.tsv").write_text(text, encoding="latin-1")
    with refused(SourceError, *message):
        rows_of(tmp_path)


def test_a_quoted_field_of_more_than_a_megabyte_is_damage(tmp_path):
    (tmp_path / "p.tsv").write_text(HEADER + '1\t"a\n' + "x\n" * 600_000 + '"\tT\n')
    with refused(SourceError, "p.tsv:2", "quoted"):
        quoted_batches(tmp_path, "p.tsv", COLUMNS)
