"""qa15 and qa16: species of creatures and what follows from them (docs/spec/babilong.md 5.15, 5.16).

Differs from the real files: a story of qa15 has one question per creature; all of a species have one colour in qa16.
Longer stories have more creatures of more species.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line, split_of
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup
from worlds.babi_worlds.telling import one_question, up_to
from worlds.babi_worlds.vocabulary import Species, Vocabulary

_DEDUCED, _INDUCED = 8, 9
"""Facts of the real stories."""
_QUESTIONS = 4
_FELLOWS = (1, 3, 4)
"""How many others of its species the asked creature has; never two in the real files."""


def deduction_lengths(words: Vocabulary) -> range:
    """Numbers of facts of qa15: one for each creature and each species."""
    return up_to(len(words.people["D"]) + len(words.species["A"]), least=3)


def deduction(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa15 story."""
    names, kinds = setup.vocabulary.people["D"], setup.vocabulary.species["A"]
    facts = setup.facts or _DEDUCED
    species = max(2, facts - len(names), min(len(kinds), facts // 2))
    while True:
        tale = _Fears(stream, stream.sample(names, facts - species), stream.sample(kinds, species))
        if split_of(*(line.text for line in tale.facts)) == split:
            return [*tale.facts, *tale.questions(stream, quota)]


class _Fears:
    """Facts of a qa15 story, in the order that the real files have them (fitted).

    The species of a creature comes after the fears of that species.
    """

    def __init__(self, stream: Stream, names: Sequence[str], species: Sequence[Species]) -> None:
        self.facts: list[Fact] = []
        self.feared: dict[Species, tuple[str, int]] = {}
        self.kind: dict[str, tuple[Species, int]] = {}
        met: list[Species] = []
        while len(self.facts) < len(names) + len(species):
            n, line = len(self.kind), len(self.facts) + 1
            creatures, fears = (len(names) - n) * len(met), len(names) * (len(species) - len(met))
            if stream.below(creatures + fears) < creatures:
                kind = stream.choice(met)
                self.kind[names[n]] = kind, line
                self.facts.append(Fact(f"{names[n]} is a {kind.one}."))
            else:
                kind = species[len(met)]
                feared = stream.choice([other for other in species if other is not kind])
                met.append(kind)
                self.feared[kind] = feared.one, line
                self.facts.append(Fact(f"{kind.many.capitalize()} are afraid of {feared.many}."))

    def questions(self, stream: Stream, quota: Quota) -> list[Ask]:
        """About four creatures; for even shares those whose answers the quota takes, else one of the others."""
        order = stream.sample(list(self.kind), len(self.kind))
        asked: list[Ask] = []
        for name in order:
            taken = not quota.even or quota.takes(self.feared[self.kind[name][0]][0])
            if len(asked) < _QUESTIONS and taken:
                asked.append(self._ask(name, quota))
        return asked or [self._ask(order[0], quota)]

    def _ask(self, name: str, quota: Quota) -> Ask:
        kind, told = self.kind[name]
        answer, fear = self.feared[kind]
        quota.count(answer)
        return Ask(f"What is {name.lower()} afraid of?", answer, (told, fear))


def induction_lengths(words: Vocabulary) -> range:
    """Numbers of facts of qa16: two for each creature, one for the creature asked about."""
    return up_to(2 * len(words.people["E"]) - 1, least=3)


def induction(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa16 story."""
    words = setup.vocabulary
    facts = setup.facts or _INDUCED
    creatures = facts // 2 + 1
    kinds = stream.sample(words.species["B"], min(len(words.species["B"]), max(4, creatures * 4 // 5)))

    def draw() -> list[Line]:
        while True:
            lines = _coloured(
                stream,
                kind={who: stream.choice(kinds) for who in stream.sample(words.people["E"], creatures)},
                colour={kind: stream.choice(words.colours) for kind in kinds},
                facts=facts,
            )
            if lines:
                return lines

    return one_question(draw, split, quota, attempt)


def _coloured(
    stream: Stream, kind: Mapping[str, Species], colour: Mapping[Species, str], facts: int
) -> list[Line] | None:
    """A qa16 story: each fact tells something new of anyone; None when the creature left has not the right fellows."""
    lines: list[Line] = []
    met: dict[str, int] = {}
    shown: dict[str, int] = {}
    unfinished = list(kind)
    while len(lines) < facts:
        who = stream.choice(unfinished)
        if who in met:
            lines.append(Fact(f"{who} is {colour[kind[who]]}."))
            shown[who] = len(lines)
            unfinished.remove(who)
        else:
            lines.append(Fact(f"{who} is a {kind[who].one}."))
            met[who] = len(lines)
    asked = next((who for who in unfinished if who in met), None)
    if asked is None:
        return None
    fellows = [who for who in met if kind[who] == kind[asked] and who != asked]
    last = next((who for who in reversed(fellows) if who in shown), None)
    if last is None or len(fellows) not in _FELLOWS:
        return None
    return [*lines, Ask(f"What color is {asked}?", colour[kind[asked]], (met[asked], met[last], shown[last]))]
