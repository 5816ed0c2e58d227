"""Questions of two hops: through a bridge, and comparisons (HotpotQA's two kinds)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
    """One for each entity at most; of each bridge the same thing is asked once."""
    asked = set[tuple[int, str]]()
    for entity in ask.shuffled():
        ways = [way for way in _ways(ask, entity) if (way[1].index, way[2].name) not in asked]
        if not ways:
            continue
        _, bridge, second = way = ask.s.choice(ways)
        question = _bridge(ask, entity, *way)
        if question and not ask.common(question.answers):
            asked.add((bridge.index, second.name))
            yield question


def _ways(ask: Asker, entity: Entity) -> list[tuple[Relation, Entity, Relation]]:
    """What leads from an entity to another, the other, and what its article says: two hops, no fewer.

    The entity's own article does not say the answer, and the other article never names the entity.
    """
    own, ways = _text(ask, entity), list[tuple[Relation, Entity, Relation]]()
    for first in ask.askable(entity):
        bridge = entity.refs.get(first.value)
        if bridge is None or not first.the or holds(_text(ask, bridge), filter_aliases((entity.title, *entity.aliases))):
            continue
        seconds = (r for r in ask.askable(bridge) if not holds(own, filter_aliases(bridge.answers(r.value))))
        ways += [(first, bridge, second) for second in seconds]
    return ways


def _bridge(ask: Asker, entity: Entity, first: Relation, bridge: Entity, second: Relation) -> Question | None:
    """What `second` of the bridge is, which `first` of the entity leads to; None: its words alone would give the bridge, its
    article or the answer away.
    """
    plain, leads = _openings(second.ask), _openings(first.the) or first.the
    if not plain:
        return None
    lead, wording, answers = ask.s.choice(leads), ask.s.choice(plain), bridge.answers(second.value)
    hidden = filter_aliases((answers[0], bridge.name, bridge.title))
    for described in _described(ask, entity, first, ask.fill(lead, entity)):
        named = f"{entity.label}, {described}," if described and _PLAIN.search(lead.source) else entity.label
        text = ask.fill(wording, bridge, name=ask.fill(lead, entity, name=named)).rstrip(",")
        if not holds(padded(text), hidden) and not _points(ask, text, bridge, second):
            evidence = (ask.page(entity).stated[first.name], ask.page(bridge).stated[second.name])
            return Question(
                "", ask.block.part, sentence(text), "bridge", answers=answers, evidence=evidence, popularity=entity.views
            )
    return None


def _openings(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Those that take a name with a description behind it, the ones that end with the name before the others."""
    plain = [p for p in patterns if not set(p.needs) - {"genre"} and _PLAIN.search(p.source)]
    return [p for p in plain if p.source.endswith("{name}")] or plain


def _described(ask: Asker, entity: Entity, first: Relation, told: str) -> list[str]:
    """Descriptions of the entity that a question begins with, by facts of its own article, the fullest first and none at last.

    What is told of the other entity would point at the passage with the answer; so nothing is. Hints name no person and no
    work: they are years, places, schools, firms and prizes, and what comes from lists.
    """
    stated, found, what = ask.page(entity).stated, list[str](), ""
    for relation in kinds()[entity.kind].relations.values():
        evidence = stated.get(relation.name)
        fits = [p for p in relation.hint if evidence and _says(evidence.text, p, entity, told)]
        if not fits or relation.value == first.value and relation.name != "identity":
            continue
        text = ask.fill(ask.s.choice(fits), entity)
        if relation.name == "identity":
            what = text
        else:
            found.append(text)
    more = ask.s.choice(found) if found else ""
    texts = (f"{what} {more}".strip(), what, "")
    return list(dict.fromkeys(texts[ask.s.below(len(texts)) :]))


def _points(ask: Asker, text: str, bridge: Entity, second: Relation) -> bool:
    """Whether the question's own words lead to the passage with the answer: its paragraph shares more of them than that of any
    other article of the kind, a word that few paragraphs hold counting more.
    """
    own, *others = (
        set(_paragraph(ask, each, evidence).split())
        for each in (bridge, *(e for e in ask.block.kinds[bridge.kind] if e is not bridge))
        if (evidence := ask.page(each).stated.get(second.name))
    )
    held = {word: sum(word in other for other in (own, *others)) for word in set(padded(text).split())}

    def shared(paragraph: set[str]) -> float:
        return sum(1 / count for word, count in held.items() if word in paragraph)

    return all(shared(own) > shared(other) for other in others)


def _paragraph(ask: Asker, entity: Entity, evidence: Evidence) -> str:
    return padded(f"{entity.title} {ask.page(entity).article.paragraphs[evidence.paragraph or 0].text}")


def _text(ask: Asker, entity: Entity) -> str:
    """An article as words."""
    return padded("\n".join(paragraph.text for paragraph in ask.page(entity).article.paragraphs))


def _says(text: str, hint: Pattern, entity: Entity, told: str) -> bool:
    """Whether a sentence says all that a hint does, and the question does not yet."""
    values = filter_aliases(entity.facts.get(need, "") for need in hint.needs)
    return hint.fits(entity) and all(value in padded(text) for value in values) and not holds(padded(told), values)


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
