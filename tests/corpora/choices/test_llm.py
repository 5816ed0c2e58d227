"""Segments of documents, requests, and options in replies."""

from __future__ import annotations

from collections import Counter

import pytest

from corpora.choices import llm
from corpora.choices.options import Asked
from corpora.tokenizers.tokenizer import load

ASKED = Asked("a#b", "How long?", "Twenty-nine years")


@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_each_segment_is_used_once_while_there_are_any(parts: int) -> None:
    seen: Counter[int] = Counter()
    for i in range(60):
        found = list(llm.requests(ASKED._replace(question_id=str(i)), [f"<part {k}>" for k in range(parts)], 3))
        used = [int(request.call.split(":")[2]) for request in found]
        assert [request.call.split(":")[1] for request in found] == ["1", "2", "3"]
        assert len(set(used)) == min(3, parts)
        assert all(f"<part {segment - 1}>" in request.prompt for request, segment in zip(found, used, strict=True))
        seen.update(used)
    assert set(seen) == set(range(1, parts + 1)), "all segments are drawn from"


@pytest.mark.parametrize(("sentences", "n"), [(4000, 3), (4000, 5), (4000, 4), (40, 3), (1, 3)])
def test_segments_are_the_document_and_at_least_as_many_as_options(sentences: int, n: int) -> None:
    tokenizer = load("gpt2")
    text = [f"Sentence {i} says that all is well." for i in range(sentences)]
    parts = llm.segments(text, tokenizer, n)
    counts = [tokenizer.count(part) for part in parts]
    assert " ".join(parts) == " ".join(text) and max(counts) <= llm.SEGMENT_TOKENS
    if len(parts) > n:
        assert min(counts[:-1]) > llm.SEGMENT_TOKENS - 20
    else:
        assert len(parts) == n and max(counts) - min(counts) < 20
        assert len({request.prompt for request in llm.requests(ASKED, parts, n)}) == n


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ('{"option": "thirty years."}', "Thirty years"),
        ('Sure!\n```json\n{"option": "Six {or} so"}\n```', "Six {or} so"),
        ('{"answer": "x"} {"option": "Six"}', "Six"),
        ('{"option": 6}', ""),
        ('{"option": "cut off', ""),
        ("thirty years", ""),
        ("{" * 5000, ""),
    ],
)
def test_options_in_replies(reply: str, option: str) -> None:
    assert llm.option_of(reply) == option
