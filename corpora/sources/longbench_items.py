"""What stands in a released item of LongBench: articles, paragraphs, shots, news; and which articles a question needs.

Rows have the fields `input`, `context`, `answers`, `_id` (spec of LongBench, section 1). Passages and paragraphs are numbered from
1 under headers of their own; the search goes from one number to the next, so a text that speaks of "Passage 3:" does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from corpora.sources.base import SourceInfo
from corpora.sources.document_source import text_id
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import text
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.text_cleanup import unglued, without_pictures
from corpora.sources.open_qa import unquoted
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Article, Paragraph
from haymaker.core.text.strings import filter_aliases, holds, padded, words

_AGAIN = "fetch the source again, or mend that record"
_NEWLINES = re.compile(r"[^\S\n]*\bNEWLINE_CHAR\b[^\S\n]*")
_MANY_BLANK = re.compile(r"\n{3,}")
_SHOT = re.compile(r"(.*)\nQuestion:\n(.*)\nAnswer:\s*(.*)", re.DOTALL)
_NOTE = re.compile(r"\s*\([^()]*\)\s*$")
_MARKED = re.compile(r"==+\s*([^=]+?)\s*==+")
_LINKS = re.compile(  # with headings above it under which nothing stands
    r"(?:\n(?:Notes|References))?\n\s*(?:== *)?External links(?: *==)?\s*\n.{0,2000}\Z", re.DOTALL
)
_HEADING_WORDS = 8
_OPENING = 40  # characters of an article beyond a name, more than it can take besides
_LEAST_ARTICLES = 2
_NOTICE_WORDS = 130
_NOTICES = (  # how short pages begin that a crawler took for news: of web archives, players, networks, shops, lists
    "These crawls are part",
    "Starting in 1996, Alexa",
    "This is a set of web collections",
    "WARCZone is",
    "Tweet with a location",
    "Add a location to your Tweets",
    "We've detected that JavaScript",
    "The interactive transcript could not",
    "Sorry, the page you requested",
    "Dow Jones Reprints: This copy",
    "Thank you for your interest in spreading the word",
    "LATEST HEADLINES",
    "More from this journal",
    "Who are the Russians who contacted the Trump campaign?",
    "× Close What is the Tomatometer",
    "We all know Jay’s has a great love of cars.",
)
_SPAM = ("If you have applied for any cash help",)  # how longer pages begin that are no news at all
_ARCHIVE = re.compile(r"^Starting in 1996, Alexa Internet has been donating[^\n]*embargo period\.\s*", re.MULTILINE)


class Shot(NamedTuple):
    """A passage with a question and its answer; the answer is empty in the item that is asked."""

    passage: str
    question: str
    answer: str


class Titled(NamedTuple):
    """An article as a context shows it."""

    title: str
    text: str

    @property
    def article_id(self) -> str:
        """The same for the same title and text."""
        return text_id(f"{self.title}\n{self.text}")


def items(raw: Path, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and fields of every item of a data set.

    Args:
        raw: folder of the source, the archive unpacked in it or not.
        key: name of its file.

    Raises:
        SourceError: no such file, or a damaged line.
    """
    found = sorted(raw.rglob(f"{key}.jsonl"))
    if len(found) != 1:
        raise SourceError(
            f"{len(found)} files of that name, not one", where=f"{key}.jsonl", fix="fetch the source again"
        )
    path = found[0].relative_to(raw).as_posix()
    for number, record in json_lines(raw, Piece(path, 0, -1)):
        yield f"{key}.jsonl:{number}", record


def numbered(context: str, header: str, where: str) -> list[str]:
    """The stripped texts under the headers of numbers 1, 2, 3 ...

    Args:
        context: begins with the first header; each begins a line.
        header: with {} for the number, as "Passage {}:".
        where: for the error.

    Raises:
        SourceError: it does not begin with the first header.
    """
    whole = f"\n{context.lstrip()}"
    starts = [whole.find(f"\n{header.format(1)}")]
    if starts[0]:
        raise SourceError(f"the context does not begin with {header.format(1)!r}", where=where, fix=_AGAIN)
    while (start := whole.find(f"\n{header.format(len(starts) + 1)}", starts[-1] + 1)) >= 0:
        starts.append(start)
    ends = [*starts[1:], len(whole)]
    return [
        whole[start + 1 + len(header.format(number)) : end].strip()
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]


