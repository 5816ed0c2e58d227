"""Writer `mined`: names, values, answers of other questions and pieces of sentences of the same document, of the right answer's form.

An answer that begins with what the question is about ("Bhatia rebutted ...") would be known by that. Its wrong options are
statements about others that are said of it: "M Ravi offered his condolences" becomes "Bhatia offered his condolences".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpora.choices.form import content, form_of, normal
from corpora.choices.names import alternatives, whole_name
from corpora.choices.options import Asked, Candidate, Offer, is_near
from corpora.choices.quantities import dates, quantities
from corpora.choices.shape import FINITE, agrees, is_plural, opening, shape, strays, subject_of
from haymaker.core.rng import Stream
from haymaker.core.text.strings import padded, words

POOL = 40
_PIECES = re.compile(r"[;:—–]|, |\(|\)")
_LEANS = re.compile(r"^(?:which|who|whom|whose|that|and|but|or|nor|however|also|additionally|although|this|these|those|such|where|when|while|then|thus|as|if|it|there|here|so|instead|see|with|until|after|before|upon|according|following|reportedly|very|none|despite|due|since|what|earlier|later)\b", re.I)  # fmt: skip
_HANGS = re.compile(r"\b(?:a|an|the|and|or|but|of|in|on|at|to|for|by|with|from|that|which|who|he|she|it|they|them|him|his|her|their|its|is|was|were|are|be|had|has|have|not|as|said|between|into|than|also)$", re.I)  # fmt: skip
_OPENERS = re.compile(r"(?<![\w-])(?:because|by|for|to|in|at|on|within|between|from|through|due|as|of|with|against|a|an|the|its|his|her|their|[A-Za-z]+ing)(?![\w-])", re.I)  # fmt: skip
_TO = re.compile(r"\bto (?=[a-z])")
_LEANS_INSIDE = re.compile(
    r"\b(?:also|the same|former|latter|the above)\b|\b(?:him|them|her (?:for|to|in|by|with|at|on|and))\b|^\W", re.I
)
_VAGUE = re.compile(
    r"^what (?:happened|occurred|is the situation|was the situation)\b|^what (?:do|does|did)\b.* do\b", re.I
)
_BEFELL = re.compile(r"^what happened to\b", re.I)
_PRONOUN = re.compile(r"(?:He|She|They|It)\b")
_OF_A_PERSON = re.compile(r"\b(?:his|her|him|himself|herself|he|she)\b")
_AMOUNT = re.compile(
    r"\bhow (?:many|much|long|old|far|often)\b|\bwhat(?:'s| is| was) the (?:difference|total|number|amount)\b", re.I
)
_ASKS = re.compile(r"\b(who|whom|where|when|why|how|which|what)\b", re.I)
_ARTICLES = frozenset("a an the its his her their".split())
_GOVERN = frozenset(
    "by for of without after before from in on at to with about into against is are was were be been".split()
)
_DENIES = re.compile(r"\b(?:not?|never|nor|without)\b|n['’]t\b", re.I)
_POSSESSIVE = re.compile(r"(?:its|his|her|their)\b", re.I)
_OF_MORE_THAN_A_THING = re.compile(
    r"\b(?:and|or|but|not|to|when|while|as|if|because|through|despite|without|instead|by [a-z]+ing|according|in (?:the light|light|spite|favour|view))\b|^(?:[A-Z][\w'’.-]* )+(?:near|in|on|at|by|with|to|from|for|against)\b"
)
_BEHIND_A_HEAD = re.compile(r" (?:of|in|on|about|for|against|with|between|from|at)\b")
_MOST_OF_A_HEAD = 4  # words
_SUFFERS = re.compile(r"(?:is|are|was|were|had been|has been|have been)\b")
_OPEN_THAT = re.compile(rf"\bthat (?!.*{FINITE.pattern})")
_GERUND_BEHIND = re.compile(r"\w+ [a-z]{3,}ing\b")
_LENGTHS = (0.6, 1.7)  # of a piece, in words, as a share of the right answer's
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
    kind = _asks(asked.question)
    liked = [text for text, question in _answers(asked) if _asks(question) == kind]
    if subject := subject_of(asked.right, asked.question):
        texts = [*liked, *_pieces(asked, infinitives=False)]
        return [made for text in texts if (made := _said_of(subject, text, asked))]
    plain = asked.reading.infinitive(asked.right)
    wanted = shape(asked.right)
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
    if (own == "thing" and _OF_A_PERSON.search(rest)) or _OPEN_THAT.search(rest):
        return ""
    if _BEFELL.match(asked.question) and not _SUFFERS.match(rest):
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
        near = is_near(place, given)
        about = len(wanted) > 2 and len(wanted & set(words(sentence))) > _SAME_MATTER * len(wanted)
        for piece in () if near or about else _cut(sentence, asked.right, infinitives):
            same = _PRONOUN.match(piece) and any(abs(place - i) <= _ABOUT_THE_SAME for i in given)
            if low <= len(words(piece)) <= high and not same and _stands_alone(piece):
                found.append((-scores[place], place, piece))
    return [piece for *_, piece in sorted(found)]


def _stands_alone(piece: str) -> bool:
    """Whether a piece needs nothing before or behind it, and holds no half of a quotation."""
    whole = not any(mark in piece for mark in ('"', "“", "”", "...", "…", "�"))
    return whole and not _LEANS_INSIDE.search(piece) and not _LEANS.match(piece) and not _HANGS.search(piece)


def _cut(sentence: str, right: str, infinitives: bool) -> Iterable[str]:
    """Pieces of a sentence: the whole and its clauses; for an answer that is no statement, what follows a word of its kind."""
    clauses = [piece.strip(' ."“”') for piece in _PIECES.split(sentence)]
    if infinitives:
        yield from (clause[match.end() :] for clause in clauses for match in _TO.finditer(clause))
    elif shape(right).statement:
        yield from dict.fromkeys(piece for piece in (sentence.strip(" ."), *clauses) if FINITE.search(piece))
    else:
        yield from (piece for clause in clauses for piece in _phrases(clause, right))


def _phrases(clause: str, right: str) -> Iterator[str]:
    """Phrases of the kind of the right answer that a clause ends with, and that are whole without what stands before them."""
    kind = opening(right)
    for match in _OPENERS.finditer(clause):
        piece = clause[match.end() if kind == "other" else match.start() :].strip()
        if (
            opening(piece) == kind
            and _is_free(clause[: match.start()], match.group(), kind)
            and _is_whole(piece, kind, right)
        ):
            yield piece


def _is_free(before: str, opener: str, kind: str) -> bool:
    """Whether no noun or verb governs what follows: "of" belongs to a noun before it, "for mercy" to "appeal"."""
    if not before:
        return True
    last = words(before)[-1:]
    if _DENIES.search(before) or not last:
        return False
    if kind in ("article", "other"):
        return opener in _ARTICLES and (last[0] in _GOVERN or bool(FINITE.fullmatch(last[0])))
    return kind == "cause" or (kind == "gerund" and last[0] in _GOVERN and opener.islower()) or kind in ("by", "for")


def _is_whole(piece: str, kind: str, right: str) -> bool:
    """Whether a phrase is no half of a coordination, no thing with what was done to it, and built like the right answer."""
    if kind in ("article", "other"):
        head = _BEHIND_A_HEAD.split(piece)[0].split()
        named = kind == "article" or (0 < len(head) <= _MOST_OF_A_HEAD and is_plural(head[-1], is_name=False))
        owned = _POSSESSIVE.match(piece) or _POSSESSIVE.match(right)
        return named and not (owned or _OF_MORE_THAN_A_THING.search(piece) or FINITE.search(piece))
    built = _GERUND_BEHIND.match(right) is None or _GERUND_BEHIND.match(piece) is not None
    return built and not FINITE.search(piece) and not (kind == "gerund" and strays(piece))
