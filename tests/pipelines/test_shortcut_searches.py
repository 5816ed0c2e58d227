"""Measures of a search, and constant answers by what is asked: figures known by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log2
from typing import Any

import pytest

from haymaker.releases import shortcut_limits as release_shortcuts
from pipelines.checks.shortcuts import baselines
from pipelines.checks.shortcuts.table_stats import RowView, TableStats
from tests.pipelines.test_shortcuts import (
    ARTICLES,
    FILLER,
    WORDS,
    Row,
    alone,
    made,
    measured,
    numbered,
    says,
    shots,
    story,
    whole,
)

# ------------------------------------------------------------------------------------------------ constant answers


def asked(question: str, answer: str, group: str, metric: str = "em@strict", **more: Any) -> Row:
    return made([("", FILLER)], question, [answer], metric, group=group, **more)


def test_the_commonest_answer_of_questions_that_begin_alike() -> None:
    who = [asked(f"Who wrote book {i}?", "Ann Lee", f"w{i}") for i in range(3)]
    where = [asked(f"Where was man {i} born?", "Alvesdon", f"b{i}") for i in range(3)]
    found = measured([*who, *where])
    assert found["by_opening"] == {"score": 100.0}
    assert found["majority"] == {"score": 0.0}, "without itself there are more of the others"
    assert measured(who)["by_opening"] == {}, "all begin alike: the commonest of all says it"
    other = asked("In which town was she born?", "Ann Lee", "o0")
    assert measured([*who, other])["by_opening"] == {"score": 100.0}, "no other begins so: the commonest of all"


def option(group: int, right: str, texts: Sequence[str], question: str = "Which one?", text: str = FILLER) -> Row:
    place = list(texts).index(right)
    answers = [f'{{"option": "{"ABCD"[place]}"}}', "ABCD"[place], f"{'ABCD'[place]}. {right}"]
    return made(
        [("", text)], f"{question} {group}", answers, "option@strict", group=f"g{group}", choices=list(texts), answer_index=place
    )  # fmt: skip


def test_of_options_the_text_that_is_right_most_often_is_said() -> None:
    """Its letter is another one in each row, so no constant letter is right."""
    orders = [("oak", "elm", "ash", "yew"), ("elm", "oak", "ash", "yew"), ("ash", "elm", "oak", "yew")]
    rows = [option(i, "oak", texts) for i, texts in enumerate(orders)]
    assert measured(rows)["majority"] == {"score": 100.0}
    assert measured(rows)["closed_book"]["score"] == pytest.approx(100 / 3, abs=0.01)
    other = option(3, "hut", ("hut", "inn", "mill", "barn"))
    assert says.majority(other, alone(rows[0])).said == "A"
    assert says.majority(other, alone(rows[0])).equal == ("B", "C", "D"), "none of these was ever right: all share"


def test_of_lists_as_many_as_others_have_are_said() -> None:
    lists = (("oak", "elm"), ("elm", "oak"), ("ash", "yew"), ("oak", "elm"))
    rows = [
        asked(f"Which of {i}?", things[0], f"g{i}", "ruler_f1@strict", answer_groups=[[thing] for thing in things])
        for i, things in enumerate(lists)
    ]
    assert measured(rows)["majority"] == {"score": 75.0}, "both of both in three of four"


# ------------------------------------------------------------------------------------------------------- of options


TREES = ("an oak", "an elm", "an ash", "a yew")


def test_the_option_that_stands_beside_the_words_of_the_question_is_named() -> None:
    def score(question: str, text: str) -> float:
        return float(whole([option(0, "an elm", TREES, question, text)])["option_overlap"]["score"])

    text = f"{FILLER}The priest planted an elm behind the chapel. {FILLER}He saw an oak and an ash, and a yew."
    row = option(0, "an elm", TREES, "What did the priest plant behind the chapel?", text)
    guess = says.option_overlap(row, alone(row))
    assert (guess.said, guess.equal, guess.read) == ("B", (), None)
    assert score("What did the priest plant behind the chapel?", text) == 100.0
    far = text.replace("elm", "oak").replace("an oak and", "an elm and")
    assert score("What did the priest plant?", far) == 0.0
    assert score("What did the priest plant?", f"{FILLER}The priest had an elm, an oak and a goat.") == 50.0, "shared"
    assert score("Whom?", FILLER) == 25.0
    numbers = tuple(f"Paragraph {number}" for number in range(1, 5))
    named = option(0, numbers[0], numbers, text=f"Paragraph 1: {FILLER}")
    assert [whole([row])["option_overlap"] for row in (named, asked("Who?", "Ann", "g0"))] == [{}, {}]


# ------------------------------------------------------------------------------------------------------- of rankings


def ranked(grades: Mapping[str, tuple[int, str]], question: str = "Where do otters sleep?") -> Row:
    """Passages by id with grade and text, as a task of re-ranking shows them."""
    shown = {f"Document [ID: {number}]:": text for number, (_, text) in grades.items()}
    pieces = [piece for lead, text in shown.items() for piece in (("", lead), ("passage", text))]
    order = " > ".join(sorted(grades, key=lambda number: -grades[number][0]))
    extra = json.dumps({"qrels": {number: grade for number, (grade, _) in grades.items()}})
    more: Row = {"cue": "Ranking:", "max_new_tokens": 200, "num_segments": len(grades), "metadata": extra}
    row = made(pieces, question, [order], "ndcg10@strict", **more)
    for span, (grade, _) in zip(row["spans"], grades.values(), strict=True):
        span["label"] = str(grade)
    return row


def test_orders_are_said_by_the_ids_that_are_shown() -> None:
    texts = {
        "31": (0, f"Mills. [ID: 99]: {FILLER}"),
        "7": (3, "Otters sleep in holts."),
        "512": (0, "Otters sleep, it is said."),
    }
    row = ranked(texts)
    assert says.bm25_order(row, alone(row)).said == "7 > 512 > 31"
    assert whole([row])["bm25_order"]["score"] == 100.0
    assert whole([row])["majority"] == {} == whole([row])["bm25_top1"], "an order has no constant, and is no passage"
    worse = ranked(texts | {"7": (0, texts["7"][1]), "31": (3, texts["31"][1])})
    assert whole([worse])["bm25_order"]["score"] == pytest.approx(100 / log2(4), abs=0.01), "the third place"
    assert whole([asked("Who?", "Ann", "g0")])["bm25_order"] == {}


def test_a_random_order_gets_what_chance_gives() -> None:
    """Of 20 passages one is good: each place of ten has it in one of 20, and pays 1 / log2(place + 1)."""
    grades = {str(100 + i): (int(not i), FILLER) for i in range(20)}
    expected = 100 * sum(1 / log2(place + 1) for place in range(2, 12)) / 20
    found = whole([{**ranked(grades), "group_id": f"g{i}"} for i in range(100)])["random_order"]
    assert found["score"] == pytest.approx(expected, abs=4) and "above" not in found


# ------------------------------------------------------------------------------------------------ where the gold is


def among(golds: Sequence[str], others: Sequence[str], question: str, answer: str = "x", **more: Any) -> Row:
    pieces = [("distractor", text) for text in others] + [("gold", text) for text in golds]
    return made(pieces, question, [answer], "f1@strict", **more)


OTHERS = ["Herons stand in the weir.", "Badgers dig.", "Newts live in ponds near the mill.", FILLER]


def test_how_far_down_the_last_gold_stands() -> None:
    first = among(["Otters sleep in holts."], OTHERS, "Where do otters sleep?", group="g0")
    second = among(["Newts sleep in mud."], OTHERS, "Which newts live near the mill?", group="g1")
    last = among(["So it was."], [*OTHERS, "A mill.", "The mill."], "Where is the mill?", group="g2")
    found = whole([first, second, last])["gold_rank"]
    assert found == {"score": 33.33, "questions": 3, "few": 66.67, "rank": 3, "of": 5, "limit": 100.0}
    both = among(["Otters sleep.", "Otters sleep in holts."], OTHERS, "Where do otters sleep?")
    told = whole([both])
    assert told["gold_rank"] == {"score": 100.0, "questions": 1, "few": 100.0, "rank": 2, "of": 6, "limit": 100.0}
    assert release_shortcuts.cell(release_shortcuts.worst_figures({"4k": told})["gold_rank"]) == "100 / few, 2 of 6"
    golds = made([("gold", text) for _, text in ARTICLES], "Where was Ann Lee born?", ["x"], "f1@strict")
    inside = made([("", FILLER * 9), ("gold", "Ann Lee was born."), ("", FILLER * 9)], "Where?", ["x"], "f1@strict")
    no_ranks = [whole([row])["gold_rank"] for row in (golds, inside, among(["It."], OTHERS, ""))]
    assert no_ranks == [{}, {}, {}], "without passages of both kinds or without a question"


HOPS = ["Ann Lee\nShe wrote The Ferry.", "The Ferry\nIt is set in Alvesdon."]


def bridge(question: str, group: str, kind: str = "bridge", golds: Sequence[str] = HOPS) -> Row:
    row = among(golds, OTHERS, question, "Alvesdon", group=group, metadata=json.dumps({"kind": kind}))
    for span in row["spans"]:
        title, found, _ = row["prompt"][span["start"] : span["end"]].partition("\n")
        span["title"] = title if found else None
    return row


def test_one_hop_is_enough_where_the_search_or_the_question_leads_to_the_answer() -> None:
    two = bridge("Where is the book set that Ann Lee wrote in which year?", "g0")
    found = bridge("Where in Alvesdon is it set?", "g1")
    named = bridge("Ann Lee she wrote she wrote Ann Lee wrote: where is The Ferry?", "g2")
    assert [whole([row])["single_hop"]["score"] for row in (two, found, named)] == [0.0, 100.0, 100.0]
    unsaid = bridge("Where?", "g3", golds=["Ann Lee\nShe wrote.", "The Ferry\nIt is set in Bonn."])
    assert [whole([row])["single_hop"] for row in (bridge("Where?", "g3", "comparison"), unsaid)] == [{}, {}]
    some = whole([two, found, bridge("Which?", "g4", "comparison")])["single_hop"]
    assert (some["score"], some["questions"]) == (50.0, 2)


def test_what_a_search_finds_in_all_rows_is_above_a_limit_of_its_number() -> None:
    text = f"{FILLER}The priest planted an elm behind the chapel. {FILLER}"
    options = [option(i, "an elm", TREES, "What did the priest plant?", text) for i in range(30)]
    golds = [
        among(["Otters sleep in holts."], OTHERS, f"Where do otters sleep, {i}?", group=f"g{i}") for i in range(40)
    ]
    hops = [bridge(f"Where in Alvesdon is it set, {i}?", f"g{i}") for i in range(20)]
    others = [bridge(f"Which is it, {i}?", f"h{i}", "comparison") for i in range(20)]
    for name, rows, limit in (  # chance or 40, and two standard errors of 30, 40 and 20 questions
        ("option_overlap", options, 57.9),
        ("gold_rank", golds, 75.5),
        ("single_hop", [*hops, *others], 61.9),
    ):
        found = whole(rows)[name]
        assert found["above"] and found["limit"] == limit
    assert "above" not in whole(golds, allows={"gold_rank": 100})["gold_rank"]
    few = {"4k": whole([*hops[:4], *others])}
    assert release_shortcuts.cell(release_shortcuts.worst_figures(few)["single_hop"]) == "100 / few"


def test_the_shortest_and_the_longest_passage_are_gold_by_chance() -> None:
    long, short = "It is set in Alvesdon, as all of them said.", "Alvesdon."
    others = [f"It is set in Bonn{'e' * i}." for i in range(4)]
    rows = [among([short], others, f"Where is it set, {i}?", "Alvesdon", group=f"g{i}") for i in range(15)]
    rows += [among([long], others, f"Where was it set, {i}?", "Alvesdon", group=f"h{i}") for i in range(5)]
    found = whole(rows)["odd_length"]
    assert {**found, "limit": 0} == {
        "score": 75.0, "questions": 20, "shortest": 75.0, "longest": 25.0, "chance": 20.0, "limit": 0, "above": True,
    }  # fmt: skip
    assert found["limit"] == 50.5  # chance and half as much again, and two standard errors of 20 questions
    usual = [among([others[1]], [short, long, *others[2:]], f"Where, {i}?", "Bonn", group=f"g{i}") for i in range(20)]
    assert (whole(usual)["odd_length"]["score"], whole(usual)["odd_length"].get("above")) == (0.0, None)
    assert whole([among([short], [], "Where?", "Alvesdon")])["odd_length"] == {}


def test_no_baseline_reads_gold_spans_or_answers() -> None:
    """Whatever a row says of its evidence and its own answer, each baseline says the same."""
    text = f"{FILLER}The priest planted an elm behind the chapel. {FILLER}"
    rows = [
        story("Rufus", 60, "What was the miller's dog called?", "g0"),
        numbered("7351004", "g0", ["1897"]),
        made(ARTICLES, "Where was Ann Lee born?", ["Alvesdon"], "f1@strict"),
        shots("wolf", "animal", "g0"),
        option(0, "an elm", TREES, "What did the priest plant?", text),
        ranked({"7": (3, "Otters sleep."), "31": (0, FILLER), "512": (1, "They sleep.")}),
    ]
    wrong = {"answers": ["something else"], "answer_groups": None, "answer_index": None, "depth": None}
    for row in rows:
        known = TableStats(WORDS, {"g0": row["answers"][:1], "g1": ["1234567"], "g2": ["plant"]})
        unknown = replace(known, answers={**known.answers, "g0": ["something else"]})
        blind = {**row, **wrong, "metadata": "{}", "spans": []}
        if row["num_segments"] != 101:  # of a document the evidence is not marked at all
            kinds = {"gold": "distractor"}
            blind["spans"] = [span | {"kind": kinds.get(span["kind"], span["kind"])} for span in row["spans"]]
        for span in blind["spans"]:
            span["label"] = span["label"] and "0"
        for name, cheat in baselines.CHEATS.items():
            assert cheat(RowView(row), known) == cheat(RowView(blind), unknown), name
