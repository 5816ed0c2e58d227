"""Sense of the novels: what a reader finds who remembers the sentence before. Hours, places, memories, meetings and partings fit."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import pairwise

import pytest

from haymaker.rng import Stream
from worlds.prose.cards import Entropy, deal, deal_fit, fitting
from worlds.prose.cast import make_world
from worlds.prose.page import Page
from worlds.prose.recall import View, ago, clause
from worlds.prose.scenes import Book
from worlds.prose.story import Event, schemas
from worlds.prose.teller import TIMES, Teller

HOURS = {
    "morning": "six seven eight nine ten eleven",
    "afternoon": "one two three four",
    "evening": "five six seven eight",
    "night": "ten eleven one two",
}
PARTING = (
    r"\b[Tt]hey (?:parted|separated|took leave)\b|went with (?:him|her) to the door|watched (?:him|her) out of sight"
)
LATER = r"said at home|From that (?:morning|afternoon|evening|night)\b|slept that night|never again went anywhere|By \w+day it was|Within the hour"


def teller(seed: int) -> Teller:
    stream = Stream(seed, "sense")
    return Teller(stream, make_world(stream))


@cache
def scenes() -> dict[str, list[str]]:
    """Kind of event -> how its scenes are told, in six hundred events of one book."""
    t, found = teller(1), defaultdict(list)
    book = Book(t, Page(t))
    for number in range(600):
        told = "\n".join(book.event(number / 600))
        found[list(t.story.past)[-1].schema.name].append(told)
    return found


def test_an_hour_by_the_clock_is_one_of_its_time_of_day() -> None:
    """At three in the night the stable clock struck two in the afternoon, and the day's work was over at eleven."""
    t, seen = teller(2), 0
    page = Page(t)
    for day in range(300):
        t.day = day
        t.set_scene("indoors", t.a)
        sentence = page.sentence("s.time")
        for hour in re.findall(r"(?:struck|minutes to|before|By) (\w+)(?= |[,.])", sentence):
            if hour in " ".join(HOURS.values()).split():
                seen += 1
                assert hour in HOURS[t.tod].split(), (t.tod, sentence)
    assert seen > 30


@pytest.mark.parametrize(("place", "times"), [("outdoors", TIMES[:3]), ("town", TIMES[:3]), ("feast", TIMES[2:])])
def test_nobody_feasts_at_sunrise_or_sells_at_night(place: str, times: tuple[str, ...]) -> None:
    t, found = teller(3), set()
    for _ in range(60):
        t.set_scene(place, t.a)
        found.add(t.tod)
    assert found == set(times)


def remembered(t: Teller, when: str, told: str) -> list[Event]:
    """Past events that the words fit."""
    views = (View(), View(focus=t.a))
    return [e for e in t.story.past if ago(e, t.day, False) == when and told in {clause(e, "had", v) for v in views}]


def test_a_memory_is_of_one_event_from_beginning_to_end() -> None:
    """It was ten weeks before that ...: the time of one event and the deed of another."""
    t, seen = teller(4), 0
    book, page = Book(t, Page(t)), Page(t)
    for number in range(60):
        list(book.event(number / 60))
    t.day += 1
    for number in range(900):
        t.a, t.b, t.said = t.world.people[number % 20], t.world.people[(number + 7) % 20], None
        if found := re.match(r"It was (.+?) that (.+); it (?:seemed|felt) ", page.sentence("m.mem")):
            seen += 1
            assert remembered(t, *found.groups()), found[0]
    assert seen >= 10


def test_what_comes_of_an_event_is_told_when_all_have_parted() -> None:
    """He said at home that there was no harm in him, and then they separated without shaking hands."""
    both = [text for told in scenes().values() for text in told if re.search(PARTING, text) and re.search(LATER, text)]
    assert len(both) >= 5
    for text in both:
        last = max(match.start() for match in re.finditer(PARTING, text))
        assert last < min(match.start() for match in re.finditer(LATER, text)), text


