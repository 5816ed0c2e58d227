"""Sentence splitting: text in, (start, end) of each sentence out.

Papers use untrained Punkt, which breaks after "Mr." (docs/spec/babilong.md 6.2). Differs from them: Punkt gets a set of
abbreviations, so its count is within 0.2 % of the trained English model (docs/spec/measured.md 6).
"""

from __future__ import annotations

import re
from functools import cache

from corpora.stores.sentences import languages
from corpora.stores.sentences.languages import Spans, Splitter

SENTENCES_VERSION = 2
_STRETCH = 200_000  # characters per call of Punkt, whose time may grow with their square

ABBREVIATIONS = frozenset(
    "mr mrs ms dr st messrs mme mlle prof rev hon capt col gen lieut lt sgt maj gov sen rep pres esq jr sr bros co ltd "
    "vol vols chap fig figs ed eds pp no nos viz i.e e.g etc cf al vs u.s u.k a.m p.m b.c a.d jan feb mar apr jun jul "
    "aug sept oct nov dec mt ft".split()
)
"""Lower case, without the last full stop, the form Punkt keeps them in: written for English books of any age."""
_TITLES = tuple(f"{title}." for title in "Mr MR Mrs MRS Ms Dr DR Messrs Mme Mlle Prof Rev Capt Col Lieut Maj".split())
"""Titles before a name never end a sentence; Punkt cuts after one in quotation marks ("“Mr.") or before a last word."""
# Full stops of scripts that Punkt does not know: Chinese and Japanese, Indic, Urdu, Arabic question mark, Armenian, Ethiopic.
_ENDS = "。！？；!?…｡।॥۔؟։።"
_MARKED = re.compile(rf"[^{_ENDS}\n]*[{_ENDS}]+[”’」』｣）)】〉》»]*|[^{_ENDS}\n]+")


@cache
def splitter(name: str, abbreviations: tuple[str, ...] = ()) -> Splitter:
    """Return a splitter: punkt (English, and other languages with . ! ?), cjk, lines, or the code of a language.

    cjk splits at 。！？；… and the full stops of Indic, Arabic, Armenian and Ethiopic scripts; lines has one sentence per
    line; for codes see languages.py. `abbreviations` end in a full stop without ending a sentence, besides the known
    ones; used by punkt and languages.
    """
    if name in languages.KNOWN:
        return languages.splitter(name, abbreviations)
    return _punkt(abbreviations) if name == "punkt" else {"cjk": _cjk, "lines": _lines}[name]


def _punkt(abbreviations: tuple[str, ...]) -> Splitter:
    from nltk import redos
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    redos.DEFAULT_TIMEOUT = None  # else a text that takes five seconds is an error, on the slower of two machines
    parameters = PunktParameters()
    parameters.abbrev_types = {*ABBREVIATIONS, *(word.lower().removesuffix(".") for word in abbreviations)}
    spans = PunktSentenceTokenizer(parameters).span_tokenize

    def split(text: str) -> Spans:
        for start, end in _stretches(text):
            yield from [(start + first, start + last) for first, last in spans(text[start:end])]

    return lambda text: _titled(split(text), text)


def _titled(spans: Spans, text: str) -> Spans:
    """The spans, each that ends in a title joined to the next."""
    begin = -1
    for start, end in spans:
        begin = start if begin < 0 else begin
        if not _ends_in_title(text, begin, end):
            yield begin, end
            begin = -1
    if begin >= 0:
        yield begin, end


def _ends_in_title(text: str, start: int, end: int) -> bool:
    if not text.endswith(_TITLES, start, end):
        return False
    at = end - 2
    while at >= start and text[at].isalpha():
        at -= 1
    return text[at + 1 : end] in _TITLES


def _stretches(text: str) -> Spans:
    """A long text cut after full stops, else at a space, else anywhere; a paragraph of prose stays whole."""
    start = 0
    while len(text) - start > _STRETCH:
        limit = start + _STRETCH
        space = next((at for mark in (". ", " ") if (at := text.rfind(mark, start, limit)) > start), limit - 2)
        yield start, (start := text.find(" ", space, limit) + 1 or limit)
    yield start, len(text)


def _cjk(text: str) -> Spans:
    for match in _MARKED.finditer(text):
        if match.group().strip():
            yield match.span()


def _lines(text: str) -> Spans:
    for match in re.finditer(r"[^\n]+", text):
        if match.group().strip():
            yield match.span()
