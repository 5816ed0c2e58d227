"""Shared parts of all question sets: a block with its pages, and wordings filled with names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Evidence
from haymaker.core.text.strings import filter_aliases, holds, padded
from worlds.encyclopaedia import ENCYCLOPAEDIA_VERSION
from worlds.encyclopaedia.block import Block
from worlds.encyclopaedia.kinds import Relation, kinds
from worlds.encyclopaedia.model import BLOCK, Entity
from worlds.encyclopaedia.page import Page, mentions, write_page
from worlds.encyclopaedia.phrases import Pattern, Scene

_SORTED = re.compile(
    r"(?:\{genre\}|\{type\}|\b(?:album|architect|company|film|footballer|general|newspaper|novel|singer|studio)) \{name\}"
)
MOST_HOLDERS = 50  # articles of a block that hold an answer


@dataclass(frozen=True, slots=True)
class Asker:
    """A block as the subject of questions, and the stream that draws questions and wordings.

    Attributes:
        block: whose entities the questions are about.
        s: keyed by the block and the question set.
    """

    block: Block
    s: Stream

    def page(self, entity: Entity) -> Page:
        """The article of an entity of the block."""
        return write_page(self.block.seed, entity.index)

    def stated(self, entity: Entity, relation: Relation) -> Evidence | None:
        """Where the entity's own article states the relation."""
        return self.page(entity).stated.get(relation.name)

    def askable(self, entity: Entity) -> list[Relation]:
        """Relations of the entity that its article states, whose values are distinctive, in a fixed order."""
        return [
            r
            for r in kinds()[entity.kind].relations.values()
            if r.ask and r.value in entity.facts and r.name in self.page(entity).stated
        ]

    def common(self, answers: Iterable[str]) -> bool:
        """Whether so many articles hold an answer that too few could serve as distractors."""
        aliases = filter_aliases(answers)
        return sum(holds(text, aliases) for text in _texts(self.block.seed, self.block.number)) > MOST_HOLDERS

    def naming(self, entity: Entity) -> list[Entity]:
        """Return the entities whose articles contain its name, in order: passages of other blocks name strangers."""
        name = [padded(entity.bare)]
        texts = _texts(self.block.seed, self.block.number)
        return [other for other, text in zip(self.block.entities, texts, strict=True) if holds(text, name)]

    def shuffled(self) -> list[Entity]:
        """All entities of the block in random order."""
        return self.s.shuffled(self.block.entities)

    def page_mention(self, entity: Entity) -> Callable[[str], str]:
        """Names to mention in a sentence about an entity."""
        return mentions(self.block, entity, self.s)

    def fill(self, pattern: Pattern, entity: Entity, **extra: str) -> str:
        """A wording about an entity; `name` is what it is called where not given."""
        names = {"name": called(pattern, entity)} | extra
        return pattern.fill(Scene(entity, self.s, _no_mention, extra=names)).replace("the the ", "the ")

    def one(self, patterns: tuple[Pattern, ...], entity: Entity, **extra: str) -> str:
        """Return one of the wordings that fit; empty if none fits."""
        fits = [p for p in patterns if p.fits(entity)]
        return self.fill(self.s.choice(fits), entity, **extra) if fits else ""


def asker(block: Block, name: str) -> Asker:
    """The asker of a question set."""
    return Asker(block, Stream(block.seed, "encyclopaedia", ENCYCLOPAEDIA_VERSION, "questions", name, block.number))


def called(wording: Pattern, entity: Entity) -> str:
    """Return its label, or only its name if the wording contains the kind ("the film {name}")."""
    return entity.name if _SORTED.search(wording.source) else entity.label


def grouped(evidence: Evidence, group: int) -> Evidence:
    """The evidence of one answer group."""
    return replace(evidence, group=group)


def sentence(question: str) -> str:
    """A question as a sentence: capital and question mark."""
    return f"{question[0].upper()}{question[1:]}?"


def echoes(question: str, answers: Iterable[str]) -> bool:
    """Whether a question says one of its answers ("where is Lamboise Press based", in Lamboise)."""
    return holds(padded(question), filter_aliases(answers))


@lru_cache(maxsize=2)
def _texts(seed: int, number: int) -> tuple[str, ...]:
    """The articles of a block as words."""
    pages = (write_page(seed, index) for index in range(number * BLOCK, (number + 1) * BLOCK))
    return tuple(padded(" ".join(p.text for p in page.article.paragraphs)) for page in pages)


def _no_mention(slot: str) -> str:
    raise AssertionError(f"a question mentions {slot}")
