"""Questions of two hops: through a bridge, and comparisons (HotpotQA's two kinds)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from math import fsum

from haymaker.core.rows.source_records import Evidence, Question
from haymaker.core.text.english_grammar import MONTHS
from haymaker.core.text.strings import filter_aliases, holds, padded
from worlds.encyclopaedia.block import make_block
from worlds.encyclopaedia.kinds import Relation, kinds
from worlds.encyclopaedia.model import Entity
from worlds.encyclopaedia.page import write_page
from worlds.encyclopaedia.phrases import Pattern

from .wording import Asker, called, echoes, sentence

_PLAIN = re.compile(r"(?<!\bcompany )(?<!\bnewspaper )(?<!\balbum )(?<!\bfilm )\{name\}(?!')")
RIVALS = 12  # passages of each bridge question in addition to its gold, less than half of a context of 4k tokens
_FIVE = 5
_FEWEST, _BLOCKS = 3, 5  # of them of the bridge's own sort; blocks before its own in which they are looked for
_DATE = re.compile(r"(\d+) (\w+) (\d{4})")


def twohop(ask: Asker) -> Iterator[Question]:
    """Of each five one comparison, as of HotpotQA's questions; which one follows the block, since few are taken of each."""
    bridges, comparisons = _bridges(ask), _comparisons(ask)
    while True:
        five = [next(bridges, None) for _ in range(_FIVE - 1)]
        if five[0] is None:
            return
        five.insert(ask.block.number % _FIVE, next(comparisons, None))
        yield from (question for question in five if question is not None)


def _bridges(ask: Asker) -> Iterator[Question]:
    """Yield at most one question per entity, and one per relation of a bridge."""
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
    """Return the relations from an entity to another, the other entity, and the relations in its article: two hops, no fewer.

    The entity's own article does not say the answer, and the other article never names the entity.
    """
    own, ways = _text(ask, entity), list[tuple[Relation, Entity, Relation]]()
    for first in ask.askable(entity):
        bridge = entity.refs.get(first.value)
        if (
            bridge is None
            or not first.the
            or holds(_text(ask, bridge), filter_aliases((entity.title, *entity.aliases)))
        ):
            continue
        seconds = (r for r in ask.askable(bridge) if not holds(own, filter_aliases(bridge.answers(r.value))))
        ways += [(first, bridge, second) for second in seconds]
    return ways


def _bridge(ask: Asker, entity: Entity, first: Relation, bridge: Entity, second: Relation) -> Question | None:
    """Return a question on the relation `second` of the bridge, described by `first`.

    None if its words would reveal the bridge, its article or the answer.
    """
    plain, leads = _plain(second.ask), [p for p in first.the if _PLAIN.search(p.source)] or first.the
    plain = [p for p in plain if p.source.endswith("{name}")] or plain
    if not plain or len(rivals(ask, bridge, second, same=True)) < _FEWEST:
        return None
    lead, wording, answers = ask.s.choice(leads), ask.s.choice(plain), bridge.answers(second.value)
    hidden = (*answers, bridge.name, bridge.title)
    for described in _described(ask, entity, first, ask.fill(lead, entity)):
        named = called(lead, entity)
        if described and _PLAIN.search(lead.source):
            named = f"{named}, {described},"
        text = ask.fill(wording, bridge, name=ask.fill(lead, entity, name=named)).rstrip(",")
        if not echoes(text, hidden) and not _points(ask, text, bridge, second):
            evidence = (ask.page(entity).stated[first.name], ask.page(bridge).stated[second.name])
            return Question(
                "", ask.block.split, sentence(text), "bridge", answers=answers, evidence=evidence, popularity=entity.views,
                shown=tuple(rivals(ask, bridge, second)),
            )  # fmt: skip
    return None


