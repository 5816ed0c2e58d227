"""A document as writers of wrong options read it: its sentences, the names in it and of what sort they are, pieces of its sentences.

Names are found by their capitals and sorted by the words around them; nothing is learned. Of names there is one list, of countries.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from corpora.retrieval.lexical import BM25
from haymaker.core.text.english_grammar import MONTHS
from haymaker.core.text.strings import padded, words

if TYPE_CHECKING:
    import numpy.typing as npt

Sort = Literal[
    "country", "place", "person", "court", "school", "press", "site", "body", "people", "idea", "event", "other"
]

_REFERENCES = re.compile(r"\s?\[(?:\d{1,4}|[a-z]|note \d+)\]")
_CAPITAL = r"[A-Z\u00c0-\u00de][\w\u00c0-\u024f]*(?:[’'-][A-Za-z\u00c0-\u024f]\w+|(?<=\b[A-Z])\.)*"
_NAME = re.compile(
    rf"\b{_CAPITAL}(?: (?:(?:of|de|la|del|das|dos|da|for|von|van|al|di|du|des) (?:the |la |los )?)?{_CAPITAL})*"
)
_NO_NAMES = frozenset(
    "The A An In On At By For From Of To With And But Or As If When While After Before During Since Although However This That "
    "These Those It Its He She They His Her Their We Our You I My There Then Thus Also Both Each Some Many Most All Other "
    "Another Such Because Despite According Following Under Over Between Among Through Several One Two Three Four Five Six "
    "Seven Eight Nine Ten First Second Third Later Not No Yes So Only What Which Who Why How Where Instead Moreover Furthermore "
    "Additionally Monday Tuesday Wednesday Thursday Friday Saturday Sunday Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Article Chapter Paragraph Section Part Act Mr Mrs Ms Dr See Main Early Late New South North East West Southern Northern Eastern Western Central".split()
) | frozenset(MONTHS)
_PLACE_BEFORE = re.compile(r"\b(?:in|at|near|across|throughout|outside|visited|within) (?:the )?$", re.I)
_SAYS = re.compile(r"(?:,? who\b| (?:said|says|told|wrote|stated|argued|announced|added|was born|died|asked|replied|criticised|criticized|described|believed|claimed)\b)")  # fmt: skip
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|President|Minister|Sir|King|Queen|Judge|Justice|Captain|Professor|lawyer|architect|activist|journalist|author|director|actor|actress|named|friend|brother|sister|son|daughter|wife|husband)\.? $")  # fmt: skip
_BODY = re.compile(
    r"\b(?:Party|Council|Court|Ministry|Union|Committee|Office|Group|University|Company|Agency|Association|Department|Organi[sz]ation|Commission|Army|Police|Bank|Church|League|Society|Institute|Board|Service|Force|Forces|Foundation|Federation|News|Times|Media|Watch|Rights|Amnesty|Alliance|Authority|Bureau|Coalition|Congress|Parliament|Senate|(?![IVX]+\b)[A-Z]{3,5})\b"
)
_SCHOOL = re.compile(
    r"\b(?:University|College|School|Academy|Institute)\b"
)  # among the bodies that condemn something it stands out
_PRESS = re.compile(r"\b(?:News|Times|Post|Media|Newspaper|Magazine|Herald|Guardian|Gazette)\b")
_SITE = re.compile(
    r"^Hotel\b|\b(?:Avenue|Street|Road|Hotel|Museum|Airport|Station|Stadium|Castle|Palace|Cathedral|Bridge)$"
)
_COURT = re.compile(r"\b(?:Court|Tribunal)\b")
_EVENT = re.compile(r"(?:War|Wars|Act|Conferences?|Movement|Revolution|Law|Protests?|Olympics|Games|Treaty|Protocols?|Agreements?|Convention|Minister|President|Officials?)$")  # fmt: skip
_KINDS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    ("event", _EVENT), ("court", _COURT), ("school", _SCHOOL), ("press", _PRESS), ("site", _SITE), ("body", _BODY),
)  # fmt: skip
_PEOPLE = re.compile(r"(?:ian|ish|ese|ans|ians|ists|ist)$")
_TITLED = re.compile(
    r"(?:[A-Z]{2,5} )?(?:MP|MEP|Senator|Mayor|Governor|President|Minister|Prime Minister|Chief Justice|Justice|Judge|King|Queen|Emperor|Sir|General|Captain|Professor) [A-Z]"
)
_OFTEN = 0.1  # share of a person's mentions that say so
_GOES_ON = re.compile(r" [a-z]")  # a capital before a plain word is an adjective more often than a name
_STEPS_ON = re.compile(r" (?:is|was|were|are|has|had|have|and|or|in|on|at|to|from|by|for|with|of|as|that|which|who|will|would|after|before|during|said|did|could|can|until|under|also|when|where|again|the|a|an|it|he|she|they|there|his|her|wrote|told|became|made|took|gave|led|held|went|came|met|stood|[a-z]+ed)\b")  # fmt: skip
_TO = re.compile(r"(?<!due )(?<!according )(?<!similar )(?<!related )\bto ([a-z]+)\b")
_NOT_TO = re.compile(r"\b(?:the|a|an|of|in|his|her|their|its) ([a-z]+)\b")
_SHOUTED = 4  # words in capitals: a heading or the speaker of a script


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name of a document.

    Attributes:
        text: as it is written.
        sort: what it seems to name.
        places: numbers of the sentences in which it stands.
        article: it has "the" before it more often than not.
    """

    text: str
    sort: Sort
    places: tuple[int, ...]
    article: bool = False


