"""Cut an article into passages of about 100 words (docs/spec/helmet.md 4).

An article is flattened first: its title, then its paragraphs, one line each; a heading ends in a full stop, a list item
begins with "- ". A passage is a span of that text, so it may contain line breaks, and the first one begins with the
title.

    blocks      `words` tokens, regardless of sentences, and up to five more that follow without a space (a full stop,
                the rest of a number), never ending in the mark of a list item; the last block may be shorter. As in the
                passages of DPR, cut at spaces.
    whole       one passage per article, without the title line.
    sentences   whole sentences of up to `words` tokens, never across a heading; a short rest joins the passage before.
                As in KILT's chunks, but split by corpora/stores/sentences/split.py instead of spaCy.

A token is a word or one punctuation mark. A rest of fewer than `min_words` tokens is dropped and counted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from corpora.stores.sentences.split import splitter
from haymaker.core.params import Section, omit_if_default
from haymaker.core.rows.source_records import Article, Paragraph, Passage
from haymaker.core.text.fix_text import fix_text
from haymaker.core.text.normalize import clean

CUTTING_VERSION = 8
_TOKEN = re.compile(r"[\w\u0300-\u036f]+|[^\w\s]")  # accents written apart belong to their word

_HANGING = 6  # tokens that may hang on the last one of a passage
_ITEM = "\n- "  # before a list item

Span = tuple[int, int]


class CutParams(Section):
    """Rules for cutting articles (params key `passages.<name>.cut`).

    Attributes:
        rule: how to cut an article: into blocks of words, into groups of sentences, or not (whole).
        words: maximum number of words per passage.
        min_words: minimum number of words of the last passage of an article.
        fix_encoding: remove and count control characters and overrides of writing direction.
        normalize: remove marks of dumps, tokenizers and web pages, also from ready-made passages. Turn it off for texts that are not
            prose.
    """

    rule: Literal["blocks", "sentences", "whole"] = "blocks"
    words: Annotated[int, Field(ge=10, le=10_000)] = 100
    min_words: Annotated[int, Field(ge=1)] = 10
    fix_encoding: bool = omit_if_default(True)
    normalize: bool = omit_if_default(True)

    @model_validator(mode="after")
    def _only_what_is_cut_has_a_size(self) -> Self:
        if self.rule == "whole" and (given := {"words", "min_words"} & self.model_fields_set):
            raise ValueError(f"rule whole does not cut passages: remove {' and '.join(sorted(given))}")
        return self


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph in the flat text.

    Attributes:
        start, end: its characters, without the newline.
        number: of the paragraph in the article.
        section: its heading (or itself), without the full stop; empty before the first.
        part: number of headings so far, itself included.
    """

    start: int
    end: int
    number: int
    section: str
    part: int


def flatten(article: Article) -> tuple[str, list[Line]]:
    """Return the article as one text, and the places of its non-empty paragraphs."""
    texts: list[str] = []
    lines: list[Line] = []
    at, section, part = 0, "", 0
    for number, paragraph in enumerate(article.paragraphs):
        text = _flat(paragraph)
        if not text:
            continue
        if paragraph.kind == "section":
            section, part = text.removesuffix("."), part + 1
        texts.append(text)
        lines.append(Line(at, at + len(text), number, section, part))
        at += len(text) + 1
    return "\n".join(texts), lines


def _flat(paragraph: Paragraph) -> str:
    text = paragraph.text.strip()
    if text and paragraph.kind == "bullet":
        return f"- {text}"
    return f"{text}." if text and paragraph.kind == "section" and not text.endswith(".") else text


def cut(article: Article, rules: CutParams, dropped: Counter[str]) -> list[Passage]:
    """Return the passages of an article, in order; their ids are "<article id>-<number from 0>".

    Args:
        article: with its title as the first paragraph.
        rules: how to cut.
        dropped: counts rests that were too short ("short_rest") and fixed characters ("mended").
    """
    if rules.fix_encoding:
        article = _mended(article, dropped)
    if rules.normalize:
        cleaned = (Paragraph(paragraph.kind, clean(paragraph.text)) for paragraph in article.paragraphs)
        article = replace(article, paragraphs=tuple(cleaned))
    flat, lines = flatten(article)
    find = {"blocks": _blocks, "sentences": _sentences, "whole": _whole}[rules.rule]
    starts = [line.start for line in lines]
    passages: list[Passage] = []
    for start, end in find(flat, lines, rules, dropped):
        first, last = lines[bisect_right(starts, start) - 1], lines[bisect_right(starts, end - 1) - 1]
        passages.append(
            Passage(
                f"{article.article_id}-{len(passages)}", article.article_id, article.title, first.section,
                flat[start:end], start, end, first.number, last.number,
            )
        )  # fmt: skip
    return passages


