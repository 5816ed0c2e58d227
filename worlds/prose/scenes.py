"""Scenes: the order of paragraphs and speech for an event, or for a quiet hour between events."""

from __future__ import annotations

from collections.abc import Iterator

from .cards import pick
from .cast import Person
from .page import Page
from .story import Event, Schema, Story
from .teller import Teller, grammar
from .texts import mask

# "P" is a paragraph of the rules named, "H" one in which B acts, at home, "T" an exchange of words; a rule that ends in "?" is told every other time, such a step one time in three.
# "%" is the event's own name.
_OPENINGS = {
    "room": ("P s.time s.weather s.light? s.room s.room s.room", "who", "H d.house s.room?"),
    "road": ("P s.time s.weather s.land s.road s.land s.road", "who", "P s.land s.road s.land s.road?"),
    "field": ("P s.time s.weather s.land s.land d.fieldwork s.land", "who", "P s.land d.fieldwork s.sound s.land?"),
    "town": ("P s.time s.weather? s.town s.town s.crowd s.town", "who", "P s.town d.trade s.town s.crowd?"),
    "sick": ("P s.sick s.light? s.sick", "who", "P m.think"),
    "feast": ("P s.time s.feast s.feast s.feast s.feast?", "who", "P s.feast d.table s.feast s.feast?"),
    "letter": ("P s.time s.weather s.room s.room", "who", "P s.post s.post"),
}
_APPROACH = {
    "room": ("P m.cause %.why m.think m.mem?", "P p.arrive s.room? p.look.b p.stir?", "T t.greet?"),
    "road": ("P m.cause %.why m.think?", "P p.met p.look.b? s.road?", "T t.greet?"),
    "field": ("P m.cause %.why s.land? m.mem?", "P p.met s.land", "T t.greet?"),
    "town": ("P m.cause %.why m.think m.mem?", "P p.met s.town?", "T t.greet?"),
    "sick": ("P m.cause %.why s.sick m.mem?", "T t.sick?"),
    "feast": ("P m.cause? %.why p.look.b? d.table?", "T t.small", "P s.feast d.table d.table?"),
    "letter": ("P %.why m.mem",),
}
_MIDDLES = (
    ("P p.stir s.bg p.stir m.think? p.stir?",),
    ("news", "P p.stir m.think s.bg", "T t.past?"),
    ("T t.small", "P s.bg p.stir"),
    ("P m.mem m.think m.mem? p.stir",),
    ("P s.bg p.stir m.feel m.think?",),
    ("T t.past", "P p.stir s.bg?"),
    ("P p.look p.stir m.think? s.bg",),
    ("news", "P m.think p.stir m.mem?"),
)
_CORE = ("T %.talk", "P s.bg? %.do", "do", "P p.face m.feel", "T t.after?")
_TOLD_AFTER = ("P s.bg? %.do", "do", "P p.face", "T %.talk", "P m.feel", "T t.after?")
_DEED_FIRST = frozenset(("rescue", "find", "overhear", "passed_over", "break_promise", "boundary", "vestry"))
_NO_PARTING = frozenset(("fall", "sicken", "fire", "flood", "rescue", "leave", "return"))
_READ = ("P %.do s.light?", "do")
_UNMET = frozenset(("fall", "rescue"))  # the other comes upon it
_STAYING = frozenset(("letter", "sick"))  # events without a leave-taking
_PARTINGS = (
    ("T t.part?", "P p.leave s.way m.think m.think?", "P s.way s.land"),
    ("P p.leave s.way m.think s.way",),
    ("T t.counsel?", "P p.leave m.think s.way"),
    ("P m.think m.think m.mem s.night?",),
    ("P p.leave m.think",),
    (),
)
_AFTER = ("P %.after n.aside? m.reflect? m.hint?",)  # what came of it, days or months later
_QUIET = (
    (
        "P s.time s.weather s.land s.land s.weather?",
        "P d.fieldwork d.fieldwork s.land s.sound?",
        "P m.think m.mem s.way",
    ),
    (
        "P s.time d.house s.room",
        "who",
        "P d.meal p.stir",
        "T t.small?",
        "news",
        "P d.house m.think?",
    ),
    ("P d.history d.history", "P d.history d.history? n.aside"),
    (
        "P s.time s.town s.town d.trade",
        "who",
        "P s.crowd s.crowd s.crowd?",
        "T t.gossip",
        "P s.crowd s.town d.trade?",
        "P s.town s.way",
    ),
    (
        "P s.time s.weather? s.light s.night",
        "P m.mem m.think m.think m.reflect?",
        "P m.mem? m.think m.hint?",
    ),
    (
        "P s.time s.weather s.road s.land",
        "P s.road s.land",
        "who",
        "P s.road m.think",
        "T t.small",
        "P s.land s.way",
    ),
    ("P s.time d.journey s.weather?", "who", "P d.journey d.journey m.think", "T t.small", "P d.journey m.think"),
    ("P n.time n.time n.season", "P d.fieldwork n.time?", "P n.news n.news m.reflect?"),
    (
        "P s.time d.work s.sound?",
        "who",
        "P p.look d.work m.think",
        "T t.small?",
        "P d.work s.bg p.stir",
    ),
    ("P d.bell d.hymn", "P d.sermon d.pew? m.mem", "P d.graves", "T t.gossip", "P m.think s.way"),
)
_PLACES = {"room": "indoors", "sick": "indoors", "letter": "indoors", "feast": "feast", "town": "town"}
_QUIET_PLACES = {"s.town": "town", "d.journey": "town"} | dict.fromkeys(
    ("d.house", "d.work", "s.weather?", "d.hymn"), "indoors"
)
_NEWS = {"sorrow": "bad"}
_FULL = 600  # characters of a paragraph that takes no more
_BOOKISH = {
    "sums": (
        "thirty",
        "forty",
        "fifty",
        "sixty",
        "seventy",
        "eighty",
        "ninety",
        "one hundred",
        "two hundred",
        "three hundred",
    ),
    "ails": (
        "a low fever",
        "an inflammation of the lungs",
        "the scarlet fever",
        "a putrid sore throat",
        "the ague",
        "a congestion",
    ),
}


