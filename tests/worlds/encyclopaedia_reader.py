"""Reads finished articles of an encyclopaedia as a stranger would: sentences become claims, claims of articles are compared.

Knows nothing of the program that wrote them: no import from it, no word list of it, only English sentences as regular expressions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from haymaker.records import Article

_N = r"((?:[A-ZÀ-ÖØ-ÞŠ&][\w'’&-]*)(?: (?:(?:of the|of|the|and the) )?[A-ZÀ-ÖØ-ÞŠ&][\w'’&-]*)*)"  # a name
_Y, _D = r"(\d{4})", r"(\d{1,2}) (\w+) (\d{4})"
_MONTHS = "January February March April May June July August September October November December".split()
_CLAIMS: dict[str, tuple[str, ...]] = {
    "life": (rf"\((?:[^();]*; )?{_D} – {_D}\)",),
    "alive": (r"\((?:[^();]*; )?born [^()]*\d{4}\) is |\) is an? ",),
    "trade": (r"^[^.]*?\bwas an? (?:[A-Z]\w+ )?([a-z ]+?)(?: from [A-Z]\w+)?\.",),
    "full": (rf"^{_N}, usually called", rf"in full {_N},", rf"^{_N} \(\d", rf"\(born {_N};"),
    "born as": (rf"under the name {_N} and", rf"real name was {_N}\."),
    "spouse": (rf"In {_Y} [^.]*? married (?P<n>{_N})", rf"and (?P<n>{_N}) were married in {_Y}", rf"(?:wife|husband) was (?P<n>{_N}), whom \w+ married in {_Y}"),
    "mate": (r"(?:^|'s |His |Her )(wife|husband) was ",),
    "father": (rf"\bfather,? {_N}", rf"(?:son|daughter) of {_N}, ",),
    "mother": (rf"\bmother,? {_N}",),
    "father's trade": (rf"\bfather,? {_N}, (?:was|worked as|earned a living as)? ?an? ([a-z ]+?)(?: and | of few| with a|\.)", rf"(?:son|daughter) of {_N}, (?:an? ([a-z ]+?)|(who [a-z ]+))\."),
    "mother's trade": (rf"\bmother, {_N}, (?:was an? |(had been|taught|came|kept) )([a-z ]+)\.",),
    "children": (r"(?:was the (?:father|mother|parent) of|children included) ([^.]+?)(?:, who also[^.]*)?\.",),
    "brood": (r"they had (\w+) children|(childless)",),
    "age": (r"aged (?:only )?(\d+)",),
    "mayor": (rf"mayor of {_N} (?:from|between) {_Y} (?:to|and) {_Y}", rf"From {_Y} to {_Y} [^.]* mayor of {_N}"),
    "school": (rf"attended {_N}, where", rf"went to {_N} (?:on|for|as|at)", rf"entered {_N}[,.]"),
    "award": (rf"In {_Y} [^.]*?received the {_N}", rf"(?:won|was given) the {_N} in {_Y}", rf"was awarded the {_N} for {_Y}"),
    "biography": (rf"biography, by {_N}, appeared in {_Y}", rf"{_N} published a life of .*? in {_Y}"),
    "funeral": (rf"{_N} spoke at the (?:funeral|memorial)",),
    "obituary": (r"\b(obituary|funeral|memorial service|is buried|centenary of)\b",),
    "region": (rf"\bis an? .*?\b(?:in|of) {_N}(?:,| in [A-Z])",),
    "on": (rf"on the (River {_N})",),
    "capital": (rf"capital of .*? is {_N}\.", rf"governed from {_N},"),
    "peak": (rf"highest point is {_N},", rf"higher than {_N}\."),
    "elevation": (r"([\d,]+) metres",),
    "into": (rf"(?:flows into|reaches|empties into) {_N}",),
    "fed by": (rf"(?:fed by|tributary is) {_N}",),
    "year": (r"^[^.]*?\b(?:an? |of |in )(1[89]\d\d|20\d\d)\b",),
    "moment": (rf"(?:came out|first published|opened|showing was|opening took place|released|shops|fighting took place|happened|began|launched|launch was) on {_D}", rf"^On {_D} the two armies", rf"described by .*? in {_Y}", rf"description, of {_Y}"),
    "by": (rf"^[^.]*? by (?:the [A-Za-z]+ )?(?:writer |director |singer )?{_N}[.,]", rf"designed by {_N}[.,]", rf"architect was {_N}[.,]", rf"plans by {_N} in", rf"described by {_N} in", rf"\d, is by {_N}\.", rf"won by {_N}\.", rf"led by {_N}\."),
    "house": (rf"(?:published|issued|produced|built) by {_N}\.", rf"(?:publisher|company|builder) was {_N}[.,]"),
    "worked": (rf"worked for {_N}", rf"service of {_N} (?:s?he|[A-Z])"),
    "novel": (rf"novel of the same title by {_N}\.",),
    "founded": (rf"(?:register|business|lessons were given|doors|number came out|appeared|founded|meeting was held) on {_D}",),
    "closed": (rf"(?:works closed on|On) {_D}(?: the last shift|\.)",),
    "bought": (rf"In {_Y} [^.]*? bought by {_N}\.", rf"(?P<n>{_N}) took over the firm in {_Y}"),
    "first winner": (rf"first to receive it was {_N}, in {_Y}", rf"In {_Y} it went for the first time, to {_N}\."),
    "war": (rf"in the {_N}\.$", rf"engagement of the {_N}, fought"),
    "genus": (r"is an? ([a-z ]+?) (?:found in|of the genus)",),
    "circulation": (r"(?:sells|given as) ([\d,]+)",),
    "widest": (rf"{_N} is the paper with the widest circulation",),
    "birthplace": (rf"(?:born in|came from|[Nn]ative of|child of) {_N}(?:,| and)",),
    "club": (rf"(?:played for|career at|joined) {_N}(?:,| from| in)",),
}  # fmt: skip
_RULES = {name: tuple(re.compile(p) for p in patterns) for name, patterns in _CLAIMS.items()}
_GRAMMAR = re.compile(
    r"(?:^|[.,;] )An? [a-z]+ [a-z]+ (?:were|are) |\b(?:2|3|21|22|23|31)th\b|\bonce in a long career, both\b"
)
_BULLET = re.compile(rf"^{_N} \((?:born )?(\d{{4}})(?:–(\d{{4}}))?\)(?:, ([a-z ]+?))?(?:, mayor (\d{{4}})–(\d{{4}}))?$")
_GROUPS = {
    "Notable people": "birthplace",
    "People": "birthplace",
    "Players": "club",
    "Notable players": "club",
    "Alumni": "school",
    "Notable former pupils": "school",
}
_GROWN = 12  # nobody has friends, letters or works before
Problem = tuple[str, str]


@dataclass
class Entry:
    """One article: its name (the title without brackets), claims as relation -> groups of a match, sentences, items of lists."""

    title: str
    name: str
    claims: dict[str, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    sentences: list[str] = field(default_factory=list)
    names: list[list[str]] = field(default_factory=list)
    items: list[tuple[str, str]] = field(default_factory=list)

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
    entry, heading = Entry(article.title, re.sub(r" \([^)]*\)$", "", article.title)), ""
    for paragraph in article.paragraphs[1:]:
        if paragraph.kind == "section":
            heading = paragraph.text
        elif paragraph.kind == "bullet":
            entry.items.append((heading, paragraph.text))
        else:
            entry.sentences += re.split(r"(?<=[.!?]) (?=[A-ZÀ-ÖØ-ÞŠ])", paragraph.text)
    entry.names = [re.findall(_N, sentence) for sentence in entry.sentences]
    for number, sentence in enumerate(entry.sentences):
        for relation, patterns in _RULES.items():
            if relation in ("trade", "full", "year", "region", "genus", "life", "alive", "on") and number:
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
        if not (found := _BULLET.match(item)):
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
        relation = _GROUPS.get(heading)
        if (
            relation
            and lives
            and not any(entry.name in sum(each.claims[relation], ()) for each in lives if each.claims[relation])
        ) and any(each.claims[relation] for each in lives):
            yield "list", f"{name} was at another {relation}"
    terms = sorted((int(m[5]), int(m[6])) for _, item in entry.items if (m := _BULLET.match(item)) and m[5])
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
    yield from (("grammar", sentence) for sentence in entry.sentences if _GRAMMAR.search(sentence))


_CHECKS: tuple[Callable[[Library, Entry], Iterator[Problem]], ...] = (
    _person,
    _family,
    _items,
    _places,
    _times,
    _grammar,
)
