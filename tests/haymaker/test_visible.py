"""Characters that act instead of showing: none reaches a terminal as it is, and every one is named."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from haymaker.errors import SourceError
from haymaker.text import shown_at, visible, without_controls

TEXTS = st.text(alphabet=st.characters() | st.sampled_from("\x1b\x9b\u202e\ud800\n\t a<"))
ACTING = [
    *map(chr, (*range(9), *range(11, 32), *range(127, 160))),
    *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069\ud800\udfff",
]
MISREAD = re.compile("[\xc3-\xf4][\x80-\xbf]")
UNSEEN = ["\u2060", "\ufeff", *map(chr, range(0xE000, 0xF900))]


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


@given(TEXTS)
def test_what_is_taken_out_is_counted_and_white_space_stays(text):
    assume(not MISREAD.search(text))
    kept, found = without_controls(text)
    assert len(kept) + found == len(text) and without_controls(kept) == (kept, 0)
    assert [each for each in kept if each.isspace()] == [each for each in text if each.isspace()]
    gone = set(text) - set(kept)
    assert all(unicodedata.category(each) in ("Cc", "Cf", "Co") and each in (*ACTING, *UNSEEN) for each in gone)
    assert not set(kept) & set("\x00\x1b\x7f\x9b\u202a\u202e\u2066\u2069")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the liver\u00e2\x80\x99s job", "the liver\u2019s job"),
        ("\u00c3\x89cole", "\u00c9cole"),
        ("\ufeff \u6e5b\u6c5f", " \u6e5b\u6c5f"),
        ("good \uf04a!", "good !"),
        ("\u00e2\x80", "\u00e2"),
        ("\u00c3\u00a9t\u00e9", "\u00c3\u00a9t\u00e9"),  # no control character: it may be meant
    ],
)
def test_what_was_read_in_the_wrong_encoding_is_read_again(text, kept):
    assert without_controls(text)[0] == kept
