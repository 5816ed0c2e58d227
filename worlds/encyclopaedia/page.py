"""An article: a lead, sections with facts and filling, lists; and where each fact was stated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import log10

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Article, Evidence, Paragraph

from . import ENCYCLOPAEDIA_VERSION
from .block import Block, make_block
from .kinds import Relation, Section, kinds
from .model import BLOCK, Entity
from .phrases import Pattern, Scene

_SHORT_PARAGRAPH = 4  # sentences, about
_LIST_SHARE = {"natives": 0.5, "books": 0.6, "films": 0.6, "albums": 0.6, "buildings": 0.6, "species": 0.6}


@dataclass(slots=True)
class Page:
    """A finished article.

    Attributes:
        article: as a source gives it.
        stated: relation -> paragraph and sentence that state it.
    """

    article: Article
    stated: dict[str, Evidence]

    def stretch(self, *relations: str) -> Evidence:
        """Return the text from the first to the last sentence that states one of the relations, so that it has all of them."""
        texts = [paragraph.text for paragraph in self.article.paragraphs]
        said = [self.stated[name] for name in relations]
        first, last = (pick(said, key=lambda e: _place(e, texts)) for pick in (min, max))
        (a, start), (b, end) = _place(first, texts), _place(last, texts)
        text = " ".join([*texts[a:b], texts[b][: end + len(last.text)]])[start:]
        return replace(first, text=text)


def _place(evidence: Evidence, texts: Sequence[str]) -> tuple[int, int]:
    """Return the paragraph, and the character in it, at which a sentence begins."""
    paragraph = evidence.paragraph or 0
    return paragraph, texts[paragraph].index(evidence.text)


@dataclass(slots=True)
class _Writer:
    entity: Entity
    scene: Scene
    paragraphs: list[Paragraph] = field(default_factory=list)
    stated: dict[str, Evidence] = field(default_factory=dict)

    def paragraph(self, items: Iterable[tuple[str, Pattern]]) -> None:
        """Put a paragraph down; each item is a pattern with the relation that it states, or ""."""
        number, sentences = len(self.paragraphs), []
        self.scene.named = False
        for relation, pattern in items:
            sentences.append(pattern.fill(self.scene))
            if relation:
                self.stated[relation] = self.evidence(number, sentences[-1])
        self.paragraphs.append(Paragraph("text", " ".join(sentences)))

    def evidence(self, paragraph: int, text: str) -> Evidence:
        """A sentence of this article."""
        return Evidence(article_id=str(self.entity.index), paragraph=paragraph, title=self.entity.title, text=text)

    def facts(self, relations: Iterable[Relation]) -> list[tuple[str, Pattern]]:
        """For each relation that holds one of its patterns."""
        fits = [(r.name, [p for p in r.say if p.fits(self.entity)]) for r in relations]
        return [(name, self.scene.s.choice(patterns)) for name, patterns in fits if patterns]


@lru_cache(maxsize=1024)
def write_page(seed: int, index: int) -> Page:
    """Article `index` of the world `seed`, a pure function of both."""
    block = make_block(seed, index // BLOCK)
    entity = block.entities[index % BLOCK]
    s = Stream(seed, "encyclopaedia", ENCYCLOPAEDIA_VERSION, "page", index)
    w = _Writer(entity, Scene(entity, s, mentions(block, entity, s)))
    w.paragraphs.append(Paragraph("title", entity.title))
    kind, room = kinds()[entity.kind], spread(entity)
    w.paragraph(w.facts(kind.lead))
    extra = s.sample(kind.extra, min(len(kind.extra), _some(s, room)))
    places = sorted(s.below(len(kind.sections)) for _ in extra)
    for at, section in enumerate(kind.sections):
        _section(w, section, room)
        for _ in range(places.count(at)):
            _section(w, extra.pop(), room)
    return Page(Article(str(index), entity.title, tuple(w.paragraphs)), w.stated)


def spread(entity: Entity) -> float:
    """Return the amount of text about an entity in addition to its facts: more if it is looked up often."""
    return 1.0 + 1.8 * max(0.0, log10(entity.views / 60))


def _some(s: Stream, amount: float) -> int:
    """A whole number with this mean."""
    return int(amount) + s.chance(amount % 1)


def _section(w: _Writer, section: Section, room: float) -> None:
    """Facts in order, filling between them, cut into paragraphs; then the list."""
    s, start = w.scene.s, len(w.paragraphs)
    taken = {paragraph.text for paragraph in w.paragraphs if paragraph.kind == "section"}
    w.paragraphs.append(Paragraph("section", s.choice([each for each in section.heading if each not in taken])))
    w.scene.called = f"the {w.entity.name}" if w.entity.kind == "river" else w.entity.name
    items = w.facts(section.tell)
    fits = [p for p in section.fill if p.fits(w.entity)]
    for filling in s.sample(fits, min(len(fits), _some(s, room * (1.0 if section.tell else 1.6)))):
        items.insert(s.below(len(items) + 1), ("", filling))
    while items:
        size = 2 + s.below(_SHORT_PARAGRAPH)
        w.paragraph(items[:size])
        items = items[size:]
    _bullets(w, section.group)
    if len(w.paragraphs) == start + 1:
        w.paragraphs.pop()


def _bullets(w: _Writer, group: str) -> None:
    """A list of some members; what it says of each is true in their own articles too."""
    members = w.entity.groups.get(group, [])
    share = _LIST_SHARE.get(group, 1.0)
    for member in members:
        if share == 1.0 or w.scene.s.chance(share):
            w.paragraphs.append(Paragraph("bullet", line(member, group)))


def line(member: Entity, group: str) -> str:
    """The entry of a member in a list."""
    f = member.facts
    if member.person:
        office = f", mayor {f['office_from']}–{f['office_to']}" if group == "mayors" else ""
        return f"{member.name} ({f['born_year']}–{f['died_year']}), {f['occupation']}{office}"
    year = f.get("year", f.get("founded_year", ""))
    return f"{member.name} ({year})" if year and member.kind != "town" else member.name


def mentions(block: Block, entity: Entity, s: Stream) -> Callable[[str], str]:
    """Gives names to mention in passing: of the block by popularity, or of one earlier block; never the same twice running.

    Only entities that existed in the entity's time, and no person of its facts: friends are not husbands.
    """
    told = {entity.name, *(each.name for each in (*entity.refs.values(), *entity.groups.get("children", ())))}
    last = ""
    stream = entity if entity.kind == "river" else entity.refs.get("river") or entity.refs.get("feeder")

    def fits(other: Entity) -> bool:
        return other.name != last and other.name not in told and entity.meets(other)

    def mention(slot: str) -> str:
        nonlocal last
        where, _, kind = slot.rstrip("2").partition(".")
        if kind == "river" and stream:
            return stream.name
        home = make_block(block.seed, _far(block.seed, block.number)) if where == "far" and block.number else block
        last = home.draw(kind, s, fits)
        return last

    return mention


@lru_cache(maxsize=64)
def _far(seed: int, number: int) -> int:
    """The earlier block that a block looks to: one, so that a shard needs few others."""
    return Stream(seed, "encyclopaedia", ENCYCLOPAEDIA_VERSION, "far", number).below(number)