def titled_articles(record: dict[str, Any], where: str) -> list[Titled]:
    """The articles of a context in its order; those without text are left out.

    Raises:
        SourceError: no context, or another shape.
    """
    blocks = numbered(text(record, "context", where), "Passage {}:\n", where)
    parted = (block.partition("\n") for block in blocks)
    return [Titled(title.strip(), body.strip()) for title, _, body in parted if title.strip() and body.strip()]


def whole_article(found: Titled) -> Article:
    """An article by paragraphs. A short line that follows a blank one and ends no sentence is a heading, and so is "== Notes ==", which
    is left out where nothing stands under it. The list of links to other sites at the end is no part of it.
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
    """Articles that a question seems to need, where its source marks none: numbers from 0, ascending.

    An article counts when it holds an accepted answer as whole words, or when the question holds its title as whole words,
    without a note in brackets ("Faith (song)"). How far this can be trusted is measured: docs/reference/sources.md.
    """
    aliases, asked = filter_aliases(accepted), padded(question)
    named = [padded(_NOTE.sub("", article.title)) for article in articles]
    return [
        number
        for number, (article, title) in enumerate(zip(articles, named, strict=True))
        if holds(padded(f"{article.title}\n{article.text}"), aliases) or (len(title.strip()) > 1 and title in asked)
    ]


def titles_of_answers(articles: Sequence[Titled], accepted: Sequence[str]) -> list[str]:
    """Titles, without a note in brackets, of articles that open with an accepted answer: "J. Paul Getty" of "Jean Paul Getty (1892 ..."."""
    opened = [padded(answer) for answer in accepted if len(words(answer)) > 1]
    named = ((_NOTE.sub("", article.title), article) for article in articles)
    return [
        title
        for title, article in named
        if padded(title) not in opened
        and any(padded(article.text[: _OPENING + len(answer)]).startswith(answer) for answer in opened)
    ]


def shots(context: str, where: str) -> list[Shot]:
    """Passages with question and answer, one under another.

    Raises:
        SourceError: one of another shape.
    """
    found = []
    for block in re.split(r"(?:^|\n)Passage:\n", context.strip())[1:]:
        match = _SHOT.fullmatch(block)
        if not match or not without_pictures(match[1]) or not match[2].strip():
            raise SourceError("expected Passage, Question and Answer", where=where, fix=_AGAIN)
        found.append(Shot(without_pictures(match[1]), unquoted(match[2]), unquoted(match[3])))
    if not found:
        raise SourceError("holds no 'Passage:'", where=where, fix=_AGAIN)
    return found


def news(articles: Sequence[str]) -> str:
    """A cluster of news as one text, each article under a numbered header of its own; empty for fewer than two.

    Copies of an article, short notices of web archives or players and advertisements, which summaries say nothing of, are no articles;
    nor is the notice above an article that came from an archive a part of it.
    """
    plain = (_ARCHIVE.sub("", _MANY_BLANK.sub("\n\n", _NEWLINES.sub("\n", article))) for article in articles)
    mended = dict.fromkeys(article.strip() for article in plain)
    kept = [article for article in mended if article and not _is_notice(article)]
    if len(kept) < _LEAST_ARTICLES:
        return ""
    return "\n\n".join(f"Article {number}:\n\n{article}" for number, article in enumerate(kept, 1))


def _is_notice(article: str) -> bool:
    return article.startswith(_SPAM) or (article.startswith(_NOTICES) and len(article.split()) < _NOTICE_WORDS)


def parted(context: str) -> str:
    """A text in which every line is a paragraph (turns of a meeting, paragraphs of a paper), with a blank line between them."""
    return "\n\n".join(line.strip() for line in context.split("\n") if line.strip())


def longbench_info(
    title: str, roles: tuple[str, ...], size: int, passages: int, note: str, *more: str, language: str = "en"
) -> SourceInfo:
    """What all kinds have in common: licence, home, language; `more` are licences of single data sets, of which the strictest counts."""
    return SourceInfo(
        title=title,
        homepage="https://github.com/THUDM/LongBench",
        licence="MIT (LongBench); texts of the data sets it was made from under their own terms",
        licences=("mit", "others", *more),
        redistribution="with attribution; look at the terms of each data set before publishing its texts",
        roles=roles,
        languages=(language,),
        download_bytes=size,
        note=note,
        passages=passages,
    )


def keep_files(stage: Path, keys: list[str]) -> None:
    """Remove what an archive held beside the files of these names."""
    for path in [path for path in (stage / "unpacked").rglob("*") if path.is_file()]:
        if path.suffix != ".jsonl" or path.stem not in keys:
            path.unlink()
