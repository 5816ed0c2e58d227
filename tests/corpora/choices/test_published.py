"""Published options: complete lines, version and contents, questions that readers answer without the document."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import pytest

from corpora.choices import published as module
from corpora.choices.form import normal, order_of, same
from corpora.choices.make import CHOICES_VERSION
from corpora.choices.published import GUESSED, READERS, Published, published
from corpora.choices.review import OK, VERDICTS
from haymaker.core.rng import digest

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
