"""Checks of finished rows: demands, headings and prompt agree, and no entry has two demands (docs/spec/longgenbench.md 5, 6)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from generators.context import checks as kit
from generators.longgenbench.content import FIFTHS, KINDS, ONCE, PERIODIC, RANGE, fifth_of
from generators.longgenbench.headings import Headings
from generators.spec import Row
from haymaker.core.text.strings import padded

TOKENS_PER_WORD = 1.35  # docs/spec/longgenbench.md 5


def problems(row: Row, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield problems of a row; `counts` are the planned demands of each kind."""
    metadata, checks = json.loads(row["metadata"]), row["output_constraints"]
    headings = Headings(metadata["unit"], metadata["year"], metadata.get("columns", 0))
    yield from _ends(row, metadata, headings)
    if Counter(check["kind"] for check in checks) != Counter({kind: n for kind, n in counts.items() if n}):
        yield "the number of demands of a kind is not the planned number"
    yield from _indices(checks, metadata["entries"])
    for check in checks:
        yield from _form(check, metadata["entries"], headings)
    yield from _phrases(row)
    if row["answers"] != [f"{metadata['unit']} {i}: {check['text']}" for check in checks for i in check["indices"]]:
        yield "the answers do not match the output constraints"


def _ends(row: Row, metadata: Mapping[str, Any], headings: Headings) -> Iterator[str]:
    """Header, cue and output length."""
    header = metadata["header"]
    if header != f"{metadata['separator']} {headings.of(1)}":
        yield "the first header is not the header of entry 1"
    ends = row["prompt"].endswith(f"\n\n{metadata['start']}\n{header}")
    if not ends or row["prompt"][row["answer_prefix_start"] :] != header:
        yield "the prompt does not end with start mark and first header, or the cue is not that header"
    if metadata["entries"] * metadata["max_words"] * TOKENS_PER_WORD > row["max_new_tokens"]:
        yield f"the requested words take more than the {row['max_new_tokens']} tokens of the output budget"


def _indices(checks: list[dict[str, Any]], entries: int) -> Iterator[str]:
    demanded = Counter(index for check in checks for index in check["indices"])
    if twice := [index for index, times in demanded.items() if times > 1]:
        yield f"entry {min(twice)} has two required phrases"
    if 1 in demanded:
        yield "entry 1, which the prompt shows, has a required phrase"
    if out := [index for index in demanded if not 1 <= index <= entries]:
        yield f"entry {max(out)} is not one of {entries}"
    singles = Counter(fifth_of(check["indices"][0], entries) for check in checks if check["kind"] == ONCE)
    sizes = [singles[fifth] for fifth in range(FIFTHS)]
    if max(sizes) - min(sizes) > 1:
        yield f"singles are in the fifths of the document {sizes}"


def _form(check: Mapping[str, Any], entries: int, headings: Headings) -> Iterator[str]:
    """The entries of a demand have the form of its kind."""
    at, kind, text = check["indices"], check["kind"], check["text"]
    steps = {b - a for a, b in pairwise(at)}
    if kind not in KINDS or (kind == ONCE and len(at) != 1):
        yield f"{text!r} is not once, range or periodic, or appears more than once"
    if kind == RANGE and steps != {1}:
        yield f"the entries of {text!r} are not neighbours"
    if kind == RANGE and headings.columns and headings.cell(at[0])[0] != headings.cell(at[-1])[0]:
        yield f"the blocks of {text!r} are not in one row"
    if kind == PERIODIC and (len(steps) != 1 or at[-1] + min(steps) <= entries):
        yield f"the entries of {text!r} are not at equal distances up to the end"
    if kind == PERIODIC and len({fifth_of(index, entries) for index in at}) < FIFTHS:
        yield f"{text!r} is not required in every fifth"


def _phrases(row: Row) -> Iterator[str]:
    """Every phrase is at its span, and nowhere else in the prompt."""
    if kit.texts_at(row, "fact") != [check["text"] for check in row["output_constraints"]]:
        yield "the spans are not the phrases of the output constraints, in order"
    words = padded(row["prompt"])
    for check in row["output_constraints"]:
        if words.count(padded(check["text"])) != 1:
            yield f"{check['text']!r} does not appear in the prompt exactly once"
