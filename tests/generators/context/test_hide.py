"""Texts hidden between the sentences of a corpus: spans, depths, nesting; damage is found."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from generators.context import background_checks
from generators.context.checks import texts_at
from generators.context.sentences import Hidden, hide
from generators.spec import Row
from haymaker.core.lengths import MIN_FILL
from tests.generators.kit import finished
from tests.generators.synthetic import small

TEXTS = [
    Hidden("Not this one.", 0.2, "distractor"),
    Hidden("This one.", 0.9),
    Hidden("Nor this one.", 0.5, "distractor"),
]
TASK = small.task("niah_single_2")


def row(length: str) -> Row:
    writer, table = TASK.writer, small.table("niah_single_2", length)
    frame = writer.frame("Read this.\n\n", "\n\nWhich one?\nAnswer:", cue="Answer:")
    draws = partial(TASK.stream, "hidden")
    context, counts, columns = hide(TASK.inputs, writer, table, frame, small.CORPUS, TEXTS, draws)
    return finished(
        [writer.sample(table, "g", frame, context, counts, question="Which one?", answers=["This one."], **columns)]
    )[0]


@pytest.fixture(scope="module")
def made() -> Row:
    return row("4k")


def test_texts_stand_at_their_spans_in_order_of_depth_and_a_longer_row_holds_the_shorter_one(made: Row) -> None:
    assert texts_at(made, "needle", "distractor") == ["Not this one.", "Nor this one.", "This one."]
    assert [span["kind"] for span in made["spans"]] == ["distractor", "distractor", "needle"]
    assert made["num_distractors"] == 2 and abs(made["depth"] - 0.9) < 0.02
    assert made["unused_tokens"] <= (1 - MIN_FILL) * 4096
    assert list(background_checks.hidden(made, TASK.inputs, small.CORPUS)) == []
    short, long = (
        {(doc, i) for doc, a, b in background_checks.ranges(each) for i in range(a, b)} for each in (made, row("16k"))
    )
    assert short < long


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: {"depth": row["depth"] - 0.5},
        lambda row: {"num_segments": row["num_segments"] + 1},
        lambda row: {"doc_ids": [*row["doc_ids"][::-1], "x"]},
        lambda row: {"spans": row["spans"][1:]},
        lambda row: {"prompt": row["prompt"].replace(".", "!", 5)},
        lambda row: {
            "metadata": json.dumps({"background": [[doc, a + 1, b + 1] for doc, a, b in background_checks.ranges(row)]})
        },
    ],
)
def test_damage_is_found(made: Row, damage: Any) -> None:
    assert list(background_checks.hidden(made | damage(made), TASK.inputs, small.CORPUS))
