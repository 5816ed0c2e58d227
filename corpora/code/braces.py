"""Java and C# by their brackets: types, imports or namespaces, whole statements inside of methods. No compiler: names alone are followed.

A type is known by its namespace (`package`, `namespace`) and name. Not covered, and so never asked or followed: members that are imported
by themselves (`import static`), types inside of types, types that several files declare (partial classes), fields and heads of methods.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from corpora.code.model import Asked, names_in

_TEXT = r'@"(?:[^"]|"")*"|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
_MASKED = re.compile(rf"(?P<text>\$?(?:{_TEXT}))|//[^\n]*|/\*[\s\S]*?\*/|^[ \t]*#[^\n]*", re.MULTILINE)
_TOKEN = re.compile(r"\w+|\S")
_TYPES = frozenset(("class", "interface", "enum", "record", "struct"))
_HEADS = frozenset(("if", "for", "foreach", "while", "switch", "using", "lock", "synchronized", "try", "catch"))
_NOT_ASKED = frozenset(("case", "default", "else", "do", "break", "continue", "package", "import"))
_NO_TYPE = frozenset(("return", "new", "throw", "await", "yield", "in", "is", "as", "instanceof"))
KNOWN = frozenset(
    "abstract as async await base bool boolean break byte case catch char checked class const continue decimal default delegate do double else enum event explicit "
    "extends extern final finally fixed float for foreach get if implements implicit import in instanceof int interface internal is lock long namespace native new "
    "null object operator out override package params private protected public readonly record ref return sbyte sealed set short sizeof static string struct super "
    "switch synchronized this throw throws transient true try typeof uint ulong unchecked unsafe ushort using value var virtual void volatile when where while yield "
    "false nameof String Object Integer Long Double Boolean Math System List Map Set Exception Console".split()
)  # fmt: skip
"""Words of both languages, and types that every reader knows."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark, and the number of its line."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Statement:
    """What stands between two of ; { }, brackets closed.

    Attributes:
        tokens: of it, without what ends it.
        end: what ends it.
        around: what the open brackets are, the innermost last: namespace, type, block.
    """

    tokens: tuple[Token, ...]
    end: Token
    around: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What a bracket behind it opens."""
        words = {token.text for token in self.tokens}
        return (
            "namespace"
            if "namespace" in words
            else "type"
            if words & _TYPES and "(" not in words - {"record"}
            else "block"
        )


class BraceFile:
    """A file whose brackets close.

    Args:
        text: of it, its lines ended by line feeds.

    Raises:
        SyntaxError: they do not.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        masked = _MASKED.sub(_blank, text)
        self.tokens = [Token(m[0], n) for n, line in enumerate(masked.split("\n")) for m in _TOKEN.finditer(line)]
        self.statements = tuple(self._statements())

    def _statements(self) -> Iterator[Statement]:
        around, waiting, opened, start = list[str](), list[int](), 0, 0
        for at, token in enumerate(self.tokens):
            opened += (token.text in "([") - (token.text in ")]")
            if opened < 0 or (token.text == "}" and (opened or not around)):
                raise SyntaxError(f"a bracket too many in line {token.line + 1}")
            if token.text not in ";{}" or (opened and token.text == ";"):
                continue
            found = Statement(tuple(self.tokens[start:at]), token, tuple(around))
            yield found
            start = at + 1
            if token.text == "{":
                around.append(found.kind)
                waiting.append(opened)
                opened = 0
            elif token.text == "}":
                around.pop()
                opened = waiting.pop()
        if around or opened:
            raise SyntaxError("a bracket is left open")

    @cached_property
    def namespace(self) -> str:
        """Dotted; empty where the file names none."""
        return next(
            (_dotted(each.tokens[1:]) for each in self.statements if _first(each) in ("package", "namespace")), ""
        )

    @cached_property
    def imports(self) -> list[str]:
        """Dotted names behind `import` and `using`, as written; "a.*" for all of a."""
        found = (each for each in self.statements if _first(each) in ("import", "using") and each.end.text == ";")
        return [
            _dotted(each.tokens[1:])
            for each in found
            if "block" not in each.around and "static" not in {t.text for t in each.tokens}
        ]

    @cached_property
    def defined(self) -> dict[str, tuple[int, int]]:
        """Type -> lines of its declaration, of those that stand in no other."""
        found: dict[str, tuple[int, int]] = {}
        for at, each in enumerate(self.statements):
            if each.end.text == "{" and each.kind == "type" and not set(each.around) - {"namespace"}:
                name = next(
                    (b.text for a, b in zip(each.tokens, each.tokens[1:], strict=False) if a.text in _TYPES), ""
                )
                last = next(
                    later.end.line
                    for later in self.statements[at + 1 :]
                    if later.end.text == "}" and later.around == (*each.around, "type")
                )
                found[name] = (each.tokens[0].line, last + 1)
        return found

    def told_by(self, name: str) -> set[str]:
        """Every name that the declaration of a type has."""
        first, last = self.defined[name]
        return {token.text for token in self.tokens if first <= token.line < last and not token.text[0].isdigit()}

    @cached_property
    def loads(self) -> dict[str, int]:
        """Name -> the first line where it stands in code, not behind a dot and not in an import."""
        found: dict[str, int] = {}
        for each in self.statements:
            if _first(each) not in ("import", "using", "package", "namespace") or each.end.text == "{":
                for before, token in zip((None, *each.tokens), each.tokens, strict=False):
                    if before is None or before.text != ".":
                        found.setdefault(token.text, token.line)
        return found

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """Statements and heads of blocks inside of methods that stand whole on a line of their own."""
        return tuple(asked for each in self.statements if (asked := self._asked(each)))

    def _asked(self, each: Statement) -> Asked | None:
        words = [token.text for token in each.tokens]
        if not words or not each.around or each.around[-1] != "block" or words[0] in _NOT_ASKED or each.end.text == "}":
            return None
        line, ends_elsewhere = each.tokens[0].line, each.end.text == ";" and each.end.line != each.tokens[0].line
        text = self.lines[line]
        whole = "".join(_TOKEN.findall(_MASKED.sub(_blank, text))).removesuffix("{") == "".join(words) + (
            ";" if each.end.text == ";" else ""
        )
        if ends_elsewhere or not whole or (each.end.text == "{") != (words[0] in _HEADS):
            return None
        names = frozenset(word for word in words if word[0].isalpha() or word[0] == "_")
        quoted = {name for found in _MASKED.finditer(text) if found["text"] for name in names_in(found["text"])}
        return Asked(
            line,
            text,
            names - KNOWN,
            frozenset(_new(words)),
            frozenset(quoted | {word for word in words if word[0].isdigit()}),
        )


def _blank(found: re.Match[str]) -> str:
    """White space in place of comments and texts; of a text a pair of quotes stays."""
    kept = "".join(" " if mark != "\n" else mark for mark in found[0])
    return f'""{kept[2:]}' if found["text"] else kept


def _first(each: Statement) -> str:
    return each.tokens[0].text if each.tokens else ""


def _dotted(tokens: Sequence[Token]) -> str:
    return "".join(token.text for token in tokens)


def _new(words: Sequence[str]) -> Iterator[str]:
    """Variables that a statement declares: a name behind a type, before what it is set to."""
    for before, word, after in zip(words, words[1:], [*words[2:], ";"], strict=False):
        is_type = before in ">]" or (before[0].isalpha() and before not in _NO_TYPE)
        if after in ("=", ";", ":", "in") and is_type and (word[0].isalpha() or word[0] == "_"):
            yield word
