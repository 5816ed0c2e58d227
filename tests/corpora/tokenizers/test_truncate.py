"""Cutting the middle out: never too many tokens, as much as fits, and what was lost is said (docs/defects/longbench.md D8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers.truncate import middle_truncate
from tests.corpora.tokenizers.test_tokenizer import EVERY, get

PIECES = st.sampled_from(
    ["The report", " was closed", ".", "\n\n", " ", "  ", "x" * 9, "Паспорт", "学习绿色校园", "🙂", "é", "e\u0301", "12345", "\t{}", "'ll", "</s>", "-----"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize("name", EVERY)
@given(text=TEXTS, max_tokens=st.integers(0, 80))
def test_what_is_left_fits_and_one_character_more_does_not(name: str, text: str, max_tokens: int) -> None:
    tokenizer = get(name)
    left = middle_truncate(text, max_tokens, tokenizer)
    assert left.tokens == tokenizer.count(left.text) <= max_tokens
    assert left.text == text[: left.cut_start] + text[left.cut_end :]
    if tokenizer.count(text) <= max_tokens:
        assert (left.text, left.cut_start, left.cut_end) == (text, len(text), len(text))
        return
    head = text[: left.cut_start]
    assert tokenizer.count(head) <= max_tokens // 2 < tokenizer.count(text[: left.cut_start + 1])
    assert left.cut_start < left.cut_end
    assert tokenizer.count(head + text[left.cut_end - 1 :]) > max_tokens


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("max_tokens", [7, 501])
def test_long_texts_are_cut_to_halves(name: str, max_tokens: int) -> None:
    tokenizer = get(name)
    text = "".join(f"Line {i}: the {i % 7}th of them, “quoted”, naïve, 学习.\n" for i in range(1500))
    left = middle_truncate(text, max_tokens, tokenizer)
    assert tokenizer.count(left.text) <= max_tokens
    assert max_tokens - tokenizer.count(left.text) <= 4  # of the seam, and of a character of several tokens
    assert abs(tokenizer.count(text[: left.cut_start]) - max_tokens // 2) <= 4
    assert text.startswith(left.text[: left.cut_start]) and text.endswith(left.text[left.cut_start :])


def test_every_span_is_said_to_be_kept_or_not() -> None:
    text = "gold one. " + "filler " * 500 + "gold two. " + "filler " * 500 + "gold three."
    spans = [(text.index(word), text.index(word) + len(word)) for word in ("gold one", "gold two", "gold three")]
    left = middle_truncate(text, 100, "gpt2", spans)
    assert left.kept == (True, False, True)
    assert [text[a:b] in left.text for a, b in spans] == [True, False, True]
    assert middle_truncate(text, 10_000, "gpt2", spans).kept == (True, True, True)
    assert middle_truncate(text, 0, "gpt2", spans)[:2] == ("", 0)
    assert middle_truncate(text, 0, "gpt2", spans).kept == (False, False, False)
    half = [(left.cut_start - 1, left.cut_start + 1), (left.cut_end - 1, left.cut_end + 1), (0, len(text))]
    assert middle_truncate(text, 100, "gpt2", half).kept == (False, False, False)
    edges = [(0, left.cut_start), (left.cut_end, len(text))]
    assert middle_truncate(text, 100, "gpt2", edges).kept == (True, True)


@given(text=TEXTS, max_tokens=st.integers(0, 40), a=st.integers(0, 60), b=st.integers(1, 9))
def test_a_kept_span_stands_where_it_should(text: str, max_tokens: int, a: int, b: int) -> None:
    span = (min(a, len(text)), min(a + b, len(text)))
    left = middle_truncate(text, max_tokens, "gpt2", [span])
    gone = set(range(left.cut_start, left.cut_end))
    if span[0] < span[1]:
        assert left.kept == (gone.isdisjoint(range(*span)),)
