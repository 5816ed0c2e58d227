"""Chronicles: fixed bytes, exact lengths, clean text, evidence that stands once, options in squares, nothing against time."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter, defaultdict
from dataclasses import asdict, replace
from math import sqrt

import pytest

from generators.marathon.oracles.chronicles import find_dated, year_of
from generators.marathon.oracles.reading import Sentence, read
from haymaker.core.rows.source_records import DocumentQuestion
from tests.extras import LONG
from tests.worlds.chronicle_prompts import asked, prompt, work
from tests.worlds.sentences import texts
from worlds.archive.files import write_document
from worlds.archive.model import SORTS
from worlds.archive.wording import data
from worlds.prose.texts import lexicon

GOLDEN = {
    (1, 0): "97d7db6b2b9515bd22a96cabd6c5678dadf96072ec97054d8909466b5548fd4a",
    (1, 2_000_000): "0fcc3154b6cd7c6e1741d99307723b784acad533a83762dbf62f5c6a2a0f5a55",
}
DOCUMENTS = [(22, index) for index in range(30 if os.environ.get(LONG) else 14)]
NAME = r"[A-Z][a-z]+ [A-Z][a-z]+"
OFFICER = (
    rf"({NAME}), (?:an?|the) [^,.]+, (?:who (?:became|took|came)|became reeve|came as|began as|got the staff|was made)"
)
ODD = r"([a-z])\1\1|kissed|whole district|hear of it, with a length|from then\b|Long Drought|insurers|balloon|The linen are"


def of_sort(sort: str) -> list[DocumentQuestion]:
    return [ask for document in DOCUMENTS for ask in asked(*document) if ask.sort == sort]


@pytest.mark.parametrize(("seed", "index"), GOLDEN)
def test_same_arguments_give_the_same_bytes(seed: int, index: int) -> None:
    """The first document of test and of train."""
    raw = json.dumps(asdict(write_document(seed, "chronicles", index, 8_000))).encode()
    assert hashlib.sha256(raw).hexdigest() == GOLDEN[seed, index], "bytes changed: raise ARCHIVE_VERSION"


def test_parsons_reeves_and_builders_are_men_as_they_were() -> None:
    """Letitia Cartkin became parson in 1532, and Diana Hazelver was a poor horseman."""
    men, held, built = set(lexicon()["name.man"]), list[str](), list[str]()
    for document in DOCUMENTS[:8]:
        held += re.findall(OFFICER, work(*document).text)
        built += re.findall(rf"the builder,? ({NAME})", work(*document).text)
    assert len(held) > 200 and len(built) > 50
    assert {name for name in (*held, *built) if name.split()[0] not in men} == set()


def test_nothing_that_readers_found_odd_comes_back() -> None:
    for document in DOCUMENTS[:8]:
        assert not re.search(ODD, work(*document).text)


@pytest.mark.parametrize("words", [8_000, 15_100])
def test_length_is_what_was_asked_for(words: int) -> None:
    for index in range(2):
        found = write_document(6, "chronicles", index, words)
        assert len(found.text.split()) == pytest.approx(words, rel=0.05)
        assert all(found.text.count(line) == 1 for each in found.inquiries for line in each.evidence)
        assert {each.sort for each in found.inquiries} == set(SORTS)


def test_every_question_says_what_it_is() -> None:
    for document in DOCUMENTS:
        asks = asked(*document)
        assert Counter(ask.sort for ask in asks) == {sort: 12 if sort == "shortdep_qa" else 6 for sort in SORTS}
        for ask in asks:
            assert (ask.kind, ask.verified, ask.origins) == ("choice", "auto", ("simulated",) * 4)
            assert len(set(ask.choices)) == 4
            assert ask.answers[0] in ask.choices
            assert all(choice.strip() == choice for choice in ask.choices)
        assert len({ask.text for ask in asks}) == len(asks)


def test_telling_does_not_follow_time() -> None:
    """Events of an order stand in the text in another order."""
    for document in DOCUMENTS:
        sentences = read(prompt(work(*document).text, asked(*document)[0])).sentences
        for ask in asked(*document):
            if ask.sort == "timeline_reorder":
                reading = replace(read(prompt("", ask)), sentences=sentences)
                found = [find_dated(reading, item) for item in reading.items.values()]
                told = [each.year for each in sentences if each.year and each in found]
                assert len(set(told)) == len(found) >= 4
                assert told != sorted(told)


def even(counts: Counter[int], of: int = 4) -> bool:
    """Within four standard errors of equal shares."""
    n = counts.total()
    return all(abs(counts[at] - n / of) <= 4 * sqrt(n / of * (1 - 1 / of)) for at in range(of))


def test_orders_and_lists_are_squares() -> None:
    """Every option is as far from the others as the right one: by one swap, another, both."""
    for ask in of_sort("timeline_reorder"):
        orders = [choice.split(", ") for choice in ask.choices]
        assert {tuple(sorted(order)) for order in orders} == {tuple("12345"[: len(orders[0])])}
        apart = [sorted(sum(a != b for a, b in zip(one, two, strict=True)) for two in orders) for one in orders]
        assert apart == [[0, 2, 2, 4]] * 4
    for ask in of_sort("multiple_information_retrieval"):
        lists = [set(re.split(r", | and ", choice)) for choice in ask.choices]
        assert {len(members) for members in lists} in ({2}, {3})
        assert [sorted(len(one - two) for two in lists) for one in lists] == [[0, 1, 1, 2]] * 4
    for sort in SORTS:
        assert even(Counter(ask.choices.index(ask.answers[0]) for ask in of_sort(sort))), sort


def test_numbers_are_squares_and_stand_nowhere() -> None:
    """The right one has each rank as often."""
    ranks: Counter[int] = Counter()
    for document in DOCUMENTS:
        text = work(*document).text
        for ask in (ask for ask in asked(*document) if ask.sort == "computation"):
            right, *values = (int(c.split()[0].replace(",", "")) for c in (ask.answers[0], *ask.choices))
            low, one, two, high = sorted(values)
            assert low + high == one + two
            assert not [choice for choice in ask.choices if f" {choice}" in text]
            ranks[[low, one, two, high].index(right)] += 1
    assert even(ranks), ranks


def test_the_right_holder_and_the_right_fact_have_each_rank_in_the_text_as_often() -> None:
    ranks: dict[str, Counter[int]] = defaultdict(Counter)
    for document in DOCUMENTS:
        text = work(*document).text
        for ask in asked(*document):
            if ask.sort == "shortdep_qa" or re.search(r"\b(?:reeve|parson) of\b", ask.text):
                at = text.index(ask.evidence[-1])
                near = {
                    choice: min(
                        (m.start() for m in re.finditer(rf"(?<!\w){re.escape(choice)}(?!\w)", text)),
                        key=lambda a: abs(a - at),
                    )
                    for choice in ask.choices
                }
                ranks[ask.sort][sorted(near.values()).index(near[ask.answers[0]])] += 1
    assert all(map(even, ranks.values())), ranks
    assert len(ranks) == 2


def test_nothing_happens_before_a_thing_is_founded() -> None:
    """Facts read back from thirty texts, with the questions' words for what happened."""
    checked = 0
    things = data("chronicles.yaml")["things"]
    for document in DOCUMENTS:
        reading = read(prompt(work(*document).text, asked(*document)[0]))
        by_block: dict[int, list[Sentence]] = defaultdict(list)
        for sentence in reading.sentences:
            by_block[sentence.paragraph].append(sentence)
        for sentences in by_block.values():
            opening = sentences[0].text
            for noun, entry in ((entry["a_noun"].split(maxsplit=1)[1], entry) for entry in things.values()):
                place = re.search(r"(?<=[a-z] )[A-Z][a-z]{3,}|^[A-Z][a-z]{3,}(?= lies)", opening)
                years = [sentence.year for sentence in sentences if sentence.year]
                if re.search(rf"\b{noun}\b", opening) and place and len(years) > 2 and not sentences[0].year:
                    assert year_of(reading, entry["founded"]["event"].format(place=place[0])) == min(years), opening
                    checked += 1
    assert checked > 20 * len(DOCUMENTS)


