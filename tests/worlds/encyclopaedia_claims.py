"""Sentences of encyclopaedia articles as claims: relation -> regular expressions whose groups are the values."""

from __future__ import annotations

import re
from collections import defaultdict
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
