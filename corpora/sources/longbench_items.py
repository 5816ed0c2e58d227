"""LongBench's released items: where they are, and their parts (articles, paragraphs, shots, news); which articles a question needs.

Items have the fields `input`, `context`, `answers` and `_id` (spec of LongBench, section 1). Passages and paragraphs have numbered
headers from 1; each header is searched after the header before it, so a text that mentions "Passage 3:" is not split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from corpora.sources.addressed import OnHub
from corpora.sources.base import FetchContext
from corpora.sources.document_source import AGAIN, known_faults, text_id
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import text
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.text_cleanup import unglued, without_pictures
from corpora.sources.open_qa import unquoted
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Article, Paragraph
from haymaker.core.text.strings import filter_aliases, holds, padded, words

_NEWLINES = re.compile(r"[^\S\n]*\bNEWLINE_CHAR\b[^\S\n]*")
_MANY_BLANK = re.compile(r"\n{3,}")
_SHOT = re.compile(r"(.*)\nQuestion:\n(.*)\nAnswer:\s*(.*)", re.DOTALL)
_NOTE = re.compile(r"\s*\([^()]*\)\s*$")
_MARKED = re.compile(r"==+\s*([^=]+?)\s*==+")
_LINKS = re.compile(  # with empty headings above
    r"(?:\n(?:Notes|References))?\n\s*(?:== *)?External links(?: *==)?\s*\n.{0,2000}\Z", re.DOTALL
)
_HEADING_WORDS = 8
_OPENING = 40  # characters of an article after a name that may belong to the name
_LEAST_ARTICLES = 2
_NOTICE_WORDS = 130
_ARCHIVE = re.compile(r"^Starting in 1996, Alexa Internet has been donating[^\n]*embargo period\.\s*", re.MULTILINE)


class InArchive(OnHub):
    """Options of sources in LongBench's archive on the Hub; its loading script is not run.

    Attributes:
        revision, url: as for every source on the Hub.
    """

    repo = "zai-org/LongBench"
    names = ("data.zip",)
    keys: ClassVar[tuple[str, ...]]  # of the files to keep

    def arrange(self, stage: Path, context: FetchContext) -> None:
        for path in [path for path in (stage / "unpacked").rglob("*") if path.is_file()]:
            if path.suffix != ".jsonl" or path.stem not in self.keys:
                path.unlink()
        super().arrange(stage, context)


class Shot(NamedTuple):
    """A passage with a question and its answer, which is empty for an item's own question."""

    passage: str
    question: str
    answer: str


class Titled(NamedTuple):
    """An article of a context."""

    title: str
    text: str

    @property
    def article_id(self) -> str:
        """A hash of title and text."""
        return text_id(f"{self.title}\n{self.text}")


def items(raw: Path, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and fields of every item in the file of a data set, which may be in an unpacked archive."""
    for number, record in json_lines(raw, Piece(the_file(raw, f"{key}.jsonl"), 0, -1)):
        yield f"{key}.jsonl:{number}", record


def the_file(raw: Path, name: str) -> str:
    """The path below `raw` of the only file with a name."""
    found = sorted(raw.rglob(name))
    if len(found) != 1:
        raise SourceError(f"expected one file, found {len(found)}", where=name, fix="fetch the source again")
    return found[0].relative_to(raw).as_posix()


def numbered(context: str, header: str, where: str) -> list[str]:
    """The stripped texts under the headers 1, 2, 3 ... of a context.

    Args:
        context: begins with the first header; every header begins a line.
        header: with {} for the number, as "Passage {}:".
        where: place for the error.
    """
    whole = f"\n{context.lstrip()}"
    starts = [whole.find(f"\n{header.format(1)}")]
    if starts[0]:
        raise SourceError(f"the context does not begin with {header.format(1)!r}", where=where, fix=AGAIN)
    while (start := whole.find(f"\n{header.format(len(starts) + 1)}", starts[-1] + 1)) >= 0:
        starts.append(start)
    ends = [*starts[1:], len(whole)]
    return [
        whole[start + 1 + len(header.format(number)) : end].strip()
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]


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
    without a note in brackets ("Faith (song)"). docs/reference/sources.md lists precision and recall.
    """
    aliases, asked = filter_aliases(accepted), padded(question)
    named = [padded(_NOTE.sub("", article.title)) for article in articles]
    return [
        number
        for number, (article, title) in enumerate(zip(articles, named, strict=True))
        if holds(padded(f"{article.title}\n{article.text}"), aliases) or (len(title.strip()) > 1 and title in asked)
    ]


def titles_of_answers(articles: Sequence[Titled], accepted: Sequence[str]) -> list[str]:
    """Titles, without a note in brackets, of articles that begin with an accepted answer: "J. Paul Getty" of "Jean Paul Getty (1892 ..."."""
    opened = [padded(answer) for answer in accepted if len(words(answer)) > 1]
    named = ((_NOTE.sub("", article.title), article) for article in articles)
    return [
        title
        for title, article in named
        if padded(title) not in opened
        and any(padded(article.text[: _OPENING + len(answer)]).startswith(answer) for answer in opened)
    ]


def shots(context: str, where: str) -> list[Shot]:
    """The passages of a context with their questions and answers."""
    found = []
    for block in re.split(r"(?:^|\n)Passage:\n", context.strip())[1:]:
        match = _SHOT.fullmatch(block)
        if not match or not without_pictures(match[1]) or not match[2].strip():
            raise SourceError("expected Passage, Question and Answer", where=where, fix=AGAIN)
        found.append(Shot(without_pictures(match[1]), unquoted(match[2]), unquoted(match[3])))
    if not found:
        raise SourceError("has no 'Passage:'", where=where, fix=AGAIN)
    return found


def news(articles: Sequence[str]) -> str:
    """A cluster of news as one text, each article under a numbered header; empty for fewer than two articles.

    Left out: repeated articles, short notices of web archives or players, advertisements, and the notice above an archived article.
    """
    plain = (_ARCHIVE.sub("", _MANY_BLANK.sub("\n\n", _NEWLINES.sub("\n", article))) for article in articles)
    distinct = dict.fromkeys(article.strip() for article in plain)
    kept = [article for article in distinct if article and not _is_notice(article)]
    if len(kept) < _LEAST_ARTICLES:
        return ""
    return "\n\n".join(f"Article {number}:\n\n{article}" for number, article in enumerate(kept, 1))


def _is_notice(article: str) -> bool:
    kind = next((kind for begins, kind in known_faults("multi_news").items() if article.startswith(begins)), "")
    return kind == "spam" or (kind == "notice" and len(article.split()) < _NOTICE_WORDS)


def parted(context: str) -> str:
    """A text with a blank line between its lines, each of which is a paragraph or a turn."""
    return "\n\n".join(line.strip() for line in context.split("\n") if line.strip())
