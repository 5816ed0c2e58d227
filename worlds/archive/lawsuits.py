"""Files of lawsuits in invented courts: filings in the order of time, and declarations of witnesses between them
(as in Multi-LexSum, docs/spec/helmet.md 8).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from haymaker.english import number_words
from haymaker.rng import Stream
from worlds.prose.cast import place_name, place_names

from .answers import forms
from .model import Inquiry, Outline, Work
from .records import Record, evenly, headline, inquire, money, tell, with_choices
from .wording import data, fill, fresh_people, fresh_places, surname, surnames, walk_code

ASKED = 30  # records of declarations that are asked for
_ENTRIES = (12, 36)  # of one declaration
_ENTRIES_A_PARAGRAPH = 5
_ENTRY_WORDS, _FRAME_WORDS, _LEAST_WORDS = (
    27,
    40,
    90,
)  # about: an entry, what stands round them, the shortest declaration
_MONTH_DAYS = 28
_YEAR = 12 * _MONTH_DAYS


def lawsuit_name(seed: int, index: int) -> tuple[str, str, dict[str, Any]]:
    """Surname of the first plaintiff, place, kind of case; all different for more documents than a seed can have."""
    kinds = data("lawsuits.yaml")["kinds"]
    code = walk_code(len(kinds) * place_names(), index, seed, "archive", "lawsuits", "titles")
    code, kind = divmod(code, len(kinds))
    return (
        surname(Stream(seed, "archive", "lawsuits", "plaintiff", index).below(surnames())),
        place_name(code),
        kinds[kind],
    )


def write_lawsuit(seed: int, index: int, words: int) -> Work:
    """The index-th lawsuit of a seed.

    Args:
        seed: names the collection.
        index: position, from 0.
        words: wished length; decides how many witnesses there are.
    """
    return _Lawsuit(seed, index, words).work()


class _Lawsuit:
    def __init__(self, seed: int, index: int, words: int) -> None:
        self._s = s = Stream(seed, "archive", "lawsuits", index)
        self._data = data("lawsuits.yaml")
        self._words = words
        plaintiff, home, self._kind = lawsuit_name(seed, index)
        self._places = fresh_places(s, [home])
        self._people = fresh_people(s, [plaintiff])
        self._body = f"{home} {self._kind['body']}"
        self._lead = f"{next(self._people).split()[0]} {plaintiff}"
        self._year = 1920 + s.below(90)
        self._outline = Outline()
        self._records: list[Record] = []

    def work(self) -> Work:
        title = f"{self._lead} and Others against the {self._body}"
        filings = self._filings()
        text = "\n\n".join((title, *self._paragraphs(filings)))
        s, asked = self._s, list(self._outline.inquiries)
        asked += [inquire(s, record, self._data["asks"]) for record in evenly(s, self._records, ASKED)]
        found = {inquiry.text: inquiry for inquiry in asked}
        inquiries = sorted(found.values(), key=lambda inquiry: text.index(inquiry.evidence[-1]))
        inquiries = with_choices(s, inquiries, self._records, text)
        return Work(title, text, tuple(inquiries), " ".join(self._outline.summary), tuple(self._outline.points))

    def _date(self, day: int) -> str:
        year, rest = divmod(day, _YEAR)
        month, day = divmod(rest, _MONTH_DAYS)
        return f"{day + 1} {self._data['months'][month]} {self._year + year}"

    def _filings(self) -> list[list[str]]:
        """Heading and paragraph of each filing; their questions and the summary go to the outline."""
        s, kind, found = self._s, self._kind, self._data
        slots: dict[str, Any] = {key: kind[key] for key in ("act", "first", "second", "class")}
        slots |= {key: s.choice(kind[key]) for key in ("wrong", "relief", "order", "reform")}
        slots |= {"court": f"the Superior Court of {next(self._places)}", "body": self._body, "lead": self._lead}
        slots |= {key: next(self._people) for key in ("lawyer", "defence", "clerk", "expert", "monitor")}
        slots |= {key: next(self._people).split()[1] for key in ("judge", "next")}
        slots |= {"claimed": money(s, 20_000, 90_000), "paid": money(s, 2_000, 19_000), "fees": money(s, 100, 1_900)}
        slots |= {"excuse": s.choice(found["excuse"]), "n": s.between(11, 97), "size": f"{s.between(11, 99) * 100:,}"}
        slots |= {"hours": s.between(3, 19), "k": s.between(20, 49)}
        slots |= {"share": s.between(31, 89), "years": number_words(s.between(2, 9)), "pages": s.between(50, 190)}
        day = s.between(0, _YEAR - 1)
        for i in range(len(found["parts"])):
            slots[f"d{i}"] = self._date(day)
            day += s.between(30, 160)
        slots["trial"] = self._date(day + s.between(100, 300))
        filings = [[part["heading"], headline(s, part, slots, self._outline)] for part in found["parts"]]
        told, opening = self._outline.summary, fill(s, s.choice(found["opening"]), slots)
        self._outline.summary = [opening, *(told[part] for part in s.choice(found["orders"]))]
        for ask in found["details"]:
            evidence = fill(s, found["parts"][ask["part"]]["told"][ask["sentence"]], slots)
            answers = forms(str(slots[ask["answer"]])) if ask["sort"] != "date" else (slots[ask["answer"]],)
            self._outline.inquiries.append(Inquiry(fill(s, ask["text"], slots), answers, (evidence,), ask["sort"]))
        return filings

    def _paragraphs(self, filings: list[list[str]]) -> Iterator[str]:
        """Filings at even distances, declarations between them until the words are used."""
        spent = 0
        for number, filing in enumerate(filings):
            yield from filing
            spent += sum(len(block.split()) for block in filing)
            rest = sum(len(block.split()) for later in filings[number + 1 :] for block in later)
            due = (self._words - rest) * (number + 1) // (len(filings) - 1) if rest else 0
            while due - spent > _LEAST_WORDS:
                for block in self._declaration(due - spent):
                    spent += len(block.split())
                    yield block

    def _declaration(self, room: int) -> Iterator[str]:
        """What one witness saw, day by day; shorter where there is less room."""
        s, found = self._s, self._data
        witness = next(self._people)
        slots: dict[str, Any] = {"witness": witness, "trade": s.choice(found["trades"]), "place": next(self._places)}
        slots["since"] = self._year - s.between(2, 40)
        yield f"Declaration of {witness}"
        yield (intro := fill(s, s.choice(found["intros"]), slots))
        days = sorted(s.sample(range(_YEAR), min(s.between(*_ENTRIES), max(1, (room - _FRAME_WORDS) // _ENTRY_WORDS))))
        for at in range(0, len(days), _ENTRIES_A_PARAGRAPH):
            told = [self._entry(witness, intro, day - _YEAR) for day in days[at : at + _ENTRIES_A_PARAGRAPH]]
            yield " ".join(self._with_aside(record.text) for record in told)
            self._records += told
        yield s.choice(found["closings"])

    def _with_aside(self, text: str) -> str:
        s = self._s
        return f"{text} {fill(s, s.choice(self._data['asides']), {})}" if s.below(2) else text

    def _entry(self, witness: str, intro: str, day: int) -> Record:
        s, found = self._s, self._data
        act, _, ask = s.choice(self._kind["things"]).partition(" = ")
        n = s.between(4, 90)
        slots = {
            "witness": witness,
            "date": self._date(day),
            "act": act.format(n=n),
            "ask": ask.format(witness=witness),
        }
        slots |= {"n": n, "k": s.between(2, 3), "money": money(s, 1, 90)}
        slots |= {"reason": s.choice(found["reason"]), "promise": s.choice(found["promise"])}
        tail = s.weighted(found["tails"], [entry["weight"] for entry in found["tails"]])
        slots |= {"person": next(self._people)} if "{person}" in tail["text"] else {}
        slots |= {"place": next(self._places)} if "{place}" in tail["text"] else {}
        return tell(s, s.choice(found["wordings"]), tail, slots, intro)