class Reading:
    """One document.

    Args:
        sentences: in order, as the store has them.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = [" ".join(_REFERENCES.sub("", sentence).split()) for sentence in sentences]

    @cached_property
    def names(self) -> dict[str, Name]:
        """Its names; one that only begins sentences, or is an adjective more often, is none."""
        found: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
        opened: Counter[str] = Counter()
        for number, sentence in enumerate(self.sentences):
            for start, name in _capitals(sentence):
                before, behind = sentence[:start], sentence[start + len(name) :]
                if not before.strip(" \"“'(") or before.rstrip(" \"“'").endswith((".", ":", "?", "!")):
                    opened[name] += 1
                found[name].append((number, before, behind))
        out = {}
        for name, met in found.items():
            adjective = sum(goes_on(behind) for _, _, behind in met)
            if (opened[name] < len(met) or " " in name) and 2 * adjective < len(met):
                article = 2 * sum(before.lower().endswith("the ") for _, before, _ in met) > len(met)
                places = tuple(dict.fromkeys(number for number, _, _ in met))
                out[name] = Name(name, _sort(name, met), places, article)
        return out

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Verbs in their plain form: words that stand behind "to", and never behind an article or the like."""
        return frozenset(_TO.findall(self.all_words.lower())) - frozenset(_NOT_TO.findall(self.all_words.lower()))

    def infinitive(self, text: str) -> bool:
        """Whether a text begins with such a verb."""
        return text.split(" ", 1)[0].lower() in self.verbs

    @cached_property
    def all_words(self) -> str:
        """The document on one line."""
        return " ".join(self.sentences)

    def quotes(self, text: str) -> bool:
        """Whether its words stand in the document, in a row; case, accents and marks aside."""
        return padded(text) in self._padded

    @cached_property
    def _padded(self) -> str:
        return padded(self.all_words)

    def shared(self, question: str, text: str) -> int:
        """Most words that a question shares with one sentence that has a text word by word; -1 where none has it."""
        asked, wanted = set(words(question)), padded(text)
        return max((len(asked & said) for plain, said in self._said if wanted in plain), default=-1)

    @cached_property
    def _said(self) -> list[tuple[str, set[str]]]:
        return [(padded(sentence), set(words(sentence))) for sentence in self.sentences]

    @cached_property
    def _search(self) -> tuple[BM25, npt.NDArray[np.int64]]:  # type: ignore[name-defined]  # noqa: F821
        import numpy as np

        ends = np.cumsum([len(sentence) + 1 for sentence in self.sentences])
        return BM25(self.all_words + " "), np.concatenate([[0], ends])

    def relevance(self, query: str) -> list[float]:
        """BM25 of every sentence (corpora/retrieval/lexical.py)."""
        search, bounds = self._search
        scores: list[float] = search.scores(query, bounds).tolist()
        return scores

    def distance(self, places: Sequence[int], evidence: frozenset[int]) -> int:
        """Sentences between the nearest of some places and the evidence; 0 where that is unknown."""
        return min((abs(a - b) for a in places for b in evidence), default=0)


def _capitals(sentence: str) -> list[tuple[int, str]]:
    """Runs of words with capitals, and where they begin; words that open sentences are taken off."""
    out = []
    for match in _NAME.finditer(sentence):
        start, name = match.start(), match.group()
        while name and (first := name.split(" ", 1)[0]) in _NO_NAMES and not (first in _COMPASS and " " in name):
            start, name = start + len(first) + 1, name[len(first) + 1 :]
        for ending in ("'s", "’s"):
            name = name.removesuffix(ending)
        words = name.split()
        if " " in name and name.split(" ", 1)[0] in _countries():
            continue  # "In Britain Osbert Lancaster ..."
        if len(name) > 2 and name[0].isupper() and len(words) < 7 and sum(word.isupper() for word in words) < _SHOUTED:
            out.append((start, name))
    return out


_COMPASS = frozenset("New South North East West Southern Northern Eastern Western Central".split())


def goes_on(behind: str) -> bool:
    """Whether what stands behind a name makes it an adjective ("the Singapore government")."""
    return bool(_GOES_ON.match(behind) and not _STEPS_ON.match(behind))


@cache
def _countries() -> frozenset[str]:
    text = Path(__file__).with_name("countries.txt").read_text(encoding="utf-8")
    return frozenset(name.strip() for name in " ".join(text.split()).split(","))


def wanted_sort(question: str, name: str) -> Sort | None:
    """What a question asks for, as far as its first words and the answer tell."""
    if name in _countries():
        return "country"
    if plain := _by_its_words(name):
        return plain
    first = question.lower().split()[:3]
    return "person" if {"who", "whom"} & set(first) else "place" if "where" in first else None


def _sort(name: str, met: Sequence[tuple[int, str, str]]) -> Sort:
    if name in _countries():
        return "country"
    if plain := _by_its_words(name):
        return plain
    there = sum(bool(_PLACE_BEFORE.search(before)) for _, before, _ in met)
    speaks = sum(bool(_TITLE.search(before) or _SAYS.match(behind)) for _, before, behind in met)
    if 2 * there >= len(met):
        return "place"
    if speaks and speaks >= _OFTEN * len(met):
        return "person"
    return "place" if 3 * there >= len(met) else "other"


def _by_its_words(name: str) -> Sort | None:
    """The sort that a name tells by itself."""
    if _TITLED.match(name):
        return "person"
    for sort, told in _KINDS:
        if told.search(name):
            return sort
    if " " in name:
        return None
    return "people" if _PEOPLE.search(name) else "idea" if name.endswith("ism") else None
