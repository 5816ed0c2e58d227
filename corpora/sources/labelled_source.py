"""Base of the sources of labelled texts, and a reader of tables of separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from corpora.sources.addressed import Unpacked
from corpora.sources.books import read_text
from corpora.sources.formats.fields import text_of
from corpora.sources.formats.odd_records import OddRecordError
from haymaker.core.errors import SourceError
from haymaker.core.params import nearest
from haymaker.core.rows.source_records import LabelledText, Split

_AGAIN = "fetch the source again, or fix that line"
Row = tuple[str, Sequence[object]]
"""Place of a record ("file:line"), and its text and label."""


class Labelling(Unpacked):
    """A source of labelled texts. A subclass names its sets and gives the rows of a set and split."""

    sets: ClassVar[tuple[str, ...]] = ()

    def rows(self, raw: Path, name: str, split: Split) -> Iterable[Row]:
        """All rows of a set and split, in file order; empty if the set does not have that split."""
        raise NotImplementedError

    def load(self, raw: Path, name: str, split: Split) -> Iterable[LabelledText]:
        """All texts of a set and split, in file order."""
        rows = enumerate(self.rows(raw, name, split), 1)
        return self.sound(f"{name} {split}", rows, partial(labelled_text, split))

    def label_sets(self) -> tuple[str, ...]:
        return self.sets

    def labelled(self, raw: Path, name: str, split: Split) -> list[LabelledText]:
        self.check_set("labelled texts", name, self.sets)
        return self.reviewed(name, self.load(raw, name, split), split)

    def check(self, raw: Path) -> None:
        """Require two labels, a test split, and no test label without an example in train (docs/spec/helmet.md 9)."""
        for name in self.sets:
            where = f"source {self.name}: set {name}"
            shown = {text.label for text in self.labelled(raw, name, "train")}
            if len(shown) < 2:
                raise SourceError(f"has {len(shown)} labels in split train", where=where, fix="fetch the source again")
            tested = {text.label for text in self.labelled(raw, name, "test")}
            if not tested:
                raise SourceError("has no text in split test", where=where, fix="fetch the source again")
            if unseen := sorted(tested - shown):
                raise SourceError(f"label {unseen[0]!r} in split test is not in split train", where=where)


def labelled_text(split: Split, numbered: tuple[int, Row]) -> LabelledText:
    """A record from a row and its number from 1, its text on one line."""
    number, (where, (text, label)) = numbered
    line, named = (" ".join(text_of(value, key, where).split()) for value, key in ((text, "text"), (label, "label")))
    if not line or not named:
        raise OddRecordError(f"{'text' if not line else 'label'!r} is empty", where=where, fix=_AGAIN)
    return LabelledText(f"{split}-{number:05d}", split, line, named)


def separated(path: Path, columns: Sequence[str], separator: str = ",", *, header: bool = True) -> Iterator[Row]:
    """Place and fields of every record of a table; without a header, `columns` are all its columns.

    Raises:
        SourceError: a missing column, or a record with another number of fields; names its first line.
    """
    reader = csv.reader(io.StringIO(read_text(path, path.name), newline=""), delimiter=separator)
    names = list(columns)
    while True:
        where = f"{path.name}:{reader.line_num + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise SourceError(f"not a record: {error}", where=where, fix=_AGAIN) from None
        if header:
            names, header = row, False
            if missing := [name for name in columns if name not in names]:
                raise SourceError(f"has no column {missing[0]!r}", where=where, fix=nearest(missing[0], names))
        elif len(row) != len(names) and row:
            raise SourceError(f"expected {len(names)} fields, found {len(row)}", where=where, fix=_AGAIN)
        elif row:
            yield where, [row[names.index(name)] for name in columns]