def _mended(article: Article, dropped: Counter[str]) -> Article:
    cleaned = [fix_text(paragraph.text) for paragraph in article.paragraphs]
    if found := sum(count for _, count in cleaned):
        dropped["mended"] += found
        paragraphs = [Paragraph(old.kind, new) for old, (new, _) in zip(article.paragraphs, cleaned, strict=True)]
        return Article(article.article_id, fix_text(article.title)[0], tuple(paragraphs))
    return article


def _blocks(flat: str, lines: list[Line], rules: CutParams, dropped: Counter[str]) -> Iterator[Span]:
    return _runs(flat, 0, len(flat), rules, dropped)


def _runs(flat: str, start: int, end: int, rules: CutParams, dropped: Counter[str]) -> Iterator[Span]:
    """Runs of `words` tokens between two characters, and what hangs on the last."""
    tokens = [match.span() for match in _TOKEN.finditer(flat, start, end)]
    first = 0
    while first < len(tokens):
        last = _whole_word(tokens, min(first + rules.words, len(tokens)))
        mark, _ = tokens[last - 1]
        last -= last - first > 1 and flat[mark - 1 : mark + 2] == _ITEM
        if last - first >= min(rules.min_words, rules.words):
            yield tokens[first][0], tokens[last - 1][1]
        else:
            dropped["short_rest"] += 1
        first = last


def _whole_word(tokens: list[Span], last: int) -> int:
    """Move the end of a run to the next token with a space before it, so that no number or mark is split off."""
    for end in range(last, min(last + _HANGING, len(tokens))):
        if tokens[end - 1][1] < tokens[end][0]:
            return end
    return len(tokens) if last + _HANGING > len(tokens) else last


def _whole(flat: str, lines: list[Line], rules: CutParams, dropped: Counter[str]) -> Iterator[Span]:
    start = lines[1].start if len(lines) > 1 and lines[0].number == 0 else 0
    if sum(1 for _ in _TOKEN.finditer(flat, start)) >= rules.min_words:
        yield start, len(flat)
    else:
        dropped["short_rest"] += 1


def _sentences(flat: str, lines: list[Line], rules: CutParams, dropped: Counter[str]) -> Iterator[Span]:
    for _, part in groupby(lines, key=lambda line: line.part):
        spans = list(_filled(_pieces(flat, part, rules), rules.words))
        if spans and spans[-1][2] < rules.min_words:
            _, end, _ = spans.pop()
            if not spans:
                dropped["short_rest"] += 1
                continue
            start, _, tokens = spans.pop()
            spans.append((start, end, tokens))
        yield from ((start, end) for start, end, _ in spans)


def _pieces(flat: str, lines: Iterable[Line], rules: CutParams) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and number of tokens of each sentence; a sentence longer than a passage is divided."""
    split = splitter("punkt")
    for line in lines:
        for start, end in split(flat[line.start : line.end]):
            tokens = [match.span() for match in _TOKEN.finditer(flat, line.start + start, line.start + end)]
            for first in range(0, len(tokens), rules.words):
                run = tokens[first : first + rules.words]
                yield run[0][0], run[-1][1], len(run)


def _filled(pieces: Iterable[tuple[int, int, int]], words: int) -> Iterator[tuple[int, int, int]]:
    """Neighbours put together as long as they have at most `words` tokens."""
    held: tuple[int, int, int] | None = None
    for start, end, tokens in pieces:
        if held and held[2] + tokens <= words:
            held = held[0], end, held[2] + tokens
        else:
            if held:
                yield held
            held = start, end, tokens
    if held:
        yield held
