"""Writer `mined`: names, values, answers of other questions and pieces of sentences of the same document, of the right answer's form.

An answer that begins with what the question is about ("Bhatia rebutted ...") would be known by that. Its wrong options are
statements about others that are said of it: "M Ravi offered his condolences" becomes "Bhatia offered his condolences".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpora.choices.form import content, form_of, normal
from corpora.choices.names import alternatives, whole_name
from corpora.choices.options import Asked, Candidate, Offer
from corpora.choices.quantities import dates, quantities
from corpora.choices.shape import FINITE, agrees, is_plural, opening, shape, strays, subject_of
from haymaker.rng import Stream
from haymaker.text import padded, words

POOL = 40
_PIECES = re.compile(r"[;:—–]|, |\(|\)")
_LEANS = re.compile(r"^(?:which|who|whom|whose|that|and|but|or|nor|however|also|additionally|although|this|these|those|such|where|when|while|then|thus|as|if|it|there|here|so|instead|see|with|until|after|before|upon|according|following|reportedly|very|none|despite|due|since|what|earlier|later)\b", re.I)  # fmt: skip
_HANGS = re.compile(r"\b(?:a|an|the|and|or|but|of|in|on|at|to|for|by|with|from|that|which|who|he|she|it|they|them|him|his|her|their|its|is|was|were|are|be|had|has|have|not|as|said|between|into|than|also)$", re.I)  # fmt: skip
_OPENERS = re.compile(r"\b(?:because|by|for|to|in|at|on|within|between|from|through|due|as|of|with|against|a|an|the|its|his|her|their|[A-Za-z]+ing)\b", re.I)  # fmt: skip
_TO = re.compile(r"\bto (?=[a-z])")
_LEANS_INSIDE = re.compile(r"\b(?:also|the same|former|latter|the above)\b|^\W", re.I)
_VAGUE = re.compile(r"^what (?:happened|occurred|is the situation|was the situation)\b", re.I)
_PRONOUN = re.compile(r"(?:He|She|They|It)\b")
_OF_A_PERSON = re.compile(r"\b(?:his|her|him|himself|herself|he|she)\b")
_AMOUNT = re.compile(
    r"\bhow (?:many|much|long|old|far|often)\b|\bwhat(?:'s| is| was) the (?:difference|total|number|amount)\b", re.I
)
_ASKS = re.compile(r"\b(who|whom|where|when|why|how|which|what)\b", re.I)
_LENGTHS = (0.6, 1.7)  # of a piece, in words, as a share of the right answer's
_AROUND = 2  # sentences before and behind the evidence that go on about it
_ABOUT_THE_SAME = 15  # sentences around it in which a pronoun may stand for the same person, on the same matter
_ALIKE_QUESTIONS = 0.7
_SAME_MATTER = 0.6  # share of the question's words in a sentence, from which what it says may answer the question


class MinedWriter:
    """Needs nothing but the document and what else is asked of it."""

    name = "mined"

    def offers(self, asked: Asked, n: int, stream: Stream) -> Iterator[Offer]:
        """One pool, the best first."""
        form = form_of(asked.right)
        if form in ("number", "date"):
            found = [*(text for text, _ in _answers(asked)), *_values(asked)]
        elif form != "text":
            return
        elif name := whole_name(asked):
            article = "The " if asked.right.startswith("The ") else ""
            found = [article + other for other in alternatives(asked, name)]
        else:
            found = _texts(asked)
        own = asked.right.casefold()
        texts = [text for text in dict.fromkeys(map(normal, found)) if text.casefold() != own][:POOL]
        if texts:
            yield Offer(tuple(Candidate(text, self.name) for text in texts))


def _texts(asked: Asked) -> list[str]:
    """Statements about the question's subject where the right answer is one; else texts of the same shape.

    What the document says of the subject itself is left alone: it may be a second right answer.
    """
    if _AMOUNT.search(asked.question):
        return []  # a text with values that follow from each other: nothing else of the document is like it
    answers = list(_answers(asked))
    if subject := subject_of(asked.right, asked.question):
        texts = [*(text for text, _ in answers), *_pieces(asked, infinitives=False)]
        return [made for text in texts if (made := _said_of(subject, text, asked))]
    plain = asked.reading.infinitive(asked.right)
    wanted, kind = shape(asked.right), _asks(asked.question)
    liked = [text for text, question in answers if _asks(question) == kind]
    loose = wanted.list or _VAGUE.match(asked.question)
    pieces = (
        [] if loose else _pieces(asked, infinitives=plain)
    )  # much may have happened, and no piece lists such things
    texts = [*liked, *map(normal, pieces)]
    return [text for text in texts if shape(text) == wanted and asked.reading.infinitive(text) == plain]


def _said_of(subject: str, text: str, asked: Asked) -> str:
    """A statement about somebody else of the same sort, said of the subject; empty where it is no such statement."""
    names = asked.reading.names
    opened = _PRONOUN.match(text)
    before = (
        opened.group() if opened else max((name for name in names if text.startswith(f"{name} ")), key=len, default="")
    )
    rest, own = text[len(before) :].strip(), _kind(subject, asked)
    if (
        not before
        or before == subject.removeprefix("The ")
        or padded(subject) in padded(rest)
        or _kind(before, asked) != own
    ):
        return ""
    if own == "thing" and _OF_A_PERSON.search(rest):
        return ""
    said = asked.right[len(subject) :].strip()
    return f"{subject} {rest}" if agrees(said, rest, is_plural(subject, subject in names)) else ""


def _kind(subject: str, asked: Asked) -> str:
    """Somebody, some country, or something."""
    if subject.lower() in ("he", "she"):
        return "person"
    name = asked.reading.names.get(subject)
    if name is None:
        return "thing"
    return {"country": "country", "place": "country", "person": "person", "other": "person"}.get(name.sort, "thing")


def _asks(question: str) -> str:
    found = _ASKS.search(question)
    return found.group().lower() if found else ""


def _answers(asked: Asked) -> Iterator[tuple[str, str]]:
    """Answers of other questions, of the same form; not of one that asks nearly the same."""
    form, own = form_of(asked.right), set(words(asked.question))
    for other in asked.others:
        theirs = set(words(other.question))
        if form_of(other.text) == form and len(own & theirs) < _ALIKE_QUESTIONS * max(1, len(own | theirs)):
            yield other


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


def _pieces(asked: Asked, infinitives: bool) -> list[str]:
    """Pieces of the document's sentences that may be such an answer, those of sentences like the question first."""
    size = len(words(asked.right))
    low, high = (limit * size for limit in _LENGTHS)
    scores = asked.reading.relevance(f"{asked.question} {asked.right}")
    found, wanted = [], set(content(asked.question))
    given = asked.evidence or {max(range(len(scores)), key=scores.__getitem__, default=0)}
    for place, sentence in enumerate(asked.reading.sentences):
        near = any(abs(place - i) <= _AROUND for i in given)
        about = len(wanted) > 2 and len(wanted & set(words(sentence))) > _SAME_MATTER * len(wanted)
        for piece in () if near or about else _cut(sentence, asked.right, infinitives):
            same = _PRONOUN.match(piece) and any(abs(place - i) <= _ABOUT_THE_SAME for i in given)
            if low <= len(words(piece)) <= high and not same and _stands_alone(piece):
                found.append((-scores[place], place, piece))
    return [piece for *_, piece in sorted(found)]


def _stands_alone(piece: str) -> bool:
    """Whether a piece needs nothing before or behind it, and holds no half of a quotation."""
    whole = not any(mark in piece for mark in ('"', "“", "”", "...", "�"))
    return whole and not _LEANS_INSIDE.search(piece) and not _LEANS.match(piece) and not _HANGS.search(piece)


def _cut(sentence: str, right: str, infinitives: bool) -> Iterable[str]:
    """Pieces of a sentence: the whole and its clauses; for an answer that is no statement, what follows a word of its kind."""
    clauses = [piece.strip(' ."“”') for piece in _PIECES.split(sentence)]
    if infinitives:
        yield from (clause[match.end() :] for clause in clauses for match in _TO.finditer(clause))
    elif shape(right).statement:
        yield from dict.fromkeys(piece for piece in (sentence.strip(" ."), *clauses) if FINITE.search(piece))
    else:
        kind = opening(right)
        for clause in clauses:
            for match in _OPENERS.finditer(clause):
                piece = clause[match.end() if kind == "other" else match.start() :].strip()
                phrase = kind not in ("other", "article") or not (FINITE.search(piece) or " to " in piece)
                if opening(piece) == kind and phrase and not (kind == "gerund" and strays(piece)):
                    yield piece
