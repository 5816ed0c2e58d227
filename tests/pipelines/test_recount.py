"""Counting anew by pieces: a wrong row is found where the rows before it share nearly all of its text, and so is a wrong way to cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.tokenizers.counting import Tokenizer
from corpora.tokenizers.tokenizer import load
from pipelines.checks.token_recount import Recount

TEXT = "".join(f"He came to house {n} and nobody was there. " for n in range(60))


def row_of(prompt: str, tokens: int, row_id: str = "r") -> dict[str, Any]:
    counts = [{"tokenizer": "words", "tokens": len(prompt.split())}, {"tokenizer": "characters", "tokens": len(prompt)}]
    return {"id": row_id, "prompt": prompt, "prompt_tokens": tokens, "token_counts": counts}


def not_whole(recount: Recount) -> list[str]:
    """Ids of rows that are counted by pieces alone."""
    return [each for n in range(200) if not recount.is_whole(each := f"r{n}", 1)]


def test_one_token_more_in_a_text_that_was_verified_is_found() -> None:
    tokenizer = load("tekken")
    recount = Recount([tokenizer], "key")
    ids = not_whole(recount)
    assert 185 < len(ids) < 200 and recount.is_whole(ids[0], 0), "every first row, and one in 32 by chance"
    right = tokenizer.count(TEXT)
    for row_id in ids[:3]:
        assert not list(recount.problems(row_of(TEXT, right, row_id), 1))
    for old, new in (
        ("house 7 ", "house 7 7 "),
        ("house 59 ", "houseboat 59 "),
        ("He came to house 0 ", "He came too house 0 0 "),
    ):
        other = TEXT.replace(old, new)
        count = tokenizer.count(other)
        assert count != right
        assert not list(recount.problems(row_of(other, count, ids[4]), 1))
        found = list(recount.problems(row_of(other, right, ids[5]), 1))
        assert found == [f"{tokenizer.fingerprint} counts {count}, the stored count is {right}"]


def test_a_tokenizer_whose_cuts_are_none_is_found_by_the_rows_that_are_tokenised_whole() -> None:
    """One that merges "." with the space behind it: its pieces do not add up, so a row that the same cuts were written by is wrong."""
    engine = load("tekken")._engine
    merging = replace(engine, plain=lambda text: engine.plain(text) - text.count(". "), digest="0" * 64)
    tokenizer = Tokenizer("merging", merging)
    recount = Recount([tokenizer], "other key")
    ids = not_whole(recount)
    as_pieces = engine.plain(TEXT)  # what adding up pieces gives
    for row_id in ids[:2]:
        list(recount.problems(row_of(TEXT, as_pieces, row_id), 1))
    assert not list(recount.problems(row_of(TEXT, as_pieces, ids[2]), 1)), "pieces alone cannot see it"
    drawn = next(f"r{n}" for n in range(999) if recount.is_whole(f"r{n}", 1))
    for row_id, index in ((ids[3], 0), (drawn, 5)):
        [problem] = recount.problems(row_of(TEXT, as_pieces, row_id), index)
        assert "in the whole prompt" in problem and "in its pieces" in problem
