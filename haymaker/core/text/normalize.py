"""Text normalization for encyclopaedia passages: removes marks left by dumps, tokenizers and web pages.

Passages come from files that other tools extracted from Wikipedia: "Teutberga( died", "``Oath of Allegiance ''",
"Amherst ( ) is", "self - actualizing". If gold and distractors come from different files, such marks reveal the gold,
so all passages pass through `clean`. Words stay, with few exceptions ("do n't" is joined; tags and editors' notes go).
Evidence is cleaned in the same way before it is located (corpora/retrieval/mining/locate.py).
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from html.entities import html5
from typing import NamedTuple

from haymaker.core.text.english_grammar import MONTHS
from haymaker.core.text.sentence_gaps import with_gaps

_ENOUGH = 50  # maximum rounds; texts rarely need more than three
_BLOCKS = "blockquote|body|br|center|dd|div|dl|dt|h[1-6]|head|hr|html|li|ol|p|pre|table|tbody|td|th|tr|ul"
_INLINE = "a|abbr|b|big|cite|code|em|font|i|img|math|nowiki|ref|s|small|span|strike|strong|sub|sup|tt|u"
_ATTRIBUTES = r"""(?:\s+[\w:-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s<>"']+))?)*\s*/?"""
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style|title)\b[^<>]*>.*?</\1\s*>", re.I | re.S)
_BLOCK = re.compile(rf"</?(?:{_BLOCKS}){_ATTRIBUTES}>", re.I)
_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>", re.I)
_ENTITY = re.compile(r"&(?:#\d{1,6}|#[xX][\da-fA-F]{1,5}|[A-Za-z]{2,8}\d{0,2});")


class Rule(NamedTuple):
    """Replacement of a pattern; only texts that contain `needle` are searched."""

    needle: str
    pattern: re.Pattern[str]
    new: str


def _rules(*rules: tuple[str, str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(needle, re.compile(pattern), new) for needle, pattern, new in rules)


_NOTES = r"(?:citation|clarification|verification|page|year|quotation) needed|(?:who|whom|when|where|which|why|how|according to whom)\?|edit|note \d+"
_CHARACTERS = str.maketrans(
    dict.fromkeys("\u00ad\u200b\u200e\u200f\u2060\ufeff", None)
    | dict(zip("\u2018\u2019\u201c\u201d", "''\"\"", strict=True))
)
_MARKUP = _rules(
    ("-L", "-L[RS]B-", "("),
    ("-R", "-R[RS]B-", ")"),
    ("[[", r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]*)\]\]", r"\1"),  # wiki links
    ("{'1'", r",? ?\{'1': [^{}\n]*\}", ""),  # template arguments printed by a dump
    ("{{", r" ?\{\{[^{}\n]*\}\}", ""),
    ("'''", "'{3,}", ""),
    ("[", rf"(?i) ?\[ ?(?:{_NOTES}) ?\]", ""),
    ("``", " ?`` ?", ' "'),
    ("''", r" ?''(?=[\w(])", '" '),
    ("''", " ?''", '"'),
    (' ""', ' ""(?=[ .,;:)]|$)', ""),  # a name missing from the dump
    ('""', '"{2,}', '"'),
)
_BRACKETS = _rules(
    ("( ", r"(?<=[^\s(\[{])\( ", " ("),  # "Teutberga( died"
    ("[ ", r"(?<=[^\s(\[{])\[ ", " ["),
    ("( ", r"\( ", "("),
    ("[ ", r"\[ ", "["),
    (" )", r" \)", ")"),
    (" ]", r" \]", "]"),
    ("(", r"\([;,]+ ?", "("),  # "( ; born 1944)"
    (")", r"[ ;,]+\)", ")"),
    (" ()", r" \(\)", ""),  # "Amherst ( ) is"
    ("]", r"(?<=[;:,(]) ?\](?= ?[;,)])", ""),  # "(French: ] ;"
    (" ;", r"([;,:])(?: ?[;,])+(?= )", r"\1"),
    (" ,", r"([;,:])(?: ?[;,])+(?= )", r"\1"),
)
_NOT_JOINED = "and|or|nor|to|vs|but|und|y|the|it|he|she|they|who|which"  # "first- and second-"
_YEAR = r"([12](?<!\d[12])\d{3})"
_SPACES = _rules(
    ("", rf"{_YEAR}(?=(?:\d\d? )?(?:{'|'.join(MONTHS)})\b)", "\\1 \u2013 "),  # "(October 4, 1916May 5, 2002)"
    (")", rf"(?<=\(){_YEAR}(?=(?:1[3-9]|20)\d\d\))", "\\1\u2013"),  # "(18921954)"; "(19981205)" is a day
    *((f" {mark}", rf"(?<=[^\s.,;:!?]) {re.escape(mark)}(?=[\s\")\]]|$)", mark) for mark in ",;:!?"),
    (" .", r"(?<=[^\s.,;:!?]) \.(?![.\w]| \.)(?=[\s\")\]]|$)", "."),
    (" ,", r"(?<=\w) ,(?=[A-Za-z])", ", "),
    *((f"{mark}.", rf"{mark}(?=\.(?:\s|$))", "") for mark in ",;:"),
    (" '", r"(?<=\w) (?='(?:s|re|ve|ll) )", ""),
    ("' ", r"(?<=[ (])' (?=[A-Z\u00c0-\u024f])", "'"),
    ("' ", r"\b([DLOdl]') (?=[A-Z])", r"\1"),  # "Pat O' Brien"
    (" n't", r"(?<=[a-z]) n't\b", "n't"),
    *((f"{sign} ", rf"(?<=[a-z]){re.escape(sign)} (?=\d)", f" {sign}") for sign in "$£€#"),  # "over$ 490 million"
    *((f"{sign} ", rf"(?<=[A-Z $£€(]){re.escape(sign)} (?=\d)", sign) for sign in "$£€"),
    ("/ ", r"(?:(?<=\s)|^)([A-Za-z][A-Za-z.'/-]*/) (?=[A-Za-z])", r"\1"),  # "actor/ singer"; not "(/ˈmɪnɪks/ or"
    ("- ", r"(?<=\d)- (?=[A-Z])", " \u2013 "),
    ("- ", r"(?<=\w)- ?(to|of|in|by|the|up|a)- ?(?=\w)", r"-\1-"),  # "over- the- counter"
    ("- ", rf"(?<=\w)- (?!(?:{_NOT_JOINED})\b)(?=\w)", "-"),  # "Marie- Thérèse"
    (" - ", r"(?<=\d{4}) - (\d\d) - (?=\d\d\b)", r"-\1-"),
    (" -- ", r"(?<=\d) -- (?=\d)", "\u2013"),
    ("--", r"(?<=\d{4})--(?=[)\d])", "\u2013"),
    ("- ", r"(?<=\w) --? (?=\w)", " \u2013 "),
)
_HYPHEN = re.compile(r"[^\W\d_]-[^\W\d_]")
_BETWEEN = re.compile(r"(?<=[^\W\d_]) - (to|of|in|by|and|the|up|a) - (?=[^\W\d_])")  # "editor - in - chief"
_TORN = re.compile(r"([^\W\d_]+) - (?=([a-z]+))")
_APART = frozenset(
    "a an and or but nor so yet it he she they we you i the this that these those there in on at of to for with by from as than when while "
    "where who whom which what although though because since if until after before during including especially either both not most even "
    "also all is was are were has had have be its his her their our my one some such only just then thus born died".split()
)
_MARK = re.compile('( ?" ?)')
_INCHES = re.compile(r"(?<!\d)\d{1,2}$")


