"""Later mentions of an event: speaker, listener, time since, and pronouns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from haymaker.core.text.english_grammar import MONTHS

from .cards import Entropy, pick
from .cast import FIRST, SECOND, Person, as_pronoun
from .morphology import inflect
from .story import Event

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = "two three four five six seven eight nine ten eleven twelve".split()


@dataclass(slots=True)
class View:
    """The teller: the "I" and the "you", or neither, and the people who may be called by a pronoun."""

    first: Person | None = None
    second: Person | None = None
    focus: Person | None = None


def _seen(who: Person, view: View, taken: list[Person]) -> Person:
    if who is view.first:
        return FIRST
    if who is view.second:
        return SECOND
    clear = who is view.focus and all(p.male != who.male for p in taken if p is not who)
    return as_pronoun(who) if clear else who


def _slots(event: Event, view: View) -> dict[str, str]:
    """Every slot of an event's phrases: Ao, Bs, Chim, sum, thing ..."""
    people = list(event.who.values())
    out = dict(event.words)
    for role, who in event.who.items():
        seen = _seen(who, view, people if role != "A" else [])
        named = seen.name == who.name
        done_to = (
            _seen(who, view, [p for p in people if p is not event.who["A"]]) if role != "A" else seen
        )  # whoever does it would be "himself"
        out[role] = seen.name
        out[f"{role}o"] = who.name if done_to.name == who.name else done_to.him
        out[f"{role}s"] = (who.his if role == "A" else who.owner) if named else seen.his
        out[f"{role}he"], out[f"{role}him"] = seen.he, seen.him
    return out


@cache
def _pieces(vp: str) -> list[tuple[str, str]]:
    """A predicate cut at its starred verbs: (verb, text up to the next verb)."""
    out = []
    for part in vp.split("*")[1:]:
        verb, space, rest = part.partition(" ")
        out.append((verb.rstrip(","), space + rest))
    return out


def predicate(event: Event, form: str, view: View) -> str:
    """Return the action of A in a verb form."""
    return _predicate(event, form, view, _slots(event, view))


def _predicate(event: Event, form: str, view: View, slots: dict[str, str]) -> str:
    subject, out = event.who["A"], ""
    for verb, rest in _pieces(event.schema.vp):
        made = inflect(verb, form)
        if verb == "be" and form == "ed":
            made = "were" if subject is view.second else "was"
        out += made + rest
    return out.format(**slots)


def subject(event: Event, view: View) -> str:
    """Return the person who did it."""
    return _slots(event, view)["A"]


def noun(event: Event) -> str:
    """The event as a thing."""
    return event.schema.noun.format(**_slots(event, View()))


def ago(event: Event, day: int, spoken: bool) -> str:
    """How long ago, seen from a day."""
    gone, tail = day - event.day, "ago" if spoken else "before"
    if gone < 1:
        return "this very day" if spoken else "that same day"
    if gone < 7:
        return f"on {DAYS[event.day % 7]}"
    if gone < 14:
        return "last week" if spoken else "the week before"
    if gone < 75:
        return f"{_NUMBERS[gone // 7 - 2]} weeks {tail}"
    if gone < 300:
        return f"in {MONTHS[event.day // 30 % 12]}"
    years = gone // 360
    if years < 2:
        return "last year" if spoken else "the year before"
    return f"{_NUMBERS[min(years - 2, 9)]} years {tail}"


def clause(event: Event, form: str, view: View, tail: str = "") -> str:
    """A finite clause: form "ed", "had" or "has"."""
    slots = _slots(event, view)
    who = slots["A"]
    if form == "ed":
        return f"{who} {_predicate(event, 'ed', view, slots)}{tail}"
    aux = form if form == "had" or who not in {"I", "you"} else "have"
    return f"{who} {aux} {_predicate(event, 'en', view, slots)}{tail}"


def recent(events: list[Event], c: Entropy) -> Event:
    """One of some events, the later the likelier."""
    n = len(events)
    return events[max(pick(c, n), pick(c, n))]
