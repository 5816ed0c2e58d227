"""The multi-hop sets of LongBench (hotpotqa, 2wikimqa, musique): articles of a context, and the articles that a question needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from corpora.sources.document_source import record_id, text_id
from corpora.sources.formats.fields import answers, text, texts
from corpora.sources.formats.lines import distinct
from corpora.sources.formats.text_cleanup import unglued
from corpora.sources.longbench_items import items, numbered
from haymaker.core.rows.source_records import Article, Evidence, Paragraph, Question
from haymaker.core.text.strings import filter_aliases, holds, padded

HOPS = {"hotpotqa": "hotpotqa", "wikimqa2": "2wikimqa", "musique": "musique"}  # set of questions -> file
_NOTE = re.compile(r"\s*\([^()]*\)\s*$")
_MARKED = re.compile(r"==+\s*([^=]+?)\s*==+")
_LINKS = re.compile(  # with empty headings above
    r"(?:\n(?:Notes|References))?\n\s*(?:== *)?External links(?: *==)?\s*\n.{0,2000}\Z", re.DOTALL
)
_HEADING_WORDS = 8
_RELATION = "director|composer|performer|author|founder|publisher|producer|wife|husband|spouse|father|mother"
_RELATED = re.compile(rf"(?:\b(?:whose|the) |['’]s )(?:{_RELATION})\b", re.IGNORECASE)


class Titled(NamedTuple):
    """An article of a context."""

    title: str
    text: str

    @property
    def article_id(self) -> str:
        """A hash of title and text."""
        return text_id(f"{self.title}\n{self.text}")


def all_articles(raw: Path) -> Iterator[Titled]:
    """The distinct articles of all sets."""
    rows = (row for key in HOPS.values() for row in items(raw, key))
    found = (article for where, record in rows for article in titled_articles(record, where))
    return distinct(found, lambda each: each.article_id)


def titled_articles(record: dict[str, Any], where: str) -> list[Titled]:
    """The articles of a context in order, without articles that have no text."""
    blocks = numbered(text(record, "context", where), "Passage {}:\n", where)
    parted = (block.partition("\n") for block in blocks)
    return [Titled(title.strip(), body.strip()) for title, _, body in parted if title.strip() and body.strip()]


def whole_article(found: Titled) -> Article:
    """An article as paragraphs, without the list of links to other sites at its end.

    Headings are short lines after a blank line that do not end a sentence, and lines like "== Notes ==", unless they are empty.
    """
    paragraphs, before = [Paragraph("title", found.title)], "."
    lines = [line.strip() for line in unglued(_LINKS.sub("", found.text), "\n").split("\n")]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if marked := _MARKED.fullmatch(line):
            paragraphs += [Paragraph("section", marked[1])] if following and not _MARKED.fullmatch(following) else []
        elif line:
            heading = not before and following and len(line.split()) <= _HEADING_WORDS and line[-1].isalnum()
            paragraphs.append(Paragraph("section" if heading else "text", line))
        before = line
    return Article(found.article_id, found.title, tuple(paragraphs))


def gold_by_words(question: str, accepted: Sequence[str], articles: Sequence[Titled]) -> list[int]:
    """Indexes of the articles that a question seems to need, for sources that do not mark them.

    An article counts if it contains an accepted answer as whole words, or if the question contains its title as whole words,
    without a note in brackets ("Faith (song)"). If the question asks for the director or wife of something that it names,
    an article counts whose title stands in an article that the question names. docs/reference/sources.md lists precision and recall.
    """
    aliases, asked = filter_aliases(accepted), padded(question)
    titles = [padded(_NOTE.sub("", article.title)) for article in articles]
    texts = [padded(f"{article.title}\n{article.text}") for article in articles]
    named = [number for number, title in enumerate(titles) if len(title.strip()) > 1 and title in asked]
    found = {number for number, text in enumerate(texts) if holds(text, aliases)}.union(named)
    if _RELATED.search(question):
        through = "".join(texts[number] for number in named)
        found |= {number for number, title in enumerate(titles) if len(title.split()) > 1 and title in through}
    return sorted(found)


def hop_question(row: tuple[str, dict[str, Any]]) -> Question:
    """A question with the articles of its context that it seems to need."""
    where, record = row
    asked, given = text(record, "input", where), answers(texts(record, "answers", where), where)
    articles = titled_articles(record, where)
    every = [Evidence(article_id=each.article_id, title=each.title) for each in articles]
    golds = gold_by_words(asked, given, articles)
    evidence = tuple(every[number] for number in golds)
    shown = tuple(each for each in every if each not in evidence)
    kind = "comparison" if {each.lower() for each in given} <= {"yes", "no"} else "bridge"
    return Question(record_id(record, "_id", where), "test", asked, kind, answers=given, evidence=evidence, shown=shown)
