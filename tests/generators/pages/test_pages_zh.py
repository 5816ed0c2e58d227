"""passage_retrieval_zh: small made rows in Chinese."""

from __future__ import annotations

from pathlib import Path

from haymaker.core.rows.source_records import Passage
from tests.generators.pages import small

FIND = "passage_retrieval_zh"


def passage(number: int, size: int = 60) -> Passage:
    return Passage(f"p{number}-0", f"p{number}", "", "", small.chinese(number, size))


def test_rows_are_chinese_exact_and_of_paragraphs_long_enough(tmp_path: Path) -> None:
    passages = [passage(number, 20 if number % 10 == 9 else 45 + number % 37) for number in range(300)]
    summaries = [(passages[n].text[8:30], f"p{n}") for n in range(9)]
    data = small.data(tmp_path / "data", passages, summaries, ("tekken", "gpt2"))
    more = {"summaries": small.SUMMARIES, "set": "user", "splits": {"test": 100}}
    made = small.suite(data, {FIND: {"lengths": {"4k": 1}, **more}}, ("tekken", "gpt2")).task(FIND)
    assert len(made.stocks.of("test")) == 270, "of 20 characters is too short"  # type: ignore[attr-defined]
    for length in ("natural", "8k", "16k"):
        (row,) = small.rows(made, length, 1)  # type: ignore[arg-type]
        small.prove(made, row, ("tekken", "gpt2"))  # type: ignore[arg-type]
        assert row["language"] == "zh" and row["prompt"].endswith("答案：")
        (gold,) = [span for span in row["spans"] if span["kind"] == "gold"]
        assert row["prompt"][: gold["start"]].endswith(f"{row['answers'][0].replace('段落', '段落 ')}: ")
