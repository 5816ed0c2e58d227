"""Gates of an encyclopaedia: every figure by hand, planted faults are found, and an even set is a coin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.stores.sentences.split import splitter
from devtools.quality import hardness
from devtools.quality.encyclopaedia import gates, judge
from devtools.quality.figures import spread
from devtools.quality.prose import Trigrams
from devtools.quality.search import Asked, curve, gold_rank
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


def test_gold_rank_of_one_passage_or_of_both() -> None:
    assert gold_rank([7, None, 3], linked=False) == 3
    assert gold_rank([7, 3], linked=True) == 7
    assert gold_rank([7, None], linked=True) is None
    assert gold_rank([None], linked=False) is None
    assert gold_rank([], linked=True) is None


def test_curve_counts_from_the_first() -> None:
    assert curve([0, 1, 4, 5, 99, 100, None, 9]) == {
        "1": 1 / 8, "10": 5 / 8, "100": 6 / 8,
    }  # fmt: skip


def test_bridges_whose_words_find_the_answer() -> None:
    line = asked()
    ranks = (0, 4, 5, None)
    bridges = [replace(line, bridge=True, answer_rank=rank) for rank in ranks]
    assert hardness.hardness([*bridges, replace(line, answer_rank=0)])["single_hop"] == 1 / 2
    assert "single_hop" not in hardness.hardness([line])


def test_overlap_is_of_content_words() -> None:
    gold = ["The Mill\nAnn Lee built it.", "It stands in Marlow."]
    assert hardness.overlap("Who built the old mill of Marlow?", gold) == 3 / 4, "who, the, of do not count"
    assert hardness.overlap("mill mill church", gold) == 1 / 2, "a word said twice counts once"
    assert hardness.overlap("Who was he?", gold) is None
    assert hardness.overlap("Café?", ["the CAFE"]) == 1.0


def test_spread_by_hand() -> None:
    assert spread([0.0, 1.0, None, 2.0, 3.0, 4.0]) == pytest.approx({
        "mean": 2.0, "sd": 2**0.5, "low": 0.0, "q05": 0.2, "q25": 1.0, "q50": 2.0, "q75": 3.0, "q95": 3.8, "high": 4.0,
    })  # fmt: skip
    assert set(spread([3.0]).values()) == {3.0, 0.0} and spread([None]) is None


def test_hardness_of_a_set() -> None:
    last = asked("Who was he?", rank=None, nearest=None)
    found = hardness.hardness([asked(rank=0, nearest=0.5), asked(rank=4, nearest=1.5), last])
    assert found["questions"] == 3
    assert found["bm25"] == found["bm25_apart"] == {"1": 1 / 3, "10": 2 / 3, "100": 2 / 3}
    assert found["question_gold_overlap"]["mean"] == 1.0 and found["nearest"]["mean"] == 1.0
    assert hardness.hardness([asked("Who was he?", nearest=None)])["nearest"] is None


def test_passages_by_hand() -> None:
    nine = "one day two men went far over the hills"  # two 8-grams
    found = hardness.passages([[f"{nine}. {nine.capitalize()}."], [f"{nine}."], ["Left out."]], splitter("punkt"), 27)
    assert (found["words"], found["types"]) == (27, 9), "read until there are 27 words"
    assert found["passage_words"]["mean"] == 13.5 and found["sentence_words"]["mean"] == 9.0
    # 18 words: eleven 8-grams, of which nine differ; 9 words: two, both known.
    assert found["repeated_masked"] == pytest.approx(4 / 13)


def test_masked_names_show_templates() -> None:
    told = [[f"It is said that {name} was the best known smith of the whole valley."] for name in ("Ann", "Bo", "Cy")]
    found = hardness.passages(told, splitter("punkt"), 1000)
    assert found["repeated_masked"] == pytest.approx(2 / 3)


def lines(gold: str | None) -> list[hardness.Line]:
    found = []
    for i in range(40):
        texts = [sentence("line", i, j) for j in range(20)]
        found.append([("Mill", text) for text in (gold or texts[0], *texts[1:])])
    return found


def test_a_planted_passage_is_picked() -> None:
    found = hardness.odd_one_out(lines("Mill xyzzy plugh frotz quux grault garply waldo fred."), MODEL)
    assert found["surprise"] == found["rare"] == found["lead"] == 1.0
    assert found["long"] == 1.0, "the shortest gives itself away as well"


def test_a_passage_like_the_others_is_a_draw() -> None:
    found = hardness.odd_one_out(lines(None), MODEL)
    assert found["rare"] == found["lead"] == found["long"] == pytest.approx(1 / 20)
    assert found["surprise"] < 0.25


def test_answer_place_is_that_of_the_first_alias() -> None:
    text = "one two three Ann Lee six seven eight nine ten"
    assert hardness.answer_place(text, ("Ann Lee",)) == 0.3
    assert hardness.answer_place(text, ("ten", "Two")) == 0.1
    assert hardness.answer_place(text, ("one",)) == 0.0
    assert hardness.answer_place(text, ("eleven", "yes")) is None


def test_places_find_a_fixed_position() -> None:
    words = [f"w{i}" for i in range(20)]
    even = [asked(gold=" ".join([*words[:i], "Ann Lee", *words[i + 2 :]])) for i in range(0, 20, 2)]
    assert hardness.fullest_tenth(even) == pytest.approx(0.1)
    fixed = [asked(gold=f"w w w Ann Lee {i} x x x x") for i in range(10)]
    assert hardness.fullest_tenth(fixed) == 1.0
    assert hardness.fullest_tenth([asked(gold="nothing here")]) is None


def test_guesses_leave_the_question_itself_out() -> None:
    apart = [asked(f"Who built {name}?", (f"Smith {name}",)) for name in NOUNS]
    assert hardness.guesses(apart) == {"commonest": 0.0, "opening": 0.0, "template": 0.0}
    same = [asked(f"Who built {name}?", ("Ann Lee",)) for name in NOUNS]
    assert hardness.guesses(same) == {"commonest": 1.0, "opening": 1.0, "template": 1.0}


def test_templates_give_answers_of_one_kind_away() -> None:
    jobs = [asked(f"What is the occupation of {name}?", ("politician",)) for name in NOUNS]
    rivers = [asked(f"What is the lake of {name}?", ("Ouse",)) for name in NOUNS]
    found = hardness.guesses([*jobs, *rivers])
    assert found["template"] == 1.0
    assert found["opening"] == found["commonest"] == 0.0, "without the question itself the other answer is commoner"


def test_a_guess_may_be_any_alias() -> None:
    known = [asked("Who a?", ("Ann Lee",)), asked("Who b?", ("Ann Lee",)), asked("Who c?", ("A. Lee", "Ann Lee"))]
    assert hardness.guesses(known)["commonest"] == 1.0


def test_a_gate_is_passed_at_its_limit() -> None:
    assert judge("eases", 0.5, 0.65, 0.15)["excess"] == 0.0
    assert judge("eases", 0.65, 0.45, 0.15)["excess"] == pytest.approx(0.05)
    assert judge("cheat", 0.65, 0.1, 0.15)["excess"] == 0.0, "a cheat that fails is no fault"
    assert judge("cheat", 0.1, 0.4, 0.1)["excess"] == pytest.approx(0.2)


def test_a_failed_gate_says_which_way() -> None:
    kinds = ("eases", "hardens", "cheat")
    assert judge("eases", 0.5, 0.6, 0.15)["verdict"] == ""
    assert [judge(kind, 0.5, 0.9, 0.1)["verdict"] for kind in kinds] == ["easier", "harder", "easier"]
    assert [judge(kind, 0.9, 0.5, 0.1)["verdict"] for kind in kinds] == ["harder", "easier", ""]


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


def test_two_passages_cannot_both_be_first() -> None:
    linked = hardness.hardness([asked(rank=1), asked(rank=6)])
    names = list(gates(linked, linked))
    assert names[:2] == ["BM25: gold in the first 10", "BM25: gold in the first 100"]
