"""What came here damaged is as it was meant, and what is right stays as it is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from haymaker.core.text.fix_text import LOST, fix_text

TEXTS = st.text(alphabet=st.characters(exclude_characters=f"&<{LOST}") | st.sampled_from("\x1b\x9b\u202e\ud800\n\t a"))
RIGHT = (
    "Å", "”Å”", "»Å«", "Åland", "på", "Å…", "Ä–Ö", "ÄÖ", "SÃO", "NÃO»", "MANHÃ”", "São", "À", "École", "été", "Âge", "Â«ge»", "«Â»",
    "R&D", "&c.", "AT&T;", "Q&A", "a<b", "b>c", "<p>", "<file_gif>", "&foo;", "&notit;", "—", "“so”", "it’s",
)  # fmt: skip


@given(TEXTS)
def test_what_is_taken_out_is_counted_and_white_space_stays(text):
    assume(not any(one in "\xc2\xc3\xc4\xc5" or "\xc3" <= one <= "\xef" for one in text))
    kept, found = fix_text(text)
    assert len(kept) + found == len(text) and fix_text(kept) == (kept, 0)
    assert [each for each in kept if each.isspace()] == [each for each in text if each.isspace()]
    assert all(unicodedata.category(each) in ("Cc", "Cf", "Co") for each in set(text) - set(kept))
    assert not set(kept) & set("\x00\x1b\x7f\x9b\u202a\u202e\u2066\u2069\u2060\ufeff\ue000")


@given(st.lists(st.sampled_from(RIGHT)))
def test_right_texts_of_any_language_stay(words):
    assert fix_text(" ".join(words))[0] == " ".join(words)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_every_letter_with_a_mark_is_read_again_within_a_word(encoding):
    read = []
    for letter in map(chr, range(0xC0, 0x180)):
        try:
            wrong = f"a{letter}b".encode().decode(encoding)
        except UnicodeDecodeError:  # five bytes stand for nothing there
            continue
        if not wrong[2].isspace():
            read.append(fix_text(wrong)[0] == f"a{letter}b")
    assert all(read) and len(read) > 170


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the liver\u00e2\x80\x99s job", "the liver\u2019s job"),
        ("\u00c3\x89cole", "\u00c9cole"),
        ("\ufeff \u6e5b\u6c5f", " \u6e5b\u6c5f"),
        ("good \uf04a!", "good !"),
        ("\u00e2\x80", "\u00e2"),
        ("Hydro-QuÃ©bec’s grid, WaÅ‚Ä™sa", "Hydro-Québec’s grid, Wałęsa"),
        ("won Â£14,000 at 50Â° Â© him", "won £14,000 at 50° © him"),
        ("Sam &amp; Max &#8226; R&ouml;ntgen &quot;x&#39;", "Sam & Max • Röntgen \"x'"),
        ("&amp;amp;amp;nbsp;&amp;amp;lt;!--iframe--&amp;amp;gt;x", "\xa0x"),
        (f"that water?{LOST}? said “so,{LOST}?", "that water?” said “so,”"),
        (f"can{LOST}t, Alec{LOST}s, 18{LOST} 00' N", "can’t, Alec’s, 18° 00' N"),
        (f"黄绍{LOST}f Investiga{LOST}{LOST}o", f"黄绍{LOST}f Investiga{LOST}{LOST}o"),
        ('<h2>甲</h2><divclass="d"><p>乙<b>丙</b><br/>丁</p>', "\n\n甲\n\n\n\n\n\n乙丙\n\n丁\n\n"),
    ],
)
def test_what_was_damaged_is_as_it_was_meant(text, kept):
    assert fix_text(text)[0] == kept
