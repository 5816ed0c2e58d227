"""The shared checks of finished rows: each accepts a sound row and finds its own damage."""

from __future__ import annotations

from typing import Any

import pytest

from generators.context import checks
from generators.context.prompt import Part, head

PROMPT = "Read.\n\nFirst unit. Second unit.\n\nWhich one?\nAnswer:"
ROW: dict[str, Any] = {
    "prompt": PROMPT, "context_start": 7, "context_end": 31, "answer_prefix_start": 44, "depth": 1.0, "num_segments": 2, "num_unique_segments": 2,
    "doc_ids": ["a", "b"],
    "spans": [{"start": 7, "end": 18, "kind": "passage", "ref": "a"}, {"start": 19, "end": 31, "kind": "gold", "ref": "b"}],
}  # fmt: skip


def found(check: str, row: dict[str, Any]) -> list[str]:
    texts = checks.texts_at(row, "passage", "gold")
    called = {
        "is_context": lambda: checks.is_context(row, "First unit. Second unit."),
        "in_order": lambda: checks.in_order(row),
        "counts": lambda: checks.counts(row, texts),
        "document_ids": lambda: checks.document_ids(row, [span["ref"] for span in row["spans"]]),
        "at_depth": lambda: checks.at_depth(row, [1], 2),
        "asked_after": lambda: checks.asked_after(row, "Which one?"),
        "as_stored": lambda: checks.as_stored(
            zip("ab", texts, strict=False), {"a": "First unit.", "b": "Second unit."}
        ),
    }
    return list(called[check]())


DAMAGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("is_context", {"prompt": PROMPT.replace("First", "Fifth")}),
    ("in_order", {"spans": ROW["spans"][::-1]}),
    ("in_order", {"spans": [{**ROW["spans"][0], "end": 7}]}),
    ("in_order", {"spans": [{**ROW["spans"][0], "end": 700}]}),
    ("counts", {"num_segments": 3}),
    ("counts", {"num_unique_segments": 1}),
    ("counts", {"spans": [ROW["spans"][0]] * 2}),
    ("document_ids", {"doc_ids": ["b", "a"]}),
    ("at_depth", {"depth": 0.0}),
    ("at_depth", {"depth": None}),
    ("asked_after", {"prompt": PROMPT.replace("Which", "What")}),
    ("asked_after", {"answer_prefix_start": len(PROMPT)}),
    ("as_stored", {"prompt": PROMPT.replace("First", "Fifth")}),
)


@pytest.mark.parametrize(("check", "damage"), DAMAGES)
def test_a_check_finds_its_damage_alone(check: str, damage: dict[str, Any]) -> None:
    assert found(check, ROW) == []
    assert len(found(check, ROW | damage)) >= 1


def test_parts_of_a_prompt_get_spans_where_they_stand() -> None:
    text, spans = head(
        [
            Part("Do it.", "instruction", token_start=0),
            Part("One. Two.", "fewshot", "fewshot:0"),
            Part("Text:", gap="\n"),
        ]
    )
    assert [(text[span.start : span.end], span.kind, span.ref) for span in spans] == [
        ("Do it.", "instruction", None), ("One. Two.", "fewshot", "fewshot:0"),
    ]  # fmt: skip
    assert text == "Do it.\n\nOne. Two.\n\nText:\n"
