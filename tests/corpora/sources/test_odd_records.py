"""A few records that say nothing are left out, counted and told; many are a fault of the file."""

from __future__ import annotations

import json
from pathlib import Path

from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import SourceError
from tests.errors import refused

HEADER = "userid;answerid;scenario;intent;status;answer_annotation;notes;suggested_entities;answer_normalised;answer;question\n"


def table(blank: int, count: int = 1000) -> str:
    rows = [
        f"1;{i};music;{'play' if i % 2 else 'stop'};;{'' if i < blank else f'song number {i}'};;;;;"
        for i in range(count)
    ]
    return HEADER + "\n".join(rows) + "\n"


def fetched(tmp_path: Path, text: str) -> tuple[list[str], int, Path]:
    there, said = tmp_path / "there", list[str]()
    there.mkdir(exist_ok=True)
    (there / "NLU-Data-Home-Domain-Annotated-All.csv").write_text(text)
    source = create("n", "nlu", {"url": there.as_uri()}, where="w")
    source.fetch(tmp_path / "raw", FetchContext(None, tmp_path / "cache", tmp_path / "lock", said.append))
    kept = sum(len(source.labelled(tmp_path / "raw", "nlu", split)) for split in ("train", "test"))
    return said, kept, tmp_path / "raw"


def test_a_few_blank_rows_are_left_out_counted_and_told(tmp_path: Path) -> None:
    said, kept, raw = fetched(tmp_path, table(blank=5))
    assert kept == 995
    (line,) = [line for line in said if "unusable" in line]
    assert line == "5 unusable records left out of nlu"
    assert json.loads((raw / "SOURCE.json").read_bytes())["left_out"] == {"nlu": 5}


def test_many_blank_rows_are_one_line(tmp_path: Path) -> None:
    with refused(SourceError, "NLU-Data-Home-Domain-Annotated-All.csv:2", "'text'", 30, "1%") as caught:
        fetched(tmp_path, table(blank=30))
    assert "\n" not in str(caught.value) and not (tmp_path / "raw").exists()
