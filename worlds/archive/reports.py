"""Annual reports of invented bodies: headlines among the monthly returns of many offices (docs/spec/helmet.md 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from haymaker.english import number_words
from haymaker.rng import Stream
from worlds.prose.cast import place_name, place_names

from .answers import forms
from .model import Inquiry, Outline, Work
from .records import Record, evenly, headline, inquire, money, tell, with_choices
from .wording import data, fill, fresh_people, fresh_places, walk_code

ASKED = 30  # records that are asked for
SUMS = 6  # questions that need two offices
_OFFICE_WORDS = 2400
_FEWEST_OFFICES = 3
_INCIDENTS = 6  # asked for


def report_name(seed: int, index: int) -> tuple[str, dict[str, Any]]:
    """Place and kind of body; hundreds of thousands of a seed are all different."""
    bodies = data("reports.yaml")["bodies"]
    code = walk_code(len(bodies) * place_names(), index, seed, "archive", "reports", "titles")
    code, kind = divmod(code, len(bodies))
    return place_name(code), bodies[kind]


def write_report(seed: int, index: int, words: int) -> Work:
    """The index-th report of a seed.

    Args:
        seed: names the collection.
        index: position, from 0.
        words: wished length; decides how many offices there are and how much each tells.
    """
    return _Report(seed, index, words).work()


class _Report:
    def __init__(self, seed: int, index: int, words: int) -> None:
        self._s = Stream(seed, "archive", "reports", index)
        self._data = data("reports.yaml")
        self._words = words
        home, self._kind = report_name(seed, index)
        self._year = 1890 + self._s.below(140)
        self._body = f"{home} {self._kind['name']}"
        self._places = fresh_places(self._s, [home])
        self._people = fresh_people(self._s)
        count = max(_FEWEST_OFFICES, round(words / _OFFICE_WORDS))
        self._offices = [next(self._places) for _ in range(count)]
        self._outline = Outline()
        self._records: list[Record] = []
        self._staff: list[Inquiry] = []
        self._accidents: list[Inquiry] = []

    def work(self) -> Work:
        title = f"Annual Report of the {self._body} for the Year {self._year}"
        text = "\n\n".join((title, *self._paragraphs()))
        outline = self._outline
        return Work(title, text, self._asked(text), " ".join(outline.summary), tuple(outline.points))

    def _paragraphs(self) -> Iterator[str]:
        """Headlines at even distances among the offices; every month tells as much as the length asks for."""
        s, months = self._s, self._data["months"]
        headlines = self._headlines()
        spent, told, slots = 0, 0, len(self._offices) * len(months)
        for number, office in enumerate(self._offices):
            while told < len(headlines) and told * len(self._offices) <= number * len(headlines):
                yield from headlines[told]
                spent += sum(len(block.split()) for block in headlines[told])
                told += 1
            rest = sum(len(block.split()) for part in headlines[told:] for block in part)
            yield f"The {office} office"
            opening = self._opening(office)
            when = s.below(len(months))
            accident = self._incident(office, months[when])
            spent += len(opening.split()) + 3
            yield opening
            for m, month in enumerate(months):
                due = (self._words - rest) * (number * len(months) + m + 1) / slots
                block = self._month(office, month, due - spent)
                block = f"{block} {accident}" if m == when else block
                spent += len(block.split())
                yield block
        for part in headlines[told:]:
            yield from part

    def _headlines(self) -> list[list[str]]:
        s, parts = self._s, self._data["headlines"]
        slots: dict[str, Any] = {name: s.choice(pool) for name, pool in parts["pools"].items()}
        slots |= {name: next(self._people) for name in ("chair", "old", "new", "arbiter", "auditor")}
        slots |= {name: next(self._places) for name in ("place", "site", "closed", "where")}
        slots |= {name: money(s, 200, 9_000) for name in ("loss", "cost", "award", "waste", "next", "reserve")}
        income, rest = s.between(9_000, 90_000) * 10, s.between(100, 900) * 10
        slots |= {"income": f"{income:,} crowns", "rest": f"{rest:,} crowns", "spending": f"{income + rest:,} crowns"}
        slots |= {"share": s.between(21, 97), "years": number_words(s.between(4, 31)), "k": s.between(3, 60)}
        slots |= {"day": s.between(2, 29), "a": number_words(s.between(7, 12)), "b": number_words(s.between(2, 6))}
        slots |= {"body": self._body, "year": self._year, "count": len(self._offices), "heir": s.choice(self._offices)}
        slots["incident"] = s.choice(self._kind["incident"])
        found = [[part["heading"], headline(s, part, slots, self._outline)] for part in parts["parts"]]
        self._outline.summary = [fill(s, s.choice(parts["opening"]), slots), *s.shuffled(self._outline.summary)]
        return found

    def _opening(self, office: str) -> str:
        """Who led the office, and who came after."""
        s, head, after = self._s, next(self._people), next(self._people)
        slots = {"office": office, "head": head, "next": after, "place": next(self._places), "k": s.between(5, 80)}
        slots |= {"street": s.choice(self._data["offices"]["street"]), "pop": f"{s.between(40, 900) * 100:,}"}
        slots |= {"month": s.choice(self._data["months"])}
        first = fill(s, s.choice(self._data["heads"]), slots)
        if s.below(2):
            text = f"Who was in charge of the {office} office when the year ended?"
            second = fill(s, s.choice(self._data["successions"]), slots)
            self._staff.append(Inquiry(text, forms(after), (first, second), "person", decoys=(head,)))
            return f"{first} {second}"
        self._staff.append(
            Inquiry(f"Who led the {office} office at the start of the year?", forms(head), (first,), "person")
        )
        return first

    def _incident(self, office: str, month: str) -> str:
        s = self._s
        slots = {"office": office, "day": s.between(2, 28), "month": month}
        slots |= {"incident": s.choice(self._kind["incident"]), "cause": s.choice(self._data["causes"])}
        slots |= {"money": money(s, 30, 4_000)}
        told = fill(s, s.choice(self._data["incidents"]), slots)
        text, answer, sort = s.choice(
            (
                (
                    "On what date was it that {incident} in the {office} district?",
                    f"{slots['day']} {slots['month']}",
                    "date",
                ),
                ("Why did it happen that {incident} in the {office} district?", str(slots["cause"]), "cause"),
                ("What did it cost when {incident} in the {office} district?", str(slots["money"]), "damage"),
            )
        )
        self._accidents.append(
            Inquiry(fill(s, text, slots), forms(answer) if sort != "date" else (answer,), (told,), sort)
        )
        return told

    def _month(self, office: str, month: str, room: float) -> str:
        """Records of one month: at least one, each of another thing, until the room is used."""
        s, size = self._s, 0
        told: list[str] = []
        tails, things = self._data["tails"], s.shuffled(self._kind["things"])
        weights = [tail["weight"] for tail in tails]
        for entry in things:
            if told and size + 10 > room:
                break
            thing, did, other_name = entry.split(" = ")
            n = s.between(24, 480)
            slots = {
                "office": office,
                "month": month,
                "thing": thing,
                "did": did,
                "other_name": other_name,
                "n": n,
                "k": s.between(2, 20),
            }
            slots |= {"m": n + s.choice((-1, 1)) * s.between(2, 20), "money": money(s, 10, 900)}
            slots |= {"reason": s.choice(self._data["reason"]), "who": s.choice(self._data["who"])}
            tail = s.weighted(tails, weights)
            slots |= {"person": next(self._people)} if "{person}" in tail["text"] else {}
            slots |= {"place": next(self._places)} if "{place}" in tail["text"] else {}
            record = tell(s, s.choice(self._data["wordings"]), tail, slots)
            self._records.append(record)
            told.append(record.text)
            size += len(record.text.split())
        return " ".join(told)

    def _asked(self, text: str) -> tuple[Inquiry, ...]:
        s = self._s
        asked = [inquire(s, record, self._data["asks"]) for record in evenly(s, self._records, ASKED)]
        staff = s.sample(self._staff, min(_INCIDENTS, len(self._staff)))
        accidents = s.sample(self._accidents, min(_INCIDENTS, len(self._accidents)))
        found = {inquiry.text: inquiry for inquiry in (*asked, *staff, *accidents, *self._sums())}
        inquiries = sorted(found.values(), key=lambda inquiry: text.index(inquiry.evidence[-1]))
        return tuple(with_choices(s, inquiries, self._records, text))

    def _sums(self) -> Iterator[Inquiry]:
        """One thing and month at two offices, far apart as often as not."""
        s, first_told, done = self._s, dict[tuple[str, str], Record](), set[tuple[str, str]]()
        for record in s.shuffled(self._records):
            key = (record.slots["thing"], record.slots["month"])
            other = first_told.setdefault(key, record)
            if other is record or key in done or len(done) == SUMS:
                continue
            done.add(key)
            one, two = sorted((other, record), key=lambda each: self._offices.index(each.slots["office"]))
            text = fill(s, s.choice(self._data["sums"]), one.slots | {"other": two.slots["office"]})
            yield Inquiry(text, forms(f"{one.slots['n'] + two.slots['n']:,}"), (one.text, two.text), "total")
