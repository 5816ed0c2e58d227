"""Questions with several answers: ambiguous ones (as in ASQA) and lists (as in QAMPARI, docs/spec/helmet.md 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from haymaker.core.rows.source_records import Question
from worlds.encyclopaedia.kinds import Relation, kinds
from worlds.encyclopaedia.model import Entity
from worlds.encyclopaedia.names import data
from worlds.encyclopaedia.phrases import Pattern, pattern

from .wording import Asker, grouped, sentence

FEWEST, MOST = 5, 20  # answers of a list


def ambiguous(ask: Asker) -> Iterator[Question]:
    """One name, several bearers or holders; every reading has its answer, and a long answer tells them all."""
    for entity in ask.shuffled():
        bearers = [entity, *entity.groups.get("namesakes", ())]
        if len(bearers) > 1 and bearers[0].index < bearers[1].index:
            yield from _namesakes(ask, bearers)
        if len(entity.groups.get("mayors", ())) > 1:
            yield _mayors(ask, entity)


def _namesakes(ask: Asker, bearers: list[Entity]) -> Iterator[Question]:
    shared = [r for r in ask.askable(bearers[0]) if all((r.name, r.value) in _asked(ask, b) for b in bearers)]
    for relation in ask.s.sample(shared, min(2, len(shared))):
        values = [bearer.facts[relation.value] for bearer in bearers]
        if len(set(values)) < len(values):
            continue
        own = data("lists.yaml")["ambiguous"].get(relation.name)
        wording = pattern(ask.s.choice(own)) if own else _shared_wording(ask, relation)
        if wording is None:
            continue
        text = ask.fill(wording, bearers[0], name=bearers[0].name)
        yield Question(
            "",
            ask.block.split,
            text if own else sentence(text),
            "ambiguous",
            answer_groups=tuple(bearer.answers(relation.value) for bearer in bearers),
            readings=tuple(_reading(ask, wording, bearer, own) for bearer in bearers),
            references=_both_ways([_statement(ask, _own(relation, bearer), bearer) for bearer in bearers]),
            evidence=tuple(grouped(ask.page(b).stated[relation.name], i) for i, b in enumerate(bearers)),
            popularity=max(bearer.views for bearer in bearers),
        )


def _asked(ask: Asker, entity: Entity) -> set[tuple[str, str]]:
    return {(relation.name, relation.value) for relation in ask.askable(entity)}


def _reading(ask: Asker, wording: Pattern, bearer: Entity, finished: object) -> str:
    text = ask.fill(wording, bearer)
    return text if finished else sentence(text)


def _shared_wording(ask: Asker, relation: Relation) -> Pattern | None:
    """A wording that says nothing of one bearer alone."""
    fits = [p for p in relation.ask if not p.needs]
    return ask.s.choice(fits) if fits else None


def _statement(ask: Asker, relation: Relation, bearer: Entity) -> str:
    """The sentence of its article that states the relation, with its label as the subject: an answer says no more than its source."""
    text, label = ask.page(bearer).stated[relation.name].text, bearer.label
    if label in text:
        return text
    names = {bearer.facts.get("full", bearer.name), bearer.name, bearer.short, "the book", "he", "she", "it", "him"}
    called = "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name))))
    said = re.sub(
        rf"(?i)\b(?:{called}|her(?=[,.]| (?:in|at|on|by)\b)|((?:his|her|its)))\b",
        lambda found: f"{label}'s" if found[1] else label,
        text,
        count=1,
    )
    if said == text:  # "The first showing was on ..."
        return re.sub(r"\b(?=(?:was|were|is)\b)", f"of {label} ", text, count=1)
    return f"{said[0].upper()}{said[1:]}"


def _own(relation: Relation, bearer: Entity) -> Relation:
    return kinds()[bearer.kind].relations[relation.name]


def _both_ways(told: list[str]) -> tuple[str, str]:
    """Two long answers: a sentence per reading, in order and the other way round."""
    return " ".join(told), " ".join(reversed(told))


def _mayors(ask: Asker, town: Entity) -> Question:
    wordings = data("lists.yaml")["ambiguous"]
    mayors = town.groups["mayors"]
    reading = pattern(wordings["mayor"][0])
    terms = [{"from": m.facts["office_from"], "to": m.facts["office_to"]} for m in mayors]
    told = [
        f"{m.name} was mayor of {town.name} from {t['from']} to {t['to']}." for m, t in zip(mayors, terms, strict=True)
    ]
    return Question(
        "",
        ask.block.split,
        ask.fill(pattern(ask.s.choice(wordings["mayors"])), town),
        "ambiguous",
        answer_groups=tuple(tuple(mayor.aliases) for mayor in mayors),
        readings=tuple(ask.fill(reading, town, **term) for term in terms),
        references=_both_ways(told),
        evidence=tuple(grouped(ask.page(m).stated["office"], i) for i, m in enumerate(mayors)),
        popularity=town.views,
    )


def listing(ask: Asker) -> Iterator[Question]:
    """All members of a group, each stated in an article of its own."""
    wordings = data("lists.yaml")["list"]
    for entity in ask.shuffled():
        for group, entry in wordings.items():
            members = entity.groups.get(group, [])
            if not FEWEST <= len(members) <= MOST or len({m.name for m in members}) < len(members):
                continue
            evidence = [ask.page(member).stated.get(entry["relation"]) for member in members]
            if None in evidence:
                continue
            yield Question(
                "",
                ask.block.split,
                ask.fill(pattern(ask.s.choice(entry["ask"])), entity),
                "list",
                answer_groups=tuple(tuple(member.aliases) for member in members),
                evidence=tuple(grouped(found, i) for i, found in enumerate(evidence) if found),
                popularity=entity.views,
            )
