"""Passages that a piece of evidence can refer to, and checks of their contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corpora.stores.passages.store import search_text
from haymaker.core.rows.source_records import Evidence
from haymaker.core.text.fix_text import fix_text
from haymaker.core.text.strings import holds, padded, text_hash, words

if TYPE_CHECKING:
    from corpora.stores.passages.store import Passages


def places_of(evidence: Evidence, store: Passages) -> list[int]:
    """Return passages that the evidence can refer to, by the first given key, as written or cleaned."""
    meant = replace(evidence, title=fix_text(evidence.title)[0], text=fix_text(evidence.text)[0])
    return _places(evidence, store) or ([] if meant == evidence else _places(meant, store))


def _places(evidence: Evidence, store: Passages) -> list[int]:
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


def holds_one(store: Passages, place: int, aliases: Sequence[str]) -> bool:
    """Whether a passage holds one of the padded aliases, in title or text."""
    passage = store.passage(place)
    return holds(padded(passage.title), aliases) or holds(padded(passage.text), aliases)


def nearest(places: Sequence[int], text: str, store: Passages) -> int:
    """The passage that shares the most words with a text; the first of equals."""
    wanted = set(words(text))
    passages = {place: store.passage(place) for place in places}
    return max(places, key=lambda i: len(wanted & set(words(search_text(passages[i].title, passages[i].text)))))
