"""The oracle of chronicles reads finished prompts alone and finds the stored answers of all orders, numbers and lists."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace

from generators.marathon.oracles.chronicles import answer, solve
from generators.marathon.oracles.reading import read
from tests.extras import LONG
from tests.worlds.chronicle_prompts import asked, prompt, right, several, work

EXACT = ("timeline_reorder", "computation", "multiple_information_retrieval")


def test_documents_are_solved() -> None:
    """All of the sorts that can be read exactly; of reasoning what it answers is right."""
    answered: Counter[str] = Counter()
    documents = 30 if os.environ.get(LONG) else 5
    for index in range(documents):
        asks = asked(22, index)
        sentences = read(prompt(work(22, index).text, asks[0])).sentences
        for ask in asks:
            found = answer(replace(read(prompt("", ask)), sentences=sentences))
            assert found == right(ask) or (found is None and ask.sort not in EXACT), ask
            answered[ask.sort] += found is not None
    assert {sort: answered[sort] for sort in EXACT} == dict.fromkeys(EXACT, 6 * documents)
    assert answered["comprehension_and_reasoning"] >= 1.6 * documents
    assert answered["shortdep_qa"] == 0


def test_a_long_document_is_solved() -> None:
    """Words of a question that the text lacks ("the original number of pupils of the school") led to another school."""
    asks = [ask for ask in asked(1, 902, 60_000) if ask.sort in EXACT]
    sentences = read(prompt(work(1, 902, 60_000).text, asks[0])).sentences
    assert len(asks) == 48
    assert [ask for ask in asks if answer(replace(read(prompt("", ask)), sentences=sentences)) != right(ask)] == []


def test_a_giver_is_no_place_with_nearly_his_name() -> None:
    """A giver is renamed after a place of a wrong option ("Sutmer" for "Sutmere"): their stems are equal, their names are not."""
    found = 0
    for index in range(20):
        text = work(1, index).text
        for ask in (ask for ask in asked(1, index) if "gave the money for everything" in ask.text):
            surname = re.findall(r"[A-Z][a-z]+", ask.text)[1]
            for place in set(re.findall(r"at ([A-Z][a-z]+e)\b", " ".join(ask.choices))) - set(ask.answers[0].split()):
                renamed = replace(ask, text=ask.text.replace(surname, place[:-1]))
                assert solve(prompt(text.replace(surname, place[:-1]), renamed)) == right(ask), renamed
                found += 1
    assert found >= 2


def test_a_text_among_others_is_found_by_its_title() -> None:
    works = [work(22, index) for index in range(3)]
    for ask in asked(22, 1)[::3]:
        found = solve(prompt(several(works), ask, works[1].title))
        assert found == right(ask) or (found is None and ask.sort not in EXACT), ask


def test_evidence_alone_is_enough() -> None:
    """A row may show a part of the text around the evidence."""
    for index in range(2):
        text = work(22, index).text
        for ask in asked(22, index):
            if ask.sort in EXACT:
                first = text.rfind("\n\n", 0, text.index(ask.evidence[0])) + 2
                places = [text.index(line) for line in ask.evidence]
                first, last = min(places), max(at + len(line) for at, line in zip(places, ask.evidence, strict=True))
                assert solve(prompt(text[first:last], ask)) == right(ask), ask
