"""Sorted hashes on disk: the same as a dictionary finds, in memory that does not grow with their number."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.passages import lookup as passage_lookup
from corpora.stores.passages.lookup import Lookup, name_hash, repeats, write_lookup

Chunk = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]
VALUES = st.lists(st.sampled_from([0, 1, 2, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]) | st.integers(0, 2**64 - 1))


def chunks(values: list[int], size: int) -> list[Chunk]:
    return [
        (np.array(values[at : at + size], np.uint64), np.arange(at, min(at + size, len(values))))
        for at in range(0, len(values), size)
    ]


@given(VALUES, st.integers(1, 9), st.integers(1, 9))
def test_finds_what_a_dictionary_finds(
    tmp_path_factory: pytest.TempPathFactory, values: list[int], size: int, held: int
) -> None:
    folder = tmp_path_factory.mktemp("lookup")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passage_lookup, "_HELD", held)
        assert write_lookup(folder, "ids", lambda: chunks(values, size), len(values)) == len(values)
        pairs = repeats(lambda: chunks(values, size), len(values)).tolist()
    lookup = Lookup(folder, "ids")
    for value in {*values, 5, 2**64 - 3}:
        assert lookup.find(value).tolist() == [i for i, known in enumerate(values) if known == value]
    assert pairs == [[i, values.index(v)] for i, v in enumerate(values) if values.index(v) < i]


def test_memory_does_not_grow_with_the_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passage_lookup, "_HELD", 1 << 12)

    def peak(count: int) -> int:
        def entries() -> Iterator[Chunk]:
            for at in range(0, count, 1 << 10):
                places = np.arange(at, at + (1 << 10))
                yield places.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15), places

        tracemalloc.start()
        write_lookup(tmp_path, f"l{count}", entries, count)
        assert len(repeats(entries, count)) == 0
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1 << 12)  # what is set up once
    assert peak(1 << 16) < 2 * peak(1 << 14)


def test_the_hash_of_a_name_never_changes() -> None:
    assert name_hash("12-3") == 7809481627209403378
    assert name_hash("") != name_hash(" ")
