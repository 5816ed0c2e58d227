"""Words counted in bytes are those that str.split finds."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from haymaker.text import _WIDE_SPACES, count_words

EVERY_SPACE = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]


def test_every_space_is_known() -> None:
    assert [space for space in EVERY_SPACE if ord(space) >= 0x80] == [space.decode() for space in _WIDE_SPACES]
    for space in EVERY_SPACE:
        assert count_words(f"{space}a{space}b{space * 2}é{space}".encode()) == 3, ascii(space)


@given(st.text(st.sampled_from([*EVERY_SPACE, *"ab\u00e9\u2010\u201d\u3001\U0001f600"])) | st.text())
def test_as_many_as_split_finds(text: str) -> None:
    utf8 = text.encode(errors="replace")
    assert count_words(utf8) == len(utf8.decode().split())
