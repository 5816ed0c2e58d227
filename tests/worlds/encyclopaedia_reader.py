"""Reads finished articles of an encyclopaedia as a stranger would: sentences become claims, claims of articles are compared.

Knows nothing of the program that wrote them: no import from it, no word list of it, only English sentences as regular expressions.
Lists, places and families are left to the program's own check of every block, worlds/encyclopaedia/check.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from haymaker.core.rows.source_records import Article

NAME = r"((?:[A-ZÀ-ÖØ-ÞŠ&][\w'’&-]*)(?: (?:(?:of the|of|the|and the) )?[A-ZÀ-ÖØ-ÞŠ&][\w'’&-]*)*)"  # a name
YEAR, DATE = r"(\d{4})", r"(\d{1,2}) (\w+) (\d{4})"
CLAIMS: dict[str, tuple[str, ...]] = {
    "life": (rf"\((?:[^();]*; )?{DATE} – {DATE}\)",),
    "alive": (r"\((?:[^();]*; )?born [^()]*\d{4}\) is |\) is an? ",),
    "full": (rf"^{NAME}, usually called", rf"in full {NAME},", rf"^{NAME} \(\d", rf"\(born {NAME};"),
    "born as": (rf"under the name {NAME} and", rf"real name was {NAME}\."),
    "spouse": (rf"In {YEAR} [^.]*? married (?P<n>{NAME})", rf"and (?P<n>{NAME}) were married in {YEAR}", rf"(?:wife|husband) was (?P<n>{NAME}), whom \w+ married in {YEAR}"),
    "mate": (r"(?:^|'s |His |Her )(wife|husband) was ",),
    "father": (rf"\bfather,? {NAME}", rf"(?:son|daughter) of {NAME}, ",),
    "mother": (rf"\bmother,? {NAME}",),
    "age": (r"aged (?:only )?(\d+)",),
    "school": (rf"attended {NAME}, where", rf"went to {NAME} (?:on|for|as|at)", rf"entered {NAME}[,.]"),
    "award": (rf"In {YEAR} [^.]*?received the {NAME}", rf"(?:won|was given) the {NAME} in {YEAR}", rf"was awarded the {NAME} for {YEAR}"),
    "biography": (rf"biography, by {NAME}, appeared in {YEAR}", rf"{NAME} published a life of .*? in {YEAR}"),
    "funeral": (rf"{NAME} spoke at the (?:funeral|memorial)",),
    "obituary": (r"\b(obituary|funeral|memorial service|is buried|centenary of)\b",),
    "moment": (rf"(?:came out|first published|opened|showing was|opening took place|released|shops|fighting took place|happened|began|launched|launch was) on {DATE}", rf"^On {DATE} the two armies", rf"described by .*? in {YEAR}", rf"description, of {YEAR}"),
    "house": (rf"(?:published|issued|produced|built) by {NAME}\.", rf"(?:publisher|company|builder) was {NAME}[.,]"),
    "worked": (rf"worked for {NAME}", rf"service of {NAME} (?:s?he|[A-Z])"),
    "novel": (rf"novel of the same title by {NAME}\.",),
    "founded": (rf"(?:number came out|appeared|founded) on {DATE}",),
    "closed": (rf"(?:works closed on|On) {DATE}(?: the last shift|\.)",),
    "bought": (rf"In {YEAR} [^.]*? bought by {NAME}\.", rf"(?P<n>{NAME}) took over the firm in {YEAR}"),
    "war": (rf"in the {NAME}\.$", rf"engagement of the {NAME}, fought"),
    "club": (rf"(?:played for|career at|joined) {NAME}(?:,| from| in)",),
}  # fmt: skip
GRAMMAR = re.compile(
    r"(?:^|[.,;] )An? [a-z]+ [a-z]+ (?:were|are) |\b(?:2|3|21|22|23|31)th\b|\bonce in a long career, both\b"
)
_RULES = {name: tuple(re.compile(p) for p in patterns) for name, patterns in CLAIMS.items()}


@dataclass
class Entry:
    """One article: its name (the title without brackets), claims as relation -> groups of a match, sentences."""

    title: str
    name: str
    claims: dict[str, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    sentences: list[str] = field(default_factory=list)
    names: list[list[str]] = field(default_factory=list)

    def one(self, relation: str, group: int = -1) -> str:
        """A group of the first claim of a relation; empty where nothing is claimed."""
        return self.claims[relation][0][group] if self.claims[relation] else ""

    @property
    def life(self) -> tuple[int, int] | None:
        """Years of birth and death."""
        return (int(found[0][2]), int(found[0][5])) if (found := self.claims["life"]) else None


@cache
def read(article: Article) -> Entry:
    """The claims of an article."""
    entry = Entry(article.title, re.sub(r" \([^)]*\)$", "", article.title))
    for paragraph in article.paragraphs[1:]:
        if paragraph.kind == "text":
            entry.sentences += re.split(r"(?<=[.!?]) (?=[A-ZÀ-ÖØ-ÞŠ])", paragraph.text)
    entry.names = [re.findall(NAME, sentence) for sentence in entry.sentences]
    for number, sentence in enumerate(entry.sentences):
        for relation, patterns in _RULES.items():
            if relation in ("full", "life", "alive") and number:
                continue
            for found in filter(None, (p.search(sentence) for p in patterns)):
                named = found.groupdict().get("n")
                groups = (
                    tuple(dict.fromkeys(g for g in (*found.groups(), named) if g))
                    if relation != "life"
                    else found.groups()
                )
                entry.claims[relation].append(groups)
                break
    return entry


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
        return [*out, *self._wars()]

    def people(self, name: str) -> list[Entry]:
        """Those with this name of whom a life is told."""
        return [entry for entry in self.named.get(name, ()) if entry.life]

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
    father, own = _name(entry, "father"), entry.name.split()[-1]
    if father and father.split()[-1] not in (own, entry.one("born as").split(" ")[-1]):
        yield "surname", f"the father is {father}"
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


def _name(entry: Entry, relation: str) -> str:
    return next((g for groups in entry.claims[relation] for g in groups if not g.isdigit()), "")


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


def _grammar(_: Library, entry: Entry) -> Iterator[Problem]:
    yield from (("grammar", sentence) for sentence in entry.sentences if GRAMMAR.search(sentence))


_CHECKS: tuple[Callable[[Library, Entry], Iterator[Problem]], ...] = (_person, _times, _grammar)
