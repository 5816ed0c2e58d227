"""Chinese pieces, however nasty, add up to the count of the whole for every tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpora.tokenizers.test_tokenizer import EVERY as tokenizers
from tests.corpora.tokenizers.test_tokenizer import get

EVERY = [name for name in tokenizers if name != "gpt2"]
CHARACTERS = st.sampled_from(
    "中文没有空格的长句子龘𠀀々〇。！？；…，、：“”（）《》　 \n\r０１２ＡＢ！％ｱﾞがカーé1a.-😀👩\u200d\ufe0f段落한글ㄱ"
)
PIECES = st.lists(st.text(CHARACTERS, max_size=30) | st.text("中", min_size=200, max_size=300), min_size=1, max_size=6)


@pytest.mark.parametrize("name", EVERY)
@settings(derandomize=True)
@given(pieces=PIECES)
def test_pieces_without_spaces_join_exactly(name: str, pieces: list[str]) -> None:
    tokenizer = get(name)
    assert tokenizer.joined([tokenizer.part(piece) for piece in pieces]) == tokenizer.count("".join(pieces))


@pytest.mark.parametrize("name", EVERY)
@settings(derandomize=True)
@given(text=st.text(CHARACTERS, max_size=30), more=st.text(CHARACTERS, max_size=30))
def test_what_a_text_adds_at_the_end_of_another_is_counted(name: str, text: str, more: str) -> None:
    tokenizer = get(name)
    assert tokenizer.behind(text, more) == tokenizer.count_part(text + more) - tokenizer.count_part(text)


@pytest.mark.parametrize("name", EVERY)
@settings(derandomize=True)
@given(pieces=PIECES)
def test_units_of_numbered_paragraphs_add_up(name: str, pieces: list[str]) -> None:
    tokenizer = get(name)
    units = [part for number, piece in enumerate(pieces, 1) for part in (f" {number}:", f" {piece.strip()}段\n\n段落")]
    assert sum(tokenizer.count_units(units)) == tokenizer.count_part("".join(units))
