r"""Safe cuts: places at which any text splits into two texts whose token counts add up (docs/spec/measured.md 1).

A cut is identified by the character before it and the character after it, so it is found in a window of any size.
Why cuts are safe, per family:

- Regex BPE: no alternative of the patterns in `KNOWN_ALTERNATIVES` matches across "non-space, space" or across
  "letter, punctuation"; and as the left side never ends in white space, `(?!\S)` and `$` match the same on both sides.
  The apostrophe is no cut: it may start a contraction.
- Piece BPE (SentencePiece, Metaspace): no merge has the mark ▁ after another character and none contains a newline,
  so no merge crosses such a place. Both conditions are checked when the tokenizer is loaded.
- Words (split at white space first) and normalized texts: only "non-space, space".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property

from haymaker.core.errors import TokenizerError

MARK = "▁"
_POSSESSIVE = re.compile(r"(?<=[+?*])\+|(?<=\d\})\+")
_ALTERNATIVES = r"""
[^\r\n\p{L}\p{N}]?\p{L}+
[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+
[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+
[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*
[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+
[一-龥぀-ゟ゠-ヿ]+
 ?\p{L}+
 ?\p{N}+
\p{N}+
\p{N}
\p{N}{1,3}
 ?[^\s\p{L}\p{N}]+
 ?[^\s\p{L}\p{N}]+[\r\n]*
 ?[^\s\p{L}\p{N}]+[\r\n/]*
 ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*
 ?[\p{P}\p{S}]+[\r\n]*
\s+$
\s*[\r\n]
\s*[\r\n]+
\s+(?!\S)
\s+
\s
's
't
're
've
'm
'll
'd
(?i:'s|'t|'re|'ve|'m|'ll|'d)
'(?i:[sdmt]|ll|ve|re)
'(?:[sdmt]|ll|ve|re)
"""
KNOWN_ALTERNATIVES = _ALTERNATIVES.strip("\n").split("\n")
_ESCAPE = re.compile(r"\\(?:x\{(\w+)\}|x(\w\w)|u(\w{4})|(.))", re.DOTALL)
_CONTROLS = {"r": "\r", "n": "\n", "t": "\t"}
_NEVER_SPECIAL = frozenset("!\"#%&',/:;<=>@_`~ ")  # characters for which an escape makes no difference


@dataclass(frozen=True)
class Cuts:
    """Safe cuts: `pattern` matches the character before a cut, with the character after it as look-ahead."""

    pattern: str

    @cached_property
    def _first(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    @cached_property
    def _last(self) -> re.Pattern[str]:
        return re.compile(f"(?s:.*)(?:{self.pattern})")

    def between(self, left: str, right: str) -> bool:
        """Whether two touching texts, both with characters, meet in a safe cut."""
        return self._first.match(left[-1] + right[0]) is not None

    def first(self, text: str) -> int:
        """Index of the first cut inside the text; 0 when there is none."""
        found = self._first.search(text)
        return found.end() if found else 0

    def last(self, text: str) -> int:
        """Index of the last cut inside the text; 0 when there is none."""
        found = self._last.match(text)
        return found.end() if found else 0


SPACE = Cuts(r"\S(?= )")
REGEX_BPE = Cuts(r"\S(?= )|[^\W\d_](?=[。，、！？；：.,;:!?)(\]}\[{\"\-`\t\n])")
PIECE_BPE = Cuts(rf"[^ {MARK}](?= )|[^\n](?=\n)|\n(?=[\s\S])")
PIECE_BPE_NEWLINES = Cuts(rf"[^ {MARK}](?= )")


def not_additive(reason: str) -> TokenizerError:
    """Return the error for a tokenizer whose counts cannot be added."""
    return TokenizerError(
        f"token counts of parts do not add up: {reason}",
        fix="choose another tokenizer (tekken works without any download)",
    )


def unknown_alternatives(pattern: str) -> list[str]:
    """Return the alternatives of a split pattern that are not in KNOWN_ALTERNATIVES, whatever their escapes."""
    return [part for part in alternatives(pattern) if not {_plain(part), _plain(_POSSESSIVE.sub("", part))} & _known()]


@cache
def _known() -> frozenset[str]:
    return frozenset(map(_plain, KNOWN_ALTERNATIVES))


def _plain(pattern: str) -> str:
    r"""Return a pattern with characters in place of escapes: a line feed, \n and \x0a become the same."""

    def character(found: re.Match[str]) -> str:
        *codes, other = found.groups()
        code = next(filter(None, codes), "")
        char = chr(int(code, 16)) if code else _CONTROLS.get(other, other)
        is_literal = char in _NEVER_SPECIAL or not (char.isascii() and char.isprintable())
        return char if is_literal or (code and char.isalnum()) else f"\\{char}"

    return _ESCAPE.sub(character, pattern)


def alternatives(pattern: str) -> list[str]:
    """Split a regular expression at the bars outside all brackets."""
    parts, depth, in_class = [""], 0, False
    for atom in re.findall(r"\\.|.", pattern, re.DOTALL):
        depth += (atom == "(" and not in_class) - (atom == ")" and not in_class)
        in_class = (in_class or atom == "[") and atom != "]"
        if atom == "|" and not (in_class or depth):
            parts.append("")
        else:
            parts[-1] += atom
    return parts
