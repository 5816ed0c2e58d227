"""Columns of Arrow read from the front: the same values as a list."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.columns import Column, joined

VALUES = st.lists(st.none() | st.integers(0, 9), max_size=300)


@given(VALUES, VALUES, st.lists(st.integers(-320, 320) | st.slices(300), max_size=6))
def test_like_a_list(first: list[Any], behind: list[Any], asked: list[Any]) -> None:
    values = first + behind
    column = joined(first, Column(pa.array(behind, pa.int8())))
    assert isinstance(column, Column) and len(column) == len(values)
    for at in asked:
        if isinstance(at, slice) or -len(values) <= at < len(values):
            assert column[at] == values[at]
        else:
            with pytest.raises(IndexError):
                column[at]
    assert list(column) == values and column == values and column != [*values, 1]
