"""Records of a user without usable id or text: the same rules for all kinds (docs/reference/own-corpus.md)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.sources import create, user_texts
from corpora.sources.base import FetchContext, RawFile, Source
from haymaker.core.errors import SourceError
from tests.errors import refused

ASKED = {"id": "q", "question": "Who?", "answers": ["Ada"]}
KINDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {  # field of the text, options, another field
    "jsonl": ("body", {"text_key": "body", "id_key": "id"}, {}),
    "parquet": ("body", {"text_column": "body", "id_column": "id"}, {}),
    "hub": ("body", {"text_column": "body", "id_column": "id"}, {}),
    "articles_jsonl": ("text", {}, {"title": "T"}),
    "documents_jsonl": ("text", {}, {"questions": [ASKED]}),
    "questions_jsonl": ("question", {"splits": {"test": 1}}, {"answers": ["Ada"]}),
}
NAN = float("nan")
BAD = {
    "null text": {"TEXT": None},
    "no text": {"TEXT": ...},
    "blank text": {"TEXT": " \n"},
    "null id": {"id": None},
    "id that is NaN": {"id": NAN},
    "no id": {"id": ...},
}
BAD_JSON = {  # Arrow has types
    "text that is NaN": {"TEXT": NAN},
    "a number as text": {"TEXT": 7},
    "lone surrogate": {"TEXT": "a \ud83d b"},
    "empty id": {"id": ""},
    "id that is a list": {"id": ["x"]},
}


def records(kind: str, bad: dict[str, Any], good: int) -> list[dict[str, Any]]:
    """Return a bad record after the first of `good` ones."""
    text, _, more = KINDS[kind]

    def record(number: int, change: dict[str, Any]) -> dict[str, Any]:
        own = {"questions": [ASKED | {"id": f"q{number}"}]} if "questions" in more else more
        values = {"id": number, text: f"text {number}", **own} | change
        return {key: value for key, value in values.items() if value is not ...}

    found = [record(number, {}) for number in range(1, good + 1)]
    return [*found[:1], record(99, {text if key == "TEXT" else key: value for key, value in bad.items()}), *found[1:]]


def fetched(
    kind: str, rows: list[dict[str, Any]], tmp_path: Path, context: FetchContext, **options: object
) -> tuple[list[str], dict[str, Any], list[str]]:
    """Return the ids that are read, SOURCE.json and the report."""
    where = tmp_path / f"a.{'jsonl' if kind.endswith('jsonl') else 'parquet'}"
    report, more = list[str](), KINDS[kind][1]
    if where.suffix == ".jsonl":
        where.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), where)
    place = {"repo": "me/mine"} if kind == "hub" else {"path": str(where)}
    source, raw = create("mine", kind, {**place, **more, **options}, where="w"), tmp_path / "raw"
    source.fetch(raw, replace(context, report=report.append))
    return read(source, raw), json.loads((raw / "SOURCE.json").read_bytes()), report


def read(source: Source, raw: Path) -> list[str]:
    if source.question_sets():
        return [question.question_id for question in source.questions(raw, "user", "test")]
    if "articles" in source.info.roles:
        return [each.article_id for batch in source.batches(raw) for each in source.articles(raw, batch)]
    return [each.doc_id for batch in source.batches(raw) for each in source.read(raw, batch)]


@pytest.fixture(autouse=True)
def _local_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let kind `hub` read a local file."""
    found = [RawFile("files/a.parquet", (tmp_path / "a.parquet").as_uri())]
    monkeypatch.setattr(user_texts.Hub, "raw_files", lambda *_: found)
    monkeypatch.setattr(user_texts.Hub, "resolve", lambda *_: None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_record_is_left_out_and_counted_or_stops(kind, tmp_path, context):
    """Many of them refuse the corpus."""
    place = "a.jsonl:2" if kind.endswith("jsonl") else "a.parquet: row 1"
    for bad in [*BAD.values(), *(BAD_JSON.values() if kind.endswith("jsonl") else ())]:
        ids, manifest, report = fetched(kind, rows := records(kind, bad, 4), tmp_path, context)
        assert ids == ["1", "2", "3", "4"], bad
        (what,) = manifest["left_out"]
        assert manifest["left_out"][what] == 1 and any(what in line for line in report)
        assert "on_bad_record" not in manifest["options"]
        with refused(SourceError, place, fix="on_bad_record"):
            fetched(kind, rows, tmp_path, context, on_bad_record="stop")
    rows = records(kind, BAD["no text"], 1)
    assert fetched(kind, rows, tmp_path, context)[0] == ["1"]
    with refused(SourceError, place, 2, 3, "50%", fix="on_bad_record"):
        fetched(kind, [*rows, rows[1] | {"id": 100}], tmp_path, context)
    whole = [row | {"id": float(row["id"])} for row in records(kind, {"id": 0.0}, 2)]  # as a table makes of integers
    assert fetched(kind, whole, tmp_path, context)[0] == ["1", "0", "2"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.endswith("jsonl")])
def test_lines_that_are_no_objects_stay_errors(kind, tmp_path, context):
    source = create("mine", kind, {"path": str(tmp_path / "b.jsonl"), **KINDS[kind][1]}, where="w")
    for line in ('{"id": 2,', "[1]", f'{{"id": {"[" * 100_000}{"]" * 100_000}}}'):
        (tmp_path / "b.jsonl").write_text(json.dumps(records(kind, {}, 1)[0]) + f"\n{line}\n")
        with refused(SourceError, "b.jsonl:2"):
            source.fetch(tmp_path / "raw", context)


def test_null_is_a_missing_value(tmp_path, context):
    one = records("questions_jsonl", {}, 1)[0] | {"answer_groups": None, "evidence": None, "answers": ["Ada", None]}
    assert fetched("questions_jsonl", [one], tmp_path, context)[0] == ["1"]
    two = records("articles_jsonl", {}, 1)[0] | {"text": None, "title": None, "paragraphs": ["x", None, "y"]}
    source, raw = create("m", "articles_jsonl", {"path": str(tmp_path / "a.jsonl")}, where="w"), tmp_path / "raw"
    assert fetched("articles_jsonl", [two], tmp_path, context)[0] == ["1"]
    (article,) = source.articles(raw, source.batches(raw)[0])
    assert [paragraph.text for paragraph in article.paragraphs] == ["", "x", "", "y"]


def test_a_parquet_file_whose_texts_are_all_null_leaves_the_others(tmp_path, context):
    (tmp_path / "files").mkdir()
    for name, text in (("a", None), ("b", "some text")):
        pq.write_table(pa.Table.from_pylist([{"id": name, "body": text}]), tmp_path / "files" / f"{name}.parquet")
    options = {"path": str(tmp_path / "files"), **KINDS["parquet"][1]}
    source, raw = create("m", "parquet", options, where="w"), tmp_path / "r"
    source.fetch(raw, context)
    assert read(source, raw) == ["b"]
