"""The mined file: what goes in comes out, one question at a time; damage is one clear line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpora.stores.mined import MINED_VERSION, Mined, MinedPassages, MinedQuestion, join_mined, schema, write_mined
from haymaker.core.errors import CorpusError
from tests.errors import refused

META = {"tokenizers": ["a", "b"], "sources": {"qa": {}}}


def some_passages(count: int, tokenizers: int = 2) -> MinedPassages:
    numbers = range(count)
    return MinedPassages(
        [f"p{i}" for i in numbers], [f"a{i // 3}" for i in numbers], ["T"] * count, [""] * count, [f"Text {i} é\n" for i in numbers],
        [[i + j for i in numbers] for j in range(tokenizers)], [i if i else None for i in numbers],
        [i / 4 if i else None for i in numbers], [i % 4 if i else None for i in numbers], [list(range(i % 3)) for i in numbers],
    )  # fmt: skip


def question(name: str, gold: int = 2, distractors: int = 5, tokenizers: int = 2) -> MinedQuestion:
    return MinedQuestion(
        name, "test", "Who?", "list", ["a"], [["b", "c"], ["d"]], ["e"], [], 7, "", "author", "subject", some_passages(gold, tokenizers),
        some_passages(distractors, tokenizers), {"alias": 3}, 20,
    )  # fmt: skip


def test_what_publishers_show_is_a_column_of_the_sets_that_ask_for_it_alone(tmp_path: Path) -> None:
    """A set without is the same file as ever."""
    expected = [replace(question("q0"), shown=3), question("q1")]
    write_mined(expected, tmp_path / "with.parquet", META, shown=True)
    write_mined([question("q0"), question("q1")], tmp_path / "without.parquet", META)
    assert pq.read_schema(tmp_path / "with.parquet").names == [*schema().names, "shown"]
    assert pq.read_schema(tmp_path / "without.parquet").names == schema().names
    mined = Mined(tmp_path / "with.parquet")
    assert [mined.read(i) for i in range(2)] == expected
    assert [each["shown"] for each in mined.outline] == [3, 0]
    assert Mined(tmp_path / "without.parquet").read(0) == question("q0")
    join_mined([(tmp_path / "with.parquet", 2)], tmp_path / "joined.parquet", META, shown=True)
    assert (tmp_path / "joined.parquet").read_bytes() == (tmp_path / "with.parquet").read_bytes()


def test_missing_damaged_and_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.parquet"
    with refused(CorpusError, "m.parquet", "mined", fix="haymaker run"):
        Mined(path)
    monkeypatch.setattr("corpora.stores.mined.MINED_VERSION", 99)
    write_mined([question("q")], path, META)
    monkeypatch.undo()
    with refused(CorpusError, "m.parquet", 99, MINED_VERSION):
        Mined(path)
