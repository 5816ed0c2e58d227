"""Sense of the novels: what a reader finds who remembers the sentence before. Hours, places, memories, meetings and partings fit."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import pairwise

import pytest

from haymaker.core.rng import Stream
from worlds.prose.cards import Entropy, deal, deal_fit, fitting
from worlds.prose.cast import make_world
from worlds.prose.page import Page
from worlds.prose.recall import View, ago, clause
from worlds.prose.scenes import Book
from worlds.prose.story import Event, schemas
from worlds.prose.teller import TIMES, Teller
from worlds.prose.texts import mask

HOURS = {
    "morning": "six seven eight nine ten eleven", "afternoon": "one two three four", "evening": "five six seven eight",
    "night": "ten eleven one two",
}  # fmt: skip
PARTING = (
    r"\b[Tt]hey (?:parted|separated|took leave)\b|went with (?:him|her) to the door|watched (?:him|her) out of sight"
)
LATER = r"said at home|From that (?:morning|afternoon|evening|night)\b|slept that night|never again went anywhere|By \w+day it was|Within the hour"


def teller(seed: int) -> Teller:
    stream = Stream(seed, "sense")
    return Teller(stream, make_world(stream))


@cache
def scenes() -> dict[str, list[str]]:
    """Kind of event -> how its scenes are told, in three hundred events of one book."""
    t, found = teller(1), defaultdict(list)
    book = Book(t, Page(t))
    for number in range(300):
        told = "\n".join(book.event(number / 300))
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


def test_no_scene_tells_what_its_event_rules_out() -> None:
    """He with the broken leg plucked wool from a thorn, and who had sat by the bed took leave under the poplar."""
    sick, town = ({s.name for s in schemas() if s.where in where} for where in ({"sick", "letter"}, {"town"}))
    for events, never in (
        ({"fall", "sicken", "rescue", "leave", "return"} | sick, PARTING),
        ({"rescue", "fall"}, r"You do not make it easy|Which way are you going|Were you looking for me"),
        (town, r"\b(?:brambles|hayrick|blackcock|molehill|water-mint)\b"),
    ):
        told = [text for name in events for text in scenes().get(name, ())]
        assert len(told) > 5
        assert [text for text in told if re.search(never, text)] == []


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
    for day in range(700):
        schema, who, cause = t.story.next(day / 700)
        t.story.happen(Event(schema, {r: who[r] for r in schema.roles}, {}, day, "", set(), cause))
        if schema.name in {"call", "flood"}:
            homes.append((who["A"].home, who["B"].home))
    assert len(homes) > 15
    assert [(one, other) for one, other in homes if one == other] == []


@cache
def quiet_scenes() -> list[str]:
    """Four hundred hours of one book in which nothing happens."""
    t = teller(6)
    book = Book(t, Page(t))
    return ["\n".join(book.quiet()) for _ in range(400)]


SERVICE = (
    r"\b[Bb]ell (?:had stopped|was still going)",
    r"for his text|three Sundays|sermon (?:upon|had)|clergyman preached",
    r"After service|When all was over",
)


def test_a_service_goes_from_the_bell_to_the_graves() -> None:
    """The bell had stopped when she slipped into the pew, and was still going when she came into the church, after service."""
    places = [[[m.start() for m in re.finditer(part, text)] for part in SERVICE] for text in quiet_scenes()]
    services = [found for found in places if sum(map(bool, found)) > 1]
    assert len(services) > 10
    for found in services:
        told = [at for part in found for at in part]
        assert max(map(len, found)) == 1
        assert told == sorted(told)


ONCE = (
    r"had (?:got its head through the rails|strayed into the)",
    r"and one of them (?:coughed|followed along the hedge|blew through its nose) as a person",
    r"There were \w+ orders to be",
    r"[Bb]etween [A-Z]\w+ and [A-Z]\w+ there was (?:an old coldness|a feud)",
)


def test_no_pattern_is_told_twice_in_a_scene() -> None:
    """A bull had strayed into the carrots, and dealers pursued it. A pony had strayed into the potatoes, and cricketers pursued it."""
    for pattern in ONCE:
        found = [len(re.findall(pattern, text)) for text in quiet_scenes()]
        assert max(found) == 1 < sum(found), pattern


class _Cards(Entropy):
    """Random bits and a mask of tags."""

    def __init__(self, tags: int = 0) -> None:
        self.bits, self.decks, self.pattern, self._tags = 0, {}, (-1, -1), tags
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


# What a reader finds in a hard frost beside "the pond would bear".
WARM = (
    r"dragonfly|grasshopper|bumble-bee|cockchafer|(?:water|plant|weed)ing (?:radishes|lettuces|cucumbers)|strayed into the|a fish (?:rose|jumped)"
    r"|bees at a row|straightening their backs|then (?:a field or two|a strip) of|sharpening a scythe|reapers|skipping over the water|with \w+(?:-beds)? before and \w+(?:-beds)? behind"
)


def outdoors(season: str, weather: str) -> str:
    """What is seen in eighty afternoons."""
    t = teller(7)
    page, told = Page(t), []
    for number in range(80):
        t.a, t.b, t.said = t.world.people[number % 20], t.world.people[(number + 7) % 20], None
        t.scene, t.tod = mask([season, weather, "afternoon", "outdoors"]), "afternoon"
        page.new_scene()
        told.append(page.paragraph("s.land", "d.fieldwork", "s.land", "s.road", "s.land", "d.fieldwork", "p.stir"))
    return "\n".join(told)


def test_nothing_flies_or_is_watered_in_a_hard_frost() -> None:
    """It had been freezing hard, and the pond would bear; a dragonfly went up and down, and an old man was watering radishes."""
    assert re.findall(WARM, outdoors("winter", "frost") + outdoors("autumn", "frost")) == []
    assert len(re.findall(WARM, outdoors("summer", "fine"))) > 10
