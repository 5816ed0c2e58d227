"""Grammar files compiled to closures: one call writes one phrase. Alternatives and words are dealt like cards (cards.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from haymaker.core.errors import CorpusError

from . import morphology
from .cards import Entropy, deal, deal_fit, fitting
from .texts import lexicon, rules

Phrase = Callable[[Entropy], str]
Specials = dict[str, Callable[..., str]]
_SHAPES = {"cap": lambda text: text[:1].upper() + text[1:], "T": morphology.title_case}
_TOKEN = re.compile(r"\{([^{}/]+)(?:/([^{}]+))?\}|\*([a-z]+)|((?<=<)=|[<|>])|([^{<|>*]+)")


def _chain(parts: Sequence[str | Phrase]) -> Phrase:
    calls = [p for p in parts if not isinstance(p, str)]
    shape = "".join(p.replace("%", "%%") if isinstance(p, str) else "%s" for p in parts)
    if not calls:
        return lambda c: shape
    if len(calls) == 1:
        one = calls[0]
        return one if shape == "%s" else lambda c: shape % one(c)
    if len(calls) == 2:
        first, second = calls
        return lambda c: shape % (first(c), second(c))
    return lambda c: shape % tuple([call(c) for call in calls])


def _same(branches: Sequence[Phrase], last: list[int]) -> Phrase:
    """A choice that follows the one before it."""

    def chosen(c: Entropy) -> str:
        at = last[0]
        text = branches[at](c)
        last[0] = at
        return text

    return chosen


def _noted(branches: Sequence[Phrase], key: int, dealt: Callable[[Entropy], int]) -> Phrase:
    """Return the alternative that is dealt; its number is in `pattern`, also when rules were called within it."""

    def chosen(c: Entropy) -> str:
        at = dealt(c)
        text = branches[at](c)
        c.pattern = key, at
        return text

    return chosen


def _later(cell: list[Phrase]) -> Phrase:
    """A phrase that is put into the cell after this."""

    def later(c: Entropy) -> str:
        return cell[0](c)

    return later


class Grammar:
    """All rules and fields, compiled when first asked for.

    Args:
        specials: functions of the teller, by slot name.
        modes: by the letter before a colon, as in `{B:act/ed}`: what changes the acting person around a phrase.

    Raises:
        CorpusError: a slot names nothing, or a rule with a starred verb is used without a form.
    """

    def __init__(self, specials: Specials, modes: dict[str, Callable[[Phrase], Phrase]]) -> None:
        self.lexicon = lexicon()
        self._rules = rules()
        self._specials, self._modes = specials, modes
        self._made: dict[tuple[str, str], Phrase] = {}
        self._keys: dict[str, int] = {}

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

    def has(self, name: str) -> bool:
        """Whether there is a rule of this name."""
        return name in self._rules

    def words(self, name: str, form: str = "") -> list[str]:
        """A lexicon field in one form."""
        plain = self.lexicon[name]
        if form in {"", "0"}:
            return plain
        makers = {"T": morphology.title_case, "s": morphology.plural, "ly": morphology.adverb}
        return [makers[form](w) if form in makers else morphology.inflect(w, form) for w in plain]

    def _key(self, name: str) -> int:
        return self._keys.setdefault(name, len(self._keys))

    def _make(self, name: str, form: str) -> Phrase:
        mode, colon, rest = name.partition(":")
        if colon and mode in self._modes:
            return self._modes[mode](self.phrase(rest, form))
        if name in self._specials:
            return self._specials[name]
        if name in self.lexicon:
            return self._words(name, form)
        base, dot, shape = name.rpartition(".")
        if name not in self._rules and shape in _SHAPES and dot:
            inner, change = self.phrase(base), _SHAPES[shape]
            return lambda c: change(inner(c))
        if name not in self._rules:
            raise CorpusError(f"the novel grammar has no slot {name!r}")
        return self._choice(name, form)

    def _words(self, name: str, form: str) -> Phrase:
        items, key = self.words(name, form), self._key(name)
        n = len(items)

        def word(c: Entropy) -> str:
            found = items[deal(c, key, n)]
            for _ in c.words_before:  # dealt from another field: "dogwood and dogwood"
                if found not in c.words_before:
                    break
                found = items[deal(c, key, n)]
            c.words_before = (*c.words_before[1:], found)
            return found

        return word

    def _choice(self, name: str, form: str) -> Phrase:
        guards = [guard for guard, _ in self._rules[name]]
        branches = [self._alternative(text, form) for _, text in self._rules[name]]
        key, n = self._key(name), len(branches)
        if any(guard != ((), 0) for guard in guards) and n > 1:
            holds = fitting(guards)
            return _noted(branches, key, lambda c: deal_fit(c, key, holds))
        return _noted(branches, key, lambda c: deal(c, key, n))

    def _alternative(self, text: str, form: str) -> Phrase:
        stack: list[list[list[str | Phrase]]] = [[[]]]
        last = [0]  # which branch the choice before took
        linked: list[bool] = []
        sizes = {0: 0}  # of the last choice at each depth
        for slot, asked, verb, mark, plain in _TOKEN.findall(text):
            if mark == "<":
                stack.append([[]])
                linked.append(False)
            elif mark == "=":
                linked[-1] = True
            elif mark == "|":
                stack[-1].append([])
            elif mark == ">":
                inner = stack.pop()
                branches, follows = [_chain(parts) for parts in inner], linked.pop()
                if follows and len(branches) != sizes.get(len(stack)):
                    raise CorpusError(f"a linked choice in the novel grammar has a different size: {text!r}")
                sizes[len(stack)] = len(branches)
                stack[-1][-1].append(_same(branches, last) if follows else self._either(branches, last))
            else:
                stack[-1][-1].append(self._atom(text, form, slot, asked, verb) or plain)
        if len(stack) != 1 or len(stack[0]) != 1:
            raise CorpusError(f"unbalanced choice in the novel grammar: {text!r}")
        return _chain(stack[0][0])

    def _either(self, branches: Sequence[Phrase], last: list[int]) -> Phrase:
        n = len(branches)
        key = self._key(f"<{len(self._keys)}>")

        def chosen(c: Entropy) -> str:
            at = last[0] = deal(c, key, n)
            text = branches[at](c)
            last[0] = at
            return text

        return chosen

    def _atom(self, text: str, form: str, slot: str, asked: str, verb: str) -> str | Phrase:
        if slot:
            return self.phrase(slot, form if asked == "*" else asked)
        if verb and not form:
            raise CorpusError(f"the novel grammar has no form for {verb!r} in {text!r}")
        return morphology.inflect(verb, form) if verb else ""
