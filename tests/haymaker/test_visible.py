"""Characters that act instead of showing: none reaches a terminal as it is, and every one is named."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.errors import SourceError
from haymaker.core.text.strings import shown_at, visible

TEXTS = st.text(alphabet=st.characters() | st.sampled_from("\x1b\x9b\u202e\ud800\n\t a<"))
ACTING = [
    *map(chr, (*range(9), *range(11, 32), *range(127, 160))),
    *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069\ud800\udfff",
]


@pytest.mark.parametrize("character", ACTING, ids=lambda character: f"{ord(character):04X}")
def test_each_is_named(character):
    named = f"a<U+{ord(character):04X}>b"
    assert visible(f"a{character}b") == named
    line = str(SourceError("what", where=f"a{character}b", fix="mend it"))
    assert line in (f"{named}: what. Next: mend it", "a b: what. Next: mend it")  # white space is folded
    assert line.isprintable()


@given(TEXTS)
def test_the_rest_stays_and_positions_move_along(text):
    shown = visible(text)
    assert not {unicodedata.category(each) for each in shown} & {"Cs"} and not any(map(shown.count, ACTING))
    assert visible(shown) == shown
    places = shown_at(text, range(len(text) + 1))
    assert [visible(each) for each in text] == [shown[a:b] for a, b in pairwise(places)]
    assert places[-1] == len(shown)