def plain(text: str, line: str = "\n") -> str:
    """Remove HTML tags and decode entities.

    Args:
        text: any text; text that only resembles a tag ("a <b and c> d") is kept.
        line: replacement for block-level tags.
    """
    return _at_rest(text, lambda now: _untagged(now, line)) if "<" in text or "&" in text else text


def clean(text: str) -> str:
    """Return a text in the normal form of passages; the function is idempotent.

    Args:
        text: text of an article, paragraph or passage; its line breaks are kept.
    """
    return _at_rest(text, _clean)


def _at_rest(text: str, once: Callable[[str], str]) -> str:
    """Apply `once` until the text stops changing, because marks can be nested ("( ; ] )")."""
    for _ in range(_ENOUGH):
        if (new := once(text)) == text:
            break
        text = new
    return text


def _untagged(text: str, line: str) -> str:
    text = _TAG.sub("", _BLOCK.sub(line, _UNSEEN.sub("", text)))
    return _ENTITY.sub(_decoded, text)


def _decoded(entity: re.Match[str]) -> str:
    known = entity[0][1] == "#" or entity[0][1:] in html5
    return html.unescape(entity[0]) if known else entity[0]


def _clean(text: str) -> str:
    text = unicodedata.normalize("NFC", plain(text, " ").translate(_CHARACTERS))
    text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    text = _applied(_BRACKETS, _applied(_MARKUP, text))
    if " - " in text:
        text = _hyphened(text)
    return "\n".join(map(_quoted, with_gaps(_applied(_SPACES, text)).split("\n"))).strip()


def _applied(rules: tuple[Rule, ...], text: str) -> str:
    for rule in rules:
        if rule.needle in text:
            text = rule.pattern.sub(rule.new, text)
    return text


def _hyphened(text: str) -> str:
    """Join spaced hyphens ("self - actualizing"), unless the text has joined hyphens or uses " - " as a dash."""
    if _HYPHEN.search(text):
        return text
    joined = _BETWEEN.sub(r"-\1-", text)
    dash = any(_APART & {left.lower(), right} for left, right in _TORN.findall(joined))
    return text if dash else _TORN.sub(r"\1-", joined)


def _quoted(line: str) -> str:
    """Move quotation marks to the words they enclose: in 'the film" Dark River" won' the first mark is moved.

    A closing-looking mark with no open quotation is an opening mark with its space on the wrong side, if the next
    mark looks like a closing one too. Inches ('a 12" and a 7" single') are kept.
    """
    if '"' not in line:
        return line
    parts = _MARK.split(line)
    looks = [_look(*parts[at - 1 : at + 2]) for at in range(1, len(parts), 2)]
    inside = moved = False
    for number, look in enumerate(looks):
        at, following = 2 * number + 1, looks[number + 1 : number + 2]
        if look == "opening":
            inside = True
        elif look == "none" or (not inside and _INCHES.search(parts[at - 1])):
            inside = False
        elif inside:
            parts[at], inside = parts[at].lstrip(), False
        elif look == "both" or (following == ["closing"] if following else moved):
            inside = moved = parts[at].endswith(" ")
            parts[at] = ' "' if moved else parts[at]
    return "".join(parts)


def _look(left: str, mark: str, right: str) -> str:
    """Classify a quotation mark by its neighbours: opening, closing, both or none."""
    before = mark[0] == " " or not left or left[-1] in "([{-\u2013\u2014/"
    after = mark[-1] == " " or not right or right[0] in ".,;:!?)]}\u2026-\u2013\u2014/"
    return ("both" if before else "closing") if after else ("opening" if before else "none")
