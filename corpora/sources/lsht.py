"""LSHT: Chinese news with one of 24 classes (NLPCC 2014, task 6), from the released items of LongBench's lsht.

Kinds: `lsht` (the archive on the Hub) and `lsht_mirror` (eight items). The text that an item asks about is in split test, the texts
that it shows as examples are in split train. The whole collection is given to registered people only.

Removed from the texts: anything that names the class (a news agency writes the name of a column in brackets), repeated
headlines, and line breaks within a sentence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.addressed import Mirrored
from corpora.sources.document_source import AGAIN, text_id
from corpora.sources.formats.fields import text, texts
from corpora.sources.labelled_source import Labelling
from corpora.sources.longbench_items import InArchive, items
from corpora.sources.question_source import held_out
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import LabelledText, Split
from haymaker.core.text.strings import words

_TEXT, _LABEL = "新闻内容：", "类别："
_COLUMN = re.compile(r"^(?:\s*[（(\[][^（()）\[\]]{1,30}[）)\]])+\s*(?:题：)?")
_NAMED, _HEADLINE = re.compile(r"[（(\[][^（()）\[\]]{1,30}[）)\]]"), 100  # a column; characters of a headline, at most
_FILE_NAME = re.compile(r"\.txt$")
_ENDS = ("。", "！", "？", "；", "：", "”", "）", ")", "!", "?", ";", ":")
_BREAK = re.compile(r"\n|\|{2,}")  # some agencies write bars for a line break
_LOST = "\ufffd"
_BLANK = f" \t\r\u3000{_LOST}"
_WINDOW = 5  # characters
_ALIKE = 0.2  # share of a text's windows that other texts have; above it, they report the same news
_SPARE = 6  # least number of shown texts of a class before some are moved to split test
_Labelled = tuple[str, str]  # text and class


class _Lsht(Labelling):
    version = 4
    sets = ("lsht",)

    def load(self, raw: Path, name: str, split: Split) -> Iterator[LabelledText]:
        asked, shown = list[_Labelled](), list[_Labelled]()
        for where, record in items(raw, "lsht"):
            asked.append((_asked(text(record, "input", where), where), _label(texts(record, "answers", where), where)))
            shown += _shown(text(record, "context", where), where)
        if lost := sum(_LOST in each for each, _ in (*asked, *shown)):
            self._odd["lsht (characters lost)"] = lost
        asked, shown = ([each for each in found if _LOST not in each[0]] for found in (asked, shown))
        more = self.held(shown)
        found = [each for each in shown if each not in more] if split == "train" else []
        if split == "test":
            train = {each for each, label in shown if (each, label) not in more}
            found = self._new([*asked, *(each for each in shown if each in more)], train)
        for each, label in found:
            yield LabelledText(text_id(each), split, each, label)

    def _new(self, asked: list[_Labelled], shown: set[str]) -> list[_Labelled]:
        """Texts whose news is in no shown text, and exact copies of shown texts (preparation counts these)."""
        known = {window for each in shown for window in _windows(each)}
        kept = [(each, label) for each, label in asked if each in shown or _share(each, known) < _ALIKE]
        if count := len(asked) - len(kept):
            self._odd["lsht test (a text that is shown says the same)"] = count
        return kept

    def held(self, shown: list[_Labelled]) -> set[_Labelled]:
        """The shown texts to move to split test."""
        return set()


class Lsht(InArchive, _Lsht):
    """Options of kind `lsht`: `revision`, `url`."""

    kind: ClassVar[str] = "lsht"
    keys = ("lsht",)


class LshtMirror(Mirrored, _Lsht):
    """Options of kind `lsht_mirror`.

    Attributes:
        asked: number of shown texts per class to move to split test, for classes with six or more texts.
    """

    kind: ClassVar[str] = "lsht_mirror"
    asked: Annotated[int, Field(strict=True, ge=0, le=_SPARE - 1)] = 2

    def held(self, shown: list[_Labelled]) -> set[_Labelled]:
        by_label: dict[str, set[str]] = defaultdict(set)
        for each, label in shown:
            by_label[label].add(each)
        large = [(label, sorted(found)) for label, found in by_label.items() if len(found) >= _SPARE]
        return {(each, label) for label, found in large for each in held_out(found, self.asked, "lsht", label)}


def _windows(line: str) -> set[str]:
    plain = "".join(words(line))
    return {plain[at : at + _WINDOW] for at in range(max(1, len(plain) - _WINDOW + 1))}


def _share(line: str, known: set[str]) -> float:
    own = _windows(line)
    return len(own & known) / len(own)


def _asked(given: str, where: str) -> str:
    """The text in an item's question."""
    body, mark, label = given.strip().rpartition(f"\n{_LABEL}")
    if not mark or label or not body.startswith(_TEXT):
        raise SourceError(f"'input' is not a text between {_TEXT} and {_LABEL}", where=where, fix=AGAIN)
    return _line(body.removeprefix(_TEXT), where)


def _shown(context: str, where: str) -> Iterator[tuple[str, str]]:
    """Text and class of the examples of an item."""
    blocks = re.split(rf"(?:^|\n){_TEXT}\n", context.strip())
    if blocks[0].strip() or len(blocks) == 1:
        raise SourceError(f"the context does not begin with {_TEXT!r}", where=where, fix=AGAIN)
    for block in blocks[1:]:
        body, mark, label = block.rpartition(f"\n{_LABEL}")
        if not mark:
            raise SourceError(f"a text has no {_LABEL!r}", where=where, fix=AGAIN)
        yield _line(body, where), _label([label], where)


def _label(given: list[str], where: str) -> str:
    if len(given) != 1 or not given[0].strip() or "\n" in given[0].strip():
        raise SourceError(f"the class is {given!r:.60}, not one name", where=where, fix=AGAIN)
    return given[0].strip()


def _line(body: str, where: str) -> str:
    """A text on one line, without columns, repeated headlines and line breaks within a sentence."""
    lines = [line for line in (line.rstrip(_BLANK) for line in _BREAK.split(body)) if line.strip(_BLANK)]
    if not lines:
        raise SourceError("a text is empty", where=where, fix=AGAIN)
    headline = _bare(lines[0])
    while len(lines) > 1 and headline.endswith(_bare(lines[1])):  # the headline again, or its end
        del lines[1]
    body = ""
    for before, line in zip(["", *lines[1:]], lines[1:], strict=False):
        broken = before and line[0] not in _BLANK and not before.endswith(_ENDS)
        body += line.strip(_BLANK) if broken else f" {line.strip(_BLANK)}"
    body = _COLUMN.sub("", body.strip())
    return _once(" ".join(f"{headline} {body.removeprefix(headline)}".split()))


def _once(line: str) -> str:
    """A text without a headline of several lines, if a column and the same headline on one line follow it."""
    for column in _NAMED.finditer(line, 1, _HEADLINE):
        whole = line[column.end() :]
        if whole.replace(" ", "").startswith(line[: column.start()].replace(" ", "")):
            return whole
    return line


def _bare(line: str) -> str:
    """A headline without its column; unchanged if it is only a column."""
    name = _FILE_NAME.sub("", line.strip(_BLANK))
    return _COLUMN.sub("", name).strip(_BLANK) or name
