"""Gates of an encyclopaedia: every figure by hand, planted faults are found, and an even set is a coin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from devtools.quality import hardness
from devtools.quality.encyclopaedia import gates
from devtools.quality.prose import Trigrams
from devtools.quality.search import Asked
from haymaker.core.rng import Stream

NOUNS = ("river", "tower", "bridge", "market", "harbour", "garden", "street", "church")


def asked(
    question: str = "Who built the mill?", answers: tuple[str, ...] = ("Ann Lee",), gold: str = "The mill.\nAnn Lee built the mill.",
    rank: int | None = 0, nearest: float | None = 0.5,
) -> Asked:  # fmt: skip
    return Asked(question, answers, False, (gold,), rank, nearest, rank, nearest)


def sentence(*key: str | int) -> str:
    stream = Stream("gates", *key)
    return f"The {stream.choice(NOUNS)} near the {stream.choice(NOUNS)} is older than the {stream.choice(NOUNS)}."


MODEL = Trigrams(sentence("training", i) for i in range(500))


def test_bridges_whose_words_find_the_answer() -> None:
    line = asked()
    ranks = (0, 4, 5, None)
    bridges = [replace(line, bridge=True, answer_rank=rank) for rank in ranks]
    assert hardness.hardness([*bridges, replace(line, answer_rank=0)])["single_hop"] == 1 / 2
    assert "single_hop" not in hardness.hardness([line])


def lines(gold: str | None) -> list[hardness.Line]:
    texts = [[sentence("line", i, j) for j in range(20)] for i in range(40)]
    return [[("Mill", text) for text in (gold or line[0], *line[1:])] for line in texts]


def test_a_planted_passage_is_picked_and_one_like_the_others_is_a_draw() -> None:
    found = hardness.odd_one_out(lines("Mill xyzzy plugh frotz quux grault garply waldo fred."), MODEL)
    assert found["surprise"] == found["rare"] == found["lead"] == found["long"] == 1.0
    found = hardness.odd_one_out(lines(None), MODEL)
    assert found["rare"] == found["lead"] == found["long"] == pytest.approx(1 / 20)
    assert found["surprise"] < 0.25


def test_gates_of_a_pair() -> None:
    real = hardness.hardness([asked(rank=0), asked(rank=None)])
    simulated = hardness.hardness([asked(rank=0), asked(rank=0)])
    failed = {name: gate["excess"] for name, gate in gates(real, simulated).items() if gate["excess"]}
    names = [f"BM25{apart}: gold in the first {cut}" for apart in ("", " without its article") for cut in (1, 10, 100)]
    assert failed == dict.fromkeys(names, pytest.approx(0.5 - 0.15))
    with_cheat = {"guesses": {"commonest": 0.5, "opening": 0.0, "template": 0.0}}
    without = {"guesses": dict.fromkeys(with_cheat["guesses"], 0.0)}
    failed = {name: gate["excess"] for name, gate in gates(without, with_cheat).items() if gate["excess"]}
    assert failed == {"answer by commonest": pytest.approx(0.5 - 0.1)}
    assert gates(real, {}) == {}, "what one side lacks is no gate"
