"""Questions on a chronicle: orders, numbers, lists, causes and single facts, four options each (docs/spec/marathon.md 1)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any

from haymaker.core.rng import Stream

from .chronicles_facts import Deed, Part
from .chronicles_numbers import Numbers
from .chronicles_squares import lists, near, orders
from .model import WRONG, Inquiry
from .wording import data, fill

NEAR = 9_000  # characters: what half of the questions on several deeds keep to
_TRIES = 400
_VERB = re.compile(r"^(.*?) (was|were) ")
_APART = 2  # years between any two events of an order
_BASE, _MORE = 6, 2  # questions of a sort: of the first part, and of each other
_MOST = 25  # of a sort
DATED = ("founded", "grown", "kept", "turned", "struck")
_ASKED = {
    "founded": ("builder", "reason", "cost"),
    "grown": ("donor", "gift"),
    "kept": ("origin",),
    "turned": ("why",),
}  # what can be asked of a deed alone
_POOLS = {"cost": "money", "gift": "money", "builder": "builder", "donor": "donor", "origin": "origin"}


class Asker:
    """Asks about a finished chronicle.

    Args:
        s: decides.
        parts: what happened, with evidence and places in the text.
        text: the document.
    """

    def __init__(self, s: Stream, parts: Sequence[Part], text: str) -> None:
        self._s, self._parts, self._text = s, parts, text
        self._data = data("chronicles.yaml")
        deeds = sorted((d for part in parts for d in part.deeds() if d.evidence), key=lambda d: d.at)
        # a number without a year may be told twice in the same words
        told = Counter(deed.evidence[-1] for deed in deeds)
        self._deeds = [deed for deed in deeds if told[deed.evidence[-1]] == 1]
        self._dated = [deed for deed in self._deeds if deed.stage in DATED]
        self._count = min(_MOST, _BASE + _MORE * (len(parts) - 1))

    def inquiries(self) -> list[Inquiry]:
        """In the order of their evidence; no question comes twice."""
        found: dict[str, Inquiry] = {}
        s = self._s
        numbers = Numbers(s, self._deeds, self._text)
        makers = {
            "timeline_reorder": self._timelines(),
            "computation": numbers.inquiries(),
            "multiple_information_retrieval": self._lists(),
            "comprehension_and_reasoning": self._reasons(),
            "shortdep_qa": self._facts(),
        }
        for sort, made in makers.items():
            wanted = 2 * self._count if sort == "shortdep_qa" else self._count
            for inquiry in made:
                if inquiry.text not in found:
                    found[inquiry.text] = replace(inquiry, sort=sort)
                    wanted -= 1
                if not wanted:
                    break
        return sorted(found.values(), key=lambda inquiry: self._text.index(inquiry.evidence[-1]))

    def _timelines(self) -> Iterator[Inquiry]:
        """Events of one stage, so that what kind they are says nothing about their order; each of another thing."""
        s = self._s
        for number in range(_TRIES):
            size = 4 + number % 2
            anchor = s.choice(self._dated)
            pool = [deed for deed in around(s, anchor, self._dated, number) if deed.stage == anchor.stage]
            group = [anchor]
            for deed in s.shuffled(pool):
                if len(group) < size and all(abs(deed.year - other.year) >= _APART for other in group):
                    group.append(deed)
            told = sorted(group, key=lambda deed: deed.at)
            by_year = sorted(group, key=lambda deed: deed.year)
            if len(group) == size and told != by_year:
                group = s.shuffled(group)
                right, *wrong = orders(s, [group.index(deed) + 1 for deed in by_year])
                items = (f"{at}. {fill(s, deed.event, {})}." for at, deed in enumerate(group, 1))
                question = "\n".join((s.choice(self._data["timeline"]), *items))
                yield Inquiry(question, (right,), evidence(told), "", tuple(wrong))

    def _lists(self) -> Iterator[Inquiry]:
        """Yield questions on the deeds of one person or misfortune; the wrong members are similar and belong to others."""
        s = self._s
        for actor in s.shuffled([actor for part in self._parts for actor in part.actors]):
            deeds = [deed for deed in actor.deeds if deed.evidence]
            deeds = s.sample(deeds, min(len(deeds), 3))
            if len(deeds) < 2:
                continue
            other = [self._another(deed, actor.role, actor.name) for deed in deeds[:2]]
            if other[0] is None or other[1] is None or other[0] is other[1]:
                continue
            names = [_member(deed, actor.role) for deed in deeds]
            right, *wrong = lists(names, (_member(other[0], actor.role), _member(other[1], actor.role)))
            question = fill(s, s.choice(self._data["retrieval"][actor.role]), {"who": actor.name})
            yield Inquiry(question, (right,), evidence(deeds), "", tuple(wrong))

    def _another(self, deed: Deed, role: str, name: str) -> Deed | None:
        """A deed of that kind of thing in another parish, or of that parish, in which somebody else had a hand."""
        pool = [d for d in self._deeds if d.stage == deed.stage and d.part == deed.part and d.slots[role] != name]
        alike = [d for d in pool if d.theme == deed.theme or d.place == deed.place]
        return self._s.choice(alike) if alike else None

    def _reasons(self) -> Iterator[Inquiry]:
        made = [self._holders(), self._causes(), self._riches("donor", "fortune"), self._riches("builder", "habit")]
        for number in count():
            source = made[(0, 1, 0, 2, 1, 0, 3, 2)[number % 8]]
            found = next(source, None)
            if found:
                yield found
            elif number > _TRIES:
                return

    def _holders(self) -> Iterator[Inquiry]:
        """Yield questions on who held an office when something happened; the right officer has each rank of four equally often."""
        s = self._s
        offices = [office for part in self._parts for office in part.offices]
        for number in range(_TRIES):
            held = s.choice(offices)
            rank = number % (WRONG + 1)
            pool = [d for d in self._dated if d.place == held[0].place]
            deed = s.choice(pool)
            years = [each.year for each in held]
            at = sum(year < deed.year for year in years) - 1
            if at < rank or len(held) - 1 - at < WRONG - rank or deed.year in years:
                continue
            wrong = [*s.sample(held[:at], rank), *s.sample(held[at + 1 :], WRONG - rank)]
            slots = {"office": held[0].slots["office"], "place": deed.place, "event": deed.event}
            question = fill(s, s.choice(self._data["reasoning"]["held"]), slots)
            known = [*deed.evidence, *(line for each in held[at : at + 2] for line in each.evidence)]
            options = tuple(each.slots["who"] for each in wrong)
            yield Inquiry(question, (held[at].slots["who"],), tuple(dict.fromkeys(known)), "", options)

    def _causes(self) -> Iterator[Inquiry]:
        """Yield questions on the cause of a disaster whose consequences are in another chapter."""
        s = self._s
        for part in self._parts_again():
            threads = [thread for thread in part.threads if "struck" in thread.deeds]
            thread = s.choice(threads)
            struck, after = thread.deeds["struck"], thread.deeds["after"]
            others = [t.deeds["struck"] for t in threads if t is not thread]
            alike = [deed for deed in others if deed.place == thread.place or deed.theme == thread.theme]
            wrong = dict.fromkeys(d.slots["cause"] for d in (*s.shuffled(alike), *s.shuffled(others)))
            wrong.pop(struck.slots["cause"], None)
            question = fill(s, s.choice(self._data["reasoning"]["cause"]), {"after": after.event})
            if len(wrong) >= WRONG:
                known = (*after.evidence, *struck.evidence)
                yield Inquiry(question, (struck.slots["cause"],), known, "", tuple(wrong)[:WRONG])

    def _riches(self, role: str, key: str) -> Iterator[Inquiry]:
        """Yield questions on a person in the chapter on people, described only by a deed."""
        s = self._s
        for part in self._parts_again():
            actors = [actor for actor in part.actors if actor.role == role]
            if len(actors) <= WRONG:
                continue
            actor, *others = s.sample(actors, WRONG + 1)
            deed = s.choice(actor.deeds)
            question = fill(s, s.choice(self._data["reasoning"][key]), {"noun": deed.noun, "one": deed.slots["one"]})
            wrong = tuple(other.slots[key] for other in others)
            yield Inquiry(question, (actor.slots[key],), (*deed.evidence, *actor.own.evidence), "", wrong)

    def _facts(self) -> Iterator[Inquiry]:
        """Yield questions that one sentence answers; near it are other values, first of the same kind of thing."""
        s = self._s
        told: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for deed in self._deeds:
            for key in (*_ASKED.get(deed.stage, ()), *(("n",) if deed.stage == "measure" else ())):
                for pool in dict.fromkeys(_pools(key, deed)):
                    told[pool].append((deed.at, self._answer(key, deed)))
        askable = [deed for deed in self._deeds if deed.stage in _ASKED or deed.stage == "measure"]
        for deed in self._evenly(askable):
            key = "n" if deed.stage == "measure" else s.choice(_ASKED[deed.stage])
            thing: dict[str, Any] = self._data["things"][deed.theme]
            asks = [thing["measure"]["ask"]] if key == "n" else self._data["asks"][key]
            slots = deed.slots | {"event": deed.event, "noun": deed.noun, "did": inverted(deed.event)}
            question, right = fill(s, s.choice(asks), slots), self._answer(key, deed)
            pools = (Inquiry(question, (right,), deed.evidence, pool) for pool in _pools(key, deed))
            values = chain.from_iterable(near(s, each, told[each.sort], deed.at) for each in pools)
            wrong = tuple(dict.fromkeys(values))[:WRONG]
            if len(wrong) == WRONG:
                yield Inquiry(question, (right,), deed.evidence, "", wrong)

    def _answer(self, key: str, deed: Deed) -> str:
        """A value as the text has it; a measure with its unit."""
        unit = f" {self._data['things'][deed.theme]['measure']['unit']}" if key == "n" else ""
        return f"{deed.slots[key]}{unit}"

    def _evenly(self, deeds: Sequence[Deed]) -> Iterator[Deed]:
        """All, each of ten stretches of the text in turn."""
        size = len(self._text) // 10 + 1
        stretches = [self._s.shuffled([d for d in deeds if d.at // size == n]) for n in range(10)]
        while any(stretches):
            for stretch in self._s.shuffled(stretches):
                if stretch:
                    yield stretch.pop()

    def _parts_again(self) -> Iterator[Part]:
        """Parts of the book in random order, many times over."""
        for _ in range(_TRIES):
            yield self._s.choice(self._parts)


def around(s: Stream, anchor: Deed, deeds: Sequence[Deed], number: int) -> list[Deed]:
    """Deeds of other things: near it, of its part of the book or from anywhere, as the number goes round; never of its own."""
    free = [deed for deed in deeds if (deed.theme, deed.place) != (anchor.theme, anchor.place)]
    reach = number // 2 % 4
    if reach < 2:
        low = anchor.at - s.below(NEAR)
        return [deed for deed in free if low <= deed.at <= low + NEAR]
    return [deed for deed in free if deed.part == anchor.part] if reach == 2 else free


def evidence(deeds: Sequence[Deed]) -> tuple[str, ...]:
    """Sentences of several deeds, in the order of the text, each once."""
    told = (line for deed in sorted(deeds, key=lambda deed: deed.at) for line in deed.evidence)
    return tuple(dict.fromkeys(told))


def inverted(event: str) -> str:
    """Return an event with the verb first, as it follows "Why": "was the toll abolished" for "the toll was abolished"."""
    return _VERB.sub(r"\2 \1 ", event)


def _member(deed: Deed, role: str) -> str:
    """How a list names a deed: the whole deed, the post, or the thing itself."""
    if role == "keeper":
        return f"{deed.slots['title']} at {deed.place}"
    return deed.noun if role == "donor" else str(deed.slots["one"])


def _pools(key: str, deed: Deed) -> tuple[str, str]:
    """Return two pools of interchangeable values: of one kind of thing, and a wider one (the same for reasons and measures)."""
    alike = f"{key} {deed.theme}"
    return alike, _POOLS.get(key, alike)
