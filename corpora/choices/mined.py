"""Writer `mined`: answers of other questions of the same document, its names, values and pieces of its sentences, of the right answer's form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpora.choices.form import content, form_of, normal
from corpora.choices.names import alternatives
from corpora.choices.options import Asked, Candidate, Offer
from corpora.choices.quantities import dates, quantities
from corpora.choices.reading import Name
from haymaker.rng import Stream
from haymaker.text import words

POOL = 40
_PIECES = re.compile(r"[;:—–]|, |\(|\)| [\"“]|[\"”] ")
_FINITE = re.compile(r"\b(?:is|was|are|were|has|had|have|did|does|will|would|can|could|may|must|should|[a-z]+ed)\b")
_LEANS = re.compile(r"^(?:which|who|whom|whose|that|and|but|or|nor|however|also|although|this|these|those|such|where|when|while|then|thus|as|if|it|there|here|so|instead|see|with)\b", re.I)  # fmt: skip
_OPENERS = re.compile(r"\b(?:because|by|for|to|in|at|on|within|between|from|through|due|as|a|an|the|its|his|her|their|[A-Za-z]+ing)\b", re.I)  # fmt: skip
_LENGTHS = (0.6, 1.7)  # of a piece, in words, as a share of the right answer's
_PHRASE = 8  # words up to which an answer may be no sentence
_ALIKE_QUESTIONS = 0.7


class MinedWriter:
    """Needs nothing but the document and what else is asked of it."""

    name = "mined"

    def offers(self, asked: Asked, n: int, stream: Stream) -> Iterator[Offer]:
        """One pool, the best first."""
        form = form_of(asked.right)
        if form in ("number", "date"):
            found = [*_answers(asked), *_values(asked)]
        elif name := _name(asked):
            article = "The " if asked.right.startswith("The ") else ""
            found = [article + other for other in alternatives(asked, name)]
        elif form == "text":
            found = [*_answers(asked), *_pieces(asked)]
        else:
            return
        own = asked.right.casefold()
        texts = [text for text in dict.fromkeys(found) if text.casefold() != own][:POOL]
        if texts:
            yield Offer(tuple(Candidate(text, self.name) for text in texts))


def _name(asked: Asked) -> Name | None:
    """The name that the right answer is."""
    bare = asked.right.removeprefix("The ")
    return asked.reading.names.get(bare) or asked.reading.names.get(f"The {bare}")


def _answers(asked: Asked) -> list[str]:
    """Answers of other questions, of the same form; not of one that asks nearly the same."""
    form, own = form_of(asked.right), set(content(asked.question))
    found = []
    for place, other in enumerate(asked.others):
        theirs = set(content(other.question))
        if form_of(other.text) == form and len(own & theirs) < _ALIKE_QUESTIONS * max(1, len(own | theirs)):
            found.append((_strange(other.text, asked.right), place, other.text))
    return [text for *_, text in sorted(found)]


def _values(asked: Asked) -> list[str]:
    """The right answer with other values of the document in the place of its own, the nearest to the evidence first."""
    days, numbers = dates(asked.right), quantities(asked.right)
    if len(days) + len(numbers) != 1:
        return []
    (own,) = days or numbers
    found: list[tuple[int, str]] = []
    for place, sentence in enumerate(asked.reading.sentences):
        away = asked.reading.distance((place,), asked.evidence)
        if place in asked.evidence:
            continue
        if days:
            met = [sentence[d.start : d.end] for d in dates(sentence) if len(d.parts) == len(days[0].parts)]
        else:
            like = (numbers[0].kind, numbers[0].decimals, numbers[0].style)
            met = [sentence[q.start : q.end] for q in quantities(sentence) if (q.kind, q.decimals, q.style) == like]
        found += [(away, text) for text in met]
    return [normal(asked.right[: own.start] + text + asked.right[own.end :]) for _, text in sorted(found)]


def _pieces(asked: Asked) -> list[str]:
    """Pieces of the document's sentences that begin like the right answer, those of sentences like the question first."""
    size = len(words(asked.right))
    low, high = (limit * size for limit in _LENGTHS)
    scores = asked.reading.relevance(f"{asked.question} {asked.right}")
    found = []
    for place, sentence in enumerate(asked.reading.sentences):
        if place in asked.evidence:
            continue
        for piece in _cut(sentence, asked.right, size):
            if low <= len(words(piece)) <= high and not _LEANS.match(piece):
                text = normal(piece)
                found.append((_strange(text, asked.right), -scores[place], place, text))
    return [text for *_, text in sorted(found)[:POOL]]


def _cut(sentence: str, right: str, size: int) -> Iterable[str]:
    """Pieces of a sentence: the whole, its clauses, and of a short answer's kind what follows a word of the same class."""
    if _FINITE.search(right) and size > 3:
        pieces = [sentence, *_PIECES.split(sentence)] if size > _PHRASE else _PIECES.split(sentence)
        yield from (piece for piece in pieces if _FINITE.search(piece))
        return
    bare = opening(right) == "other"
    for clause in _PIECES.split(sentence.rstrip(".")):
        for match in _OPENERS.finditer(clause):
            piece = clause[match.end() if bare else match.start() :].strip()
            if piece and not _FINITE.search(piece) and opening(piece) == opening(right):
                yield piece


def opening(text: str) -> str:
    """How a text begins: the class of its first word."""
    first = words(text)[:1]
    word = first[0] if first else ""
    for name, members in _CLASSES.items():
        if word in members:
            return name
    return "gerund" if word.endswith("ing") and len(word) > 5 else "other"


_CLASSES = {
    "article": frozenset({"a", "an", "the", "its", "his", "her", "their"}),
    "pronoun": frozenset({"he", "she", "it", "they", "we"}),
    "cause": frozenset({"because", "due", "since"}),
    "to": frozenset({"to"}),
    "by": frozenset({"by", "through", "with"}),
    "for": frozenset({"for"}),
    "place": frozenset({"in", "at", "on", "within", "between", "from", "near"}),
}


def _strange(text: str, right: str) -> int:
    """How unlike in form: another opening, another shape."""
    return 2 * (opening(text) != opening(right)) + (bool(_FINITE.search(text)) != bool(_FINITE.search(right)))
