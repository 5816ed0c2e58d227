"""Reads finished articles of an encyclopaedia as a stranger would: sentences become claims, claims of articles are compared.

Knows nothing of the program that wrote them: no import from it, no word list of it, only English sentences as regular expressions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from haymaker.core.rows.source_records import Article
from tests.worlds.encyclopaedia_claims import BULLET, GRAMMAR, GROUPS, Entry, read

_MONTHS = "January February March April May June July August September October November December".split()
_GROWN = 12  # nobody has friends, letters or works before
Problem = tuple[str, str]


class Library:
    """All articles of some blocks, and every way in which two of them can disagree."""

    def __init__(self, articles: Sequence[Article]) -> None:
        self.entries = [read(article) for article in articles]
        self.named: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            self.named[entry.name].append(entry)

    def problems(self) -> list[Problem]:
        """Contradictions as (class, what is told)."""
        out: list[Problem] = []
        for entry in self.entries:
            for check in _CHECKS:
                out += [(kind, f"{entry.title}: {what}") for kind, what in check(self, entry)]
        return [*out, *self._genera(), *self._wars()]

    def people(self, name: str) -> list[Entry]:
        """Those with this name of whom a life is told."""
        return [entry for entry in self.named.get(name, ()) if entry.life]

    def _genera(self) -> Iterator[Problem]:
        animals: dict[str, set[str]] = defaultdict(set)
        for entry in self.entries:
            if entry.claims["genus"] and re.fullmatch(r"[A-Z][a-z]+ [a-z]+", entry.title):
                animals[entry.title.split()[0]].add(entry.one("genus"))
        yield from (
            ("genus", f"{genus} is {' and '.join(sorted(all_))}") for genus, all_ in animals.items() if len(all_) > 1
        )

    def _wars(self) -> Iterator[Problem]:
        years: dict[str, set[int]] = defaultdict(set)
        for entry in self.entries:
            if entry.title.startswith("Battle of") and entry.claims["moment"]:
                years[entry.one("war")].add(int(entry.one("moment")))
        yield from (("war", f"{war} from {min(y)} to {max(y)}") for war, y in years.items() if max(y) - min(y) > 20)


def _person(library: Library, entry: Entry) -> Iterator[Problem]:
    text = " ".join(entry.sentences)
    if not entry.life:
        if entry.claims["alive"] and entry.claims["obituary"]:
            yield "living dead", entry.one("obituary")
        return
    born, died = entry.life
    men, women = (bool(re.search(pattern, text, re.IGNORECASE)) for pattern in (r"\b(he|his|him)\b", r"\b(she|her)\b"))
    if men and women:
        yield "sex", "he and she"
    if entry.claims["mate"] and entry.one("mate") == ("husband" if men else "wife"):
        yield "sex", f"a {'man' if men else 'woman'} with a {entry.one('mate')}"
    if entry.claims["age"] and int(entry.one("age")) != _age(*entry.claims["life"][0]):
        yield "age", f"not {entry.one('age')}"
    if (real := entry.one("born as")) and entry.one("full").split()[-1] != real.split()[-1]:
        yield "name", f"is {entry.one('full')} and born as {real}"
    for relation, low, high in (("spouse", born + 17, died), ("award", born + 18, died), ("biography", died, 2100)):
        for groups in entry.claims[relation]:
            for year in (int(g) for g in groups if g.isdigit()):
                if not low <= year <= high:
                    yield "dates", f"{relation} in {year}"
    for name in (groups[0] for groups in entry.claims["funeral"]):
        if (known := library.people(name)) and all(each.life and each.life[1] < died for each in known):
            yield "funeral", f"{name} spoke, who was dead"


def _age(*life: str) -> int:
    d0, m0, y0, d1, m1, y1 = life
    return int(y1) - int(y0) - ((_MONTHS.index(m1), int(d1)) < (_MONTHS.index(m0), int(d0)))


def _family(library: Library, entry: Entry) -> Iterator[Problem]:
    children = [name for groups in entry.claims["children"] for name in re.split(r", | and ", groups[0])]
    if children and (brood := entry.one("brood")):
        yield "children", f"{len(children)} are named, the marriage has {brood}"
    mothers: dict[str, set[str]] = {"father": set(), "mother": set()}
    for child in (each for name in children for each in library.people(name)):
        if entry.name not in (_name(child, "father"), _name(child, "mother")) and len(library.people(child.name)) == 1:
            yield "children", f"{child.title} does not name this parent"
        for role in mothers:
            mothers[role] |= (
                {name}
                if (name := _name(child, role)) and entry.name in (_name(child, "father"), _name(child, "mother"))
                else set()
            )
    for role, names in mothers.items():
        names -= {entry.name}
        married = _name(entry, "spouse")
        if len(names | ({married} if married and children else set())) > 1 and (len(names) > 1 or (names and married)):
            yield "parents", f"children with the {role} {' and '.join(sorted(names))}, spouse {married}"
    for role in ("father", "mother"):
        for parent in library.people(_name(entry, role)) if len(library.people(_name(entry, role))) == 1 else ():
            listed = [n for groups in parent.claims["children"] for n in re.split(r", | and ", groups[0])]
            if parent.life and entry.life and not 15 <= entry.life[0] - parent.life[0] <= 55:
                yield "dates", f"born when the {role} {parent.name} was {entry.life[0] - parent.life[0]}"
            if listed and entry.name not in listed:
                yield "children", f"{parent.name} does not name this child"
            trade = entry.one(f"{role}'s trade")
            if trade and trade != parent.one("trade"):
                yield "trade", f"{role} {parent.name} is a {trade}, in the own article a {parent.one('trade')}"
    father, own = _name(entry, "father"), entry.name.split()[-1]
    if father and father.split()[-1] not in (own, entry.one("born as").split(" ")[-1]):
        yield "surname", f"the father is {father}"
    for mate in library.people(_name(entry, "spouse")):
        if len(library.people(mate.name)) == 1 and mate.claims["spouse"] and _name(mate, "spouse") != entry.name:
            yield "spouse", f"{mate.name} is married to {_name(mate, 'spouse')}"


def _name(entry: Entry, relation: str) -> str:
    return next((g for groups in entry.claims[relation] for g in groups if not g.isdigit()), "")


def _items(library: Library, entry: Entry) -> Iterator[Problem]:
    for heading, item in entry.items:
        if not (found := BULLET.match(item)):
            continue
        name, first, last, trade, start, end = found.groups()
        known = library.named.get(name, [])
        lives = [each for each in known if each.life]
        if (
            last
            and lives
            and not any(each.life == (int(first), int(last)) and each.one("trade") == trade for each in lives)
        ):
            yield "list", f"says {item}"
        works = [each for each in known if not each.life and each.claims["year"]]
        if not last and works and not any(each.one("year") == first for each in works):
            yield "list", f"says {item}"
        if entry.life and works and not any(entry.name in sentence for each in works for sentence in each.sentences):
            yield "list", f"{name} does not name the maker"
        if start and not any({entry.name, start, end} <= set(sum(each.claims["mayor"], ())) for each in lives):
            yield "office", f"says {item}"
        relation = GROUPS.get(heading)
        if (
            relation
            and lives
            and not any(entry.name in sum(each.claims[relation], ()) for each in lives if each.claims[relation])
        ) and any(each.claims[relation] for each in lives):
            yield "list", f"{name} was at another {relation}"
    terms = sorted((int(m[5]), int(m[6])) for _, item in entry.items if (m := BULLET.match(item)) and m[5])
    if any(a[1] >= b[0] for a, b in pairwise(terms)):
        yield "office", f"two mayors at once: {terms}"


def _places(library: Library, entry: Entry) -> Iterator[Problem]:
    region = entry.one("region")
    if entry.claims["on"]:
        listed = [item for _, item in entry.items]
        for home, where in ((region, "region"), (entry.one("on", 0), "river")):
            for other in library.named.get(home, ()):
                if other.items and entry.name not in [item for _, item in other.items] and entry.title not in listed:
                    yield "place", f"its {where} {home} does not list it"
    for heading, item in entry.items:
        if heading in ("Towns", "Settlements"):
            yield from (
                ("place", f"{item} lies elsewhere")
                for t in library.named.get(item, ())
                if t.claims["on"] and t.one("region") != entry.name
            )
    if (capital := entry.one("capital")) and capital not in [item for _, item in entry.items]:
        yield "place", f"the capital {capital} is not in it"
    for here, there in (("into", "fed by"), ("fed by", "into")):
        for other in library.named.get(entry.one(here), ()):
            if other.claims[there] and other.one(there) != entry.name:
                yield "place", f"{here} {other.name}, which is {there} {other.one(there)}"
    if peak := entry.one("peak"):
        heights = {
            m.name: int(m.one("elevation").replace(",", ""))
            for m in library.entries
            if m.name.startswith("Mount ") and m.one("region") == entry.name and m.claims["elevation"]
        }
        if heights and peak != max(heights, key=lambda name: heights[name]):
            yield "place", f"{peak} is not the highest"
    if widest := entry.one("widest"):
        block = library.entries[library.entries.index(entry) :][:200]
        sold = {
            e.name: int(e.one("circulation").replace(",", ""))
            for e in block
            if e.name.startswith("The ") and e.claims["circulation"]
        }
        if widest in sold and sold[widest] < max(sold.values()):
            yield "newspaper", f"{widest} is not the most read"


def _times(library: Library, entry: Entry) -> Iterator[Problem]:
    moment = int(entry.one("moment") or 0)
    start, end = entry.life or (moment, moment)
    if not start or (entry.claims["founded"] and not entry.life):
        start, end = 0, 9999
    for sentence, names in zip(entry.sentences, entry.names, strict=True):
        for name in names if start and "of the same title" not in sentence else ():
            known = library.people(name.removeprefix("The "))
            young = _GROWN if entry.life and name not in (_name(entry, "father"), _name(entry, "mother")) else 0
            if known and all(
                each.life and (each.life[1] < start + young or each.life[0] + _GROWN > end) for each in known
            ):
                yield ("contemporary" if entry.life else "event"), f"{name} at another time: {sentence}"
    for relation in ("house", "worked", "club", "school"):
        for firm in library.named.get(entry.one(relation), ()):
            opened, closed = (int(firm.one(key) or year) for key, year in (("founded", 0), ("closed", 9999)))
            if start and (opened > end or closed < start):
                yield "founding", f"{relation} {firm.name} ({opened}–{closed})"
    for book in library.named.get(entry.name, ()) if entry.claims["novel"] else ():
        if book is not entry and int(book.one("moment") or 0) >= (moment or 9999):
            yield "dates", "the film is older than the novel"
    for year, buyer in (sorted(groups) for groups in entry.claims["bought"]):
        for firm in library.named.get(buyer, ()):
            gone = min(int(e.one("closed") or 9999) for e in (entry, firm))
            if int(year) > gone or entry.name in sum(firm.claims["bought"], ()):
                yield "founding", f"sold in {year} to {buyer}"
    winner = next((g for g in sum(entry.claims["first winner"], ()) if g.isdigit()), "")
    for groups in (
        g for e in library.entries if winner for g in e.claims["award"] if entry.name.removeprefix("the ") in g
    ):
        yield from (("dates", f"somebody won in {year}") for year in groups if year.isdigit() and year < winner)


def _grammar(_: Library, entry: Entry) -> Iterator[Problem]:
    yield from (("grammar", sentence) for sentence in entry.sentences if GRAMMAR.search(sentence))


_CHECKS: tuple[Callable[[Library, Entry], Iterator[Problem]], ...] = (
    _person, _family, _items, _places, _times, _grammar,
)  # fmt: skip
