"""Where the answer stands: evidence in the terms of its source -> passages of the corpus (docs/spec/helmet.md 4, 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpora.retrieval.mining.answers import JUDGED, LEAST_ITEMS, LINKED, TOO_FEW, UNANSWERED, aliases_of, askable
from corpora.retrieval.mining.places import holds_one, nearest, places_of
from corpora.retrieval.mining.relations import OCCUPATION, kind_of_title, names, states, without_feminine
from corpora.retrieval.mining.variants import shown_forms
from haymaker.core.rows.question_checks import offers
from haymaker.core.rows.source_records import Evidence, Question
from haymaker.core.text.equivalents import with_equivalents
from haymaker.core.text.normalize import clean
from haymaker.core.text.strings import filter_aliases, holds, padded

if TYPE_CHECKING:
    from corpora.stores.passages.store import Passages

NOT_IN_CORPUS = "gold_not_in_corpus"
CUT = "gold_is_cut"
WITHOUT_ANSWER = "gold_without_answer"
NOT_STATED = "gold_does_not_state_it"
READ_AS_WRONG = "gold_read_as_wrong"
IN_TITLE = "answer_in_title"


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold or judged passage: number in the store, grade 0 .. 3 if judged, supported answer groups."""

    passage: int
    grade: int | None = None
    supports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Located:
    """A question with its gold.

    Attributes:
        question: with only the answer groups (and readings) that the gold supports.
        gold: the deciding passage first; of judged ones the best grade; empty for unanswerable questions.
        dropped: why the question is unusable; empty if usable.
        aliases: of all answers and groups, also of those left out: no distractor may contain one.
        missing: number of pieces of evidence, or answer groups, that were not found.
        shown: passages that the publisher shows, if requested; may include gold.
        unknown: number of shown pieces that are not in the corpus.
    """

    question: Question
    gold: tuple[Gold, ...] = ()
    dropped: str = ""
    aliases: tuple[str, ...] = ()
    missing: int = 0
    shown: tuple[int, ...] = ()
    unknown: int = 0


def locate(question: Question, store: Passages, *, agreed: bool = False) -> Located:
    """Find the gold by the evidence of the source.

    A question is dropped if it has no usable answer, no evidence is found, one of two linked pieces is not found, or no
    gold contains an answer (or states the relation, if the question has one). A passage with half of an evidence
    sentence does not count. Answer groups without gold are left out. `agreed`: the accepted answers must be forms of
    one.
    """
    aliases = aliases_of(question)
    question, refused = askable(question, agreed=agreed)
    if refused or question.kind in UNANSWERED:
        return Located(question, dropped=refused, aliases=aliases)
    if question.kind in JUDGED:
        return _judged(question, store)
    found, reasons = [], []
    for evidence in _as_stored(question.evidence, store):
        one, reason = _find(evidence, question, store)
        if one is None:
            reasons.append(reason)
        else:
            found.append(one)
    if not found or (question.kind in LINKED and reasons):
        return Located(question, dropped=reasons[0] if reasons else NOT_IN_CORPUS, aliases=aliases)
    gold = merged(found)
    wanted = _wanted(question)
    holding = [holds_one(store, each.passage, wanted) for each in gold]
    if wanted and not any(holding):
        return Located(question, dropped=WITHOUT_ANSWER, aliases=aliases)
    deciding_first = [each for _, each in sorted(zip(holding, gold, strict=True), key=lambda pair: not pair[0])]
    return with_forms(trimmed(question, deciding_first, aliases, len(reasons)), store)


def with_forms(located: Located, store: Passages) -> Located:
    """Accept forms of the answers that the gold shows, unless the question contains them; no distractor may.

    A question is dropped if the kind in brackets after a gold title contains an answer: "Richard Vaughan (bishop)".
    """
    question, passages = located.question, [store.passage(each.passage) for each in located.gold]
    asked, gold = padded(question.text), [(each.title, each.text) for each in passages]

    def more(answers: tuple[str, ...]) -> tuple[str, ...]:
        if question.relation == OCCUPATION:
            answers = without_feminine(answers, gold)
        shown = shown_forms(answers, gold)
        return (*answers, *(form for form in shown if offers(question.text) or padded(form) not in asked))

    answers, groups = more(question.answers), tuple(map(more, question.answer_groups))
    known = filter_aliases(with_equivalents([*answers, *(form for group in groups for form in group)]))
    aliases = tuple(dict.fromkeys([*located.aliases, *known]))
    told = any(holds(padded(kind_of_title(title)), known) for title, _ in gold)
    made = replace(located, question=replace(question, answers=answers, answer_groups=groups), aliases=aliases)
    return replace(made, dropped=located.dropped or (IN_TITLE if told else ""))


def with_shown(located: Located, store: Passages) -> Located:
    """Add the passages that the publisher shows, in its order, each once (docs/spec/longbench.md 2.2).

    Of several passages with one title, the most similar to the question is chosen.
    """
    question, unknown = located.question, 0
    found: dict[int, None] = {}
    for evidence in _as_stored(question.shown, store):
        if places := _saying(places_of(evidence, store), evidence, store):
            found.setdefault(places[0] if len(places) == 1 else nearest(places, question.text, store))
        else:
            unknown += 1
    return replace(located, shown=tuple(found), unknown=unknown)