def test_nobody_takes_leave_of_the_sick_or_of_one_who_has_gone() -> None:
    """He with the broken leg plucked wool from a thorn, and who had sat by the bed took leave under the poplar."""
    lying = {"fall", "sicken", "rescue", "leave", "return"} | {
        s.name for s in schemas() if s.where in {"sick", "letter"}
    }
    told = [text for name in lying for text in scenes().get(name, ())]
    assert len(told) > 20
    assert [text for text in told if re.search(PARTING, text)] == []


def test_nobody_is_greeted_before_he_is_found_in_the_river_or_in_the_ruts() -> None:
    told = [text for name in ("rescue", "fall") for text in scenes().get(name, ())]
    assert len(told) > 5
    assert [
        text
        for text in told
        if re.search(r"You do not make it easy|Which way are you going|Were you looking for me", text)
    ] == []


def test_streets_have_no_ricks_and_no_brambles() -> None:
    town = [text for s in schemas() if s.where == "town" for text in scenes().get(s.name, ())]
    assert len(town) > 20
    assert [text for text in town if re.search(r"\b(?:brambles|hayrick|blackcock|molehill|water-mint)\b", text)] == []


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
    """A turn of each exchange beside the one that answers it, of a thousand exchanges of a rule."""
    t, found = teller(6), []
    book = Book(t, Page(t))
    for number in range(1000):
        if number % 100 == 0:
            list(book.event(number / 1000))
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


TWO_NAMES = (  # a rule, and two names of one list in a sentence of it
    ("d.history", r"Between (\w+) and (\w+) there was"),
    ("d.journey", r"(?:went|came) by (\w+), where .* and by (\w+), where"),
    ("s.crowd", r"was that (\w+) had .*, and that (\w+), who"),
)


@pytest.mark.parametrize(("rule", "names"), TWO_NAMES)
def test_where_a_sentence_means_two_it_names_two(rule: str, names: str) -> None:
    """Between Elmwin and Elmwin there was a feud."""
    t, found = teller(7), list[tuple[str, str]]()
    t.set_scene("town", t.a)
    t.words = {"oldman": ""}
    for _ in range(600):
        found.extend(re.findall(names, t.say(rule)))
    assert len(found) > 20
    assert [(one, other) for one, other in found if one == other] == []


def test_nobody_makes_the_acquaintance_of_his_own_house() -> None:
    """We are neighbours, and I do not know you; between Holbridge Croft and Holbridge Croft a path."""
    t, homes = teller(8), list[tuple[str, str]]()
    for day in range(1500):
        schema, who, cause = t.story.next(day / 1500)
        t.story.happen(Event(schema, {r: who[r] for r in schema.roles}, {}, day, "", set(), cause))
        if schema.name in {"call", "flood"}:
            homes.append((who["A"].home, who["B"].home))
    assert len(homes) > 30
    assert [(one, other) for one, other in homes if one == other] == []


class _Cards(Entropy):
    """Random bits and a mask of tags."""

    def __init__(self, tags: int = 0) -> None:
        self.bits, self.decks, self._tags = 0, {}, tags
        self.word = Stream(5, "cards").word  # type: ignore[method-assign, unused-ignore]

    def tags(self) -> int:
        return self._tags


def test_no_pattern_comes_again_before_half_of_the_others() -> None:
    """Of one workshop: twenty orders were to be finished by Lammas, and five sentences on fourteen by Christmas."""
    cards = _Cards()
    dealt = [deal(cards, 1, 9) for _ in range(900)]
    assert set(dealt) == set(range(9))
    assert all(len(set(dealt[i : i + 5])) == 5 for i in range(895))
    fit = _Cards(tags=1)
    guards = [((1,), 0)] * 5 + [((), 1)] * 8
    drawn = [deal_fit(fit, 2, fitting(guards)) for _ in range(300)]
    assert set(drawn) == set(range(5))
    assert not any(a == b for a, b in pairwise(drawn))
