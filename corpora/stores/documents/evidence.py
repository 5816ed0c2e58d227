"""Find the sentences of the evidence of questions about documents."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

from corpora.stores.documents.align import Words
from corpora.stores.documents.store import Evidence, PreparedQuestion
from corpora.stores.sentences.clean import CleaningParams, paragraphs
from corpora.stores.sentences.store import Background, Entry
from haymaker.core.errors import CorpusError
from haymaker.core.rows.source_records import DocumentQuestion
from haymaker.core.text.strings import padded, words

_ARTICLES = frozenset({"a", "an", "the"})
_MOST_CHOICES = 26  # letters there are
_RARE_LETTERS = 6  # of a one-word answer to search for: shorter words occur by chance
_RARE_DIGITS = 3
_SAID_OF_A_TEXT = frozenset(
    {"unanswerable"}
)  # an answer without a place: if a text contains the word, it is no evidence

Ranges = tuple[tuple[int, int], ...]


def prepare(
    store: Background,
    questions: Iterable[DocumentQuestion],
    rules: CleaningParams,
    fuzzy_match_threshold: float | None = None,
) -> tuple[list[PreparedQuestion], Counter[str]]:
    """Find the evidence of all questions.

    Args:
        store: the cleaned documents.
        questions: of the source, in its order.
        rules: cleaning rules of the documents; evidence is cleaned in the same way.
        fuzzy_match_threshold: least similarity of evidence that is not found verbatim; None: it has no place.

    Returns:
        The questions in the order of the documents; reason -> number of questions left out or changed.
    """
    counts: Counter[str] = Counter()
    by_document: dict[str, list[DocumentQuestion]] = defaultdict(list)
    for question in questions:
        by_document[question.doc_id].append(question)
    out: list[PreparedQuestion] = []
    for entry in store.documents:
        asked_of = by_document.pop(entry.doc_id, [])
        text = _Text(store, entry)
        seen: set[tuple[str, str]] = set()
        for question in asked_of:
            if reason := _unusable(question, entry, seen):
                counts[reason] += 1
            else:
                seen.add((question.kind, padded(question.text)))
                out.append(_located(question, text, rules, fuzzy_match_threshold, counts))
    counts["document_missing"] += sum(map(len, by_document.values()))
    return out, +counts


def _unusable(question: DocumentQuestion, entry: Entry, seen: set[tuple[str, str]]) -> str:
    """Why something cannot be asked; empty when it can."""
    if question.split != entry.split:
        raise CorpusError(
            f"question {question.question_id!r} is in split {question.split}, its document {entry.doc_id!r} in split {entry.split}",
            where="the source of these documents", fix="fix the source",
        )  # fmt: skip
    if entry.first == entry.last:
        return "document_empty"
    if question.kind == "summary":
        if not question.references or not words(question.references[0]):
            return "no_reference"
        return "asked_twice" if question.text and (question.kind, padded(question.text)) in seen else ""
    if not words(question.text):
        return "no_question"
    if (question.kind, padded(question.text)) in seen:
        return "asked_twice"
    if question.kind == "choice":
        folded = [choice.strip() for choice in question.choices]
        good = 1 < len(folded) <= _MOST_CHOICES and len(set(folded)) == len(folded) and all(folded)
        return "" if good and question.answers and question.answers[0].strip() in folded else "choices_unclear"
    return "" if any(map(_has_words, question.answers)) else "no_answer_with_words"


def says_nothing(answers: Iterable[str]) -> bool:
    """Check whether an accepted answer means that the text has no answer."""
    return any(" ".join(words(answer)) in _SAID_OF_A_TEXT for answer in answers)


def _has_words(answer: str) -> bool:
    """Whether anything is left of an answer when metrics have taken articles off (docs/defects/helmet.md D9, D10)."""
    return bool(set(words(answer)) - _ARTICLES)


def _located(
    question: DocumentQuestion,
    text: _Text,
    rules: CleaningParams,
    fuzzy_match_threshold: float | None,
    counts: Counter[str],
) -> PreparedQuestion:
    answers = question.answers if question.kind == "choice" else tuple(filter(_has_words, question.answers))
    counts["answers_without_words"] += len(question.answers) - len(answers)
    question = replace(question, answers=answers, evidence=_cleaned(question.evidence, rules))
    found: tuple[Evidence, Ranges] = ("unknown", ())
    pieces = text.aligned(question.evidence, fuzzy_match_threshold) if fuzzy_match_threshold else []
    if question.evidence:
        places = [text.places(each) for each in question.evidence]
        if all(places):
            counts["evidence_stands_in_several_places"] += any(len(each) > 1 for each in places)
            found = "verified", _united(each[0] for each in places)
        elif fuzzy_match_threshold and all(piece.score >= fuzzy_match_threshold for piece in pieces):
            counts["evidence_aligned"] += 1
            found = "aligned", _united(place for piece in pieces for place in piece.units)
        else:
            counts["evidence_not_found"] += 1
    is_free = (
        question.kind != "summary" and not pieces
    )  # a word of the answer does not replace evidence that is not found
    if found[0] == "unknown" and is_free and (place := text.alone(question.answers)):
        found = "aligned", (place,)
    aligned = tuple((piece.offset, piece.score) for piece in pieces)
    return PreparedQuestion(question, *found, text.hash, aligned, _told(question, text, rules, counts))


def _cleaned(texts: Iterable[str], rules: CleaningParams) -> tuple[str, ...]:
    """Return texts cleaned like the document, each on one line, without empty ones."""
    cleaned = (" ".join(" ".join(paragraphs(each, rules, Counter())).split()) for each in texts)
    return tuple(filter(None, cleaned))


def _told(question: DocumentQuestion, text: _Text, rules: CleaningParams, counts: Counter[str]) -> Ranges:
    """Return the range of sentences that state each key point; empty if one is not found."""
    points = [[text.places(each) for each in _cleaned(point.evidence, rules)] for point in question.key_points]
    if not all(points) or not all(all(places) for places in points):
        counts["key_point_not_found"] += any(points)
        return ()
    first = [[places[0] for places in point] for point in points]
    return tuple((min(a for a, _ in each), max(b for _, b in each)) for each in first)


class _Piece(NamedTuple):
    """A piece of evidence: its place in the document (-1: not found), similarity, and its sentences."""

    offset: int
    score: float
    units: Ranges


def _united(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same sentences, in order, with ranges that overlap made one."""
    out: list[tuple[int, int]] = []
    for first, last in sorted(set(ranges)):
        if out and first < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return tuple(out)