def _as_stored(evidence: Sequence[Evidence], store: Passages) -> list[Evidence]:
    """Evidence in the form that the passages have in the corpus."""
    as_published = not store.meta["params"].get("cut", {}).get("normalize", True)
    return [each if as_published else replace(each, text=clean(each.text)) for each in evidence]


def merged(gold: Sequence[Gold]) -> list[Gold]:
    """One entry a passage, in the order of their first: the best grade, all groups."""
    out: dict[int, Gold] = {}
    for each in gold:
        before = out.get(each.passage, each)
        grades = [grade for grade in (before.grade, each.grade) if grade is not None]
        supports = tuple(sorted({*before.supports, *each.supports}))
        out[each.passage] = Gold(each.passage, max(grades, default=None), supports)
    return list(out.values())


def trimmed(question: Question, gold: Sequence[Gold], aliases: tuple[str, ...], missing: int) -> Located:
    """Return the question without unsupported answer groups, and renumber the others."""
    kept = sorted({group for each in gold for group in each.supports})
    if question.kind == "list" and len(kept) < LEAST_ITEMS:
        return Located(question, dropped=TOO_FEW, aliases=aliases)
    number = {group: i for i, group in enumerate(kept)}
    if question.answer_groups:
        question = replace(
            question,
            answer_groups=tuple(question.answer_groups[group] for group in kept),
            readings=tuple(question.readings[group] for group in kept) if question.readings else (),
        )
    gold = [replace(each, supports=tuple(number[group] for group in each.supports)) for each in gold]
    return Located(question, tuple(gold), aliases=aliases, missing=missing)


def _judged(question: Question, store: Passages) -> Located:
    """Return every passage with a whole judged text and its best grade; dropped if all of the best are cut."""
    found: list[Gold] = []
    grades, missing = {evidence.grade or 0 for evidence in question.evidence}, list[str]()
    for evidence in question.evidence:
        places = places_of(evidence, store)
        whole = _whole(places, evidence, store)
        found += [Gold(place, evidence.grade or 0) for place in whole]
        missing += [CUT if places else NOT_IN_CORPUS] * (not whole)
    best_first = sorted(merged(found), key=lambda each: (-(each.grade or 0), each.passage))
    if not best_first or (CUT in missing and best_first[0].grade != max(grades)):
        return Located(question, dropped=CUT if CUT in missing else NOT_IN_CORPUS)
    return Located(question, tuple(best_first), missing=len(missing))


def _whole(places: list[int], evidence: Evidence, store: Passages) -> list[int]:
    """Return the passages with the whole sentence of an article; for other evidence, the nearest passage."""
    if evidence.article_id and evidence.text:
        return [place for place in places if padded(evidence.text) in padded(store.passage(place).text)]
    return [nearest(places, evidence.text, store)] if places else []


def _find(evidence: Evidence, question: Question, store: Passages) -> tuple[Gold | None, str]:
    """The passage of one piece of evidence, or why there is none."""
    places = places_of(evidence, store)
    if not places:
        return None, NOT_IN_CORPUS
    if evidence.article_id and evidence.text and not (places := _whole(places, evidence, store)):
        return None, CUT
    wanted = _wanted(question, evidence.group)
    holding = [place for place in places if holds_one(store, place, wanted)]
    if not holding and question.kind not in LINKED:
        return None, WITHOUT_ANSWER
    saying = [place for place in holding if says(question, store, place, wanted)]
    if holding and not saying:
        return None, NOT_STATED
    place = saying[0] if saying else nearest(places, question.text, store)
    return Gold(place, supports=_supports(evidence, question, place, store)), ""


def _wanted(question: Question, group: int | None = None) -> list[str]:
    """Padded answers that can be looked for: of one group, or of all."""
    groups = question.answer_groups
    if groups and group is not None:
        return filter_aliases(groups[group])
    return filter_aliases([*question.answers, *(alias for each in groups for alias in each)])


def _saying(places: list[int], evidence: Evidence, store: Passages) -> list[int]:
    """Return the passages of an article that contain the sentence, if any."""
    return (_whole(places, evidence, store) if evidence.article_id and evidence.text else []) or places


def _supports(evidence: Evidence, question: Question, place: int, store: Passages) -> tuple[int, ...]:
    """Return the group that the source names, else the groups with an alias in the passage."""
    if evidence.group is not None:
        return (evidence.group,)
    groups = enumerate(question.answer_groups)
    return tuple(i for i, group in groups if holds_one(store, place, filter_aliases(group)))


def says(question: Question, store: Passages, place: int, aliases: Sequence[str]) -> bool:
    """Whether a passage holds an answer and, where the question has a relation, is on its subject and states it."""
    if not question.relation:
        return holds_one(store, place, aliases)
    passage = store.passage(place)
    return names(passage.title, question.subject) and states(question.relation, passage.text, aliases)
