"""Sentence patterns: compiled once, filled fast.

`{birthplace}` a fact; `{birthplace.type}` a fact of the entity that is the value; `{S}` `{s}` the subject (capital first or
not), `{he}` `{him}` `{his}` (and with a capital) its pronouns; `{near.town}` an entity of the block that is mentioned in
passing, `{near.town2}` another; `{far.town}` one of an earlier block; `{@things}` a word of words.yaml; `{children:list}` a
group as a list; `<this|that>` a choice, which may nest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from haymaker.core.errors import CorpusError
from haymaker.core.rng import Stream

from .model import Entity
from .names import data

_TOKEN = re.compile(r"\{([^{}]+)\}|([<|>])|([^{}<|>]+)")
_ARTICLE = re.compile(r" (?<=\b[Aa] )(?=[aeioAEIO]|u(?!ni|to|se)|U(?!ni|to|se))(?!one\b|one-)")
_GIVEN = frozenset("name Name bare a b one two from to".split())  # slots that are no facts
_SHE = {"he": "she", "him": "her", "his": "her"}
_IT = {"he": "it", "him": "it", "his": "its"}


@dataclass(slots=True)
class Scene:
    """Values that fill a pattern.

    Attributes:
        entity: whom the text is about.
        s: where choices come from.
        named: whether the paragraph has named the subject already.
        called: what it is named next time, where that is not its short name: a section begins with the whole name.
        mention: gives an entity to mention ("near.town").
        extra: further slots: {a}, {b}, or {name} as something else than the entity's name.
    """

    entity: Entity
    s: Stream
    mention: Callable[[str], str]
    named: bool = False
    called: str = ""
    extra: dict[str, str] | None = None


Part = Callable[[Scene], str] | str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern.

    Attributes:
        source: text in the file.
        parts: texts and slots that are joined in this order.
        needs: facts that the pattern requires.
        groups: groups that the pattern requires.
    """

    source: str
    parts: tuple[Part, ...]
    needs: tuple[str, ...]
    groups: tuple[str, ...]

    def fits(self, entity: Entity) -> bool:
        """Whether the entity has all that the pattern tells."""
        facts = entity.facts
        return all(need in facts for need in self.needs) and all(entity.groups.get(group) for group in self.groups)

    def fill(self, scene: Scene) -> str:
        """The sentence."""
        text = "".join([part if type(part) is str else part(scene) for part in self.parts])  # type: ignore[operator]
        return _ARTICLE.sub("n ", text)


@cache
def pattern(source: str) -> Pattern:
    """Compile a pattern.

    Raises:
        CorpusError: brackets do not match.
    """
    tokens = _TOKEN.findall(source)
    if "".join(f"{{{slot}}}" if slot else mark or text for slot, mark, text in tokens) != source:
        raise CorpusError(f"a bracket is left open in the pattern {source!r}")
    needs: list[str] = []
    parts, rest = _sequence(tokens, 0, needs, source, 0)
    if rest != len(tokens):
        raise CorpusError(f"brackets do not match in the pattern {source!r}")
    groups = [need[: -len(":list")] for need in needs if need.endswith(":list")]
    return Pattern(source, tuple(parts), tuple(need for need in needs if not need.endswith(":list")), tuple(groups))


_Tokens = list[tuple[str, str, str]]


def _sequence(tokens: _Tokens, at: int, needs: list[str], source: str, depth: int) -> tuple[list[Part], int]:
    parts: list[Part] = []
    while at < len(tokens):
        slot, mark, text = tokens[at]
        if slot:
            parts.append(_slot(slot, needs))
        elif mark == "<":
            choices: list[tuple[Part, ...]] = []
            mark = "|"
            while mark == "|":
                branch, at = _sequence(tokens, at + 1, needs, source, depth + 1)
                if at >= len(tokens):
                    raise CorpusError(f"a choice is left open in the pattern {source!r}")
                choices.append(tuple(branch))
                mark = tokens[at][1]
            parts.append(_choice(tuple(choices)))
        elif mark:
            return parts, at
        else:
            parts.append(text)
        at += 1
    return parts, at


def _choice(choices: tuple[tuple[Part, ...], ...]) -> Part:
    count = len(choices)

    def choose(scene: Scene) -> str:
        parts = choices[scene.s.below(count)]
        return "".join([part if type(part) is str else part(scene) for part in parts])  # type: ignore[operator]

    return choose


def _slot(name: str, needs: list[str]) -> Part:
    if name in ("S", "s"):
        return _subject_capital if name == "S" else _subject
    if name.lower() in _SHE:
        return _pronoun(name)
    if name.startswith("@"):
        return _word(name[1:])
    if name.startswith(("near.", "far.")):
        return lambda scene: scene.mention(name)
    if name.endswith(":list"):
        needs.append(name)
        group = name[: -len(":list")]
        return lambda scene: listed([member.name for member in scene.entity.groups[group]])
    return _fact(name, needs)


def _fact(name: str, needs: list[str]) -> Part:
    relation, _, inner = name.partition(".")
    if inner:
        needs.append(relation)
        return lambda scene: scene.entity.refs[relation].facts[inner]
    if relation not in _GIVEN:
        needs.append(relation)
        return lambda scene: scene.entity.facts[relation]

    def known(scene: Scene) -> str:
        if scene.extra and relation in scene.extra:
            return scene.extra[relation]
        if relation == "bare":
            return scene.entity.title
        text = scene.entity.name
        return text[0].upper() + text[1:] if relation == "Name" else text

    return known


def _word(field: str) -> Part:
    words: list[str] = data("words.yaml")[field]
    return lambda scene: scene.s.choice(words)


def _pronoun(name: str) -> Part:
    low = name.lower()
    forms = {"he": low, "she": _SHE[low], "it": _IT[low]}

    def say(scene: Scene) -> str:
        own = "'s" if low == "his" else ""
        text = forms[scene.entity.pronoun] if scene.named else f"{_name(scene)}{own}"
        return text if name == low else text[0].upper() + text[1:]

    return say


def _subject(scene: Scene) -> str:
    """The name where the paragraph has none yet, mostly a pronoun afterwards."""
    if scene.named and scene.s.below(100) < 62:
        return scene.entity.pronoun
    return _name(scene)


def _name(scene: Scene) -> str:
    text = scene.called or scene.entity.short
    scene.named, scene.called = True, ""
    return text


def _subject_capital(scene: Scene) -> str:
    text = _subject(scene)
    return text[0].upper() + text[1:]


def listed(names: list[str]) -> str:
    """Names as a list: commas, and "and" before the last."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
