"""Chunks of whole sentences by words, and the best of them for a query."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.packing import Chunk, best, chunks, count_words, joined, lexical, survives

NASTY = st.text(alphabet=st.sampled_from("ab1_ .?!;。？！；，\n\r\t\f\ufeff１Ａ字词句🙂e\u0301"), max_size=200)


@given(NASTY, st.integers(1, 12))
def test_chunks_are_the_whole_text_in_order_and_only_one_long_sentence_is_longer(text: str, size: int) -> None:
    found = chunks(text, size)
    assert joined(text, found)[0] == text
    assert all(a.end == b.start for a, b in pairwise(found))
    for chunk in found:
        part = text[chunk.start : chunk.end]
        sentences = [part[c.start : c.end] for c in chunks(part, 0)]
        assert count_words(part) <= size or sum(count_words(s) > 0 for s in sentences) == 1


def test_long_sentences_stay_whole_and_marks_that_close_one_stay_with_it() -> None:
    text = "One two three four. Five!六七八。九？Ten"
    assert [text[c.start : c.end] for c in chunks(text, 3)] == ["One two three four.", " Five!", "六七八。", "九？Ten"]
    text = '他说：“来。”王走（不快！）了。《走吧！》好看。He said "Go." She went (by bus.), and (on foot.) Done'
    assert [text[each.start : each.end] for each in chunks(text, 1)] == [
        "他说：“来。”", "王走（不快！）", "了。", "《走吧！》好看。", 'He said "Go."', " She went (by bus.), and (on foot.)", " Done",
    ]  # fmt: skip
    assert chunks("He left the U.S.", 3) == [Chunk(0, 16)]


@pytest.mark.parametrize(("text", "words"), [("", 0), ("a_b c-d 3.5", 5), ("中文 and 字１２", 5), ("🙂 。", 0)])
def test_each_chinese_character_is_a_word(text: str, words: int) -> None:
    assert count_words(text) == words


def test_numbers_and_names_of_files_are_not_cut() -> None:
    text = "租金4765.14万元。见main.py。About 1.5 million. Then 3. End."
    assert [text[each.start : each.end] for each in chunks(text, 1)] == [
        "租金4765.14万元。", "见main.py。", "About 1.5 million.", " Then 3.", " End.",
    ]  # fmt: skip


def test_abbreviations_initials_and_numbers_of_a_list_end_no_sentence() -> None:
    text = "Dr. J. R. Ewing of the U.S. Navy came, cf. Figs. 3 and 4. He ran.\n1. Go in.\n 12. Sit (p. 5). In 1945.\nSt.\nEnd"
    assert [text[each.start : each.end] for each in chunks(text, 1)] == [
        "Dr. J. R. Ewing of the U.S. Navy came, cf. Figs. 3 and 4.", " He ran.\n", "1. Go in.\n", " 12. Sit (p. 5).",
        " In 1945.\n", "St.\n", "End",
    ]  # fmt: skip


def test_bm25_ranks_by_words_not_by_characters() -> None:
    texts = ["tan tin nit ant", "the giant tin of Anton", "a cat sat here"]
    assert lexical("cat", texts).argmax() == 2
    assert lexical("cat", texts)[:2].tolist() == [0, 0]


def test_chinese_is_ranked_by_pairs_of_characters() -> None:
    texts = ["人工挖的河很长。", "智能人的工作。", "人工智能很有用。", "天气很好。", "今天下雨。", "没有风。"]
    assert lexical("人工智能", texts).argmax() == 2


def test_the_best_chunks_are_found_and_stand_in_the_order_of_the_text() -> None:
    text = "Rain fell. The cat slept. Snow came. A cat and a cat met. Wind blew. Fog rose."
    found = best(text, "cat", 3, 2)
    assert joined(text, found)[0] == "[...]\nThe cat slept.\n[...]\nA cat and a cat met.\n[...]"
    assert [text[c.start : c.end] for c in found] == [" A cat and a cat met.", " The cat slept."]
    assert best(text, "cat", 3, 99)[:2] == found
    assert best("", "cat", 3, 2) == []


PAGES = "[1] Rain. Or not? One two three. Four five six.\n\n[2] Snow\nSeven eight nine. Ten eleven twelve."
HEADINGS = [Chunk(0, 17), Chunk(49, 57)]  # "[1] Rain. Or not?" and "[2] Snow"


def test_a_heading_stays_with_the_sentence_behind_it() -> None:
    found = chunks(PAGES, 4, HEADINGS)
    assert [PAGES[c.start : c.end].strip() for c in found] == [
        "[1] Rain. Or not? One two three.", "Four five six.", "[2] Snow\nSeven eight nine.", "Ten eleven twelve.",
    ]  # fmt: skip
    assert [PAGES[c.start : c.end].strip() for c in chunks(PAGES, 4)][:2] == ["[1] Rain. Or not?", "One two three."]


def test_a_chunk_stands_under_the_heading_of_its_own_document_and_gaps_are_marked() -> None:
    one, two, three, four = chunks(PAGES, 4, HEADINGS)
    left, places = joined(PAGES, [four, two], HEADINGS)
    assert left == "[1] Rain. Or not?\n[...]\nFour five six.\n\n[2] Snow\n[...]\nTen eleven twelve."
    assert [left[each.start : each.end] for each in places] == ["Four five six.", "Ten eleven twelve."]
    left, places = joined(PAGES, [three, one], HEADINGS)
    assert left == "[1] Rain. Or not? One two three.\n[...]\n[2] Snow\nSeven eight nine.\n[...]"
    assert joined(PAGES, [one, two, three, four], HEADINGS)[0] == PAGES


def test_evidence_survives_only_where_all_of_it_is_kept() -> None:
    kept = [Chunk(20, 30), Chunk(0, 10), Chunk(10, 15)]
    assert survives(kept, 2, 15)
    assert survives(kept, 20, 30)
    assert not survives(kept, 12, 22)
    assert not survives(kept, 16, 18)
