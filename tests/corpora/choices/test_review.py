"""The review sheet: written, filled in with a spreadsheet program, read again."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from corpora.choices.options import Candidate
from corpora.choices.review import VERDICTS, Item, Line, read_sheet, write_sheet
from haymaker.core.errors import SourceError
from tests.errors import refused

WRONG = (Candidate("=SUM(A1)", "llm:1"), Candidate("-5 °C", "llm:2"), Candidate("'tis so", "llm:3"))
ITEM = Item("@right", WRONG)
LINE = Line("q1", "d1", '+How, "much";\nand when?', ITEM)


def judged(folder: Path, item: Item = ITEM, **cells: str) -> tuple[Item | None, str]:
    """Return what the sheet says about options after somebody has filled in cells and saved it."""
    sheet, saved = folder / "sheet.csv", folder / "saved.csv"
    write_sheet(sheet, [LINE])
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert not any(value[:1] in "=+-@\t\r" for value in row.values() if value)
    with saved.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, row, delimiter=";")
        table.writeheader()
        table.writerow(row | cells)
    return read_sheet(saved).judge("q1", LINE.question, item)


def test_verdicts_and_corrections(tmp_path: Path) -> None:
    turned, other = ITEM._replace(wrong=WRONG[::-1]), ITEM._replace(wrong=(*WRONG[:2], Candidate("Another", "llm:3")))
    assert judged(tmp_path, verdict=" OK ") == (ITEM, "ok")
    assert judged(tmp_path, turned, verdict="ok")[1] == "ok", "the order of the options does not matter"
    assert judged(tmp_path, verdict="ok", wrong_2="minus six.") == (
        Item("@right", (WRONG[0], Candidate("Minus six", "human"), WRONG[2])), "edited",
    )  # fmt: skip
    assert judged(tmp_path, wrong_1="x") == (ITEM, ""), "no verdict"
    assert judged(tmp_path, other, verdict="unclear") == (other, "of_other_options")
    for verdict in VERDICTS[1:]:
        assert judged(tmp_path, verdict=verdict.upper()) == (None, verdict.replace(" ", "_"))
    review = read_sheet(tmp_path / "saved.csv")
    assert review.unused(["q1"]) == 0 and review.unused([]) == 1


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"verdict": "perhaps"}, ("saved.csv", "'perhaps'", "'q1'")),
        ({"verdict": "ok", "wrong_2": "@RIGHT"}, ("review of 'q1'", "option")),
        ({"verdict": "ok", "wrong_2": " "}, ("review of 'q1'", "empty")),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, cells: dict[str, str], message: tuple[object, ...]) -> None:
    with refused(SourceError, *message):
        judged(tmp_path, **cells)


def test_a_sheet_without_its_columns_or_with_a_line_twice(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("question_id,verdict\nq1,ok\n")
    with refused(SourceError, "sheet.csv", "'document'"):
        read_sheet(sheet)
    write_sheet(sheet, [LINE, LINE])
    with refused(SourceError, "sheet.csv", "'q1'"):
        read_sheet(sheet)
    sheet.write_bytes(b"\xff\xfe")
    with refused(SourceError, "sheet.csv", fix=("CSV", "UTF-8")):
        read_sheet(sheet)
