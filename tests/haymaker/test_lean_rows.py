"""Rows with some of their columns, as `load_dataset` returns them."""

from __future__ import annotations

import haymaker
from haymaker.core.errors import ReleaseError
from tests.errors import refused

_ADVICE = ("_full", "columns=[...]")


def test_messages_name_the_columns_that_a_row_lacks() -> None:
    with refused(ReleaseError, "", "answer_prefix_start", fix=_ADVICE):
        haymaker.messages({"prompt": "Where? Answer:", "messages": None})
    assert haymaker.messages({"prompt": "Where? Answer:", "answer_prefix_start": 7})[0]["content"] == "Where? "


def test_score_row_names_the_columns_that_a_row_lacks() -> None:
    for row, prompting, lacking in (
        ({"metrics": ["babilong@strict"]}, "chat", ["suite"]),
        ({"suite": "babilong", "metrics": []}, "base", ["prompt", "answer_prefix_start"]),
        ({"suite": "babilong", "metrics": ["babilong@strict"]}, "chat", ["answers"]),
    ):
        with refused(ReleaseError, "", *lacking, fix=_ADVICE):
            haymaker.score_row(row, "x", prompting=prompting)
