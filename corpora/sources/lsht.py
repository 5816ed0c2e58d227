"""LSHT: Chinese news with one of 24 classes (NLPCC 2014, task 6), as the released items of LongBench's lsht show them.

Kinds `lsht` (the archive on the Hub) and `lsht_mirror` (eight items). An item asks for the class of one text and shows others with
theirs: what it asks is part test, what it shows part train. The whole collection is given to registered people alone.

Differs from the release: what gives the class away is taken off (the column in brackets by which a wire service sorts its news), so
are headlines that are there twice, and line breaks within a sentence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.document_source import text_id
from corpora.sources.formats.fields import text, texts
from corpora.sources.labelled_source import Labelling
from corpora.sources.longbench_items import items, keep_files, longbench_info
from corpora.sources.question_source import held_out
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import LabelledText, Split
from haymaker.core.text.strings import words

_KEY = "lsht"
_TEXT, _LABEL = "新闻内容：", "类别："
_COLUMN = re.compile(r"^(?:\s*[（(\[][^（()）\[\]]{1,30}[）)\]])+\s*(?:题：)?")
_FILE_NAME = re.compile(r"\.txt$")
_ENDS = ("。", "！", "？", "；", "：", "”", "）", ")", "!", "?", ";", ":")
_BREAK = re.compile(r"\n|\|{2,}")  # a line break, or what some agency wrote for one
_LOST = "\ufffd"
_BLANK = f" \t\r\u3000{_LOST}"
_WINDOW, _ALIKE = (
    5,
    0.2,
)  # characters; share of a text's windows that stand in others: more are the same news told again
_SPARE = 6  # texts of a class, at least, where some of them are asked about
_AGAIN = "fetch the source again, or mend that record"


class _Lsht(Labelling):
    """What both kinds share."""

    version: ClassVar[int] = 3
    sets: ClassVar[tuple[str, ...]] = (_KEY,)

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            keep_files(stage, [_KEY])
        return got

    def load(self, raw: Path, name: str, part: Split) -> Iterator[LabelledText]:
        asked, shown = list[tuple[str, str]](), list[tuple[str, str]]()
        for where, record in items(raw, _KEY):
            asked.append((_asked(text(record, "input", where), where), _label(texts(record, "answers", where), where)))
            shown += _shown(text(record, "context", where), where)
        read = len(asked) + len(shown)
        asked, shown = _readable(asked), _readable(shown)
        if lost := read - len(asked) - len(shown):
            self._odd["lsht (characters lost)"] = lost
        more = self.held(shown)
        train = [each for each in shown if each not in more]
        given: dict[Split, list[tuple[str, str]]] = {"train": train}
        if part == "test":
            given[part] = self._told_once([*asked, *(each for each in shown if each in more)], train)
        for each, label in given.get(part, ()):
            yield LabelledText(text_id(each), part, each, label)

    def _told_once(self, asked: list[tuple[str, str]], shown: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Texts whose news no text shown tells in the same words, and those that stand there as they are (preparation counts these)."""
        texts = {each for each, _ in shown}
        known = {window for each in texts for window in _windows(each)}
        kept = [(each, label) for each, label in asked if each in texts or _share(each, known) < _ALIKE]
        if count := len(asked) - len(kept):
            self._odd["lsht test (a text that is shown says the same)"] = count
        return kept

    def held(self, shown: list[tuple[str, str]]) -> set[tuple[str, str]]:
        """Of the texts shown those that are asked about instead."""
        return set()


class Lsht(_Lsht, OnHub):
    """Options of kind `lsht`: `revision`, `url`."""

    kind: ClassVar[str] = "lsht"
    info: ClassVar[SourceInfo] = longbench_info(
        "LSHT: news with one of 24 classes, as LongBench's released items show it",
        ("labelled",),
        114_000_000,
        0,
        "200 texts that are asked about and those shown beside them; the whole collection (NLPCC 2014, task 6) is given to registered "
        "people alone",
        language="zh",
    )
    repo: ClassVar[str] = "zai-org/LongBench"
    names: ClassVar[tuple[str, ...]] = ("data.zip",)


