r"""Safe cuts: places where any text splits into two whose token counts add up (docs/spec/measured.md 1).

A cut is known by the character before it and the character after it, so it can be looked for in a window of any size.
Why it is safe, per family:

- Regex BPE: no alternative of the patterns in `KNOWN_ALTERNATIVES` matches across "non-space, space" or across
  "letter, punctuation"; and as the left side never ends in white space, `(?!\S)` and `$` see the same on both sides.
  The apostrophe is no cut: it may start a contraction.
- Piece BPE (SentencePiece, Metaspace): no piece has the mark ▁ behind another character and none holds a newline,
  so no merge crosses such a place. Both conditions are checked when the tokenizer is loaded.
- Words (white space splits first) and texts that are normalised first: only "non-space, space".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

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
KNOWN_ALTERNATIVES = frozenset(_ALTERNATIVES.strip("\n").split("\n"))


@dataclass(frozen=True)
class Cuts:
    """Where texts may be cut.

    Attributes:
        pattern: a regular expression that matches the one character before a cut (the one behind it as look-ahead).
    """

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


def unknown_alternatives(pattern: str) -> list[str]:
    """Alternatives of a split pattern for which no proof is written down here; empty when all are known."""
    return [part for part in _top_level(pattern) if not {part, _POSSESSIVE.sub("", part)} & KNOWN_ALTERNATIVES]


def _top_level(pattern: str) -> list[str]:
    """Split a regular expression at the bars outside all brackets."""
    parts, depth, in_class, escaped = [""], 0, False, False
    for char in pattern:
        if not escaped:
            depth += (char == "(" and not in_class) - (char == ")" and not in_class)
            in_class = (in_class or char == "[") and char != "]"
        if char == "|" and not (escaped or in_class or depth):
            parts.append("")
        else:
            parts[-1] += char
        escaped = char == "\\" and not escaped
    return parts
