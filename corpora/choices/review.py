"""The review sheet: a CSV file in which people judge options.

One line per question. People fill in the column `verdict` and may change the text of an option. A line is used only for the options
in it (column `state`); lines about other options are ignored and counted.

A cell that a spreadsheet program would evaluate as a formula starts with an apostrophe; reading the sheet removes it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from corpora.choices.form import normal, same
from corpora.choices.options import Candidate
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import written
from haymaker.core.rng import digest

OK, EDITED, HUMAN = "ok", "edited", "human"
VERDICTS = (OK, "wrong option is true", "right option is wrong", "unclear", "gives itself away")
_FIRST = ("question_id", "document", "question", "right")
_LAST = ("verdict", "remark", "state")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_FIX = "correct that line of the sheet"


class Item(NamedTuple):
    """The right option and the wrong ones."""

    right: str
    wrong: tuple[Candidate, ...]


class Line(NamedTuple):
    """One line of a sheet; `verdict` is one of VERDICTS or empty, `state` the hash of its options."""

    question_id: str
    document: str
    question: str
    item: Item
    verdict: str = ""
    remark: str = ""
    state: str = ""


class Review:
    """Verdicts by question id."""

    def __init__(self, lines: Mapping[str, Line]) -> None:
        self._lines = {key: line for key, line in lines.items() if line.verdict}

    def judge(self, question_id: str, question: str, item: Item) -> tuple[Item | None, str]:
        """Return the options with the corrections of people (None: rejected), and the outcome: empty if not judged.

        Raises:
            SourceError: a corrected option is empty or equal to another option.
        """
        line = self._lines.get(question_id)
        if line is None:
            return item, ""
        if line.state != state_of(question, item):
            return item, "of_other_options"
        if line.verdict != OK:
            return None, line.verdict.replace(" ", "_")
        known = {option.text: option for option in item.wrong}
        texts = [normal(option.text) for option in line.item.wrong]
        found = Item(normal(line.item.right), tuple(known.get(text) or Candidate(text, HUMAN) for text in texts))
        if any(not one or not other or same(one, other) for one, other in combinations([found.right, *texts], 2)):
            where = f"review of {question_id!r:.80}"
            raise SourceError("an option is empty or equal to another one", where=where, fix=_FIX)
        is_unchanged = (found.right, set(found.wrong)) == (item.right, set(item.wrong))
        return found, OK if is_unchanged else EDITED

    def unused(self, question_ids: Collection[str]) -> int:
        """Return the number of verdicts about other questions."""
        return len(self._lines.keys() - set(question_ids))

    @property
    def judged(self) -> list[Line]:
        """Lines with a verdict."""
        return list(self._lines.values())


def state_of(question: str, item: Item) -> str:
    """Return a hash of a question and its options."""
    return digest("options", question, item.right, *sorted(option.text for option in item.wrong), size=6).hex()


def write_sheet(path: Path, lines: Sequence[Line]) -> None:
    """Write a sheet in UTF-8 with a byte order mark, which spreadsheet programs need."""
    most = max((len(line.item.wrong) for line in lines), default=0)
    columns = [*_FIRST, *(f"{name}_{i}" for i in range(1, most + 1) for name in ("wrong", "origin")), *_LAST]
    with written(path) as temporary, temporary.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        for line in lines:
            options = [cell for option in line.item.wrong for cell in option]
            options += [""] * (2 * most - len(options))
            state = f"s{line.state or state_of(line.question, line.item)}"
            first = (line.question_id, line.document, line.question, line.item.right)
            table.writerow(map(safe, [*first, *options, line.verdict, line.remark, state]))


def read_sheet(path: Path) -> Review:
    """Read a sheet; columns may be separated by commas, semicolons or tabs.

    Raises:
        SourceError: the sheet is unreadable, a column is missing, a verdict is unknown or a question occurs twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read: {error}", where=path.name, fix="save the sheet as CSV in UTF-8") from None
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    if missing := [name for name in (*_FIRST, *_LAST) if name not in (reader.fieldnames or ())]:
        fix = "write a sheet with `haymaker dev options review`"
        raise SourceError(f"has no column {missing[0]!r}", where=path.name, fix=fix)
    lines: dict[str, Line] = {}
    for row in reader:
        line = _line({name: unsafe(value or "") for name, value in row.items() if isinstance(name, str)}, path.name)
        if line.question_id in lines:
            raise SourceError(f"question {line.question_id!r:.80} occurs twice", where=path.name, fix=_FIX)
        lines[line.question_id] = line
    return Review(lines)


def _line(row: Mapping[str, str], name: str) -> Line:
    verdict = " ".join(row["verdict"].lower().split())
    if verdict and verdict not in VERDICTS:
        what = f"question {row['question_id']!r:.80} has the unknown verdict {verdict!r:.60}"
        raise SourceError(what, where=name, fix=f"use one of: {', '.join(VERDICTS)}; or leave it empty")
    places = (i for i in range(1, len(row)) if row.get(f"origin_{i}"))
    item = Item(row["right"], tuple(Candidate(row[f"wrong_{i}"], row[f"origin_{i}"]) for i in places))
    state = row["state"].removeprefix("s")
    return Line(row["question_id"], row["document"], row["question"], item, verdict, row["remark"], state)


def safe(cell: str) -> str:
    """Return a cell that no spreadsheet program evaluates as a formula."""
    return f"'{cell}" if cell.lstrip("'").startswith(_FORMULA) or cell.startswith("''") else cell


def unsafe(cell: str) -> str:
    """Undo `safe`."""
    return cell[1:] if cell.startswith("'") and cell[1:2] in (*_FORMULA, "'") and len(cell) > 1 else cell
