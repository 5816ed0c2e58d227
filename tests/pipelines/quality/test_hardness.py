"""How hard questions of an encyclopaedia are: figures by hand."""

from __future__ import annotations

from dataclasses import replace

from devtools.quality import hardness
from devtools.quality.search import Asked


def asked(
    question: str = "Who built the mill?", answers: tuple[str, ...] = ("Ann Lee",), gold: str = "The mill.\nAnn Lee built the mill.",
    rank: int | None = 0, nearest: float | None = 0.5,
) -> Asked:  # fmt: skip
    return Asked(question, answers, False, (gold,), rank, nearest, rank, nearest)


def test_bridges_whose_words_find_the_answer() -> None:
    line = asked()
    ranks = (0, 4, 5, None)
    bridges = [replace(line, bridge=True, answer_rank=rank) for rank in ranks]
    assert hardness.hardness([*bridges, replace(line, answer_rank=0)])["single_hop"] == 1 / 2
    assert "single_hop" not in hardness.hardness([line])
