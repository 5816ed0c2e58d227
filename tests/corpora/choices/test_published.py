"""Options from a model and published ones: requests and replies, complete lines, the review sheet filled in with a spreadsheet program."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from corpora.choices import llm
from corpora.choices import published as module
from corpora.choices.form import normal, order_of, same
from corpora.choices.make import CHOICES_VERSION
from corpora.choices.options import Asked, Candidate
from corpora.choices.published import GUESSED, READERS, Published, published
from corpora.choices.review import OK, VERDICTS, Item, Line, read_sheet, write_sheet
from corpora.tokenizers.tokenizer import load
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from tests.errors import refused

ASKED = Asked("a#b", "How long?", "Twenty-nine years")


@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_each_segment_is_used_once_while_there_are_any(parts: int) -> None:
    seen: Counter[int] = Counter()
    for i in range(60):
        found = list(llm.requests(ASKED._replace(question_id=str(i)), [f"<part {k}>" for k in range(parts)], 3))
        used = [int(request.call.split(":")[2]) for request in found]
        assert [request.call.split(":")[1] for request in found] == ["1", "2", "3"]
        assert len(set(used)) == min(3, parts)
        assert all(f"<part {segment - 1}>" in request.prompt for request, segment in zip(found, used, strict=True))
        seen.update(used)
    assert set(seen) == set(range(1, parts + 1)), "all segments are drawn from"


@pytest.mark.parametrize(("sentences", "n"), [(4000, 3), (4000, 5), (4000, 4), (40, 3), (1, 3)])
def test_segments_are_the_document_and_at_least_as_many_as_options(sentences: int, n: int) -> None:
    tokenizer = load("gpt2")
    text = [f"Sentence {i} says that all is well." for i in range(sentences)]
    parts = llm.segments(text, tokenizer, n)
    counts = [tokenizer.count(part) for part in parts]
    assert " ".join(parts) == " ".join(text) and max(counts) <= llm.SEGMENT_TOKENS
    if len(parts) > n:
        assert min(counts[:-1]) > llm.SEGMENT_TOKENS - 20
    else:
        assert len(parts) == n and max(counts) - min(counts) < 20
        assert len({request.prompt for request in llm.requests(ASKED, parts, n)}) == n


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ('{"option": "thirty years."}', "Thirty years"),
        ('Sure!\n```json\n{"option": "Six {or} so"}\n```', "Six {or} so"),
        ('{"answer": "x"} {"option": "Six"}', "Six"),
        ('{"option": "cut off', ""),
        ("{" * 5000, ""),
    ],
)
def test_options_in_replies(reply: str, option: str) -> None:
    assert llm.option_of(reply) == option


FILES = sorted(Path(module.__file__).with_name("data").glob("*.csv"))
PINNED = {(9, "loogle"): "81c9f120a048"}  # raise CHOICES_VERSION (and `choices` in versions.yaml) with every change
WRONG = ("One", "Two", "Three")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_changed_file_raises_the_version(file: Path) -> None:
    assert PINNED[CHOICES_VERSION, file.stem] == digest(file.read_text(encoding="utf-8"), size=6).hex()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_lines_have_a_verdict_and_different_options(file: Path) -> None:
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["question"] for row in rows] == sorted({row["question"] for row in rows})
    for row in rows:
        line = published(file.stem)[row["question"]]
        assert line.verdict in VERDICTS and set(line.closed_book) <= {"right", "wrong"}
        if line.verdict != OK:
            assert not line.wrong and row["remark"], row
            continue
        options = [*filter(None, [line.right]), *line.wrong]
        assert len(line.wrong) == 3 and len(line.closed_book) >= READERS, row
        assert all(normal(option) == option for option in options), row
        assert not any(same(one, other) for one, other in combinations(options, 2)), row
        assert max(map(len, options)) <= 1.3 * min(map(len, options)) + 12 or order_of(line.wrong[0]), row


@pytest.mark.parametrize(
    ("verdict", "readers", "outcome"),
    [
        (OK, (), OK),
        (OK, ("right",), OK),  # one reader may have guessed
        (OK, ("right", "wrong"), OK),
        (OK, ("right", "right"), GUESSED),
        (OK, ("right", "right", "wrong"), OK),
        ("unclear", ("right", "right"), "unclear"),
    ],
)
def test_a_question_that_all_readers_answer_without_the_document_is_left_out(
    verdict: str, readers: tuple[str, ...], outcome: str
) -> None:
    assert Published("", WRONG, verdict, readers).outcome == outcome


THREE = (Candidate("=SUM(A1)", "llm:1"), Candidate("-5 °C", "llm:2"), Candidate("'tis so", "llm:3"))
ITEM = Item("@right", THREE)
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
    turned, other = ITEM._replace(wrong=THREE[::-1]), ITEM._replace(wrong=(*THREE[:2], Candidate("Another", "llm:3")))
    assert judged(tmp_path, verdict=" OK ") == (ITEM, "ok")
    assert judged(tmp_path, turned, verdict="ok")[1] == "ok", "the order of the options does not matter"
    assert judged(tmp_path, verdict="ok", wrong_2="minus six.") == (
        Item("@right", (THREE[0], Candidate("Minus six", "human"), THREE[2])), "edited",
    )  # fmt: skip
    assert judged(tmp_path, wrong_1="x") == (ITEM, ""), "no verdict"
    assert judged(tmp_path, other, verdict="unclear") == (other, "of_other_options")
    for verdict in VERDICTS[1:]:
        assert judged(tmp_path, verdict=verdict.upper()) == (None, verdict.replace(" ", "_"))
    review = read_sheet(tmp_path / "saved.csv")
    assert review.unused(["q1"]) == 0 and review.unused([]) == 1


def test_a_sheet_without_its_columns_or_with_a_line_twice(tmp_path: Path) -> None:
    with refused(SourceError, "review of 'q1'", "option"):
        judged(tmp_path, verdict="ok", wrong_2="@RIGHT")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("question_id,verdict\nq1,ok\n")
    with refused(SourceError, "sheet.csv", "'document'"):
        read_sheet(sheet)
    write_sheet(sheet, [LINE, LINE])
    with refused(SourceError, "sheet.csv", "'q1'"):
        read_sheet(sheet)
