"""Texts of scripts that put no spaces between words: their words, aliases, lengths, sentences, and tokens at seams."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.sentences.split import splitter
from haymaker.core.text.strings import filter_aliases, holds, length, padded, terms, words

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
def test_a_text_holds_every_run_of_its_characters(before: str, alias: str, after: str) -> None:
    assert holds(padded(before + alias + after), filter_aliases([alias]))
    assert length(alias) == len(words(alias)) == len(alias)


@given(NASTY)
def test_folding_again_changes_nothing_and_widths_are_one(text: str) -> None:
    assert padded(padded(text)) == padded(text)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert padded(wide) == padded(text)


@given(NASTY)
def test_chinese_sentences_leave_out_nothing_but_white_space(text: str) -> None:
    spans, at = list(splitter("cjk")(text)), 0
    for start, end in spans:
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()