def test_verbs_and_conjunctions_fit_what_fills_a_slot() -> None:
    """ "The hop-pickers who had to wade was the reason"; "became reeve after the vestry wanted somebody who could do sums"."""
    words = data("chronicles.yaml")
    blows = [blow for thing in words["things"].values() for blow in thing["blow"]]
    named = [word for blow in blows for group in re.findall(r"<([^<>]*)> was\b", blow) for word in group.split("|")]
    assert named and not [word for word in named if word.endswith("s") and not word.endswith("ss")], "plurals"
    assert [each for each in texts(words) if re.search(r"\{reason\}(?: \w+)? (?:was|being|been)\b", each)] == []
    for office in ("reeve", "parson"):
        later = [each for each in words[office]["next"] if "after {gone}" in each]
        assert not later or [each for each in words[office]["gone"] if " had " not in each] == []


def test_what_ended_is_not_part_of_an_office() -> None:
    """A warden "from the time of the grey coats, which began in 1841", which had been dropped in 1821; a keeper of an abolished toll."""
    for thing in data("chronicles.yaml")["things"].values():
        known = set(re.findall(r"[a-z]{4,}", f"{thing['a_noun']} {thing['title']} {{place}}"))
        ended = set(re.findall(r"[a-z]{4,}", " ".join((*thing["turned"]["told"], thing["turned"]["event"]))))
        kept = set(re.findall(r"[a-z]{4,}", " ".join((*thing["kept"]["told"], thing["title"]))))
        assert ended & kept - known <= {"when", "from", "that", "came"}, thing["title"]


def test_questions_are_one_sentence_with_natural_nouns() -> None:
    words = data("chronicles.yaml")
    asked_for = list(texts([words[key] for key in ("asks", "computation", "retrieval", "reasoning")]))
    assert [each for each in asked_for if each.startswith("{event}")] == []
    nouns = [entry[stage]["noun"] for entry in words["things"].values() for stage in ("founded", "grown")]
    clumsy = r"\b(?:add|install|stretch|fitt|enlarg|erect|endow|inaugurat|heap|abolish|auction|start|licens)ing\b"
    assert len(nouns) == 24 and [each for each in nouns if re.search(clumsy, each)] == []


def test_nothing_is_older_than_it_can_be() -> None:
    """Reading rooms with journals before 1600, and a pipe as the cause of a fire in 1569."""
    earliest = {name: entry.get("earliest", 1600) for name, entry in data("chronicles.yaml")["things"].items()}
    assert earliest["reading"] >= 1680 and earliest["quarry"] >= 1640
    told = Counter[str]()
    for document in DOCUMENTS:
        text = work(*document).text
        first = min(map(int, re.findall(r"\b1[0-9]{3}\b", re.sub(r"1,[0-9]{3}", "", text))))
        assert first >= 1600
        for name, noun in (("reading", "reading room at"), ("quarry", "quarry at")):
            if noun in text:
                told[name] += 1
                years = [
                    int(y)
                    for block in text.split("\n\n")
                    if noun in block
                    for y in re.findall(r"\bin (1[0-9]{3})\b", block)
                ]
                assert min(years, default=1900) >= earliest[name]
    assert len(told) == 2
