"""The table of examples in docs/reference/reading-answers.md is what the answer reader returns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from haymaker.scoring.metrics import get
from haymaker.scoring.reader import watched

PAGE = Path(__file__).parents[2] / "docs/reference/reading-answers.md"
ROW: dict[str, Any] = {
    "max_new_tokens": 20, "language": "en", "category": "rag", "choices": None, "answer_groups": None,
    "question": "Who is younger, Ada Lane or Bo Finch?",
}  # fmt: skip
MORE = {
    "babilong": {"question": "Where is John?", "choices": ["bathroom", "garden", "office"]},
    "option": {"question": "Who called?", "choices": ["Tom", "Mary Ann", "Peter", "Sue"]},
}


def read(metric: str, output: str, answers: list[str]) -> list[str]:
    """The cells of an example behind its accepted answer: final answer, canonical form, score."""
    with watched() as steps:
        score = get(f"{metric}@strict").function(output, ROW | MORE.get(metric, {}) | {"answers": answers})
    values = [" ".join(str(steps[step]).split()) for step in ("final_answer", "canonical")]
    return [*(f"`{value}`" if value else "(empty)" for value in values), f"{score:.2f}".rstrip("0").rstrip(".")]


EXAMPLES = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")]
    for line in re.findall(r"^\| `.*", PAGE.read_text().partition("### Examples")[2].partition("\n#")[0], re.MULTILINE)
]


def test_an_example_is_what_the_reader_returns() -> None:
    assert len(EXAMPLES) >= 20
    for metric, output, answers, *rest in EXAMPLES:
        said, right = (text.strip("`").replace("\\n", "\n") for text in (output, answers))
        assert rest == read(metric.strip("`"), said, right.split(" / ")), output
