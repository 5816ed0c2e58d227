"""Segments, requests and what is read from replies."""

from __future__ import annotations

from collections import Counter

import pytest

from corpora.choices import llm
from corpora.tokenizers.tokenizer import load
from haymaker.core.rows.model_requests import Replies
from tests.corpora.choices.asking import asked

ASKED = asked("Twenty-nine years", "How long?", question_id="a#b")


@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_each_segment_is_used_once_while_there_are_any(parts: int) -> None:
    seen: Counter[int] = Counter()
    for i in range(60):
        question = asked("Twenty-nine years", "How long?", question_id=str(i))
        found = list(llm.requests(question, [f"<part {k}>" for k in range(parts)], 3))
        used = [int(request.call.split(":")[2]) for request in found]
        assert [request.call.split(":")[1] for request in found] == ["1", "2", "3"]
        assert len(set(used)) == min(3, parts)
        assert all(f"<part {segment - 1}>" in request.prompt for request, segment in zip(found, used, strict=True))
        seen.update(used)
    assert set(seen) == set(range(1, parts + 1)), "all segments are drawn from"


def test_segments_hold_the_document_and_no_more_than_they_may() -> None:
    tokenizer = load("gpt2")
    sentences = [f"Sentence {i} says that all is well." for i in range(4000)]
    parts = llm.segments(sentences, tokenizer, 3)
    assert " ".join(parts) == " ".join(sentences)
    counts = [tokenizer.count(part) for part in parts]
    assert max(counts) <= llm.SEGMENT_TOKENS and min(counts[:-1]) > llm.SEGMENT_TOKENS - 20


@pytest.mark.parametrize(("sentences", "n"), [(4000, 5), (4000, 4), (40, 3), (1, 3)])
def test_a_short_document_is_cut_into_as_many_segments_as_options_so_that_no_two_requests_are_the_same(
    sentences: int, n: int
) -> None:
    tokenizer = load("gpt2")
    text = [f"Sentence {i} says that all is well." for i in range(sentences)]
    parts = llm.segments(text, tokenizer, n)
    assert " ".join(parts) == " ".join(text) and len(parts) == n
    counts = [tokenizer.count(part) for part in parts]
    assert max(counts) - min(counts) < 20
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


def test_replies_are_used_for_the_very_question_and_answer_they_were_written_for() -> None:
    about = llm.request_id(ASKED)
    texts = {
        (about, "option:1:4"): '{"option": "Six years"}',
        (about, "option:2:1"): "no",
        ("old#00000000", "option:1:1"): "x",
    }
    writer = llm.ReplyWriter(Replies(texts, "somebody"))
    (offer,) = writer.offers(ASKED, 3, ASKED.stream("llm"))
    assert [tuple(candidate) for candidate in offer.candidates] == [("Six years", "llm:4")]
    assert list(writer.offers(asked("Other", "How long?", question_id="old"), 3, ASKED.stream("llm"))) == []
    assert list(writer.offers(asked("Other", "How long?", question_id="new"), 3, ASKED.stream("llm"))) == []
    assert writer.counts == {"used": 1, "malformed": 1, "of_another_text": 1, "no_reply": 1}
