"""Names that might stand in the place of a name: of the same sort, from the same document, and not from the evidence."""

from __future__ import annotations

from corpora.choices.options import Asked
from corpora.choices.reading import Name
from haymaker.text import padded, words

MOST = 12
_WORDS_APART = 1


def names_in(asked: Asked) -> list[tuple[int, Name]]:
    """Names of the document that stand in the right answer, and where; the longest where they overlap."""
    out: list[tuple[int, Name]] = []
    for name in sorted(asked.reading.names.values(), key=lambda name: (-len(name.text), name.text)):
        at = asked.right.find(name.text)
        end = at + len(name.text)
        if at < 0 or not _alone(asked.right, at, end):
            continue
        if not any(at < start + len(other.text) and start < end for start, other in out):
            out.append((at, name))
    return sorted(out, key=lambda found: found[0])


def alternatives(asked: Asked, name: Name) -> list[str]:
    """At most MOST names, the best first: those of sentences like the question, near the evidence."""
    reading = asked.reading
    evidence = "".join(padded(text) for text in asked.evidence_texts)
    taken = set(words(asked.right)) | set(words(asked.question))
    scores = reading.relevance(f"{asked.question} {asked.right}")
    found = []
    for other in reading.names.values():
        apart = abs(len(other.text.split()) - len(name.text.split()))
        if other.sort != name.sort or apart > _WORDS_APART or taken & set(words(other.text)):
            continue
        if padded(other.text) not in evidence:
            score = max(scores[i] for i in other.places)
            found.append((apart, -score, reading.distance(other.places, asked.evidence), other.text))
    return [text for *_, text in sorted(found)[:MOST]]


def _alone(text: str, start: int, end: int) -> bool:
    """Whether a place holds whole words."""
    return not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum()
