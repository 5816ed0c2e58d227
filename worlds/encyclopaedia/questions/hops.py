"""Questions of two hops: through a bridge, and comparisons (HotpotQA's two kinds)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from haymaker.english import MONTHS
from haymaker.records import Evidence, Question
from haymaker.text import filter_aliases, holds, padded
from worlds.encyclopaedia.kinds import Relation, kinds
from worlds.encyclopaedia.model import Entity
from worlds.encyclopaedia.phrases import Pattern

from .wording import Asker, sentence

_PLAIN = re.compile(r"(?<!\bcompany )(?<!\bnewspaper )(?<!\balbum )(?<!\bfilm )\{name\}(?!')")
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
        question = _bridge(ask, entity, *ask.s.choice(ways))
        if question and not ask.common(question.answers):
            yield question


def _bridge(ask: Asker, entity: Entity, first: Relation, second: Relation) -> Question | None:
    """What `second` of the bridge is, which `first` of the entity leads to; None: it would name the bridge or the answer."""
    bridge = entity.refs[first.value]
    plain = [p for p in second.ask if not p.needs and _PLAIN.search(p.source)]
    if not plain:
        return None
    plain = [p for p in plain if p.source.endswith("{name}")] or plain
    told, answers = ask.one(first.the, entity), bridge.answers(second.value)
    described = ", ".join(filter(None, (told, _described(ask, bridge, second, told))))
    text = ask.one(tuple(plain), bridge, name=f"{described},").rstrip(",")
    if entity.name in answers or holds(padded(text), filter_aliases((answers[0], bridge.name, bridge.title))):
        return None
    evidence = (ask.page(entity).stated[first.name], ask.page(bridge).stated[second.name])
    return Question(
        "", ask.block.part, sentence(text), "bridge", answers=answers, evidence=evidence, popularity=entity.views
    )


def _described(ask: Asker, bridge: Entity, second: Relation, told: str) -> str:
    """What the bridge is, and a fact of its article: first what others of its kind share, then what stands nearest to the
    answer; nothing that is asked or was told.

    HotpotQA describes both entities, so that a search finds the second passage too. Hints name no person and no work: they are
    years, places, schools, firms and prizes, and what comes from lists.
    """
    stated, hidden = ask.page(bridge).stated, filter_aliases((*bridge.answers(second.value), *bridge.aliases))
    asked_at, found, what = _place(stated[second.name]), list[tuple[bool, int, str]](), ""
    for relation in kinds()[bridge.kind].relations.values():
        evidence = stated.get(relation.name)
        fits = [p for p in relation.hint if evidence and _says(evidence.text, p, bridge, told)]
        if evidence is None or relation is second or not fits:
            continue
        hint = ask.s.choice(fits)
        text = ask.fill(hint, bridge)
        if holds(padded(text), hidden):
            continue
        if relation.name == "identity":
            what = text
        else:
            found.append((not _shared(ask, bridge, hint), abs(_place(evidence) - asked_at), text))
    return " ".join(filter(None, (what, min(found)[-1] if found else "")))


def _shared(ask: Asker, bridge: Entity, hint: Pattern) -> bool:
    """Whether it is true of another of its kind in the block."""
    values = {(need, bridge.facts[need]) for need in hint.needs}
    return any(values <= other.facts.items() for other in ask.block.kinds[bridge.kind] if other is not bridge)


def _says(text: str, hint: Pattern, entity: Entity, told: str) -> bool:
    """Whether a sentence says all that a hint does, and the question does not yet."""
    values = filter_aliases(entity.facts.get(need, "") for need in hint.needs)
    return hint.fits(entity) and all(value in padded(text) for value in values) and not holds(padded(told), values)


def _place(evidence: Evidence) -> int:
    return evidence.paragraph or 0


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
