"""Words, aliases, terms, lengths and similarity of texts of any script, and characters that act instead of showing."""

from __future__ import annotations

import re
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.sentences.split import splitter
from haymaker.core.errors import SourceError
from haymaker.core.text.similarity import similar, similarity
from haymaker.core.text.strings import (
    _EASTERN,
    _WESTERN,
    _WIDE_SPACES,
    PART,
    SPACELESS,
    WORD,
    count_words,
    filter_aliases,
    holds,
    length,
    one_line,
    padded,
    shown_at,
    terms,
    visible,
    whole_places,
    words,
)
from haymaker.core.text.word_index import WordIndex, codes

EVERY_SPACE = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]


def test_every_space_is_known() -> None:
    assert [space for space in EVERY_SPACE if ord(space) >= 0x80] == [space.decode() for space in _WIDE_SPACES]
    for space in EVERY_SPACE:
        assert count_words(f"{space}a{space}b{space * 2}é{space}".encode()) == 3, ascii(space)


@given(st.text(st.sampled_from([*EVERY_SPACE, *"ab\u00e9\u2010\u200b\u201d\u3001\U0001f600"])) | st.text())
def test_words_are_those_that_split_finds(text: str) -> None:
    utf8 = text.encode(errors="replace")
    assert count_words(utf8) == len(utf8.decode().split())
    assert one_line(text) == " ".join(text.split())


def test_no_character_of_an_eastern_script_is_passed_over() -> None:
    eastern = _EASTERN.findall("".join(map(chr, range(sys.maxunicode + 1))))
    assert all(each.encode().translate(None, _WESTERN) for each in eastern)
    assert not "Straße, œuvre \u2010 \u2fff".encode().translate(None, _WESTERN)


@given(st.text("BC1_- 值是", max_size=30), st.text("BC1-", min_size=1, max_size=3))
def test_places_of_a_whole_word(text: str, word: str) -> None:
    whole = rf"(?<!{PART}){re.escape(word)}(?!{PART})"
    assert list(whole_places(text, word)) == [match.start() for match in re.finditer(whole, text)]


HAN = st.sampled_from("北京铜仁市财政总收入增长了的〇々𠀀㐀")
NASTY = st.text(
    st.one_of(
        HAN, st.sampled_from("。！？；…，、：“”‘’「」『』（）《》　 \n\r\t０１２ＡＢｃ！％ｱﾞが가é1a.-😀👩\u200d\ufe0f\u3099"),
        st.characters(),
    ),
    max_size=80,
)  # fmt: skip


def test_aliases_are_held_where_their_characters_follow_one_another() -> None:
    text = padded("2012年,铜仁市的财政总收入增长了２５．８９％。他住在北京。")
    assert holds(text, filter_aliases(["财政总收入"]))
    assert holds(text, filter_aliases(["25.89%"]))  # full width is as half width
    assert not holds(text, filter_aliases(["财政收入"]))
    assert not holds(text, filter_aliases(["北京大学"]))
    assert words("铜仁abc市 12") == ["铜", "仁", "abc", "市", "12"]
    assert words("ｶﾞ") == words("ガ") == ["ガ"] != words("カ")


def test_terms_are_characters_and_their_pairs_and_of_other_scripts_words() -> None:
    assert terms("北京市 ok 人") == ["北", "京", "市", "ok", "人", "北京", "京市"]
    assert terms("Hello, Wörld") == ["hello", "world"]
    assert (length("one two"), length("中文"), length("用 Python 写")) == (2, 2, 3)


@given(NASTY, st.lists(HAN, min_size=2, max_size=6).map("".join), NASTY)
def test_a_text_holds_every_run_of_its_characters_and_folding_again_changes_nothing(
    before: str, alias: str, after: str
) -> None:
    assert holds(padded(before + alias + after), filter_aliases([alias]))
    assert length(alias) == len(words(alias)) == len(alias)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in before)
    assert padded(wide) == padded(padded(before)) == padded(before)


@given(NASTY)
def test_chinese_sentences_leave_out_nothing_but_white_space(text: str) -> None:
    spans, at = list(splitter("cjk")(text)), 0
    for start, end in spans:
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()


MIXED = st.text(alphabet="ab9_ .?!;\n\t\u00a0\u2003éẞſΣσİK漢字々かカ。…”-", max_size=60)
SCANNED = MIXED | st.text(max_size=60) | st.text(alphabet="aB1 .\n;", max_size=60)


def places_of(pattern: str | re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(pattern, text)]


@given(SCANNED)
def test_words_pairs_and_white_space_are_those_of_the_patterns(text: str) -> None:
    scan = WordIndex(text)
    starts, ends = scan.words
    assert [*zip(starts.tolist(), ends.tolist(), strict=True)] == places_of(WORD, text)
    assert scan.pairs.tolist() == [at for at, _ in places_of(f"[{SPACELESS}](?=[{SPACELESS}])", text)]
    starts, ends, behind, feeds = (found.tolist() for found in scan.spaces)
    assert [*zip(starts, ends, strict=True)] == places_of(r"\s+", text)
    assert behind == [text[max(0, at - 1) : at] in tuple(".?!;") for at in starts]
    assert feeds == [text.find("\n", start, end) for start, end in zip(starts, ends, strict=True)]
    assert scan.has_spaceless == bool(re.search(f"[{SPACELESS}]", text))
    assert scan.has_wide_ends == bool(set("。！？；…") & set(text))
    assert "".join(map(chr, codes(text).tolist())) == text


def test_a_letter_is_of_the_same_kind_in_lower_case() -> None:
    """Words in lower case are found where those of the text stand."""
    for code in range(sys.maxunicode + 1):
        if len(lower := chr(code).lower()) == 1 and lower != chr(code):
            assert bool(WORD.fullmatch(chr(code))) == bool(WORD.fullmatch(lower)), hex(code)
            assert not re.search(f"[{SPACELESS}]", chr(code) + lower), hex(code)


SHOWN = st.text(alphabet=st.characters() | st.sampled_from("\x1b\x9b\u202e\ud800\n\t a<"))
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


@given(SHOWN)
def test_the_rest_stays_and_positions_move_along(text):
    shown = visible(text)
    assert not {unicodedata.category(each) for each in shown} & {"Cs"} and not any(map(shown.count, ACTING))
    assert visible(shown) == shown
    places = shown_at(text, range(len(text) + 1))
    assert [visible(each) for each in text] == [shown[a:b] for a, b in pairwise(places)]
    assert places[-1] == len(shown)


def test_by_hand() -> None:
    assert similarity("abcd", "abxd") == 75.0  # one deletion and one insertion among eight characters
    assert similarity("abcd", "abcd") == 100.0
    assert similarity("abcd", "") == similarity("ab", "cd") == 0.0


@given(
    text=st.text("ab c", max_size=9),
    others=st.lists(st.text("ab c", max_size=9)),
    percent=st.sampled_from([50.0, 80.0]),
)
def test_the_search_leaves_none_out(text: str, others: list[str], percent: float) -> None:
    assert similar(text, others, percent) == [each for each in others if similarity(text, each) >= percent]
