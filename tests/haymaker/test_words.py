"""Words counted in bytes are those that str.split finds; where a word stands whole."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.text.strings import _EASTERN, _WESTERN, _WIDE_SPACES, PART, count_words, one_line, whole_places

EVERY_SPACE = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]


def test_every_space_is_known() -> None:
    assert [space for space in EVERY_SPACE if ord(space) >= 0x80] == [space.decode() for space in _WIDE_SPACES]
    for space in EVERY_SPACE:
        assert count_words(f"{space}a{space}b{space * 2}é{space}".encode()) == 3, ascii(space)


@given(st.text(st.sampled_from([*EVERY_SPACE, *"ab\u00e9\u2010\u201d\u3001\U0001f600"])) | st.text())
def test_as_many_as_split_finds(text: str) -> None:
    utf8 = text.encode(errors="replace")
    assert count_words(utf8) == len(utf8.decode().split())


@given(st.text(st.sampled_from([*EVERY_SPACE, *"ab \u00e9\u2010\u200b\U0001f600"])) | st.text())
def test_one_line_is_what_split_and_join_make(text: str) -> None:
    assert one_line(text) == " ".join(text.split())


def test_no_character_of_an_eastern_script_is_passed_over() -> None:
    eastern = _EASTERN.findall("".join(map(chr, range(sys.maxunicode + 1))))
    assert all(each.encode().translate(None, _WESTERN) for each in eastern)
    assert not "Straße, œuvre \u2010 \u2fff".encode().translate(None, _WESTERN)


@pytest.mark.parametrize(
    ("text", "word", "places"),
    [
        ("BCD = 1. Let BCD", "BCD", [0, 13]),
        ("BCDF BCD_ xBCD BCD1", "BCD", []),
        ("值BCD是", "BCD", [1]),
        ("ba-a-a", "a-a", [3]),
        ("11 111 11", "11", [0, 7]),
        ("", "a", []),
    ],
)
def test_places_of_a_whole_word(text: str, word: str, places: list[int]) -> None:
    assert list(whole_places(text, word)) == places
    assert [match.start() for match in re.finditer(rf"(?<!{PART}){re.escape(word)}(?!{PART})", text)] == places
