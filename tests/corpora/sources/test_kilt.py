"""The KILT knowledge source: articles with numbered paragraphs, marks off, in batches of whole lines."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.formats import lines
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Article, Paragraph
from tests.errors import refused

RIVER = {
    "_id": "12",
    "wikipedia_id": "12",
    "wikipedia_title": "Ouse (river)",
    "text": [
        "Ouse (river)\n",
        "The Ouse is a river.\n",
        "Section::::Course.\n",
        "\n",
        "It flows.\n",
        "Section::::Course:Upper reaches.\n",
        "BULLET::::- Ely\n",
        "BULLET::::2. Lewes – a town\n",
    ],
    "anchors": [],
    "categories": "Rivers",
}
FILE = "kilt_knowledgesource.json"


def fetched(tmp_path: Path, context, *lines_: object) -> tuple[object, Path]:
    (tmp_path / "far").mkdir()
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines_)
    (tmp_path / "far" / FILE).write_text(text)
    source = create("wiki", "kilt_wikipedia", {"url": (tmp_path / "far").as_uri()}, where="w")
    source.fetch(tmp_path / "raw", context)
    return source, tmp_path / "raw"


def articles(source, raw) -> list[Article]:
    return [article for batch in source.batches(raw) for article in source.articles(raw, batch)]


def test_paragraphs_keep_their_numbers_and_lose_their_marks(tmp_path, context):
    assert articles(*fetched(tmp_path, context, RIVER)) == [
        Article(
            "12",
            "Ouse (river)",
            (
                Paragraph("title", "Ouse (river)"),
                Paragraph("text", "The Ouse is a river."),
                Paragraph("section", "Course"),
                Paragraph("text", ""),
                Paragraph("text", "It flows."),
                Paragraph("section", "Course:Upper reaches"),
                Paragraph("bullet", "Ely"),
                Paragraph("bullet", "2. Lewes – a town"),
            ),
        )
    ]


def test_batches_are_whole_lines_and_lose_no_article(tmp_path, context, monkeypatch):
    monkeypatch.setattr(lines, "BATCH_BYTES", 900)
    rows = [{**RIVER, "wikipedia_id": str(i)} for i in range(23)]
    source, raw = fetched(tmp_path, context, *rows)
    pieces = [piece for batch in source.batches(raw) for piece in batch.pieces]
    assert len(pieces) == 8 and pieces[0].start == 0 and pieces[-1].stop == (raw / FILE).stat().st_size
    assert all(a.stop == b.start for a, b in pairwise(pieces))
    assert [article.article_id for article in articles(source, raw)] == [str(i) for i in range(23)]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("{", ("JSON",)),
        ("[]", ("object", "list")),
        ({**RIVER, "text": "Ouse"}, ("'text'", "list")),
        ({**RIVER, "text": ["Ouse", 3]}, ("'text'", "int")),
        ({k: v for k, v in RIVER.items() if k != "wikipedia_id"}, ("'wikipedia_id'",)),
    ],
)
def test_a_line_of_another_shape_is_named(tmp_path, context, line, values):
    with refused(SourceError, f"{FILE}:2", *values):
        articles(*fetched(tmp_path, context, RIVER, line))


def test_a_wrong_first_line_shows_at_download(tmp_path, context):
    with refused(SourceError, f"{FILE}:1", "'text'"):
        fetched(tmp_path, context, {"id": 1})
    assert not (tmp_path / "raw").exists()


def test_an_empty_file_shows_at_download(tmp_path, context):
    with refused(SourceError, "kilt_knowledgesource.json"):
        fetched(tmp_path, context)