class LshtMirror(_Lsht):
    """Options of kind `lsht_mirror`.

    Attributes:
        asked: of each class with six texts or more, so many that are shown in the release are asked about here: eight items ask little.
    """

    kind: ClassVar[str] = "lsht_mirror"
    info: ClassVar[SourceInfo] = longbench_info(
        "LSHT (mirror copy: the texts of eight of LongBench's items)",
        ("labelled",),
        224_098,
        0,
        "8 texts that are asked about, 222 that are shown",
        language="zh",
    )
    asked: Annotated[int, Field(strict=True, ge=0, le=_SPARE - 1)] = 2

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{_KEY}.jsonl.gz", f"mirror:longbench/mini/{_KEY}.jsonl.gz")]

    def held(self, shown: list[tuple[str, str]]) -> set[tuple[str, str]]:
        by_label: dict[str, set[str]] = defaultdict(set)
        for each, label in shown:
            by_label[label].add(each)
        return {
            (each, label)
            for label, found in by_label.items()
            if len(found) >= _SPARE
            for each in held_out(sorted(found), self.asked, _KEY, label)
        }


def _readable(texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Texts no character of which was lost when they were written in another encoding."""
    return [each for each in texts if _LOST not in each[0]]


def _windows(line: str) -> set[str]:
    plain = "".join(words(line))
    return {plain[at : at + _WINDOW] for at in range(max(1, len(plain) - _WINDOW + 1))}


def _share(line: str, known: set[str]) -> float:
    own = _windows(line)
    return len(own & known) / len(own)


def _asked(given: str, where: str) -> str:
    """The text of an item's input."""
    body, mark, label = given.strip().rpartition(f"\n{_LABEL}")
    if not mark or label or not body.startswith(_TEXT):
        raise SourceError(f"'input' is no text between {_TEXT} and {_LABEL}", where=where, fix=_AGAIN)
    return _line(body.removeprefix(_TEXT), where)


def _shown(context: str, where: str) -> Iterator[tuple[str, str]]:
    """Text and class of what an item shows."""
    blocks = re.split(rf"(?:^|\n){_TEXT}\n", context.strip())
    if blocks[0].strip() or len(blocks) == 1:
        raise SourceError(f"the context does not begin with {_TEXT!r}", where=where, fix=_AGAIN)
    for block in blocks[1:]:
        body, mark, label = block.rpartition(f"\n{_LABEL}")
        if not mark:
            raise SourceError(f"a text has no {_LABEL!r}", where=where, fix=_AGAIN)
        yield _line(body, where), _label([label], where)


def _label(given: list[str], where: str) -> str:
    if len(given) != 1 or not given[0].strip() or "\n" in given[0].strip():
        raise SourceError(f"the class is {given!r:.60}, not one name", where=where, fix=_AGAIN)
    return given[0].strip()


def _line(body: str, where: str) -> str:
    """A text on one line: without columns, headlines once; lines that were broken within a sentence are one again."""
    lines = [line for line in (line.rstrip(_BLANK) for line in _BREAK.split(body)) if line.strip(_BLANK)]
    if not lines:
        raise SourceError("a text is empty", where=where, fix=_AGAIN)
    headline = _bare(lines[0])
    while len(lines) > 1 and headline.endswith(_bare(lines[1])):  # again, or the end of it alone
        del lines[1]
    body = ""
    for before, line in zip(["", *lines[1:]], lines[1:], strict=False):
        broken = before and line[0] not in _BLANK and not before.endswith(_ENDS)
        body += line.strip(_BLANK) if broken else f" {line.strip(_BLANK)}"
    body = _COLUMN.sub("", body.strip())
    return " ".join(f"{headline} {body.removeprefix(headline)}".split())


def _bare(line: str) -> str:
    """A headline without its column; where there is nothing else, as it is."""
    name = _FILE_NAME.sub("", line.strip(_BLANK))
    return _COLUMN.sub("", name).strip(_BLANK) or name
