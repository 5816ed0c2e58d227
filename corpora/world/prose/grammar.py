"""Grammar files compiled to closures: one call writes one phrase.

A rule file has `@name` lines, each followed by alternatives. In an alternative `{x}` calls a rule, a lexicon field or a
function of the teller, `{x/form}` asks for a word form, `<a|b>` chooses in place, `*3 ` at the start is a weight and a star
before a word marks the verb that takes the form its rule was asked for (`*0verb` keeps the base form).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Protocol

from haymaker.errors import CorpusError

from . import morphology

_LOW = (
    1 << 20
)  # below this the leftover bits are too few for a fair pick; a list never has more than some hundred items


class Entropy(Protocol):
    """What a compiled phrase needs of the teller: leftover bits and a source of new ones."""

    bits: int

    def word(self) -> int:
        """64 new random bits."""
        ...


Phrase = Callable[[Entropy], str]
Specials = dict[str, Callable[..., str]]
_TOKEN = re.compile(r"\{([^{}/]+)(?:/([^{}]+))?\}|\*(0?)([a-z]+)(0?)|([<|>])|([^{<|>*]+)")


def pick(c: Entropy, n: int) -> int:
    """An index in [0, n): several are cut from one 64-bit draw, the bias is below n / 2**20."""
    bits = c.bits
    if bits < _LOW:
        bits = c.word()
    c.bits, i = divmod(bits, n)
    return i


def choose(items: Sequence[str]) -> Phrase:
    """A phrase that is one of some fixed words."""
    n = len(items)

    def words(c: Entropy) -> str:
        bits = c.bits
        if bits < _LOW:
            bits = c.word()
        c.bits, i = divmod(bits, n)
        return items[i]

    return words


def _branch(branches: Sequence[Phrase]) -> Phrase:
    n = len(branches)
    if n == 1:
        return branches[0]

    def branch(c: Entropy) -> str:
        bits = c.bits
        if bits < _LOW:
            bits = c.word()
        c.bits, i = divmod(bits, n)
        return branches[i](c)

    return branch


def _chain(parts: Sequence[str | Phrase]) -> Phrase:
    if all(isinstance(p, str) for p in parts):
        text = "".join(p for p in parts if isinstance(p, str))
        return lambda c: text
    calls = [p for p in parts if not isinstance(p, str)]
    shape = "".join(p.replace("%", "%%") if isinstance(p, str) else "%s" for p in parts)
    if len(calls) == 1 and shape == "%s":
        return calls[0]
    if len(calls) == 1:
        one = calls[0]
        return lambda c: shape % one(c)
    if len(calls) == 2:
        first, second = calls
        return lambda c: shape % (first(c), second(c))
    if len(calls) == 3:
        x, y, z = calls
        return lambda c: shape % (x(c), y(c), z(c))
    return lambda c: shape % tuple([call(c) for call in calls])


def _later(cell: list[Phrase]) -> Phrase:
    """A phrase that is put into the cell after this."""

    def later(c: Entropy) -> str:
        return cell[0](c)

    return later


class Grammar:
    """All rules and fields, compiled when first asked for.

    Args:
        specials: functions of the teller, by slot name.
        modes: by the letter before a colon, as in `{B:vp.small/ed}`: what changes the acting person around a phrase.

    Raises:
        CorpusError: a slot names nothing, or a starred verb stands in a rule that is asked for without a form.
    """

    def __init__(self, specials: Specials, modes: dict[str, Callable[[Phrase], Phrase]]) -> None:
        self.lexicon = lexicon()
        self._rules = rules()
        self._specials, self._modes = specials, modes
        self._made: dict[tuple[str, str], Phrase] = {}

    def phrase(self, name: str, form: str = "") -> Phrase:
        """The phrase writer of a slot."""
        key = (name, form)
        made = self._made.get(key)
        if made is None:
            cell: list[Phrase] = []
            self._made[key] = _later(cell)  # a rule may call itself
            made = self._make(name, form)
            cell.append(made)
            self._made[key] = made
        return made

    def words(self, name: str, form: str = "") -> list[str]:
        """A lexicon field in one form."""
        plain = self.lexicon[name]
        if form in {"", "0"}:
            return plain
        if form == "T":
            return [morphology.title_case(w) for w in plain]
        if form == "s":
            return [morphology.plural(w) for w in plain]
        if form == "ly":
            return [morphology.adverb(w) for w in plain]
        return [morphology.inflect(w, form) for w in plain]

    def _make(self, name: str, form: str) -> Phrase:
        mode, colon, rest = name.partition(":")
        if colon and mode in self._modes:
            return self._modes[mode](self.phrase(rest, form))
        if name in self._specials:
            return self._specials[name]
        if name in self.lexicon:
            return choose(self.words(name, form))
        if name not in self._rules:
            raise CorpusError(f"the novel grammar has no slot {name!r}")
        return _branch([self._alternative(text, form) for text in self._rules[name]])

    def _alternative(self, text: str, form: str) -> Phrase:
        stack: list[list[list[str | Phrase]]] = [[[]]]
        for slot, asked, base, verb, irregular, mark, plain in _TOKEN.findall(text):
            if mark == "<":
                stack.append([[]])
            elif mark == "|":
                stack[-1].append([])
            elif mark == ">":
                inner = stack.pop()
                stack[-1][-1].append(_branch([_chain(parts) for parts in inner]))
            else:
                stack[-1][-1].append(self._atom(text, form, (slot, asked, base, verb, irregular, plain)))
        if len(stack) != 1 or len(stack[0]) != 1:
            raise CorpusError(f"unbalanced choice in the novel grammar: {text!r}")
        return _chain(stack[0][0])

    def _atom(self, text: str, form: str, token: tuple[str, ...]) -> str | Phrase:
        slot, asked, base, verb, irregular, plain = token
        if slot:
            return self.phrase(slot, form if asked == "*" else asked)
        if not verb:
            return plain
        if base:
            return verb
        if not form:
            raise CorpusError(f"the novel grammar asks for no form of {verb!r} in {text!r}")
        if irregular and form == "ed":
            return self.phrase("was")
        return morphology.inflect(verb, form)


def _lines(name: str) -> list[str]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if not line.startswith("#")]


@cache
def lexicon() -> dict[str, list[str]]:
    """Word fields by name, each word once; from nouns.txt, verbs.txt, modifiers.txt, names.txt, more.txt."""
    fields: dict[str, list[str]] = {}
    now: list[str] = []
    for file in ("nouns.txt", "verbs.txt", "modifiers.txt", "names.txt", "more.txt"):
        for line in _lines(file):
            if line.startswith("["):
                now = fields.setdefault(line.strip()[1:-1], [])
            else:
                now.extend(word.replace("_", " ") for word in line.split())
    return {name: list(dict.fromkeys(words)) for name, words in fields.items()}


@cache
def rules() -> dict[str, list[str]]:
    """Alternatives of every rule, repeated by weight."""
    out: dict[str, list[str]] = {}
    for file in ("phrases.txt", "actions.txt", "clauses.txt", "narration.txt", "dialogue.txt", "titles.txt"):
        now: list[str] = []
        for line in _lines(file):
            if line.startswith("@"):
                now = out.setdefault(line[1:].strip(), [])
            elif weighted := re.match(r"\*(\d+) (.*)", line):
                now.extend([weighted.group(2)] * int(weighted.group(1)))
            elif line:
                now.append(line)
    return out
