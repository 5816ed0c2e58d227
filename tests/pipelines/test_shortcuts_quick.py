"""What shortcuts find by arrays, by cuts and from digits is what the plain rule finds, written out here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import islice, pairwise
from math import log

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpora.tokenizers.counting import Tokenizer
from haymaker.core.text.strings import SPACELESS, WORD, is_spaceless
from haymaker.core.text.word_index import WordIndex
from pipelines.checks.shortcuts import context_reader, lengths, outliers, sentences
from tests.corpora.tokenizers.test_tokenizer import EVERY, get

WORDS = """a Bee bee cow's Σας ΟΔΟΣ İi x-1b 22 9a9- 漢字 はい 12345678901 K ſ "No ß""".split()
JOINS = [
    " ", " ", " ", ". ", "? ", "; ", ".\n", "\n", "  ", " \n\n ", "…", "。", "。”", "! \u2003", ".", "\t", "\xa0",
]  # fmt: skip
PLAIN = st.lists(st.tuples(st.sampled_from(WORDS[:3]), st.sampled_from(JOINS[:10])), max_size=150)
ANY = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(JOINS)), max_size=60)
TEXTS = (PLAIN | ANY).map(lambda drawn: "".join(word + join for word, join in drawn)) | st.text(max_size=80)
SHOWN = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")


def odd_one(text: str) -> str:
    lines = sentences.LINES.split(text)
    words = [WORD.findall(line.lower()) for line in lines]
    counts = Counter(word for found in words for word in found)
    places = [place for place, found in enumerate(words) if len(found) >= 4]
    if len(places) < 3:
        return ", ".join(sorted(counts, key=lambda word: (counts[word], -len(word), word)))

    def commonness(place: int) -> float:
        total = 0.0
        for word in words[place]:  # not `sum`, which adds otherwise from Python 3.12 on
            total += log(counts[word])
        return total / len(words[place])

    return lines[min(places, key=commonness)].strip()


def packed(text: str) -> list[str]:
    cuts = [0, *(cut.end() for cut in sentences.ENDS.finditer(text)), len(text)]
    bounds, words = [0], 0
    for first, last in pairwise(cuts):
        count = len(WORD.findall(text, first, last))
        if words and words + count > context_reader.UNIT_WORDS:
            bounds.append(first)
            words = 0
        words += count
    return [piece for first, last in pairwise([*bounds, len(text)]) if (piece := text[first:last].rstrip())]


def most(words: int, tokens: int, count: Callable[[int], int]) -> int:
    return lengths._most(words, tokens, count)


@given(TEXTS)
@example("ab cd ef gh. cd ab gh ef. gh ef ab cd. ef gh cd ab. Bits of all: ab ef ab ef.")
@example("ab cd ef gh. cd ab gh ef. gh ef ab cd. ef gh cd ab. ")  # of equally odd ones the first
def test_the_odd_one_is_that_of_the_rule(text: str) -> None:
    assert outliers.odd_one(WordIndex(text)) == odd_one(text)


@given(TEXTS, st.integers(1, 4))
def test_a_text_is_packed_by_the_rule(text: str, times: int) -> None:
    text *= times * 10
    units = context_reader.packed(WordIndex(text), 7)
    assert [unit.text for unit in units] == packed(text)
    assert all(text[unit.start - 7 : unit.end - 7] == unit.text for unit in units)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=40)
@given(text=TEXTS, tokens=st.integers(1, 60))
def test_as_many_words_fit_as_when_all_is_counted_each_time(name: str, text: str, tokens: int) -> None:
    tokenizer: Tokenizer = get(name)
    text *= 5
    starts = [word.start() for word in SHOWN.finditer(text)]
    if not is_spaceless(text):
        starts = starts[-tokens:]
    else:
        ahead = text.rsplit(None, tokens)
        starts = [at for at in starts if len(ahead) <= tokens or at >= len(ahead[0])]
    fits = most(len(starts), tokens, lambda words: tokenizer.count(text[starts[-words] :]))
    assert lengths.last_words(WordIndex(text), tokenizer, tokens) == (starts[-fits] if fits else len(text))
    stops = [word.end() for word in islice(SHOWN.finditer(text), tokens)]
    fits = most(len(stops), tokens, lambda words: tokenizer.count(text[: stops[words - 1]]))
    assert lengths.first_end(WordIndex(text), tokenizer, tokens) == (stops[fits - 1] if fits else 0)
    said = lengths.first_words(text, tokenizer, tokens)
    assert tokenizer.count(said) <= tokens
    words, shown = text.split(), len(said.split())
    if not is_spaceless(text):
        assert said.split() == words[:shown]
        assert shown == len(words) or tokenizer.count(" ".join(words[: shown + 1])) > tokens
