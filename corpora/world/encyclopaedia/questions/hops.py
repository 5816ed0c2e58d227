"""Questions of two hops: through a bridge, and comparisons (HotpotQA's two kinds)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.records import Question
from corpora.world.encyclopaedia.kinds import Relation, kinds
from corpora.world.encyclopaedia.making import MONTHS
from corpora.world.encyclopaedia.model import Entity
from haymaker.text import padded

from .asking import Asker, sentence

_DATE = re.compile(r"(\d+) (\w+) (\d{4})")


def twohop(ask: Asker) -> Iterator[Question]:
    """Two bridges, then a comparison, and so on."""
    bridges, comparisons = _bridges(ask), _comparisons(ask)
    while True:
        three = [next(bridges, None), next(bridges, None), next(comparisons, None)]
        if three[0] is None:
            return
        yield from (question for question in three if question is not None)


def _bridges(ask: Asker) -> Iterator[Question]:
    for entity in ask.shuffled():
        ways = [
            (first, second)
            for first in ask.askable(entity)
            if first.the and first.value in entity.refs
            for second in ask.askable(entity.refs[first.value])
        ]
        if not ways:
            continue
        first, second = ask.s.choice(ways)
        bridge = entity.refs[first.value]
        plain = tuple(p for p in second.ask if not p.needs and "{name}'s" not in p.source)
        if not plain:
            continue
        text = sentence(ask.one(plain, bridge, name=ask.one(first.the, entity)))
        answers = bridge.answers(second.value)
        if entity.name in answers or padded(answers[0]) in padded(text) or padded(bridge.name) in padded(text):
            continue
        if ask.common(answers):
            continue
        evidence = (ask.page(entity).stated[first.name], ask.page(bridge).stated[second.name])
        yield Question("", ask.block.part, text, "bridge", answers=answers, evidence=evidence, popularity=entity.views)


def _comparisons(ask: Asker) -> Iterator[Question]:
    for entity in ask.shuffled():
        relation = next((r for r in kinds()[entity.kind].relations.values() if r.key), None)
        if relation is None or entity.namesake:
            continue
        others = [e for e in ask.block.kinds[entity.kind] if e is not entity and not e.namesake]
        others = [e for e in others if measure(e, relation) != measure(entity, relation) and ask.stated(e, relation)]
        if not others or not ask.stated(entity, relation):
            continue
        question = _comparison(ask, relation, entity, ask.s.choice(others))
        if not ask.common(question.answers):
            yield question


def _comparison(ask: Asker, relation: Relation, a: Entity, b: Entity) -> Question:
    low, high = sorted((a, b), key=lambda entity: measure(entity, relation))
    asks_low = bool(relation.first) and ask.s.chance(0.5)
    text = ask.one(relation.first if asks_low else relation.last, a, a=a.name, b=b.name)
    right = low if asks_low else high
    evidence = tuple(ask.page(entity).stated[relation.name] for entity in (right, low if right is high else high))
    return Question("", ask.block.part, text, "comparison", answers=tuple(right.aliases), evidence=evidence)


def measure(entity: Entity, relation: Relation) -> tuple[float, ...]:
    """What a comparison compares: a date, or a number."""
    value = entity.facts[relation.key]
    date = _DATE.fullmatch(value)
    if date:
        return float(date[3]), float(MONTHS.index(date[2])), float(date[1])
    return (float(value.split()[0].replace(",", "")),)
