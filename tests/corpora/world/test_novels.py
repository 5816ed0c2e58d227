"""The novel writer: fixed bytes, nothing twice, clean English, and figures near those of real novels."""

from __future__ import annotations

import hashlib
import re
import zlib

import pytest

from corpora.world.novels import Novel, write_novel
from corpora.world.prose.grammar import Grammar, rules
from corpora.world.prose.morphology import fix_articles, gerund, past, plural
from corpora.world.prose.teller import grammar
from haymaker.errors import CorpusError

GOLDEN = "f09c3c76340ed19bd4e1de67260b05f0fbc49b4738a933c9e12214e4adacb1c1"
BABI = (
    "Mary Sandra John Daniel Bill Fred Jeff Julie Gertrude Winona Jessica Emily Lily Bernhard Greg Julius Brian Sumit Yann Antoine Jason"
).split()
WORDS = 60_000


def sentences(text: str) -> list[str]:
    """Sentences without headings, white space made even, split also behind quoted questions."""
    blocks = [" ".join(b.split()) for b in text.split("\n\n")]
    prose = [b for b in blocks if b.endswith((".", "?", '"'))]
    return [s.strip("\"' ") for b in prose for s in re.split(r"(?<=[.?!])[\"']?\s+", b)]


@pytest.fixture(scope="module")
def three() -> list[Novel]:
    """Three books of one collection."""
    return [write_novel(5, index, words=WORDS) for index in range(3)]


@pytest.fixture(scope="module")
def whole(three: list[Novel]) -> str:
    """Their text on one line."""
    return " ".join(" ".join(n.text.split()) for n in three)


def test_same_arguments_give_the_same_bytes() -> None:
    novel = write_novel(1, 0, words=3000)
    assert novel == write_novel(1, 0, words=3000)
    assert hashlib.sha256(novel.text.encode()).hexdigest() == GOLDEN, "bytes changed: raise NOVELS_VERSION"


def test_seed_and_index_change_the_book() -> None:
    base = write_novel(1, 0, words=600)
    for other in (write_novel(2, 0, words=600), write_novel(1, 1, words=600)):
        assert other.title != base.title
        assert set(sentences(other.text)).isdisjoint(sentences(base.text))


def test_no_sentence_twice_in_three_books(three: list[Novel]) -> None:
    found = [s for novel in three for s in sentences(novel.text)]
    assert len(found) > 5000
    assert len(found) == len(set(found))


@pytest.mark.parametrize("words", [500, 1000, 3000, 20_000])
def test_word_budget_holds_within_three_per_cent(words: int) -> None:
    for index in range(4):
        assert abs(len(write_novel(9, index, words=words).text.split()) - words) <= 0.03 * words


def test_no_name_and_no_sentence_shape_of_babi(whole: str, three: list[Novel]) -> None:
    assert not re.search(rf"\b({'|'.join(BABI)})\b", whole)
    fact = re.compile(r"\w+ (?:\w+ ){0,2}(?:back )?(?:to|in|into) the \w+[.?]?")
    assert not [s for novel in three for s in sentences(novel.text) if fact.fullmatch(s)]


def test_text_is_clean(whole: str, three: list[Novel]) -> None:
    assert whole.isascii()
    assert not re.search(r"[{}<>|*_/]", whole), "an unfilled slot"
    assert not re.search(r" [,.;:?!]|,[,.;:?!]|\.\.", whole)
    assert not any("  " in novel.text for novel in three)
    assert not re.search(r"\b[Aa] (?:apple|old|idle|honest|hour|eager|umbrella|anxious|errand-boy|innkeeper)\b", whole)
    assert not re.search(r"\b[Aa]n (?:[bcdfgjklmnpqrstvwxz]|one\b|use|unique)", whole)
    assert not re.search(
        r"\b(?:admited|unwraped|goed|taked|findded)\b|\bto himself himself\b|\bI (?:has|was were|is)\b|\byou was\b",
        whole,
    )


def test_quotes_are_balanced_in_every_paragraph(three: list[Novel]) -> None:
    for novel in three:
        assert not [b for b in novel.text.split("\n\n") if b.count('"') % 2]


def test_layout_is_that_of_a_plain_text_book(three: list[Novel]) -> None:
    for novel in three:
        lines = novel.text.split("\n")
        assert lines[0] == " ".join(novel.title.upper().split())[:76]
        assert lines[2] == f"By {novel.author}"
        assert lines[4] == str(novel.year)
        assert 1790 <= novel.year <= 1918
        assert max(map(len, lines)) <= 76
        headings = [line for line in lines if line.startswith("CHAPTER ")]
        assert headings[:4] == ["CHAPTER I", "CHAPTER II", "CHAPTER III", "CHAPTER IV"]
        assert len(headings) == len(set(headings))


def test_sentence_lengths_are_those_of_novels(three: list[Novel]) -> None:
    sizes = sorted(len(s.split()) for novel in three for s in sentences(novel.text))
    assert 18 <= sum(sizes) / len(sizes) <= 25
    assert 13 <= sizes[len(sizes) // 2] <= 21
    assert sizes[len(sizes) // 10] <= 10
    assert sizes[-1] >= 60


def test_text_is_about_as_dense_as_a_real_novel(whole: str) -> None:
    part = whole[:500_000].encode()
    assert len(part) / len(zlib.compress(part, 6)) < 3.1
    assert len(set(re.findall(r"[a-z']+", whole.lower())[:100_000])) > 5000


def test_titles_are_unique() -> None:
    titles = {write_novel(3, index, words=500).title for index in range(200)}
    assert len(titles) == 200


@pytest.mark.parametrize(("index", "words"), [(-1, 1000), (0, 499)])
def test_arguments_out_of_range_are_refused(index: int, words: int) -> None:
    with pytest.raises(ValueError, match="a novel needs"):
        write_novel(1, index, words=words)


def test_every_rule_compiles_and_an_unknown_slot_is_an_error() -> None:
    for name, alternatives in rules().items():
        form = "ed" if name.startswith("vp.") else ""
        assert alternatives, name
        grammar().phrase(name, form)
    with pytest.raises(CorpusError, match="no slot 'nothing'"):
        Grammar({}, {}).phrase("nothing")


def test_word_forms() -> None:
    assert [past("stop"), past("carry"), past("go"), past("quarrel")] == ["stopped", "carried", "went", "quarrelled"]
    assert [gerund("lie"), gerund("see"), gerund("come"), gerund("be")] == ["lying", "seeing", "coming", "being"]
    assert [plural("fly"), plural("calf"), plural("right of way")] == ["flies", "calves", "rights of way"]
    assert fix_articles("a old man, a use, a hour, A ewe") == "an old man, a use, an hour, A ewe"