class Book:
    """The scenes of one book in order.

    Args:
        t: the state of the telling.
        page: where sentences are written.
    """

    def __init__(self, t: Teller, page: Page) -> None:
        self._t, self._page = t, page
        self._story: Story = t.story
        self._met: set[Person] = set()
        self._others: list[Person] = [t.x]
        self._next: tuple[Schema, dict[str, Person], Event | None] | None = None

    def _words(self, cause: Event | None) -> dict[str, str]:
        """Return the subject of a new event; the subject of its cause stays the same."""
        t = self._t
        old = t.one(t.world.old)
        fresh = {
            "sum": f"{t.one(_BOOKISH['sums'])} {t.one(('pounds', 'pounds', 'guineas'))}",
            "land": t.say("e.land"),
            "landname": t.one(t.world.lands),
            "thing": t.say("e.thing"),
            "doc": t.say("e.doc"),
            "animal": t.say("e.animal"),
            "illness": t.one(_BOOKISH["ails"]),
            "gathering": t.say("e.gathering"),
            "hidden": t.say("e.hidden"),
            "oldman": old,
            "oldsown": f"{old}'s",
            "far": t.one(t.world.far),
        }
        return fresh | (cause.words if cause else {})

    def _set_people(self, who: dict[str, Person]) -> None:
        t = self._t
        t.a, t.b = who["A"], who["B"]
        rest = [p for p in t.world.people if p not in {t.a, t.b, who.get("C")}]
        t.c = who.get("C") or rest.pop(pick(t, len(rest)))
        self._others = [rest[pick(t, len(rest))] for _ in range(3)]
        t.x = self._others[0]

    def upcoming(self, share: float) -> str:
        """Choose what happens next, for a heading: the title rule's text."""
        self._next = self._story.next(share)
        schema, who, cause = self._next
        self._set_people(who)
        self._t.words = self._words(cause)
        rule = f"{schema.name}.title"
        return self._t.say(rule if grammar().has(rule) and pick(self._t, 3) else "n.title")

    def event(self, share: float) -> Iterator[str]:
        """The paragraphs of the next event."""
        t = self._t
        t.day += 1 + pick(t, 6) + pick(t, 2) * pick(t, 20)
        schema, who, cause = self._next or self._story.next(share)
        self._set_people(who)
        words = t.words if self._next else self._words(cause)
        self._next = None
        where = schema.where
        t.set_scene(_PLACES.get(where, "outdoors"), t.a if where in {"sick", "letter"} else t.b)
        known = {p for p in t.world.people if p in who.values() or p.family in {t.a.family, t.b.family}}
        roles = {r: p for r, p in who.items() if r in schema.roles}
        event = Event(schema, roles, words, t.day, t.home, known, cause)
        t.words, t.event, t.cause = words, event, cause
        alone = schema.name in _UNMET
        approach = ("P m.cause %.why s.land?",) if alone else _APPROACH[where]
        first = () if alone or where in _STAYING else _MIDDLES[pick(t, len(_MIDDLES))]
        core = _READ if where == "letter" else _TOLD_AFTER if schema.name in _DEED_FIRST else _CORE
        end: tuple[str, ...] = (
            () if where in _STAYING or schema.name in _NO_PARTING else _PARTINGS[pick(t, len(_PARTINGS))]
        )
        if where == "town":  # there is no moor to look at
            end = tuple(step.replace("s.land", "s.town") for step in end)
        yield from self._told((*_OPENINGS[where], *approach, *first, *core, *end, *_AFTER), schema.name)
        t.event = t.cause = None

    def quiet(self) -> Iterator[str]:
        """The paragraphs of an hour in which nothing happens."""
        t = self._t
        t.day += 1 + pick(t, 9)
        people = [p for p in t.world.people if self._story.here(p)]
        if len(people) < 2:  # late in a very long book nearly everybody may be away: then one is thought of
            people = list(t.world.people)
        a = people[pick(t, 1 + pick(t, len(people)))]
        others = [p for p in people if p is not a]
        self._set_people({"A": a, "B": others[pick(t, len(others))]})
        steps = _QUIET[pick(t, len(_QUIET))]
        t.set_scene(_QUIET_PLACES.get(steps[0].split()[2], "outdoors"), a)
        t.words = self._words(None)
        yield from self._told(steps, "")

    def _told(self, steps: tuple[str, ...], name: str) -> Iterator[str]:
        t, held = self._t, ""
        self._page.new_scene()
        for step in steps:
            t.x = self._others[pick(t, len(self._others))]
            if step.startswith("T ") and step.endswith("?") and pick(t, 3):
                continue
            goes_on = step[0] == "P" and 0 < len(held) < _FULL and pick(t, 3) > 0
            t.said, t.other = (t.said, t.other) if goes_on else (None, None)
            told = [*filter(None, self._step(step.rstrip("?").replace("%", name) if step[0] == "T" else step, name))]
            if goes_on:
                held = " ".join((held, *told))
                continue
            if held and told:
                yield held
            yield from told[:-1]
            held = told[-1] if told else held
            if step[0] != "P" and held:
                yield held
                t, held = self._t, ""
        if held:
            yield held

    def _step(self, step: str, name: str) -> list[str]:
        t = self._t
        kind, *slots = step.split()
        if kind in {"P", "H"}:
            chosen = [s.rstrip("?").replace("%", name) for s in slots if not s.endswith("?") or pick(t, 2)]
            a, b = t.a, t.b
            t.a, t.b = (a, b) if kind == "P" else (b, a)
            told = self._page.paragraph(*[s for s in chosen if grammar().has(s)])
            t.a, t.b = a, b
            return [told]
        if kind == "T":
            return self._page.exchange(slots[0]) if grammar().has(slots[0]) else []
        if kind == "do":
            if t.event:
                self._story.happen(t.event)
                mood = t.event.schema.mood
                t.scene |= 0 if mood == "even" else mask([mood])
            return []
        if kind == "who":
            return [self._introduce()]
        return self._news()

    def _introduce(self) -> str:
        """Those not met before are described, the others recalled now and then."""
        t, out = self._t, []
        a, b = t.a, t.b
        for one, other in ((a, b), (b, a)):
            t.a, t.b, t.said = one, other, None
            if one not in self._met:
                self._met.add(one)
                out.append(self._page.paragraph("p.intro", "p.look", *("p.past", "p.trait")[pick(t, 2) :], "p.past"))
            elif not out and not pick(t, 4):
                out.append(self._page.paragraph("p.again", "m.mem"))
        t.a, t.b = a, b
        return "\n\n".join(filter(None, out))

    def _news(self) -> list[str]:
        """A tells B of an event that B has not heard of."""
        t = self._t
        told = [e for e in self._story.past if t.b not in e.known and t.a not in e.who.values()]
        if not told:
            return self._page.exchange("t.small")
        t.news = told[-1 - pick(t, min(3, len(told)))]
        t.news.known.update((t.a, t.b))
        c, t.c = t.c, t.news.who["A"]
        if t.c is t.a:
            t.c = c
        t.x = next(p for p in (*self._others, *t.world.people) if p not in {t.a, t.b, t.c, *t.news.who.values()})
        lines = self._page.exchange(f"t.news.{_NEWS.get(t.news.schema.mood, t.news.schema.mood)}")
        t.c = c
        return lines
