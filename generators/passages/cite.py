"""Answers with citations, as a list or as prose: sentences of a reference answer, or of the golds (docs/spec/helmet.md 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from corpora.stores.mined import MinedQuestion
from corpora.stores.sentences.split import splitter
from generators.passages import checks
from generators.passages.kinds import NUMBERED, Kind
from generators.passages.material import Material, full_text, has_words
from generators.spec import Row
from haymaker.core.text.strings import holds, padded

MOST = 3  # passages that a sentence cites
_LONGEST = 60  # words of a sentence that is copied from a passage
_FOREIGN = re.compile(r"[\[\]|\n]")  # looks like a citation, or ends the only paragraph of the answer
_WHOLE = re.compile(r"[^\W_a-z].*[.!?][\"')]?", re.DOTALL)
_ENDS_ITEM = re.compile(r"[\[\]|,;\n]")  # ends an item of a list, or looks like a citation
_ENDS_SENTENCE = re.compile(r"[\[\]|\n]|(?<!\b\w)[.!?](?=\s)")

Cover = list[tuple[int, str]]  # per answer group, a gold and the alias that it contains
Claims = list[tuple[str, list[int]]]  # sentences, each with the answer groups that it contains


@dataclass(frozen=True)
class Cite(Kind):
    """An answer from all golds together."""

    label: str = NUMBERED
    cited: bool = True  # False: the same answer without citations
    as_list: bool = False  # a list of answers instead of prose

    def rejects(self, question: MinedQuestion) -> str:
        if not _groups(question):
            return "no answer with words"
        if len(question.readings) == 1:
            return "only one reading of it is left"
        return "" if self._cover(question) else "an answer that no gold passage says in one piece"

    def fixed(self, question: MinedQuestion) -> list[int]:
        return list(dict.fromkeys(i for i, _ in self._cover(question)))

    def ranked(self, question: MinedQuestion) -> list[int]:
        fixed = set(self.fixed(question))
        return [i for i in range(len(question.gold) + len(question.distractors)) if i not in fixed]

    def _cover(self, question: MinedQuestion) -> Cover:
        """Return the first gold for each answer group; empty if a group has none."""
        golds = [padded(full_text(question.gold, i)) for i in range(len(question.gold))]
        supports, found = question.gold.supports, Cover()
        for group, aliases in enumerate(_groups(question)):
            usable = [(alias, padded(alias)) for alias in aliases if not self._breaks(alias)]
            known = (i for i in range(len(golds)) if group in supports[i] or not any(supports))
            found += islice(((i, alias) for i in known for alias, words in usable if words in golds[i]), 1)
        return found if len(found) == len(_groups(question)) else []

    def _breaks(self, text: str) -> bool:
        """Return whether a text would end an item or sentence, or look like a citation."""
        return (_ENDS_ITEM if self.as_list else _ENDS_SENTENCE).search(text) is not None

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        question, number = material.question, {passage: n for n, passage in enumerate(order, 1)}
        cover = self._cover(question)
        marks = [f"[{number[i]}]" if self.cited else "" for i, _ in cover]
        golds = len(question.gold)
        supports = {str(number[i]): material.passages.supports[i] for i in order if i < golds}
        metadata = {"k": len(order), "kind": question.kind, "readings": question.readings}
        metadata |= {"supports": supports, "retrieved": question.searched}
        if self.as_list:
            items = (f"{alias} {mark}" if mark else alias for (_, alias), mark in zip(cover, marks, strict=True))
            answer = ", ".join(items)
        else:
            answer = " ".join(cited(text, [marks[i] for i in said]) for text, said in self._claims(material, cover))
        return {"answers": [answer], "answer_groups": _groups(question), "metadata": metadata}

    def _claims(self, material: Material, cover: Cover) -> Claims:
        """Return sentences with all answers, each once: of a long reference answer if it has all, else of the golds."""
        groups = [[padded(alias) for alias in aliases] for aliases in _groups(material.question)]
        if found := next(filter(None, (sentences_of(text, groups) for text in material.question.references)), None):
            return found
        quoted: dict[str, list[int]] = {}
        for group, (i, alias) in enumerate(cover):
            said = sentence_with(material.passages.text[i], alias) or self._listed(material, group, i, alias)
            quoted.setdefault(said, []).append(group)
        return list(quoted.items())

    def _listed(self, material: Material, group: int, gold: int, alias: str) -> str:
        """Return an answer that no whole sentence contains, after its reading of the question or the title of the gold."""
        subject = (material.question.readings or {group: material.passages.title[gold]})[group].rstrip(" ?")
        return f"{subject}: {alias}." if subject and not self._breaks(subject) else f"{alias}."

    def problems(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        if not any(span["kind"] == "gold" for span in spans):
            yield "no gold passage"
        if self.cited:
            yield from checks.citations(row, spans)


def _groups(question: MinedQuestion) -> list[list[str]]:
    """Return the accepted answers of each item; a question with one answer has one item."""
    groups = question.answer_groups or [question.answers]
    kept = [[alias for alias in group if has_words(alias)] for group in groups]
    return kept if all(kept) else []


def sentences_of(text: str, groups: Sequence[Sequence[str]]) -> Claims | None:
    """Return the sentences of a text that are the first to contain an answer (padded aliases); None if an answer is missing."""
    found, known = Claims(), set[int]()
    for sentence in _sentences(text):
        words = padded(sentence)
        new = [group for group, aliases in enumerate(groups) if group not in known and holds(words, aliases)]
        if new:
            known.update(new)
            found.append((sentence, new))
    fits = all(len(said) <= MOST and not _FOREIGN.search(sentence) for sentence, said in found)
    return found if fits and len(known) == len(groups) else None


def sentence_with(passage: str, alias: str) -> str:
    """Return the first whole sentence of a passage that contains an answer; empty if none can be copied."""
    wanted = padded(alias)
    for sentence in _sentences(passage):
        if wanted in padded(sentence) and _WHOLE.fullmatch(sentence) and not _FOREIGN.search(sentence):
            return sentence if len(sentence.split()) <= _LONGEST else ""
    return ""


def cited(sentence: str, marks: Sequence[str]) -> str:
    """Return a sentence with its citations, each once, before the full stop."""
    body, stop = (sentence[:-1], sentence[-1]) if sentence[-1] in ".!?" else (sentence, ".")
    citations = "".join(dict.fromkeys(marks))
    return f"{body} {citations}{stop}" if citations else f"{body}{stop}"


def _sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in splitter("punkt")(text)]
