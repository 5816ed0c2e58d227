"""Speech of the novels: what is answered is what was asked."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import pytest

from haymaker.core.rng import Stream
from worlds.prose.cast import make_world
from worlds.prose.page import Page
from worlds.prose.scenes import Book
from worlds.prose.teller import Teller

ANSWERS = (  # a rule, how its question begins, and how what answers it may begin
    ("call.talk", "And what did it see", "That you"),
    ("mend.talk", "[^?]*Who won at", ".*, by a nose"),
    ("mend.talk", "[^?]*What has become of my", "Nobody has touched it"),
    ("leave.talk", "When", "By the"),
    ("leave.talk", "For how long", "Until"),
    ("leave.talk", "And who is to look after", ".* will manage"),
    ("settle.talk", "Shall we shake hands", "With all my heart"),
    ("break_off.talk", "Who has been talking to you", "Nobody"),
    ("break_off.talk", "Then you never cared", "I cared too much"),
    ("burn.talk", "Have you read it", "I have; "),
    ("burn.talk", "And what is it to cost me", "Nothing"),
    ("fire.talk", "Where are the horses", "The boy has them"),
    ("fire.talk", "Is everybody out", "All but"),
    ("settle.talk", "Shall we pull up the fence", "I will bring"),
    ("walk_out.talk", "May I carry that", "If you like"),
    ("t.news.even", "What was it that|What did", "Only|To tell me"),
    ("boundary.talk", "Who told your men", "I did"),
    ("miss.talk", "Who has been in the house", "There was"),
    ("go_to_law.talk", "So it has come to that", "It is the principle"),
    ("propose.talk", "Is that an answer", "Yes; yes"),
    ("repay.talk", "What is it", "Your |What I owe you"),
    ("meet.talk", "Who told you so", "It was"),
    ("t.small", "What did he want", "To sell me"),
    ("t.small", "Who told you that", "The |[A-Z][a-z]+ [A-Z]"),
    ("t.small", "Whose? was it that|Then whose was it", "Mine"),
    ("t.small", "And who is to open it", ".*they say"),
    ("t.news.even", "And who says so|Who says it", ".* says so|The |[A-Z]|It does not matter"),
    ("t.part", "Must you go", "I must"),
    ("t.part", "Is that your last word", "It is"),
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
