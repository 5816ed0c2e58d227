"""Search queries with graded passages, 0 to 3 (TREC Deep Learning's scale, docs/spec/helmet.md 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from haymaker.records import Evidence, Question
from worlds.encyclopaedia.kinds import Relation
from worlds.encyclopaedia.model import Entity

from .wording import Asker, people_of

_TOPICAL, _KIN, _IRRELEVANT = 14, 5, 16
_FEWEST_RELEVANT = 8


def search(ask: Asker) -> Iterator[Question]:
    """A few words; 3 answers them, 2 is elsewhere in the same article, 1 is a namesake, kin or the like, 0 is neither."""
    for entity in ask.shuffled():
        relations = [r for r in ask.askable(entity) if r.keys and any(p.fits(entity) for p in r.keys)]
        if not relations:
            continue
        relation = ask.s.choice(relations)
        judged = _judged(ask, entity, relation)
        if sum(bool(evidence.grade) for evidence in judged) >= _FEWEST_RELEVANT:
            text = ask.one(relation.keys, entity).lower()
            yield Question("", ask.block.part, text, "search", evidence=tuple(judged), popularity=entity.views)


def _judged(ask: Asker, entity: Entity, relation: Relation) -> list[Evidence]:
    page = ask.page(entity)
    answer = page.stated[relation.name]
    same = {e.paragraph: e for e in page.stated.values() if e.paragraph != answer.paragraph}
    graded = [replace(answer, grade=3), *(replace(e, grade=2) for e in same.values())]
    near = _near(ask, entity)
    graded += [replace(e, grade=1) for other in near if (e := _best(ask, other, relation))]
    rest = [e for e in ask.shuffled() if e not in near and e is not entity and e.kind != entity.kind]
    rest = [e for e in rest if not set(people_of(e)) & {entity, *near}]
    return graded + [replace(e, grade=0) for other in rest[:_IRRELEVANT] if (e := _best(ask, other, relation))]


def _near(ask: Asker, entity: Entity) -> list[Entity]:
    """Namesakes and kin, then those of the same kind, of like facts first."""
    alike = [e for e in ask.s.shuffled(ask.block.kinds[entity.kind]) if e is not entity]
    alike.sort(key=lambda other: -len(set(other.facts.values()) & set(entity.facts.values())))
    return list(dict.fromkeys([*list(people_of(entity))[:_KIN], *alike]))[:_TOPICAL]


def _best(ask: Asker, entity: Entity, relation: Relation) -> Evidence | None:
    """The same relation where the article has it, else its first sentence."""
    stated = ask.page(entity).stated
    return stated.get(relation.name) or stated.get("identity")
