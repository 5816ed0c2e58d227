"""Where the answer stands: every form of evidence, every reason to drop a question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from corpora.retrieval.mining.answers import NOTHING_TO_FIND, TOO_FEW
from corpora.retrieval.mining.locate import (
    CUT,
    IN_TITLE,
    NOT_IN_CORPUS,
    NOT_STATED,
    WITHOUT_ANSWER,
    Gold,
    Located,
    locate,
    with_shown,
)
from corpora.retrieval.mining.retrieved import NO_SUBJECT, NOT_RETRIEVED, locate_retrieved, to_search
from corpora.stores.passages.store import Passages
from haymaker.core.rows.source_records import Evidence
from tests.corpora.retrieval.mining_material import make_store, passage, question

MILL = [
    passage(0, "The mill was built in 1811 by Ada", "Mill", "m", start=0, end=33, first_paragraph=1, last_paragraph=1),
    passage(1, "Brook. It burnt down twice.", "Mill", "m", start=34, end=61, first_paragraph=1, last_paragraph=2),
    passage(2, "Ada Brook rebuilt it, as Cole Brook says.", "Mill", "m", start=62, end=103, first_paragraph=2, last_paragraph=3),
    passage(3, "Cole Brook is a brewer from the town of Harl.", "Cole Brook", "c", start=0, end=45, first_paragraph=1, last_paragraph=1),
    passage(4, "Nothing stands here.", "Harl", ""),
    passage(5, "Cole Brook is a brewer from the town of Harl.", "Another", ""),
    passage(6, "Harl has a church, built when Ada Brook was young.", "Harl", ""),
    passage(7, "Cole Brook was a brewer of Harl.", "Cole Brook (brewer)", "c2"),
]  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Passages:
    return make_store(tmp_path_factory.mktemp("locate") / "s", MILL)


def found(store: Passages, kind: str, *evidence: Evidence, **more: object) -> tuple[list[int], str]:
    located = locate(question(kind, *evidence, **more), store)
    return [gold.passage for gold in located.gold], located.dropped


ADA = {"answers": ("Ada Brook",)}


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (Evidence(passage_id="p2"), ([2], "")),
        (Evidence(passage_id="p4"), ([], WITHOUT_ANSWER)),
        (Evidence(passage_id="p2", article_id="no such"), ([2], "")),  # the first that is given decides
        (Evidence(article_id="m", paragraph=2), ([2], "")),
        (Evidence(article_id="m", paragraph=1), ([], WITHOUT_ANSWER)),  # both halves of the name are cut off
        (Evidence(article_id="m", paragraph=9), ([], NOT_IN_CORPUS)),
        (Evidence(article_id="m", text="ADA BROOK rebuilt it,"), ([2], "")),
        (Evidence(article_id="m", paragraph=1, text="The mill was built in 1811 by Ada Brook."), ([], CUT)),
        (Evidence(article_id="x", title="Harl"), ([6], "")),  # a corpus without article ids
        (Evidence(article_id="x", title="Nowhere"), ([], NOT_IN_CORPUS)),
        (Evidence(title="Mill", text="ada brook REBUILT it, as Cole Brook says"), ([2], "")),  # the same words
        (Evidence(title="Harl", text="Nothing stands here. Harl has a church, built when Ada Brook was young. More."), ([6], "")),
        (Evidence(title="Harl", text="No such text."), ([], NOT_IN_CORPUS)),
    ],
)  # fmt: skip
def test_one_piece_of_evidence(store: Passages, evidence: Evidence, expected: tuple[list[int], str]) -> None:
    assert found(store, "single", evidence, **ADA) == expected


def test_equal_texts_are_told_apart_by_title_and_no_answer_is_what_any_passage_may_hold(store: Passages) -> None:
    text = "Cole Brook is a brewer from the town of Harl."
    for title, place in (("Cole Brook", 3), ("Another", 5), ("", 3), ("Unknown", 3)):
        assert found(store, "single", Evidence(title=title, text=text), answers=("Harl",)) == ([place], "")
    for answers in (("7",), ("yes", "No"), ("...",), ()):
        assert found(store, "single", Evidence(passage_id="p2"), answers=answers) == ([], NOTHING_TO_FIND)
    assert found(store, "single", Evidence(passage_id="p2"), answers=("7", "Ada Brook")) == ([2], "")


def test_one_of_several_places_is_enough_for_a_plain_question(store: Passages) -> None:
    pieces = [Evidence(passage_id=name) for name in ("p9", "p4", "p6", "p2")]
    located = locate(question("single", *pieces, **ADA), store)
    assert ([gold.passage for gold in located.gold], located.missing) == ([6, 2], 2)


def test_linked_evidence_is_needed_whole_and_the_passage_with_the_answer_decides(store: Passages) -> None:
    first, second = Evidence(passage_id="p2"), Evidence(passage_id="p3")
    assert found(store, "bridge", first, second, answers=("Harl",)) == ([3, 2], "")
    assert found(store, "bridge", first, Evidence(passage_id="p9"), answers=("Harl",)) == ([], NOT_IN_CORPUS)
    assert found(store, "bridge", first, Evidence(passage_id="p4"), answers=("Ostend",)) == ([], WITHOUT_ANSWER)
    assert found(store, "comparison", first, Evidence(passage_id="p4"), answers=("yes",)) == ([2, 4], "")
    pieces = (Evidence(article_id="m"), second)  # without the answer it is the passage nearest to the question
    query = {"answers": ("Harl",), "text": "From which town is the man who says that it was rebuilt?"}
    assert found(store, "bridge", *pieces, **query) == ([3, 2], "")
    assert found(store, "bridge", *pieces, **query | {"text": "When was the mill built in 1811?"}) == ([3, 0], "")


def test_groups_without_gold_are_left_out_and_the_rest_numbered_anew(store: Passages) -> None:
    pieces = [
        Evidence(article_id="m", group=1),
        *(Evidence(passage_id=p, group=g) for p, g in (("p9", 0), ("p3", 2), ("p3", 3))),
    ]
    groups = (("Lost",), ("Ada Brook", "Miss Brook"), ("Cole Brook",), ("Harl",))
    query = question("list", *pieces, answer_groups=groups, readings=("a", "b", "c", "d"))
    located = locate(query, store)
    assert located.gold == (Gold(2, None, (0,)), Gold(3, None, (1, 2)))
    assert located.question.answer_groups == (("Ada Brook", "Miss Brook"), ("Cole Brook",), ("Harl",))
    assert located.question.readings == ("b", "c", "d")
    assert located.missing == 1
    assert " lost " in located.aliases  # no distractor may answer what the gold does not


def test_a_list_of_fewer_than_three_is_none(store: Passages) -> None:
    pieces = [Evidence(passage_id="p3", group=i) for i in range(3)]
    three = (("Cole Brook",), ("Harl",), ("brewer",))
    assert found(store, "list", *pieces, answer_groups=three) == ([3], "")
    assert found(store, "list", *pieces[:2], answer_groups=three) == ([], TOO_FEW)
    assert found(store, "list", *pieces, answer_groups=(*three[:2], ("Ostend",))) == ([], TOO_FEW)


BORN = {"text": "In what city was Ada Brook born?", "subject": "Ada Brook", "relation": "place of birth"}


def test_gold_of_a_relation_is_of_the_subject_and_states_it(tmp_path: Path) -> None:
    said = "Ada Brook (born 3 May 1811 in Ostend) was a miller."
    mayor, miller = passage(0, "Ada Brook was mayor of Ostend.", "Ada Brook"), passage(1, said, "Ada Brook (miller)")
    store = make_store(tmp_path / "s", [mayor, miller, passage(2, said.replace("Ada", "Bea"), "Bea Brook")])
    query = BORN | {"answers": ("Ostend",)}
    for place, expected in ((0, ([], NOT_STATED)), (1, ([1], "")), (2, ([], NOT_STATED))):
        assert found(store, "longtail", Evidence(passage_id=f"p{place}"), **query) == expected
    assert retrieved(store, [0, 2, 1], **query) == ((Gold(1),), "", 0)
    assert retrieved(store, [0, 2], **query) == ((), NOT_RETRIEVED, 0)


def test_a_group_prefers_the_passage_with_its_own_alias_and_evidence_without_one_supports_what_it_holds(
    store: Passages,
) -> None:
    located = locate(
        question("ambiguous", Evidence(passage_id="p2"), answer_groups=(("X Y",), ("Cole Brook",), ("Ada Brook",))),
        store,
    )
    assert located.gold == (Gold(2, None, (0, 1)),)
    assert located.question.answer_groups == (("Cole Brook",), ("Ada Brook",))
    query = {"answer_groups": (("Ada Brook",), ("1811",))}
    for group, place in ((1, 0), (0, 2)):
        assert found(store, "ambiguous", Evidence(article_id="m", group=group), **query) == ([place], "")


def test_judged_passages_keep_grades_best_first_and_need_no_answer(store: Passages) -> None:
    pieces = (
        Evidence(passage_id="p4", grade=0), Evidence(passage_id="p3", grade=1), Evidence(passage_id="p2", grade=3),
        Evidence(passage_id="p9", grade=2), Evidence(passage_id="p3", grade=2), Evidence(article_id="m", text="It burnt down twice", grade=1),
    )  # fmt: skip
    located = locate(question("search", *pieces), store)
    assert located.gold == (Gold(2, 3), Gold(3, 2), Gold(1, 1), Gold(4, 0))
    assert (located.aliases, located.missing, located.dropped) == ((), 1, "")


def test_a_judged_sentence_that_was_cut_is_nowhere(store: Passages) -> None:
    """Half of it does not say what is asked; without its best the query is left out."""
    cut = Evidence(article_id="m", text="The mill was built in 1811 by Ada Brook.", grade=3)
    whole = Evidence(article_id="m", text="It burnt down twice", grade=1)
    assert locate(question("search", cut, whole), store).dropped == CUT
    located = locate(question("search", replace(cut, grade=1), replace(whole, grade=2)), store)
    assert ([each.grade for each in located.gold], located.missing, located.dropped) == ([2], 1, "")


def retrieved(store: Passages, order: list[int], **more: object) -> tuple[tuple[Gold, ...], str, int]:
    evidence: tuple[Evidence, ...] = more.pop("evidence", ())  # type: ignore[assignment]
    query = question(str(more.pop("kind", "single")), *evidence, **more)
    located = locate_retrieved(to_search(query), np.array(order, np.int64), store)
    return located.gold, located.dropped, located.missing


def test_the_best_passage_of_the_article_asked_about_is_gold_where_it_holds_an_alias(store: Passages) -> None:
    assert retrieved(store, [4, 0, 6, 2], **ADA, subject="Harl") == ((Gold(6),), "", 0)
    assert retrieved(store, [4, 0, 6, 2], **ADA, subject="Mill (building)") == ((Gold(2),), "", 0)
    assert retrieved(store, [6, 2], **ADA, evidence=(Evidence(article_id="m"),)) == ((Gold(2),), "", 0)
    assert retrieved(store, [4, 0, 6], **ADA, subject="Mill") == ((), NOT_RETRIEVED, 0)
    assert retrieved(store, [], **ADA, subject="Mill") == ((), NOT_RETRIEVED, 0)
    assert retrieved(store, [2], answers=("no",), subject="Mill") == ((), NOTHING_TO_FIND, 0)


def test_where_nothing_names_an_article_no_passage_is_gold_by_chance(store: Passages) -> None:
    """TriviaQA without its provenance: 15 of 50 passages that held an alias did not say the answer."""
    assert retrieved(store, [4, 0, 6, 2], **ADA) == ((), NO_SUBJECT, 0)
    assert retrieved(store, [2], kind="list", answer_groups=(("Ada Brook",),)) == ((), NO_SUBJECT, 0)


def test_each_group_takes_its_best_passage(store: Passages) -> None:
    groups = (("Ostend",), ("Cole Brook",), ("Ada Brook",), ("1811",))
    named = (Evidence(title="Mill", group=1), Evidence(title="Mill", group=2), Evidence(title="Mill"))
    gold, dropped, missing = retrieved(store, [4, 3, 2, 0], kind="list", answer_groups=groups, evidence=named)
    assert (gold, dropped, missing) == ((Gold(2, None, (0, 1)), Gold(0, None, (2,))), "", 1)
    of_cole = (Evidence(title="Cole Brook", group=1), *named[1:])
    assert retrieved(store, [4, 3, 2, 0], kind="list", answer_groups=groups, evidence=of_cole)[0][0] == Gold(
        3, None, (0,)
    )


def test_of_an_article_that_is_shown_the_passage_with_the_sentence_is_meant(tmp_path: Path) -> None:
    """Not the one that shares most words with the question."""
    told = passage(0, "It was founded by Cole Brook.", "Mill", "m", first_paragraph=1, last_paragraph=2)
    near = passage(1, "Who built it? Who built it?", "Mill", "m", first_paragraph=2, last_paragraph=3)
    store = make_store(tmp_path, [told, near])
    for text, place in (("It was founded by Cole Brook.", 0), ("No such sentence.", 1)):
        asked = question("bridge", shown=(Evidence(article_id="m", paragraph=2, text=text),))
        assert with_shown(Located(asked), store).shown == (place,)


def test_the_name_of_the_golds_article_is_accepted_and_no_distractor_may_hold_it(tmp_path: Path) -> None:
    ada = make_store(tmp_path / "s", [passage(0, "Ada Bea Brook (born 1811) built it.", "Ada Brook", "m")])
    gold, answers = Evidence(passage_id="p0"), ("Ada Bea Brook",)
    located = locate(question("single", gold, answers=answers), ada)
    assert (located.question.answers, " ada brook " in located.aliases) == (("Ada Bea Brook", "Ada Brook"), True)
    told = locate(question("single", gold, answers=answers, text="What is Ada Brook called?"), ada)
    assert told.question.answers == answers
    article = question("longtail", Evidence(title="Ada Brook"), answer_groups=(answers,))
    found = locate_retrieved(to_search(article), np.array([0]), ada)
    assert found.question.answer_groups == (("Ada Bea Brook", "Ada Brook"),)


def test_a_title_that_names_the_answer_in_brackets_gives_the_question_away(store: Passages) -> None:
    """The name of a thing itself may be the answer: only the brackets count."""
    assert found(store, "single", Evidence(article_id="c2"), answers=("brewer",)) == ([7], IN_TITLE)
    assert found(store, "single", Evidence(article_id="c"), answers=("brewer",)) == ([3], "")
    assert found(store, "single", Evidence(article_id="c2"), answers=("Cole Brook",)) == ([7], "")
