"""The sheet for people: written, opened, judged, read back."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.choices.options import Candidate
from corpora.choices.review import VERDICTS, Line, read_sheet, safe, unsafe, write_sheet
from haymaker.core.errors import SourceError
from tests.errors import refused

WRONG = (Candidate("=SUM(A1)", "rules"), Candidate("-5 °C", "mined"), Candidate("'tis so", "llm:3"))
LINE = Line("q1", "d1", '+How, "much";\nand when?', "@right", WRONG)


def judged(folder: Path, **cells: str) -> Path:
    """The sheet as somebody saved it who wrote into cells."""
    sheet, saved = folder / "sheet.csv", folder / "saved.csv"
    write_sheet(sheet, [LINE])
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert not any(value[:1] in "=+-@\t\r" for value in row.values() if value)
    with saved.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, row, delimiter=";")
        table.writeheader()
        table.writerow(row | cells)
    return saved


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_cells_come_back_and_are_no_formulas(text: str) -> None:
    assert unsafe(safe(text)) == text
    assert not safe(text).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_good_item_is_verified_by_people(tmp_path: Path) -> None:
    review = read_sheet(judged(tmp_path, verdict=" OK "))
    found = review.judge("q1", LINE.question, LINE.right, WRONG)
    assert (found.right, found.wrong, found.outcome, found.human, found.rejected) == (
        LINE.right,
        WRONG,
        "ok",
        True,
        False,
    )
    assert review.unused(["q1"]) == 0 and review.unused([]) == 1


def test_another_text_over_an_option_is_taken(tmp_path: Path) -> None:
    found = read_sheet(judged(tmp_path, verdict="ok", wrong_2="minus six.")).judge(
        "q1", LINE.question, LINE.right, WRONG
    )
    assert found.wrong == (WRONG[0], Candidate("Minus six", "human"), WRONG[2]) and found.outcome == "edited"


def test_an_option_keeps_its_writer_whatever_order_the_sheet_has_it_in(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    found = read_sheet(judged(tmp_path / "a", verdict="ok")).judge("q1", LINE.question, LINE.right, WRONG[::-1])
    assert set(found.wrong) == set(WRONG) and found.outcome == "ok"
    edited = read_sheet(judged(tmp_path, verdict="ok", wrong_2="minus six.")).judge(
        "q1", LINE.question, LINE.right, WRONG[::-1]
    )
    assert set(edited.wrong) == {WRONG[0], Candidate("Minus six", "human"), WRONG[2]} and edited.outcome == "edited"


@pytest.mark.parametrize("verdict", [verdict for verdict in VERDICTS if verdict != "ok"])
def test_a_verdict_against_it(tmp_path: Path, verdict: str) -> None:
    found = read_sheet(judged(tmp_path, verdict=verdict.upper())).judge("q1", LINE.question, LINE.right, WRONG)
    assert found.rejected and not found.human and found.outcome == VERDICTS[verdict]


def test_no_verdict_and_other_options_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert read_sheet(judged(tmp_path / "a", wrong_1="x")).judge("q1", LINE.question, LINE.right, WRONG).outcome == ""
    review = read_sheet(judged(tmp_path, verdict="unclear"))
    other = (*WRONG[:2], Candidate("Another", "rules"))
    found = review.judge("q1", LINE.question, LINE.right, other)
    assert (found.wrong, found.outcome, found.rejected) == (other, "of_other_options", False)
    assert review.judge("q1", LINE.question, LINE.right, WRONG[::-1]).rejected, "the order of the options is no matter"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"verdict": "perhaps"}, ("saved.csv", "'perhaps'", "'q1'")),
        ({"verdict": "ok", "wrong_2": "@RIGHT"}, ("review of 'q1'", "options")),
        ({"verdict": "ok", "wrong_2": " "}, ("review of 'q1'", "empty")),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, cells: dict[str, str], message: tuple[object, ...]) -> None:
    with refused(SourceError, *message):
        read_sheet(judged(tmp_path, **cells)).judge("q1", LINE.question, LINE.right, WRONG)


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
