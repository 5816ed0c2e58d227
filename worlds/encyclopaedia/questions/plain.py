"""Questions of one hop: natural, in fixed form on rare entities, roundabout, and those without an answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from haymaker.core.rows.source_records import Question
from haymaker.core.text.strings import words
from worlds.encyclopaedia.kinds import Relation, kinds
from worlds.encyclopaedia.model import Entity
from worlds.encyclopaedia.names import data
from worlds.encyclopaedia.phrases import pattern

from .wording import Asker, echoes

_RARE_VIEWS = 1000
_KNOWN = 12  # articles of its block that name what a clue names
_STRETCH = 50  # words from the first of two facts to the last
_GUESSED, _PARENTS = frozenset({"birth_name"}), frozenset({"father", "mother"})


def single(ask: Asker) -> Iterator[Question]:
    """Natural wording, as people type it: lower case, no question mark."""
    for entity, relation in _one_each(ask, ask.shuffled()):
        question = _question(ask, entity, relation, ask.one(relation.ask, entity).lower(), "single")
        if not echoes(question.text, question.answers):
            yield question


def longtail(ask: Asker) -> Iterator[Question]:
    """One wording per relation, on entities that few look up (as in PopQA, docs/spec/helmet.md 3)."""
    rare = [entity for entity in ask.shuffled() if entity.views < _RARE_VIEWS]
    for entity, relation in _one_each(ask, rare):
        if relation.tail:
            question = _question(ask, entity, relation, ask.fill(relation.tail, entity), "longtail")
            if not echoes(question.text, question.answers):
                yield question


def absent(ask: Asker) -> Iterator[Question]:
    """Yield pairs: a question with an answer, then the same question on an entity without a stated answer."""
    for entity, relation in _one_each(ask, ask.shuffled()):
        others = [e for e in ask.block.kinds[entity.kind] if _silent(e, relation)]
        wordings = [p for p in relation.ask if p.fits(entity)]
        if not others or not wordings:
            continue
        other, wording = ask.s.choice(others), ask.s.choice(wordings)
        if not set(wording.needs) <= other.facts.keys():
            continue
        twin = _question(ask, entity, relation, ask.fill(wording, entity).lower(), "single")
        if echoes(twin.text, twin.answers):
            continue
        yield twin
        yield Question("", ask.block.split, ask.fill(wording, other).lower(), "absent", popularity=other.views)


def _silent(entity: Entity, relation: Relation) -> bool:
    """Whether no article says it, nor lets it be guessed from a full name or from a parent's marriage."""
    guessed = relation.name in _GUESSED or (relation.name in _PARENTS and "parent" in entity.facts)
    return relation.value not in entity.facts and not guessed


def _one_each(ask: Asker, entities: list[Entity]) -> Iterator[tuple[Entity, Relation]]:
    for entity in entities:
        relations = ask.askable(entity)
        if relations and not ask.common(entity.answers((relation := ask.s.choice(relations)).value)):
            yield entity, relation


def _question(ask: Asker, entity: Entity, relation: Relation, text: str, kind: str) -> Question:
    return Question(
        "",
        ask.block.split,
        text,
        kind,
        answers=entity.answers(relation.value),
        evidence=(ask.page(entity).stated[relation.name],),
        popularity=entity.views,
    )


def trivia(ask: Asker) -> Iterator[Question]:
    """Yield questions on an entity described by two facts close together in its article; the answer is its name, in any form.

    The whole stretch is the evidence: a passage that says one of the facts alone decides nothing where rivals share it.
    """
    for entity in ask.shuffled():
        pairs = [pair for pair in _close_clues(ask, entity) if _unique(ask, entity, *pair)]
        if not pairs or ask.common(entity.aliases):
            continue
        one, two = ask.s.shuffled(ask.s.choice(pairs))
        text = _described(ask, entity, one, two)
        if not echoes(text, entity.aliases):
            yield Question(
                "",
                ask.block.split,
                text,
                "trivia",
                answers=tuple(dict.fromkeys(entity.aliases)),
                evidence=(ask.page(entity).stretch(one.name, two.name),),
                popularity=entity.views,
            )


def _close_clues(ask: Asker, entity: Entity) -> list[tuple[Relation, Relation]]:
    """Pairs of facts that a passage of 100 words mostly holds both of (9 of 10; mining leaves the others out).

    Each names an entity that has an article and is often mentioned elsewhere: a rare name would be enough to find the passage.
    """
    page = ask.page(entity)
    stated = [r for r in kinds()[entity.kind].relations.values() if r.clue and r.name in page.stated]
    clues = [r for r in stated if r.value in entity.refs and len(ask.naming(entity.refs[r.value])) >= _KNOWN]
    return [
        (one, two)
        for one, two in combinations(clues, 2)
        if len(words(page.stretch(one.name, two.name).text)) <= _STRETCH
    ]


def _described(ask: Asker, entity: Entity, one: Relation, two: Relation) -> str:
    """The question for an entity by two facts."""
    wordings = data("lists.yaml")["trivia"]["person" if entity.person else "thing"]
    said = [ask.one(clue.clue, entity) for clue in (one, two)]
    return ask.fill(pattern(ask.s.choice(wordings)), entity, one=said[0], two=said[1])


def _unique(ask: Asker, entity: Entity, *clues: Relation) -> bool:
    """Whether nothing else in the block fits both clues, of whatever kind: a passage need not say what kind its entity is of."""
    return not any(
        all(other.facts.get(clue.value) == entity.facts[clue.value] for clue in clues)
        for other in ask.block.entities
        if other is not entity
    )
