"""Cutting articles: blocks tile the flat text, spans and paragraphs are exact, nothing is lost or doubled."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.passages.cut import CutParams, cut, flatten
from haymaker.core.rows.source_records import Article, Paragraph, ParagraphKind, Passage

ADA = Article(
    "7",
    "Ada Lovelace",
    (
        Paragraph("title", "Ada Lovelace"),
        Paragraph("text", "Ada wrote notes. They were long."),
        Paragraph("section", "Early life."),
        Paragraph("text", "  "),
        Paragraph("section", "School"),
        Paragraph("bullet", "sums, first of all"),
        Paragraph("text", "She liked sums."),
    ),
)


def tokens(text: str) -> list[str]:
    """The rule once more, told another way: NFC or not, accents belong to their word."""
    return re.findall(r"(?:\w|[\u0300-\u036f])+|[^\w\s]", text)


def cut_all(article: Article, **rules: object) -> tuple[list[Passage], Counter[str]]:
    dropped: Counter[str] = Counter()
    return cut(article, CutParams.model_validate(rules), dropped), dropped


def test_the_mark_of_a_list_item_belongs_to_the_item() -> None:
    """A passage ended in "\\n-", and the next began with the item."""
    items = tuple(Paragraph("bullet", "an item of five words") for _ in range(4))
    passages, _ = cut_all(Article("1", "L", (Paragraph("title", "A list of items"), *items)), words=11, min_words=1)
    assert [p.text for p in passages] == [
        "A list of items\n- an item of five words",
        "- an item of five words\n- an item of five",
        "words\n- an item of five words",
    ]


def test_punctuation_counts() -> None:
    text = "Mr. Smith (born 1950), a so-called poet, didn't sing. " * 20  # 19 tokens, 9 words between spaces
    first = cut_all(Article("1", "S", (Paragraph("title", "S"), Paragraph("text", text))))[0][0]
    assert first.text.endswith("sing. Mr. Smith (born"), "what hangs together is not cut"
    assert (len(tokens(first.text)), len(first.text.split())) == (1 + 5 * 19 + 5, 1 + 5 * 9 + 3)


def test_a_short_rest_joins_the_passage_before_it_in_the_same_section() -> None:
    passages, dropped = cut_all(ADA, rule="sentences", words=10, min_words=5)
    assert [p.text for p in passages] == [
        "Ada Lovelace\nAda wrote notes. They were long.",
        "School.\n- sums, first of all\nShe liked sums.",
    ]
    assert dropped == {"short_rest": 1}, "the heading that nothing stands under"


KINDS: list[ParagraphKind] = ["text", "text", "section", "bullet"]
LINES = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(st.sampled_from(["Nu", "zwei,", "e\u0301té.", "三", "…", "a-b", "4.5", "👩‍👩‍👧"]), max_size=40).map(
        " ".join
    ),
)
ARTICLES = st.lists(st.builds(Paragraph, st.sampled_from(KINDS), LINES), max_size=12).map(
    lambda paragraphs: Article("a", "T", (Paragraph("title", "T"), *paragraphs))
)


@given(ARTICLES, st.integers(10, 30), st.integers(1, 40), st.sampled_from(["blocks", "sentences"]))
def test_spans_are_exact_and_nothing_is_doubled(article: Article, words: int, least: int, rule: str) -> None:
    flat, lines = flatten(article)
    passages, _ = cut_all(article, rule=rule, words=words, min_words=least, fix_encoding=False, normalize=False)
    ends = [0, *(p.end for p in passages)]
    assert all(p.start >= end for p, end in zip(passages, ends, strict=False)), "in order, without overlap"
    for p in passages:
        assert p.text == flat[p.start : p.end] == p.text.strip() != ""
        touched = [line.number for line in lines if line.start < p.end and p.start < line.end]
        assert [p.first_paragraph, p.last_paragraph] == [touched[0], touched[-1]]
        before = [line.section for line in lines if line.start <= p.start]
        assert p.section == before[-1]


@given(ARTICLES, st.integers(10, 30))
def test_blocks_tile_the_flat_text(article: Article, words: int) -> None:
    flat, _ = flatten(article)
    passages, dropped = cut_all(article, words=words, min_words=1, fix_encoding=False, normalize=False)
    assert not dropped
    assert [token for p in passages for token in tokens(p.text)] == tokens(flat)
    assert all(words - 1 <= len(tokens(p.text)) <= words + 5 for p in passages[:-1])
    for one, following in pairwise(passages):
        assert flat[one.end].isspace() or not any(map(str.isspace, following.text.split()[:1])), "cut at a space"
    assert all(not flat[a.end : b.start].strip() for a, b in pairwise(passages)), "only white space lies between"


@given(ARTICLES, st.integers(10, 30))
def test_sentences_tile_it_too_and_no_passage_crosses_a_heading(article: Article, words: int) -> None:
    flat, lines = flatten(article)
    passages, dropped = cut_all(
        article, rule="sentences", words=words, min_words=1, fix_encoding=False, normalize=False
    )
    assert not dropped
    assert "".join("".join(p.text.split()) for p in passages) == "".join(flat.split())
    for p in passages:
        assert len(tokens(p.text)) <= words
        assert len({line.part for line in lines if line.start < p.end and p.start < line.end}) == 1
