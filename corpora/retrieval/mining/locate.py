"""Where the answer stands: evidence in the terms of its source -> passages of the corpus (docs/spec/helmet.md 4, 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpora.stores.passages.store import search_text
from haymaker.records import Evidence, Question
from haymaker.surface import clean
from haymaker.text import filter_aliases, holds, padded, text_hash, words

if TYPE_CHECKING:
    from corpora.retrieval.mining.words import Words
    from corpora.retrieval.search import Ints
    from corpora.stores.passages.store import Passages

JUDGED = frozenset({"search"})  # passages are graded; there is no answer to look for
UNANSWERED = frozenset({"absent"})  # no gold, and no alias that a distractor could hold
LINKED = frozenset({"bridge", "comparison"})  # every piece of evidence is needed, and not each holds the answer

NOT_IN_CORPUS = "gold_not_in_corpus"
CUT = "gold_is_cut"
WITHOUT_ANSWER = "gold_without_answer"
NOT_RETRIEVED = "no_gold_retrieved"
NOTHING_TO_FIND = "answer_too_short"


@dataclass(frozen=True, slots=True)
class Gold:
    """One gold or judged passage.

    Attributes:
        passage: number in the store.
        grade: 0 .. 3 where judged.
        supports: answer groups.
    """

    passage: int
    grade: int | None = None
    supports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Located:
    """A question with its gold.

    Attributes:
        question: with the answer groups (and readings) alone that the gold supports.
        gold: the deciding passage first; of judged ones the best grade; empty for what has no answer.
        dropped: why the question cannot be used; empty when it can.
        aliases: of all answers and groups, those left out included: no distractor may hold one.
        missing: pieces of evidence, or answer groups, that were not found; of a question that was not dropped.
        shown: passages that its publisher shows, where they are asked for; gold may be among them.
        unknown: pieces that it shows and the corpus does not have.
    """

    question: Question
    gold: tuple[Gold, ...] = ()
    dropped: str = ""
    aliases: tuple[str, ...] = ()
    missing: int = 0
    shown: tuple[int, ...] = ()
    unknown: int = 0


def aliases_of(question: Question) -> tuple[str, ...]:
    """Padded aliases that can be looked for, of all answers and all groups; none for judged and unanswered questions."""
    if question.kind in JUDGED | UNANSWERED:
        return ()
    return tuple(filter_aliases([*question.answers, *(alias for group in question.answer_groups for alias in group)]))


def locate(question: Question, store: Passages) -> Located:
    """Find the gold by the source's evidence.

    A question is dropped when no evidence is found, one of two linked pieces is not, no gold holds an answer, or no answer is
    more than one character or yes or no. A passage that holds half of an evidence sentence does not count. Answer groups
    without gold are left out.

    Args:
        question: as its source has it.
        store: the corpus.
    """
    aliases = aliases_of(question)
    if question.kind in UNANSWERED:
        return Located(question)
    if not aliases and question.kind not in JUDGED | LINKED:
        return Located(question, dropped=NOTHING_TO_FIND)
    found, reasons = [], []
    for evidence in _as_stored(question.evidence, store):
        one, reason = _find(evidence, question, aliases, store)
        if one is None:
            reasons.append(reason)
        else:
            found.append(one)
    if not found or (question.kind in LINKED and reasons):
        return Located(question, dropped=reasons[0] if reasons else NOT_IN_CORPUS, aliases=aliases)
    gold = _merged(found)
    if question.kind in JUDGED:
        best_first = sorted(gold, key=lambda each: (-(each.grade or 0), each.passage))
        return Located(question, tuple(best_first), missing=len(reasons))
    holding = [_holds(store, each.passage, aliases) for each in gold]
    if aliases and not any(holding):
        return Located(question, dropped=WITHOUT_ANSWER, aliases=aliases)
    deciding_first = sorted(zip(holding, gold, strict=True), key=lambda pair: not pair[0])
    return _trimmed(question, [each for _, each in deciding_first], aliases, len(reasons))


def locate_retrieved(question: Question, passages: Ints, found: Words, least_overlap: float) -> Located:
    """Take the best passages of a search that hold an alias for gold: one per answer group, or one (docs/spec/helmet.md 5.2).

    Differs from the reference: a passage that holds an alias may be about something else ("Young", "Fame"), so it must hold
    words of the question too.

    Args:
        question: as its source has it.
        passages: of the search result, best first.
        found: the words of these passages.
        least_overlap: share of the question's words that a gold holds at least.
    """
    import numpy as np

    if question.kind in UNANSWERED:
        return Located(question)
    aliases = aliases_of(question)
    if not aliases:
        return Located(question, dropped=NOTHING_TO_FIND)
    gold, near = [], np.array(found.overlap(question.text)) >= least_overlap
    for group, names in _groups(question):
        at = (found.holding(filter_aliases(names)) & near).nonzero()[0]
        if len(at):
            gold.append(Gold(int(passages[at[0]]), supports=group))
    if not gold:
        return Located(question, dropped=NOT_RETRIEVED, aliases=aliases)
    return _trimmed(question, _merged(gold), aliases, len(_groups(question)) - len(gold))


def with_shown(located: Located, store: Passages) -> Located:
    """The same with the passages that its publisher shows, in the publisher's order, each once (docs/spec/longbench.md 2.2).

    Of several passages of a title the one that shares most words with the question is meant.
    """
    question, unknown = located.question, 0
    found: dict[int, None] = {}
    for evidence in _as_stored(question.shown, store):
        if places := _saying(_places(evidence, store), evidence, store):
            found.setdefault(places[0] if len(places) == 1 else _nearest(places, question.text, store))
        else:
            unknown += 1
    return replace(located, shown=tuple(found), unknown=unknown)


def _as_stored(evidence: Sequence[Evidence], store: Passages) -> list[Evidence]:
    """Evidence in the form that the passages have in the corpus."""
    as_published = not store.meta["params"].get("cut", {}).get("surface", True)
    return [each if as_published else replace(each, text=clean(each.text)) for each in evidence]


def _groups(question: Question) -> Sequence[tuple[tuple[int, ...], Sequence[str]]]:
    if question.answer_groups:
        return [((number,), group) for number, group in enumerate(question.answer_groups)]
    return [((), question.answers)]


def _merged(gold: Sequence[Gold]) -> list[Gold]:
    """One entry a passage, in the order of their first: the best grade, all groups."""
    out: dict[int, Gold] = {}
    for each in gold:
        before = out.get(each.passage, each)
        grades = [grade for grade in (before.grade, each.grade) if grade is not None]
        supports = tuple(sorted({*before.supports, *each.supports}))
        out[each.passage] = Gold(each.passage, max(grades, default=None), supports)
    return list(out.values())


def _trimmed(question: Question, gold: Sequence[Gold], aliases: tuple[str, ...], missing: int) -> Located:
    """The question without the answer groups that no gold supports, the rest numbered anew."""
    kept = sorted({group for each in gold for group in each.supports})
    number = {group: i for i, group in enumerate(kept)}
    if question.answer_groups:
        question = replace(
            question,
            answer_groups=tuple(question.answer_groups[group] for group in kept),
            readings=tuple(question.readings[group] for group in kept) if question.readings else (),
        )
    gold = [replace(each, supports=tuple(number[group] for group in each.supports)) for each in gold]
    return Located(question, tuple(gold), aliases=aliases, missing=missing)


def _find(evidence: Evidence, question: Question, aliases: tuple[str, ...], store: Passages) -> tuple[Gold | None, str]:
    """The passage of one piece of evidence, or why there is none."""
    places = _places(evidence, store)
    if not places:
        return None, NOT_IN_CORPUS
    if question.kind in JUDGED:
        return Gold(_nearest(places, evidence.text, store), evidence.grade or 0), ""
    if evidence.article_id and evidence.text:
        places = [place for place in places if padded(evidence.text) in padded(store.passage(place).text)]
        if not places:
            return None, CUT
    wanted = aliases
    if question.answer_groups and evidence.group is not None:
        wanted = tuple(filter_aliases(question.answer_groups[evidence.group]))
    holding = [place for place in places if _holds(store, place, wanted)]
    if not holding and wanted and question.kind not in LINKED:
        return None, WITHOUT_ANSWER
    place = holding[0] if holding else _nearest(places, question.text, store)
    return Gold(place, supports=_supports(evidence, question, place, store)), ""


def _saying(places: list[int], evidence: Evidence, store: Passages) -> list[int]:
    """Of the passages of an article those that hold the sentence, where there are such."""
    if not (evidence.article_id and evidence.text):
        return places
    return [place for place in places if padded(evidence.text) in padded(store.passage(place).text)] or places


def _supports(evidence: Evidence, question: Question, place: int, store: Passages) -> tuple[int, ...]:
    """The group that the source names, else those that the passage holds an alias of."""
    if evidence.group is not None:
        return (evidence.group,)
    groups = enumerate(question.answer_groups)
    return tuple(i for i, group in groups if _holds(store, place, filter_aliases(group)))


def _places(evidence: Evidence, store: Passages) -> list[int]:
    """Passages that the evidence can mean, in the order of the corpus; the first key that is given decides."""
    if evidence.passage_id:
        place = store.by_id(evidence.passage_id)
        return [] if place is None else [place]
    if evidence.article_id and (span := store.by_article(evidence.article_id)):
        return [place for place in range(*span) if _touches(store, place, evidence.paragraph)]
    titled: list[int] = store.by_title(evidence.title).tolist() if evidence.title else []
    if not evidence.text:
        return titled
    same: list[int] = store.by_hash(text_hash(evidence.text)).tolist()
    if same:
        return [place for place in same if place in titled] or same
    meant, texts = padded(evidence.text), {place: padded(store.passage(place).text) for place in titled}
    found = [place for place in titled if texts[place] in meant or meant in texts[place]]
    return found or (titled if store.whole and len(titled) == 1 else [])  # another day's text of the same article


def _touches(store: Passages, place: int, paragraph: int | None) -> bool:
    passage = store.passage(place)
    if paragraph is None or passage.first_paragraph < 0:  # ready-made passages know no paragraphs
        return True
    return passage.first_paragraph <= paragraph <= passage.last_paragraph


def _holds(store: Passages, place: int, aliases: Sequence[str]) -> bool:
    passage = store.passage(place)
    return holds(padded(passage.title), aliases) or holds(padded(passage.text), aliases)


def _nearest(places: Sequence[int], text: str, store: Passages) -> int:
    """The passage that shares the most words with a text; the first of equals."""
    wanted = set(words(text))
    passages = {place: store.passage(place) for place in places}
    return max(places, key=lambda i: len(wanted & set(words(search_text(passages[i].title, passages[i].text)))))