class _Text:
    """The text of a document and the places of its sentences; read on first use."""

    def __init__(self, store: Background, entry: Entry) -> None:
        self._store, self._entry = store, entry

    @cached_property
    def _as_stored(self) -> list[str]:
        at, entry = self._store.byte_at, self._entry
        return [bytes(self._store.text[at[i] : at[i + 1]]).decode() for i in range(entry.first, entry.last)]

    @cached_property
    def _units(self) -> list[str]:
        return [f" {unit.lstrip()}" for unit in self._as_stored]

    @cached_property
    def hash(self) -> str:
        """Hash of the text."""
        at, entry = self._store.byte_at, self._entry
        return blake2b(self._store.text[at[entry.first] : at[entry.last]], digest_size=8).hexdigest()

    @cached_property
    def _plain(self) -> str:
        """The text on one line, as evidence may cross paragraphs."""
        return "".join(self._units)

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate(map(len, self._units), initial=0))

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        """The words of all sentences with one space around each, and where each sentence's begin."""
        pieces, starts, at = [], [], 1
        for unit in self._units:
            starts.append(at)
            if found := " ".join(words(unit)):
                pieces.append(found)
                at += len(found) + 1
        return f" {' '.join(pieces)} ", starts

    def places(self, sentence: str) -> list[tuple[int, int]]:
        """Return the sentences of a cleaned, verbatim text; at most its first two places."""
        return [_over(self._starts, start, len(sentence)) for start in _find(self._plain, sentence)]

    @cached_property
    def _stored_starts(self) -> list[int]:
        return list(accumulate(map(len, self._as_stored), initial=0))

    @cached_property
    def _words(self) -> Words:
        return Words("".join(self._as_stored))

    def aligned(self, evidence: Sequence[str], fuzzy_match_threshold: float) -> list[_Piece]:
        """Return the place of each piece of evidence: verbatim, else the most similar one."""
        return [self._verbatim(each) or self._alike(each, fuzzy_match_threshold) for each in evidence]

    def _verbatim(self, piece: str) -> _Piece | None:
        at = self._plain.find(piece)
        if at < 0:
            return None
        units = _over(self._starts, at, len(piece))
        stored, start = self._as_stored[units[0]], self._stored_starts[units[0]]
        opening = len(stored) - len(stored.lstrip())
        return _Piece(start + opening + max(0, at - self._starts[units[0]] - 1), 1.0, (units,))

    def _alike(self, piece: str, fuzzy_match_threshold: float) -> _Piece:
        place = self._words.place(piece, fuzzy_match_threshold)
        units = tuple(_over(self._stored_starts, first, last - first) for first, last in place.spans)
        return _Piece(place.spans[0][0] if units else -1, round(place.score, 4), units)

    def alone(self, answers: Sequence[str]) -> tuple[int, int] | None:
        """Return the sentences of the first answer that is no common word and occurs in only one place, or None."""
        text, starts = self._folded
        for answer in answers:
            tokens = words(answer)
            while tokens and tokens[0] in _ARTICLES:
                tokens = tokens[1:]
            if len(tokens) > 1 or (tokens and _rare(tokens[0])):
                alias = f" {' '.join(tokens)} "
                if len(places := _find(text, alias)) == 1:
                    return _over(starts, places[0] + 1, len(alias) - 2)
        return None


def _rare(word: str) -> bool:
    return word not in _SAID_OF_A_TEXT and len(word) >= (_RARE_DIGITS if word.isdigit() else _RARE_LETTERS)


def _find(text: str, wanted: str) -> list[int]:
    """The first two places."""
    first = text.find(wanted)
    second = text.find(wanted, first + 1) if first >= 0 else -1
    return [place for place in (first, second) if place >= 0]


def _over(starts: Sequence[int], at: int, size: int) -> tuple[int, int]:
    """Sentences [first, last) that hold `size` characters from `at` on."""
    return bisect_right(starts, at) - 1, bisect_right(starts, at + size - 1)
