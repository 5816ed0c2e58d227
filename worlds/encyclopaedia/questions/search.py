"""Search queries with graded passages, 0 to 3 (TREC Deep Learning's scale, docs/spec/helmet.md 3).

    3  answers the query on the entity, which the title or the sentence names, as an entry in a list does (the winners of an award)
    2  answers a part: what the entity is (the first sentence of its article), or names it next to the answer (the list of a
       town's people, for a place of birth)
    1  contains something else about it, or names it, or is about a person with the same name
    0  does not name it

Every sentence of its own article and every paragraph of its block that names it are judged, so that what is not is of grade 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from haymaker.core.rows.source_records import Evidence, Question
from haymaker.core.text.strings import holds, padded
from worlds.encyclopaedia.kinds import Relation
from worlds.encyclopaedia.model import Entity
from worlds.encyclopaedia.page import line

from .wording import Asker, echoes

_IRRELEVANT, _FEWEST_RELEVANT, _FEWEST_NAMED = 16, 8, 3
_SAID_OF_BOTH = {
    "spouse": "spouse",
    "father": "children",
    "mother": "children",
    "feeder": "mouth",
    "mouth": "feeder",
    "award": "first_winner",
}
_LISTED = {
    "award": "winners",
    "school": "alumni",
    "club": "players",
    "office": "mayors",
}  # lists whose headings say the relation
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[^\W\d_a-z])")


def search(ask: Asker) -> Iterator[Question]:
    """Yield a few words about an entity with enough text to rank."""
    for entity in ask.shuffled():
        relations = [r for r in ask.askable(entity) if any(p.fits(entity) for p in r.keys)]
        if not relations:
            continue
        relation = ask.s.choice(relations)
        own, named = list(_own(ask, entity, relation)), list(_named(ask, entity, relation))
        if len(own) + len(named) < _FEWEST_RELEVANT or len(named) < _FEWEST_NAMED:
            continue
        text = ask.one(relation.keys, entity).lower()
        if echoes(text, entity.answers(relation.value)):
            continue
        evidence = (*own, *named, *_others(ask, entity, relation))
        yield Question("", ask.block.split, text, "search", evidence=evidence, popularity=entity.views)


def _own(ask: Asker, entity: Entity, relation: Relation) -> Iterator[Evidence]:
    """Yield every sentence of its article: the answer first, then the first sentence if it holds the answer (a date of death)."""
    stated, value = ask.page(entity).stated, _value(entity, relation)
    grades = {stated[relation.name].text: 3}
    if first := stated.get("identity"):
        grades.setdefault(first.text, 3 if value in padded(first.text) else 2)
    for sentence in _sentences(ask, entity):
        yield replace(sentence, grade=grades.get(sentence.text, 2 if value in padded(sentence.text) else 1))


def _named(ask: Asker, entity: Entity, relation: Relation) -> Iterator[Evidence]:
    """Where other articles name it: the name itself, which no cut divides as it may a sentence; all of a namesake's article."""
    names, answer, value = [padded(entity.bare)], entity.refs.get(relation.value), _value(entity, relation)
    for other in ask.naming(entity):
        if other in entity.groups.get("namesakes", ()):
            yield from (replace(sentence, grade=1) for sentence in _sentences(ask, other))
        elif other is not entity:
            page = ask.page(other)
            said = page.stated.get(_SAID_OF_BOTH.get(relation.name, ""))
            if other is answer and said and holds(padded(said.text), names):
                yield replace(said, grade=3)
            for number, paragraph in enumerate(page.article.paragraphs):
                if holds(padded(paragraph.text), names):
                    beside = other is answer or value in padded(paragraph.text)
                    group = _LISTED.get(relation.name) if other is answer else None
                    listed = group and paragraph.text == line(entity, group)
                    yield Evidence(
                        article_id=str(other.index),
                        paragraph=number,
                        title=other.title,
                        text=entity.bare,
                        grade=3 if listed else 1 + beside,
                    )


def _others(ask: Asker, entity: Entity, relation: Relation) -> Iterator[Evidence]:
    """Yield sentences about others: the same relation for others of its kind first, then first sentences of articles."""
    name, found = [padded(entity.bare)], 0
    kin = {entity, *entity.groups.get("namesakes", ())}
    pool = [e for e in ask.shuffled() if e not in kin]
    for other in sorted(pool, key=lambda e: e.kind != entity.kind):
        stated = ask.page(other).stated
        evidence = stated.get(relation.name) or stated.get("identity")
        if evidence and found < _IRRELEVANT and not holds(padded(evidence.text), name):
            found += 1
            yield replace(evidence, grade=0)


def _value(entity: Entity, relation: Relation) -> str:
    return padded(entity.facts[relation.value].removeprefix("the "))


def _sentences(ask: Asker, entity: Entity) -> Iterator[Evidence]:
    page = ask.page(entity)
    for number, paragraph in enumerate(page.article.paragraphs[1:], 1):
        if paragraph.kind == "text":
            for text in _SENTENCE.split(paragraph.text):
                yield Evidence(article_id=str(entity.index), paragraph=number, title=entity.title, text=text)
