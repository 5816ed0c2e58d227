"""Repair encoding damage in texts, as far as the original is certain.

Repairs misread UTF-8, HTML entities and tags, and replacement characters for quotation marks, apostrophes and degrees;
removes control characters. Uncertain cases stay; LOST marks a character that cannot be recovered.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.entities import html5

LOST = "\ufffd"
"""Replacement character for a character that cannot be recovered."""

# Control characters except white space, direction overrides, byte order marks, joiners, private-use characters.
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ue000-\uf8ff]")
_ODD = re.compile(f"{_CONTROLS.pattern[:-1]}&<{LOST}\xc2-\xc5]")  # texts without these need no repair
_MISREAD = re.compile(
    "[\xc3-\xdf][\x80-\x9f]|[\xe0-\xef](?:[\x80-\x9f][\x80-\xbf]|[\x80-\xbf][\x80-\x9f])"
)  # UTF-8 read as Latin-1
# UTF-8 read as Windows-1252: accented letters next to a lower-case one, symbols after "\xc2". Quotation marks and
# dashes can follow a correct letter, so they count only within a word.
_SECOND = "\xa0-\xaa\xac-\xba\xbc-\xbf\u20ac\u0192\u2020\u2021\u02c6\u2030\u0160\u0152\u017d\u2122\u0161\u0153\u017e\u0178\u02dc\u201a\u201e\u2039\u203a"
_DOUBTFUL = "\xab\xbb\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u2026"
_PAIR = re.compile(
    f"(?<=[a-z])[\xc3-\xc5][{_SECOND}]|[\xc3-\xc5][{_SECOND}](?=[a-z])"
    f"|(?<=[a-z])[\xc3-\xc5][{_DOUBTFUL}](?=[a-z])|\xc2[\xa0-\xaa\xac-\xba\xbc-\xbf]"
)
_ENTITY = re.compile(
    r"&(?:amp;)*((?:[A-Za-z]{2,8}\d{0,2}|#\d{1,6}|#[xX][0-9a-fA-F]{1,5});)"
)  # with any number of escapes of "&"
_BLOCK = "div|p|br|tr|table|tbody|thead|ul|ol|li|h[1-6]|hr|center|pre"
_INLINE = "span|a|b|i|u|em|strong|font|td|th|sup|sub|img"
_IS_PAGE = re.compile(rf"</(?:{_BLOCK}|span|a|td|font)>|<!--", re.IGNORECASE)
_TAG = re.compile(
    rf"<!--.*?-->|</?(?:(?P<block>{_BLOCK})|{_INLINE})(?:(?:\s|class|style|align)[^<>]*)?/?>", re.IGNORECASE | re.DOTALL
)
_SIGNS = (
    (re.compile(rf"(?<=[\w.,;!?\u2026]){LOST}\?(?=\s|$)"), "\u201d"),  # a closing quotation mark without its last byte
    (re.compile(rf"(?<=[A-Za-z]){LOST}(?=(?:s|t|d|m|re|ve|ll)\b)"), "\u2019"),
    (re.compile(rf"(?<=\d){LOST}(?=\s*\d+')"), "\xb0"),
)


def fix_text(text: str) -> tuple[str, int]:
    """Return the repaired text and the number of repairs; block tags become blank lines, other white space is kept."""
    count = 0
    for pattern, meant in _RULES if _ODD.search(text) else ():
        if pattern is not _TAG or _IS_PAGE.search(text):  # without closing tags, "<p>" may be a letter in brackets
            text, found = pattern.subn(meant, text)
            count += found
    return text, count


def _unescaped(found: re.Match[str]) -> str:
    name = found[1]
    return html.unescape(f"&{name}") if name.startswith("#") else html5.get(name, found[0])


def _as_utf8(found: re.Match[str]) -> str:
    raw = b"".join(each.encode("cp1252" if ord(each) > 0xFF else "latin-1") for each in found[0])
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return found[0]


_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_ENTITY, _unescaped),
    (_MISREAD, _as_utf8),
    (_PAIR, _as_utf8),
    *_SIGNS,
    (_TAG, lambda found: "\n\n" if found["block"] else ""),
    (_CONTROLS, ""),
)
