"""Checks that finished rows must pass."""

from __future__ import annotations

from enum import StrEnum


class Check(StrEnum):
    """A check of finished rows; each task declares the checks that it skips."""

    BUDGET = "prompt, reserved and unused tokens add up to the length; recounted with the real tokenizer"
    FILL = "at least 99.5 % of the length is used in every row with background"
    NESTED = "a longer context of the same group holds the shorter one in order"
    VERBATIM = "spans stand verbatim at their offsets, in order"
    ORACLE = "the exact solver reads only the finished prompt and returns the stored answer"
    STRICT = "under the strict metric the stored answer scores 100 and the empty output 0"
    CLEAN = "no distractor, in text or title, holds an accepted answer as whole words"
    UNIQUE = "no row, question or background unit comes twice where it must not"
    APART = "train, dev and test share no question and no document"
