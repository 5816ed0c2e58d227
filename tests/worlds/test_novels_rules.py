"""The rules of the novels as they are written, and speech: what a reader of a few books need not meet to be wrong."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import pytest

from haymaker.core.rng import Stream
from worlds.prose.cast import make_world
from worlds.prose.morphology import gerund
from worlds.prose.page import Page
from worlds.prose.scenes import Book
from worlds.prose.teller import Teller, grammar
from worlds.prose.texts import lexicon, rules

LINES = [(name, text) for name, alternatives in rules().items() for _, text in alternatives]
MANY = "|".join(("b.view", "b.obj", "n.food", "n.goods", "n.game"))  # slots of one thing or of several
DEEDS = ("b.bio", "b.hand", "b.hand.out", "b.pass", "b.mind")  # what a man or a woman does or thinks
# What an answer may not follow: each stood in stories of version 8.
WRONG_ANSWERS = {
    "rescue.talk": r"Then do not\. You may say them again|Then do not; you may say them|how to thank you\. // I heard of them",
    "return.talk": r"has happened\. // Nobody of consequence|married\? // Where am I",
    "repay.talk": r"You have pinched yourself\. // There was, for me",
    "plead.talk": r"Somebody must be the first\. // Let (?:him|her) make it",
    "boundary.talk": r"What are these posts\? // I did",
    "break_off.talk": r"Your ring\? // That I cannot",
}


def teller(seed: int) -> Teller:
    """After forty events, so that there is something to remember."""
    stream = Stream(seed, "rules")
    t = Teller(stream, make_world(stream))
    book = Book(t, Page(t))
    for number in range(40):
        list(book.event(number / 40))
    return t


def wrong(pattern: str) -> list[tuple[str, str]]:
    return [(name, found[0]) for name, text in LINES if (found := re.search(pattern, text))]


def test_a_slot_of_the_subject_stands_for_no_object() -> None:
    """It was a boy that led she to it; from that morning Mrs Calgood answered he civilly."""
    before = "led to of with at upon from behind beside about against past near over by answered named told thanked saw met heard let made"
    assert wrong(rf"\b(?:{before.replace(' ', '|')}) \{{(?:A|[BCX]?he)\}}(?! \w+(?:ed|t)\b)") == []


def test_a_thing_that_may_be_of_a_material_has_none_in_its_name() -> None:
    """One oak settle of maple; a tin glass."""
    materials = {word for field in ("n.wood", "n.vmat") for word in lexicon()[field]}
    things = [*lexicon()["n.furniture"], *lexicon()["n.vessel"]]
    assert [thing for thing in things if materials & set(re.split("[ -]", thing))] == []


def test_a_word_of_two_fields_comes_once_in_a_list() -> None:
    """Nothing grew upon that side but docks, rye-grass, blackthorn and blackthorn."""
    t, fields = teller(3), ("n.tree", "n.tree.hedge", "n.tree", "n.tree.hedge")
    lists = [[grammar().phrase(field)(t) for field in fields] for _ in range(500)]
    assert [words for words in lists if len(set(words)) < len(words)] == []


def test_a_verb_of_one_thing_stands_before_no_slot_of_several() -> None:
    """There was six almshouses in a row; on the sunny side was bees at a row of hives; before Miss Radock was faggots."""
    assert (
        wrong(
            rf"\b(?:was|is|has|lies|hangs|stands)>? (?:<[^>]*\|)?\{{(?:{MANY})\}}|\b[Tt]here was <[^>]*\b(?:two|three|six)\b"
        )
        == []
    )
    several = {name: [text for each, text in LINES if each == name] for name in ("b.view", "b.obj")}
    assert any(re.match(r"(?:six|three|peacocks|terraces)\b", text) for text in several["b.view"])
    assert any(text.startswith("strings of") for text in several["b.obj"])
    assert {"faggots", "mutton"} <= set(lexicon()["n.food"])


def test_a_list_has_as_many_as_it_says() -> None:
    """There were two of them inside: a mason; costermongers; a boy; and Jane."""
    assert wrong(r"\{num\.\w+\} of them[^;.]*:") == []
    assert wrong(r"<six\|seven\|eight> of them inside:")


def test_who_tells_his_own_story_is_alive() -> None:
    """A chandler who had been buried with an organ, and told it."""
    assert wrong(r"\{m:b\.bio/en\},? (?:and told it|or <so he said)|told how he had \{m:") == []
    t = teller(2)
    deeds = {kind: {t.say(f"{kind}:b.bio/ed") for _ in range(600)} for kind in "ml"}
    assert any("was buried with" in deed for deed in deeds["m"])
    assert not any(re.search(r"\b(?:buried with|died) ", deed) for deed in deeds["l"])


def test_light_does_not_do_what_it_is() -> None:
    """Slanting light slanted upon the furniture."""
    assert set(lexicon()["a.light"]).isdisjoint(gerund(verb) for verb in lexicon()["v.shine"])


def test_what_anybody_may_do_is_told_of_women_too() -> None:
    """She had crossed the moor in a blizzard with a midwife behind him."""
    deeds = [(name, text) for name, text in LINES if name in DEEDS]
    assert len(deeds) > 250
    assert [(name, text) for name, text in deeds if re.search(r"(?<![{\w])(?:he|him|his|himself)\b(?!\})", text)] == []


def test_what_one_has_in_mind_goes_on_without_a_comma() -> None:
    """It was not the pear-tree at Shelstone View, as it was when he was nine that troubled him."""
    thoughts = [text for name, text in LINES if name == "b.mind"]
    assert len(thoughts) > 10
    assert [text for text in thoughts if "," in text] == []


@pytest.mark.parametrize("rule", WRONG_ANSWERS)
def test_an_answer_is_to_what_was_said(rule: str) -> None:
    t, said = teller(1), set()
    for number in range(200):
        t.a, t.b = t.world.people[number % 20], t.world.people[(number + 7) % 20]
        a, b = t.a, t.b
        t.cause = t.story.past[number % len(t.story.past)]
        said.add(t.say(rule))
        t.a, t.b = a, b
    assert len(said) > 10
    assert [text for text in said if re.search(WRONG_ANSWERS[rule], text)] == []


ANSWERS = (  # a rule, how its question begins, and how what answers it may begin
    ("call.talk", "And what did it see", "That you"),
    ("mend.talk", "[^?]*Who won at", ".*, by a nose"),
    ("mend.talk", "[^?]*What has become of my", "Nobody has touched it"),
    ("leave.talk", "When", "By the"),
    ("leave.talk", "And who is to look after", ".* will manage"),
    ("settle.talk", "Shall we shake hands", "With all my heart"),
    ("break_off.talk", "Who has been talking to you", "Nobody"),
    ("burn.talk", "Have you read it", "I have; "),
    ("fire.talk", "Where are the horses", "The boy has them"),
    ("walk_out.talk", "May I carry that", "If you like"),
    ("t.news.even", "What was it that|What did", "Only|To tell me"),
    ("boundary.talk", "Who told your men", "I did"),
    ("miss.talk", "Who has been in the house", "There was"),
    ("go_to_law.talk", "So it has come to that", "It is the principle"),
    ("propose.talk", "Is that an answer", "Yes; yes"),
    ("repay.talk", "What is it", "Your |What I owe you"),
    ("meet.talk", "Who told you so", "It was"),
    ("t.small", "Who told you that", "The |[A-Z][a-z]+ [A-Z]"),
    ("t.small", "Whose? was it that|Then whose was it", "Mine"),
    ("t.news.even", "And who says so|Who says it", ".* says so|The |[A-Z]|It does not matter"),
    ("t.part", "Must you go", "I must"),
)


@cache
def speeches(rule: str) -> tuple[tuple[str, str], ...]:
    """A turn of each exchange beside the one that answers it, of exchanges of a rule."""
    stream, found = Stream(6, "talk"), list[tuple[str, str]]()
    t = Teller(stream, make_world(stream))
    book = Book(t, Page(t))
    for number in range(600):
        if number % 60 == 0:
            list(book.event(number / 600))
        t.news = t.news or t.story.past[0]
        t.event = t.cause = t.story.past[-1]
        try:
            found.extend(pairwise(t.say(rule).removeprefix("B: ").split(" // ")))
        except LookupError:
            continue
    return tuple(found)


@pytest.mark.parametrize(("rule", "question", "answer"), ANSWERS)
def test_a_reply_answers_the_question_that_was_put(rule: str, question: str, answer: str) -> None:
    """For how long? By the Wednesday coach. Who won at the cricket-match? Nobody has touched it."""
    replies = [
        (asked, reply)
        for asked, reply in speeches(rule)
        if re.match(f"(?:{question})[^.]*\\?|.*[.] (?:{question})", asked)
    ]
    assert len(replies) > 3, question
    assert [(asked, reply) for asked, reply in replies if not re.match(answer, reply)] == []
