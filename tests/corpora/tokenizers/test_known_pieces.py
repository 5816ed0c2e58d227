"""Counts by pieces are those of the whole text: pieces that came before, and Chinese pieces without spaces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.tokenizers import known_pieces
from corpora.tokenizers.counting import Tokenizer
from corpora.tokenizers.known_pieces import KnownPieces
from corpora.tokenizers.tokenizer import load
from tests.corpora.tokenizers.test_tokenizer import EVERY, TEXTS, get

CUTS = [". ", ", ", "; ", ": ", "。", "，", " ", "\n", ".\n ", ".  ", "▁. ", "▁ ", "\t ", "\xa0 ", "\x1c ", " \n"]
SENTENCE = st.lists(st.sampled_from([text for text in TEXTS if len(text) < 60]), min_size=1, max_size=4).map(" ".join)
TEXT = st.tuples(st.sampled_from(CUTS), st.lists(st.tuples(SENTENCE, st.sampled_from(["", *CUTS])), min_size=4))


def joined(drawn: tuple[str, list[tuple[str, str]]]) -> str:
    cut, pieces = drawn
    return "".join(f"{text}{more}{cut}" for text, more in pieces)


def is_known(pieces: KnownPieces, text: str) -> bool:
    """Whether the next count of a text tokenises little of it."""
    before = {cut: set(kept._known) for cut, kept in pieces._kept.items()}
    _, by_pieces = pieces.count(text)
    new = [piece for cut, kept in pieces._kept.items() for piece in set(kept._known) - before[cut]]
    return by_pieces and sum(map(len, new)) < len(text) / 4


@pytest.mark.parametrize("name", EVERY)
@settings(derandomize=True, max_examples=10)
@given(drawn=TEXT, beginning=st.sampled_from([1, 30, 1 << 16]), few=st.sampled_from([0.1, 5]))
def test_counts_are_those_of_the_whole(
    name: str, drawn: tuple[str, list[tuple[str, str]]], beginning: int, few: float
) -> None:
    tokenizer, text = get(name), joined(drawn)
    pieces = KnownPieces([tokenizer])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(known_pieces, "_BEGINNING", beginning)
        patched.setattr(known_pieces, "_FEW", few)
        patched.setattr(known_pieces, "_FEW_LONG", few)
        for each in (text, text, text[: len(text) // 2] + text, text[3:] + "x"):
            assert pieces.count(each)[0] == [tokenizer.count(each)]


def test_what_is_forgotten_is_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_pieces, "_MOST", 24)
    tokenizer = load("tekken")
    pieces, texts = (
        KnownPieces([tokenizer]),
        ["".join(f"He saw number {n} of hall{m} and was glad. " for n in range(15)) for m in range(4)],
    )
    found = [(pieces.count(text), len(pieces._kept[" "]._known), tokenizer.count(text)) for text in texts * 3]
    assert all(counts == [right] and kept <= 24 for (counts, _), kept, right in found)
    assert {by_pieces for (_, by_pieces), _, _ in found} == {True, False}


@pytest.mark.parametrize(
    ("text", "by_pieces"),
    [
        ("abc-def\n" * 500, [False, False, False]),  # no cut
        ("a few words and a\xa0 gap that is wide " * 40, [False, False, False]),  # no cut is safe behind a word
        (" ".join(f"name{n}" for n in range(500)), [False, True, True]),  # words that never came
        ("".join(f"{n}名字 ABC，12。3，" * 4 for n in range(40)), [False, True, True]),
    ],
)
def test_a_text_is_counted_by_pieces_where_they_came_before(text: str, by_pieces: list[bool]) -> None:
    tokenizer: Tokenizer = load("tekken")
    pieces = KnownPieces([tokenizer])
    assert [pieces.count(text) for _ in range(3)] == [([tokenizer.count(text)], known) for known in by_pieces]
    assert is_known(pieces, text) == by_pieces[-1]


@pytest.mark.parametrize("name", EVERY)
@settings(derandomize=True)
@given(words=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9), max_size=40))
def test_words_counted_in_one_call_are_those_of_each(name: str, words: list[str]) -> None:
    tokenizer = get(name)
    texts = [f" {word}" for word in words if tokenizer.cuts_between(word, " ")]
    assert tokenizer.count_behind_cuts(texts) == [tokenizer.count_inside(text) for text in texts]


CHINESE = [name for name in EVERY if name != "gpt2"]
CHARACTERS = st.sampled_from(
    "中文没有空格的长句子龘𠀀々〇。！？；…，、：“”（）《》　 \n\r０１２ＡＢ！％ｱﾞがカーé1a.-😀👩\u200d\ufe0f段落한글ㄱ"
)
CHINESE_PIECES = st.lists(
    st.text(CHARACTERS, max_size=30) | st.text("中", min_size=200, max_size=300), min_size=1, max_size=6
)


@pytest.mark.parametrize("name", CHINESE)
@settings(derandomize=True)
@given(pieces=CHINESE_PIECES)
def test_pieces_without_spaces_join_exactly(name: str, pieces: list[str]) -> None:
    tokenizer = get(name)
    assert tokenizer.joined([tokenizer.part(piece) for piece in pieces]) == tokenizer.count("".join(pieces))


@pytest.mark.parametrize("name", CHINESE)
@settings(derandomize=True)
@given(text=st.text(CHARACTERS, max_size=30), more=st.text(CHARACTERS, max_size=30))
def test_what_a_text_adds_at_the_end_of_another_is_counted(name: str, text: str, more: str) -> None:
    tokenizer = get(name)
    assert tokenizer.behind(text, more) == tokenizer.count_part(text + more) - tokenizer.count_part(text)


@pytest.mark.parametrize("name", CHINESE)
@settings(derandomize=True)
@given(pieces=CHINESE_PIECES)
def test_units_of_numbered_paragraphs_add_up(name: str, pieces: list[str]) -> None:
    tokenizer = get(name)
    units = [part for number, piece in enumerate(pieces, 1) for part in (f" {number}:", f" {piece.strip()}段\n\n段落")]
    assert sum(tokenizer.count_units(units)) == tokenizer.count_part("".join(units))