def _plain(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Return patterns that contain only the name of their subject, which a description may follow."""
    return [p for p in patterns if not p.needs and _PLAIN.search(p.source)]


def _described(ask: Asker, entity: Entity, first: Relation, told: str) -> list[str]:
    """Descriptions of the entity that a question begins with, by facts of its own article, the fullest first and none at last.

    A description of the other entity would point at the passage with the answer, so there is none. Hints name no person and no
    work: they are years, places, schools, firms and prizes, and what comes from lists.
    """
    stated, found, what = ask.page(entity).stated, list[str](), ""
    for relation in kinds()[entity.kind].relations.values():
        evidence = stated.get(relation.name)
        fits = [p for p in relation.hint if evidence and _says(evidence.text, p, entity, told)]
        if not fits or (relation.value == first.value and relation.name != "identity"):
            continue
        text = ask.fill(ask.s.choice(fits), entity)
        if relation.name == "identity":
            what = text
        else:
            found.append(text)
    more = ask.s.choice(found) if found else ""
    joint = ", " if "," in what else " "
    texts = (joint.join(filter(None, (what, more))), what, "")
    return list(dict.fromkeys(texts[ask.s.below(len(texts)) :]))


def _points(ask: Asker, text: str, bridge: Entity, second: Relation) -> bool:
    """Whether the question's own words lead to the passage with the answer: its paragraph shares more of them than that of any
    other article of the kind, a word that few paragraphs hold counting more.
    """
    stated = [evidence for each in ask.block.kinds[bridge.kind] if (evidence := ask.stated(each, second))]
    told = {evidence.article_id: set(_paragraph(ask, evidence).split()) for evidence in stated}
    own, others = told.pop(str(bridge.index)), list(told.values())
    held = {word: sum(word in other for other in (own, *others)) for word in set(padded(text).split())}

    def shared(paragraph: set[str]) -> float:
        return fsum(1 / count for word, count in held.items() if word in paragraph)  # whatever the order of a set

    return all(shared(own) > shared(other) for other in others)


def rivals(ask: Asker, bridge: Entity, second: Relation, *, same: bool = False) -> list[Evidence]:
    """Return passages that state the same relation for other subjects: a context with the passage of the bridge contains some
    of these, or the only passage that could answer would be known by the question's last words.

    Entities of its sort come first (for companies, of the same trade), from its block, then from earlier blocks: later blocks
    may not exist. Then others of its block.

    Args:
        ask: the block.
        bridge: the entity.
        second: relation in the question.
        same: only entities of its sort.
    """
    earlier = range(ask.block.number - 1, max(-1, ask.block.number - 1 - _BLOCKS), -1)
    blocks = [ask.block, *(make_block(ask.block.seed, number) for number in earlier)]
    alike = [e for block in blocks for e in block.kinds[bridge.kind] if e is not bridge and _sort(e) == _sort(bridge)]
    rest = [] if same else [e for e in ask.block.entities if e is not bridge and _sort(e) != _sort(bridge)]
    found = (ask.stated(entity, second) for entity in (*alike, *rest))
    return list(islice(filter(None, found), RIVALS))


def _sort(entity: Entity) -> str:
    return entity.facts["type"] if entity.kind == "company" else entity.kind


def _paragraph(ask: Asker, evidence: Evidence) -> str:
    text = write_page(ask.block.seed, int(evidence.article_id)).article.paragraphs[evidence.paragraph or 0].text
    return padded(f"{evidence.title} {text}")


def _text(ask: Asker, entity: Entity) -> str:
    """An article as words."""
    return padded("\n".join(paragraph.text for paragraph in ask.page(entity).article.paragraphs))


def _says(text: str, hint: Pattern, entity: Entity, told: str) -> bool:
    """Whether a sentence says all that a hint does, and the question does not yet ("the novel X, a gothic novel")."""
    values = filter_aliases(entity.facts.get(need, "") for need in hint.needs)
    sort = padded(entity.facts["type"])
    known = [*values, *(sort for value in values if sort in value)]
    return hint.fits(entity) and all(value in padded(text) for value in values) and not holds(padded(told), known)


def _comparisons(ask: Asker) -> Iterator[Question]:
    for entity in ask.shuffled():
        relation = next((r for r in kinds()[entity.kind].relations.values() if r.key), None)
        if relation is None or _tells(entity):
            continue
        others = [e for e in ask.block.kinds[entity.kind] if e is not entity and not _tells(e)]
        others = [e for e in others if measure(e, relation) != measure(entity, relation) and ask.stated(e, relation)]
        if not others or not ask.stated(entity, relation):
            continue
        question = _comparison(ask, relation, entity, ask.s.choice(others))
        if not ask.common(question.answers):
            yield question


def _tells(entity: Entity) -> bool:
    """Whether a name does not say whose it is, or says a year, which decides a comparison without any passage."""
    return entity.namesake or any(map(str.isdigit, entity.name))


def _comparison(ask: Asker, relation: Relation, a: Entity, b: Entity) -> Question:
    low, high = sorted((a, b), key=lambda entity: measure(entity, relation))
    asks_low = bool(relation.first) and ask.s.chance(0.5)
    text = ask.one(relation.first if asks_low else relation.last, a, a=a.name, b=b.name)
    right = low if asks_low else high
    evidence = tuple(ask.page(entity).stated[relation.name] for entity in (right, low if right is high else high))
    return Question("", ask.block.split, text, "comparison", answers=tuple(right.aliases), evidence=evidence)


def measure(entity: Entity, relation: Relation) -> tuple[float, ...]:
    """Return the values of a comparison: a date, or a number."""
    value = entity.facts[relation.key]
    date = _DATE.fullmatch(value)
    if date:
        return float(date[3]), float(MONTHS.index(date[2])), float(date[1])
    return (float(value.split()[0].replace(",", "")),)
