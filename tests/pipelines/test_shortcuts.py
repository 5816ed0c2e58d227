"""Baselines of shortcuts: figures known by hand, nothing taken from what a row knows of its evidence, the same in any order."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from corpora.tokenizers.tokenizer import load
from generators.spec import Table
from haymaker.core.errors import CheckFailed, ReleaseError
from haymaker.core.rows.parquet import open_writer, read_row_groups
from haymaker.core.rows.schema import arrow_schema, to_table
from haymaker.core.text.word_index import WordIndex
from haymaker.releases import shortcut_limits as release_shortcuts
from pipelines import stages
from pipelines.checks.shortcuts import (
    answer_formats,
    baselines,
    context_reader,
    lengths,
    limits,
    measure_tables,
    measures,
    outliers,
    questions,
)
from pipelines.checks.shortcuts.table_stats import RowView, TableStats
from pipelines.project import Project
from tests.errors import refused
from tests.extras import Once
from tests.haymaker.test_sample import sample
from tests.pipelines import tiny, tiny_generated
from tests.pipelines.test_validate import change, unused_wrong

Row = dict[str, Any]
FILLER = "The mill stood idle and the ferry lay at its rope while grey rain fell on the fields. "  # 18 words


class Words:
    """A tokenizer to count by hand: a word is a token."""

    def count(self, text: str) -> int:
        return len(text.split())

    count_part = count_inside = count

    def cuts_between(self, left: str, right: str) -> bool:
        return not left.isspace() and right.isspace()


WORDS: Any = Words()
says = SimpleNamespace(
    **{name: lambda row, known, cheat=cheat: cheat(RowView(row), known) for name, cheat in baselines.CHEATS.items()}
)
"""The cheats, each given a row as it is."""


def made(
    pieces: Sequence[tuple[str, str]], question: str, answers: Sequence[str], metric: str, *, cue: str = "Answer:",
    group: str = "g0", **more: Any,
) -> Row:  # fmt: skip
    """A row whose context is these pieces (kind of span or "", text), a blank line between them."""
    prompt, spans = "Read this.\n\n", []
    start = len(prompt)
    for kind, text in pieces:
        prompt += "" if len(prompt) == start else "\n\n"
        if kind:
            spans.append(
                {"start": len(prompt), "end": len(prompt) + len(text), "kind": kind, "title": None, "label": None}
            )
        prompt += text
    end = len(prompt)
    prompt += f"\n\n{question}\n{cue}"
    return {
        "id": f"made-{group}", "group_id": group, "prompt": prompt, "context_start": start, "context_end": end,
        "answer_prefix_start": len(prompt) - len(cue), "question": question, "answers": list(answers), "references": None,
        "choices": None, "answer_groups": None, "answer_index": None, "metrics": [metric], "max_new_tokens": 20, "stop": None, "spans": spans,
        "num_segments": len(pieces), "metadata": "{}", **more,
    }  # fmt: skip


def whole(rows: Sequence[Row], tokenizer: Any = WORDS, **more: Any) -> dict[str, Any]:
    """Figures and limits of a table of these rows."""
    known = measures.table_stats(rows, tokenizer, rows)
    seen = list(map(RowView, rows))
    return measures.of_rows(seen, seen, replace(known, **more))


def measured(rows: Sequence[Row], tokenizer: Any = WORDS, **more: Any) -> dict[str, Any]:
    """The figures alone."""
    found = whole(rows, tokenizer, **more)
    cheated = {
        name: {k: v for k, v in found[name].items() if k in ("score", "found", "read")} for name in baselines.CHEATS
    }
    return found | cheated


def alone(row: Row, **more: Any) -> TableStats:
    return TableStats(WORDS, {row["group_id"]: row["answers"][:1]}, **more)


# -------------------------------------------------------------------------------------------------- one document


def story(answer: str, at: int, question: str, group: str) -> Row:
    """100 sentences of 18 words; in one of them 8 or 9 more, that say the answer."""
    sentences, said = [FILLER] * 100, f"In spring the miller called his dog {answer}."
    sentences[at] = f"{FILLER}{said} "
    row = made([("", "".join(sentences).strip())], question, [answer], "f1@strict", group=group, num_segments=101)
    found = row["prompt"].index(said)
    gold = {"start": found, "end": found + 40, "kind": "gold", "title": None, "label": None}
    return {**row, "spans": [gold]}


def test_a_question_on_a_document() -> None:
    rows = [
        story("Rufus", 95, "What was the miller's dog called in spring?", "g0"),
        story("Basto", 3, "What was the miller's dog called in spring, 2?", "g1"),
        story("Trim", 40, "Who went to the fair with Trim?", "g2"),
        story("Old Bob", 60, "Which mill stood idle?", "g3"),
    ]
    found = measured(rows)
    assert (found["metric"], found["rows"]) == ("f1@strict", 4)
    # "trim" is one of the 6 words of the third question that count; no other question has a right one: F1 = 2 * 1/6 / (1/6 + 1).
    assert found["closed_book"] == {"score": round(100 * 2 / 7 / 4, 2), "found": 25.0}
    assert found["majority"] == {"score": 0.0}
    # The last 1,000 of 1,808 words are 55 sentences and some of another: those at 95 and 60 are there, at 40 and 3 not.
    assert found["last_1k"]["found"] == 50.0
    assert 55 < found["last_1k"]["read"] < 56
    # The questions about the dog find the sentence; "fair" and "Trim" that of the third; the mill stands everywhere.
    assert found["bm25_top1"]["found"] == 75.0


# ------------------------------------------------------------------------------------------- articles, paragraphs


ARTICLES = [
    ("distractor", "Article 1: The mill. " + FILLER * 3),
    ("gold", "Article 2: Ann Lee. She was born in Alvesdon, where her father kept bees. " + FILLER * 3),
    ("distractor", "Article 3: A harbour. Ships were built there. " + FILLER * 90),
]


def test_what_is_read_of_a_context_is_its_articles_or_else_its_sentences() -> None:
    def kinds(pieces: Sequence[tuple[str, str]], **more: Any) -> list[str]:
        return [unit.kind for unit in RowView(made(pieces, "?", ["x"], "f1@strict", **more)).units]

    row = made(ARTICLES, "Where was Ann Lee born?", ["Alvesdon"], "f1@strict")
    guess = says.bm25_top1(row, alone(row))
    assert guess.read == ARTICLES[1][1] == guess.said
    assert [unit.text for unit in RowView(row).units] == [text for _, text in ARTICLES]
    inner = {**row["spans"][1], "start": row["spans"][1]["start"] + 5}
    assert RowView({**row, "spans": [*row["spans"], inner]}).units == RowView(row).units, "gold inside an article"
    titled = made([("distractor", FILLER), ("gold", "Born in Alvesdon.")], "Who was Ann Lee?", ["bees"], "f1@strict")
    titled["spans"][1]["title"] = "Ann Lee"
    assert says.bm25_top1(titled, alone(titled)).read == "Ann Lee\nBorn in Alvesdon."
    golds = [("gold", text) for _, text in ARTICLES]
    assert kinds(golds) == ["gold"] * 3, "gold alone where there is nothing else"
    assert set(kinds(golds, num_segments=9)) == {""}
    needles = [
        ("", FILLER * 20),
        ("gold", "The key of Rome is 12."),
        ("distractor", "The key of Bonn is 7."),
        ("", FILLER),
    ]
    assert set(kinds(needles)) == {""}, "a needle in a book is no article"


def test_words_are_ranked_and_not_characters() -> None:
    units = [
        context_reader.Unit(0, 1, "eat ate aet tae eta a e t"),
        context_reader.Unit(1, 2, "They drank it at the pier: TEA."),
    ]
    assert context_reader.nearest(units, "tea") == units[1]
    assert context_reader.nearest(units, "coffee") == units[0], "nothing found: the first"
    assert context_reader.nearest([], "tea") is None


# ------------------------------------------------------------------------------------------------ labels and shots


def shots(asked: str, answer: str, group: str) -> Row:
    told = (
        ("a red rose", "plant"),
        ("the grey wolf", "animal"),
        ("one tall oak", "plant"),
        ("a small tin cup", "thing"),
    )
    pieces = [("shot", f"Text: {text}\nType: {label}") for text, label in told]
    names = ["animal", "plant", "thing"]
    index = names.index(answer)
    more: Row = {"choices": names, "answer_index": index, "group": group, "cue": "Type:", "max_new_tokens": 5}
    return made(pieces, asked, [answer], "label@strict", **more)


def test_labels_of_the_last_and_of_the_nearest_shot() -> None:
    asked = (("grey mice", "animal"), ("oak trees", "plant"), ("a tin can", "thing"), ("wolf", "animal"))
    found = measured([shots(text, label, f"g{i}") for i, (text, label) in enumerate(asked)])
    assert {name: figures for name, figures in found.items() if figures != {}} == {
        "metric": "label@strict",
        "rows": 4,
        "questions": 4,
        "baselines": {"random": 33.33, "echo": 0.0},
        "closed_book": {"score": 50.0},  # always "animal"
        "majority": {"score": 50.0},  # "animal" is the commonest but for itself; of equal ones the first by its letters
        "by_opening": {"score": 50.0},  # no two begin alike: the same
        "question_alone": {"score": 50.0},  # they share no word; the animals alone have a question with their answer
        "last_mentioned": {"score": 25.0},  # always "thing"
        "first_mentioned": {"score": 25.0},  # always "plant"
        "first_1k": {"score": 25.0, "read": 100.0},  # "plant", which two of the four shots show
        "last_1k": {"score": 25.0, "read": 100.0},
        "first_half": {"score": 50.0, "read": pytest.approx(50, abs=5)},  # a plant and an animal: the later
        "odd_out": {"score": 50.0, "read": pytest.approx(25, abs=5)},  # of the wolf, an animal
        "after_markers": {"score": 25.0, "read": pytest.approx(56, abs=5)},  # the label behind the last colon: "thing"
        "bm25_top1": {"score": 100.0, "read": pytest.approx(25, abs=5)},
    }


def test_what_a_shot_shows_and_where_an_output_ends() -> None:
    text = "Dialogue: A says Summary: no\nSummary: They met. "
    row = made([("shot", text)], "q", ["They met."], "f1@strict", cue="Summary:")
    without_cue = {**row, "answer_prefix_start": len(row["prompt"])}
    [unit] = RowView(row).units
    assert answer_formats.shown(row, unit) == "They met."
    assert answer_formats.shown(without_cue, unit) == ""
    assert answer_formats.shown(without_cue, replace(unit, label="HUM:ind")) == "HUM:ind"
    ends = {"max_new_tokens": 5, "stop": ["\n", "Dialogue:"], "metrics": []}
    assert answer_formats.in_answer_format("one\ntwo  three four five six", ends, WORDS) == "one two three four five"
    assert answer_formats.in_answer_format("one Dialogue: two", ends, WORDS) == "one "


def test_what_a_question_is_about_is_not_the_question() -> None:
    """LongBench's TriviaQA has passage and question in the column `question`: who says it again has read the passage."""
    rows = [
        made(
            [("shot", FILLER)], f"Ann {did}.\nQuestion: Who {did}?", ["Ann"], "f1@strict", group=did,
            metadata=json.dumps({"asked": f"Who {did}?"}),
        )
        for did in ("rowed", "sat")
    ]  # fmt: skip
    assert measured(rows)["closed_book"] == {"score": 0.0, "found": 0.0}
    noted = rows[0] | {"metadata": '{"asked": "rowed"}'}  # not the end of the question: something else
    assert questions.asked(noted) == noted["question"]


# ------------------------------------------------------------------------------------------------- the question alone

SIZES = {name: size for size, name in enumerate(("nut", "apple", "cup", "hat", "box", "suitcase", "chest", "cart"))}


def fits(one: str, other: str) -> Row:
    """Does one thing fit into another? By their sizes alone, as in bAbI's task 18."""
    answer = "yes" if SIZES[one] < SIZES[other] else "no"
    asked = f"Does the {one} fit in the {other}?"
    return made([("", FILLER)], asked, [answer], "babilong@strict", group=f"{one}-{other}", choices=["yes", "no"])


def test_the_question_alone_is_learnt_from_the_other_questions() -> None:
    """Which thing stands first says all: no word does, and no constant."""
    rows = [fits(one, other) for one in SIZES for other in SIZES if one != other]
    found = whole(rows)
    assert (found["closed_book"]["score"], found["majority"]["score"]) == (50.0, 0.0)
    alone = found["question_alone"]
    assert alone["score"] >= 85.0 and alone["limit"] == 77.7 and alone["above"]
    assert alone == whole(rows[::-1])["question_alone"], "in any order"
    fresh = [{**row, "answers": [("yes", "no")[number % 2]]} for number, row in enumerate(rows)]
    assert whole(fresh)["question_alone"]["score"] <= 60.0, "answers that no question tells"


def test_the_question_alone_says_nothing_where_nothing_can_be_learnt() -> None:
    def learnt(*asked: tuple[str, str]) -> Row:
        rows = [made([("", FILLER)], q, [answer], "f1@strict", group=f"g{i}") for i, (q, answer) in enumerate(asked)]
        return dict(measured(rows)["question_alone"])

    assert learnt(*((f"Who is {name}?", name) for name in ("Ann", "Ben", "Cy", "Di"))) == {}, "no answer comes again"
    assert learnt(*[("Who?", "Ann")] * 4) == {}, "all ask the same"
    assert measured([lettered(group, 0) for group in range(4)])["question_alone"] == {}, "options of their own"
    two = learnt(("Who is x?", "Ann"), ("Who is y?", "Ann"), ("Who is z?", "Ben"))
    assert two == {"score": round(100 * 2 / 3, 2)}, "its own answer has no vote"


# ----------------------------------------------------------------------------------------------- closed, majority


def yes_no(answer: str, group: str) -> Row:
    return made([("", FILLER * 2)], f"Is {group} open?", [answer], "f1@strict", group=group)


def test_yes_and_no_get_the_best_constant_and_are_not_looked_for() -> None:
    found = measured([yes_no(answer, f"g{i}") for i, answer in enumerate(("No", "no", "yes", "no"))])
    assert found["closed_book"] == {"score": 75.0}
    assert found["last_1k"] == {"score": 0.0, "read": 100.0}
    some = [yes_no("Ann", "g0"), yes_no("no", "g1"), yes_no("no", "g2")]
    assert "found" not in measured(some)["last_1k"]
    assert measured(some[:2])["last_1k"]["found"] == 0.0, "half of the rows"


def test_the_same_question_at_three_depths_has_no_vote_for_itself() -> None:
    rows = [made([("", FILLER)], f"q{i}?", ["bees"], "f1@strict", group="g0", id=f"r{i}") for i in range(3)]
    assert "score" not in measured(rows)["majority"]


def lettered(group: int, by: int) -> Row:
    """An option to be named, in one of four orders; the text says it in the last words and in none before."""
    texts = [f"{word} of {place}" for word, place in zip(("north", "south", "east", "west"), "pqrs", strict=True)]
    options = [texts[(at - by) % 4] for at in range(4)]
    right = options.index(texts[group % 4])
    answers = [f'{{"option": "{"ABCD"[right]}"}}', "ABCD"[right], f"{'ABCD'[right]}. {options[right]}"]
    return made(
        [("", f"{FILLER * 80}It lay {texts[group % 4].split()[0]} of it.")], f"Where is {group}?", answers, "option@strict",
        group=f"g{group}", choices=options, answer_index=right,
    )  # fmt: skip


def test_options_to_be_named_by_letter() -> None:
    """Each letter is right as often; the last words read say which option, and the nearest option is named."""
    found = measured([lettered(group, by) for group in range(4) for by in range(4)])
    assert found["closed_book"] == {"score": 25.0}
    assert found["last_1k"]["score"] == 100.0 and "found" not in found["last_1k"]
    assert found["bm25_top1"]["score"] == 25.0, "the words nearest to the question name none: the first letter"
    uneven = measured([lettered(group, by) for group, by in enumerate((2, 1, 2, 2))])  # C, C, A, B
    assert uneven["closed_book"] == {"score": 50.0}, "the best letter"


def test_paragraphs_to_be_named_or_chosen_by_letter() -> None:
    """Of the paragraphs that the options name, the nearest to the question; another one that is nearer names no letter."""
    told = ("Otters and herons", "Herons", "Badgers", "Newts", "Mice")
    pieces = [("passage", f"{FILLER * 30}{word}.") for word in told]
    pieces[1] = ("gold", pieces[1][1])
    named = made(pieces, "It tells of badgers.", ["Paragraph 3"], "longbench_retr@strict")
    assert says.bm25_top1(named, alone(named)).said == "Paragraph 3"
    assert says.last_1k(named, alone(named)).said == "Paragraph 4", "the first of those in the last 1,000 words"
    assert measures.short(named) == [], "a header that says Paragraph 3 says nothing"
    row = made(
        pieces, "It tells of otters or herons.", ['{"option": "C"}', "C", "C. Paragraph 2"], "option@strict",
        choices=["Paragraph 5", "Paragraph 3", "Paragraph 2", "Paragraph 4"], answer_index=2,
    )  # fmt: skip
    assert says.bm25_top1(row, alone(row)).said == "C"
    assert says.last_1k(row, alone(row)).said in "AD", "the second is not among the last 1,000 words"
    assert says.bm25_top1({**row, "question": "It tells of newts."}, alone(row)).said == "D"


def test_no_row_of_a_row_group_may_be_measured(tmp_path: Path) -> None:
    """Rows are measured in whole groups, so a part of a file may have none of them."""
    file = tmp_path / "test-00000-of-00001.parquet"
    with open_writer(file, 1) as writer:
        for name in "ab":
            writer.write_table(to_table([replace(sample([]), id=name, group_id=name)]))
    assert [row["id"] for row in measure_tables._rows([file], (), frozenset("b"))] == ["b"]


# -------------------------------------------------------------------------------------------------------- summaries


def summary(i: int, question: str) -> Row:
    first = f"The council of town {i} met and closed the old bridge."
    text = f"{first} {FILLER * 80}Nobody spoke of the weir that town {i} had lost."
    return made([("", text)], question, [f"{first} Nobody spoke of the weir, though town {i} had lost it years before."],
                "rouge_l@strict", group=f"g{i}", max_new_tokens=11)  # fmt: skip


def test_a_summary_without_a_question_is_led_by_the_beginning() -> None:
    rows = [summary(i, f"Write a summary of about {300 + i} words.") for i in range(3)]
    found = measured(rows)
    # 9 words without articles, all of them the first of a reference of 21: P = 1, R = 9/21.
    assert found["bm25_top1"]["score"] == round(100 * 2 * 9 / (9 + 21), 2)
    assert found["closed_book"] == {} and "found" not in found["bm25_top1"]
    asked = measured([summary(0, "What was said of the weir?"), summary(1, "What was lost?")])
    assert asked["bm25_top1"]["score"] != found["bm25_top1"]["score"] and asked["closed_book"]["score"] >= 0


def test_a_chinese_text_is_packed_and_cut_by_its_characters() -> None:
    others = "".join(f"第{number}句话说的是别的事情，没有答案。" for number in range(40))
    text = f"{others}王明住在北京。{'天气很好。' * 40}"
    units = context_reader.packed(WordIndex(text))
    assert "".join(unit.text for unit in units) == text
    assert all(len(unit.text) < 130 and unit.text.endswith("。") for unit in units)
    found = context_reader.nearest(units, "王明住在哪里？")
    assert found is not None and "王明住在北京" in found.text
    tokenizer = load("tekken")
    assert lengths.last_words(WordIndex(text), tokenizer, 20) > len(text) - 60
    assert 0 < lengths.first_end(WordIndex(text), tokenizer, 20) < 60
    assert text.startswith(said := lengths.first_words(text, tokenizer, 20)) and 10 < len(said) < 60
    plain = "面包师从河边带回了新米。 面包师从河边带回了米酒。 面包师从河边带回了灯笼。"
    numbers = f"{plain} 银色灯塔的特别编号是1234567。 门上的号码为7654321号，共3个。 {plain}"
    assert outliers.codes(numbers) == ["1234567", "7654321"]
    assert outliers.odd_one(WordIndex(numbers)) == "银色灯塔的特别编号是1234567"
    lengths_of = {len(unit.text) for unit in context_reader.packed(WordIndex(f"{plain} " * 12))}
    assert lengths_of == {116}, "nine sentences of eleven characters, and their marks"


# ------------------------------------------------------------------------------------------------- metric, limits


def test_a_metric_that_needs_a_model_or_that_a_row_lacks_gives_way() -> None:
    def id_of(*metrics: Sequence[str]) -> str:
        plain = made([("", FILLER)], "Who?", ["Ann"], "")
        return getattr(measures.primary([plain | {"metrics": list(each)} for each in metrics]), "id", "")

    assert id_of(("judge_qa@strict", "f1@official", "f1@strict")) == "f1@strict"
    assert id_of(("keypoints@strict", "rouge_l@strict")) == "rouge_l@strict", "no key points in this row"
    assert id_of(("em@strict", "f1@strict"), ("f1@strict",)) == "f1@strict"
    assert id_of(("judge_qa@strict",)) == ""


# ---------------------------------------------------------------------------------- skimmed, without its sense


def numbered(value: str, group: str, decoys: Sequence[str] = ()) -> Row:
    """A number in a text of 180 words, with others beside it."""
    told = [f"The {name} of the mill is {code}." for name, code in zip("abcdef", [*decoys, value], strict=False)]
    text = f"{FILLER * 5}{' '.join(told)} {FILLER * 5}".strip()
    metrics = ["ruler_f1@strict", "ruler_all@strict"]
    return {**made([("", text)], f"What is the number of {group}?", [value], "", group=group), "metrics": metrics,
            "answer_groups": [[value]]}  # fmt: skip


def test_the_only_number_of_its_shape_is_found_without_reading() -> None:
    alone = [numbered(f"73510{i}4", f"g{i}", ["1897", "12"]) for i in range(5)]
    found = whole(alone)
    assert found["metric"] == "ruler_f1@strict"
    assert found["digit_finder"]["score"] == 100.0 and found["digit_finder"]["above"]
    among = [numbered(f"73510{i}4", f"g{i}", [f"88812{n}{i}" for n in range(4)]) for i in range(4)]
    score = measured(among)["digit_finder"]["score"]
    assert score == pytest.approx(100 / 3, abs=0.1), "one of five: F1 = 2 * 0.2 / 1.2"
    longer = [numbered(f"73510{i}4", f"g{i}", [f"8881234{i}900"]) for i in range(4)]
    assert measured(longer)["digit_finder"]["score"] == 100.0, "the shape of the other answers, not the longest"
    assert measured(longer[:1])["digit_finder"]["score"] == 0.0, "of one question the longest"
    text = "In 1897 key 0a1b-22 and 9f00-31, and 7654321."
    assert outliers.codes(text) == ["0a1b-22", "9f00-31"] and outliers.codes(text, (4, False)) == ["1897"]


def test_the_odd_sentence_out() -> None:
    text = FILLER * 9 + "Zebras juggle quartz under violet umbrellas. " + FILLER * 9
    assert outliers.odd_one(WordIndex(text)) == "Zebras juggle quartz under violet umbrellas"
    assert outliers.odd_one(WordIndex("tea, milk tea milk rye tea")) == "rye, milk, tea", "a list of words: the rarest"
    row = made([("", text)], "Which stone?", ["quartz"], "f1@strict")
    assert measured([row])["odd_out"]["found"] == 100.0
    among = made([("", text)], "What?", ["umbrellas"], "label@strict", choices=["ferry", "umbrellas"], answer_index=1)
    assert says.odd_out(among, alone(among)).said == "umbrellas", "of choices the one in it"


def announcing(lead: str, group: str, claim: str, *others: str) -> Row:
    """A row on a story that announces a claim twice, behind a lead-in, and tells the others without one."""
    told = f"{FILLER * 9}{lead} {claim}. " + "".join(f"{other}. {FILLER}" for other in others) + f"{lead} {claim}. "
    return made([("", f"{told}{FILLER * 9}")], f"What of {group}?", [claim], "f1@strict", group=group)


CLAIMS = ("Ann robs the bank", "Ben sails to Malta", "Cy sells the white horse", "Dot marries the clerk")


def test_what_a_text_announces_is_read_first() -> None:
    """Summaries of simulated stories: "For the main matter one sentence is enough: ..." stood before each key point."""
    rows = [announcing("For the main matter one line is enough:", f"g{i}", claim) for i, claim in enumerate(CLAIMS)]
    found = measured(rows)["after_markers"]
    assert found["score"] > 90 and found["found"] == 100.0 and found["read"] < 5


def test_a_lead_in_without_a_colon_is_known_by_what_recurs_after_it() -> None:
    lead = "The reader will not forget that"
    rows = [announcing(lead, f"g{i}", claim) for i, claim in enumerate(CLAIMS)]
    assert measured(rows)["after_markers"]["found"] == 100.0
    assert measured(rows[:2])["after_markers"]["found"] == 0.0, "two texts after it: no formula"
    varied = [announcing(f"Of {claim[:3]} and of all that we", claim[:3], claim) for claim in CLAIMS]
    assert measured(varied)["after_markers"]["found"] == 0.0
    units = [part for i in range(4) for part in (("", f"Document (Title: No. {i}): "), ("passage", FILLER * 3))]
    titled = made(units, "Which?", ["No. 2"], "f1@strict")
    assert measured([titled])["after_markers"]["found"] == 0.0, "what stands before every passage announces nothing"


def test_first_and_last_of_the_choices_as_whole_words() -> None:
    text = "The gardener saw the Hall. A cat in the kitchen; the kitchen garden and the hallways."
    names = ["garden", "hall", "kitchen", "attic"]
    row = made([("", text)], "Where?", ["hall"], "label@strict", choices=names, answer_index=1)
    assert says.first_mentioned(row, alone(row)).said == "hall"
    assert says.last_mentioned(row, alone(row)).said == "garden", "hallways is not hall, gardener is not garden"
    assert says.last_mentioned({**row, "choices": ["attic"]}, alone(row)).said == ""
    assert says.last_mentioned({**row, "choices": None}, alone(row)).said is None
    assert (
        answer_formats.mentioned("person person:teacher", ["person", "person:teacher"], last=True) == "person:teacher"
    )


# ------------------------------------------------------------------------------------------------ parts of a context


def test_the_oracle_is_given_whole_units_of_a_part_between_the_same_words() -> None:
    row = story("Rufus", 95, "What was the miller's dog called in spring?", "g0")
    given: list[str] = []

    def solve(prompt: str) -> list[str] | None:
        given.append(prompt)
        found = re.search(r"called his dog (\w+)", prompt)
        if "dog" not in prompt.partition("\n\n")[2].rpartition("\n\n")[0]:
            raise ValueError("no dog in the text")
        return [found[1]] if found else None

    found = whole([row], solve=solve)
    figures = {name: (found[name]["score"], found[name].get("found")) for name in ("first_1k", "last_1k", "first_half")}
    # An error is no answer and counts; words are looked for where the oracle could not read the part.
    assert figures == {"first_1k": (0.0, 0.0), "last_1k": (100.0, None), "first_half": (0.0, 0.0)}
    head, tail = row["prompt"][: row["context_start"]], row["prompt"][row["context_end"] :]
    for prompt in given:
        assert prompt.startswith(head) and prompt.endswith(tail)
        part = prompt[len(head) : len(prompt) - len(tail)]
        assert part.startswith(("The mill", "In spring")) and part.endswith("."), "no sentence is cut"
    assert [len(prompt.split()) < 1020 for prompt in given] == [True] * 3


def test_a_share_of_the_context_may_give_its_share_of_the_answers() -> None:
    assert limits.score("last_1k", 10, 25, 0, 10**9) == pytest.approx(10 + 90 * 0.25, abs=0.1)
    assert limits.score("closed_book", 10, 25, 0, 10**9) == pytest.approx(10, abs=0.1)
    assert limits.score("closed_book", 10, 0, 60, 10**9) == pytest.approx(60, abs=0.1), "what the task allows"
    assert limits.score("closed_book", 10, 0, 5, 100) == 16.0, "two standard errors of 100 questions: 2 * 3"
    assert limits.score("closed_book", 10, 0, 0, 4) == 50.0 and limits.within(100, 3) == 100.0
    assert limits.within(10, 10) == 30.0, "by luck three of ten are right in 7 of 100 tables, four in 1"
    assert limits.within(10, 25) == 24.0, "six of 25 are right in 3 of 100 tables, seven in 1"
    assert limits.found("last_1k", 30, 0, 10**9) == pytest.approx(55, abs=0.1)
    assert limits.found("majority", 0, 0, 9) is None
    for right, above in ((15, False), (16, True)):  # the limit of 15 / 18 is written as 83.3
        found = {"score": round(100 * right / 18, 2)}
        assert ("above" in measures._limits("gold_rank", found, 10, 0, 18)) == above


def test_chance_of_closed_sets() -> None:
    def chance(*sizes: int, metric: str = "label@strict") -> float:
        rows = [made([("", FILLER)], "?", ["x"], metric, choices=list("abcdefghijklmnop"[:n]) or None) for n in sizes]
        return limits.by_chance(rows, metric)

    assert [chance(2), chance(4), chance(6), chance(16)] == [65, 37.5, 25, 10]
    assert chance(0) == 10 and chance(0, metric="rouge_l@strict") == 25 and chance(0, 2) == 37.5


def test_what_a_task_allows_lifts_its_limit_alone() -> None:
    rows = [numbered(f"73510{i}4", f"g{i}") for i in range(40)]
    assert whole(rows)["digit_finder"]["above"]
    allowed = whole(rows, allows={"digit_finder": 100})
    assert "above" not in allowed["digit_finder"] and allowed["digit_finder"]["limit"] == 100.0
    assert allowed["majority"]["limit"] == whole(rows)["majority"]["limit"]


def test_rows_of_one_question_are_one_question() -> None:
    rows = [{**numbered("7351004", "g0"), "id": f"r{i}"} for i in range(30)]
    found = whole(rows)
    assert (found["rows"], found["questions"]) == (30, 1)
    assert found["digit_finder"]["score"] == 100.0 and "above" not in found["digit_finder"]


# --------------------------------------------------------------------------------------- what is said of all lengths


def test_the_worst_length_of_enough_questions_speaks() -> None:
    def at(questions: int, score: float, limit: float) -> dict[str, Any]:
        mark = {"above": True} if score > limit else {}
        return {"questions": questions, "majority": {"score": score, "limit": limit, **mark}}

    task, other = {"4k": at(50, 30, 25), "16k": at(20, 40, 28), "128k": at(3, 100, 60)}, {"4k": at(50, 20, 25)}
    found = release_shortcuts.worst_figures(task)["majority"]
    assert (found.length, found.figure, found.limit, found.above) == ("16k", 40, 28, 2)
    assert release_shortcuts.cell(found) == "40 / 28 ⚠" and release_shortcuts.cell(None) == "-"
    few = release_shortcuts.worst_figures({"64k": at(2, 10, 60), "128k": at(4, 100, 60)})["majority"]
    assert (few.length, few.above) == ("128k", 1), "of a task without such the length of most"
    measured = {"helmet": {"nq": task, "other": other}}
    assert release_shortcuts.lines(measured) == [
        "helmet/nq: majority 40 %, limit 28 % at 16k (lengths above: 2)",
        "shortcuts above their limits: 1, of 1 tasks",
    ]
    assert release_shortcuts.lines({"helmet": {"other": other}}) == ["no shortcut above its limit"]
    assert release_shortcuts.table(measured)[-1].startswith("| helmet/other | - | 20 / 25 |")
    read = at(50, 5, 25)["majority"] | {"found": 90.0, "found_limit": 60.0, "above": True}
    found = release_shortcuts.worst_figures({"4k": {"questions": 50, "rows": 50, "majority": read}})["majority"]
    assert (found.kind, found.figure) == ("found", 90.0), "what was read is held to its own limit"
    assert release_shortcuts.cell(found) == "(90 / 60) ⚠"


# ------------------------------------------------------------------------------------------------ tables, release


def test_lengths_up_to_128k_and_50_rows_by_group() -> None:
    def table(task: str, length: str, rows: int, **more: Any) -> Table:
        return Table("s", task, length, "test", rows, **more)

    long, only = [table("a", "4k", 50), table("a", "64k", 10)], [table("b", "64k", 2), table("b", "128k", 4)]
    others = [table("a", "0k", 50), table("a", "128k", 5), table("a", "1M", 50), table("c", "4k", 9, of_output=True)]
    found = measure_tables.measured_tables([*long, *only, *others])
    assert found == [*long, only[1]], "lengths of few rows where there are no others"
    most = [measure_tables.most_rows(table("a", length, 500)) for length in ("4k", "16k", "32k", "128k")]
    assert most == [50, 18, 10, 10]
    rows = [{"id": f"q{i}-d{d}", "group_id": f"q{i}"} for i in range(40) for d in range(3)]
    ids = measure_tables.chosen(rows)
    assert len(ids) == 48 < measure_tables.ROWS and ids == measure_tables.chosen(rows[::-1])
    groups = sorted({one.split("-")[0] for one in ids})
    assert len(groups) == 16, "whole groups alone"
    fewer = [row for row in rows if row["group_id"] not in groups[:3]]  # a longer length, where some are missing
    assert {one for one in ids if one.split("-")[0] in groups[3:]} <= measure_tables.chosen(fewer)
    first = measure_tables.one_of_each(rows, 20)
    assert len(first) == 20 and len(measure_tables.one_of_each(rows)) == 40
    assert first == measure_tables.one_of_each(rows[::-1], 20)
    assert {one.split("-")[0] for one in first} >= set(groups), "the same questions, and more"
    assert {one.split("-")[1] for one in first} == {"d0", "d1", "d2"}, "one of its rows, not always the same"
    single = [{"id": f"q{i}", "group_id": f"q{i}"} for i in range(60)]
    large = [{"id": f"q-{i}", "group_id": "q"} for i in range(60)]
    assert len(measure_tables.chosen(single)) == len(measure_tables.chosen(large)) == measure_tables.ROWS


@pytest.fixture
def finished(once: Once) -> Project:
    """A release of shots, documents and made-up tasks; to be read only."""
    return Project(once("made", lambda root: tiny.run_alone(tiny_generated.make(root))))


def reported(project: Project) -> dict[str, Any]:
    return dict(json.loads((project.reports / "validate.json").read_text()).get("shortcuts", {}))


def test_report_output_and_card_of_every_suite(
    finished: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tiny.copy(finished.root, tmp_path / "mine")
    found, card = reported(mine), (mine.release / "README.md").read_text()
    page = (mine.release / "BASELINES.md").read_text()
    assert found.keys() == {"frontier", "helmet", "synthetic"}, "no suite has to ask for it"
    assert {task: list(figures) for task, figures in found["helmet"].items()} == {
        "icl_aggregate": ["4k"], "icl_banking77": ["4k"], "icl_natural": ["4k"],
        "infbench_choice_eng": ["4k"], "infbench_sum_eng": ["32k"], "narrativeqa": ["4k"],
    }  # fmt: skip
    section = page[page.index("**Limits.**") : page.index("## Baselines\n")]
    names = [line.split(" | ")[0].strip("| ") for line in section.splitlines() if line.startswith("| ")]
    tasks = [task for by_task in found.values() for task in by_task]
    few = ["task", "---", "infbench_choice_eng"]  # of options alone
    assert sorted(names) == sorted([*tasks, *few, *few[:2] * 3]), "one line for each task"
    said = release_shortcuts.lines(found)
    marked = dict.fromkeys(f"{suite}/{task}" for suite, task, _ in release_shortcuts.over_limit(found))
    assert page.count(": baselines\n") == len(found), "a table for each suite"
    assert section.count(" ⚠ |") == len(said) - 1 and all(f"{task} (" in card for task in marked)

    files, version = json.loads((mine.reports / "validate.json").read_text())["files"], tiny.version_of("validate")
    every, some = measure_tables.measured_tables, ("narrativeqa", "vt")
    few_of = {
        suite: few
        for suite, by_task in found.items()
        if (few := {task: by_task[task] for task in some if task in by_task})
    }
    monkeypatch.setattr(measure_tables, "measured_tables", lambda all_: [t for t in every(all_) if t.task in some])
    monkeypatch.setenv("HAYMAKER_WORKERS", "2")
    kept: list[set[tuple[str, int]]] = [set()]
    for number in (version, version, version + 1):
        assert measure_tables.measured(mine, files, number) == few_of, "any number of workers"
        kept.append({(str(path), path.stat().st_mtime_ns) for path in mine.work.glob("shortcuts/tiny/**/done.json")})
    assert kept[1] == kept[2] and not kept[2] & kept[3], "measured again with another version alone"


def test_files_and_their_order_change_nothing_and_every_row_is_needed(finished: Project, tmp_path: Path) -> None:
    """One file of all rows, or two with the rows from last to first; of missing rows every figure would be nothing."""
    mine = tiny.copy(finished.root, tmp_path / "mine")
    table = next(t for s in mine.suites() if s.name == "helmet" for t in s.tables() if t.task == "narrativeqa")
    sent = measure_tables._sent(mine, table)
    before = measure_tables.of_table(sent, tmp_path)
    [file] = (mine.release / "data/helmet/narrativeqa" / table.length).glob("*.parquet")
    rows = [row for group in read_row_groups(file) for row in group.to_pylist()][::-1]

    def write(*parts: list[Row]) -> None:
        for number, part in enumerate(parts):
            with open_writer(file.parent / f"test-{number:05d}-of-{len(parts):05d}.parquet", 1) as writer:
                writer.write_table(pa.Table.from_pylist(part, schema=arrow_schema()))

    file.unlink()
    write(rows[:3], rows[3:])
    assert measure_tables.of_table(sent, tmp_path) == before and before["rows"] == table.rows == len(rows)
    for path in file.parent.iterdir():
        path.unlink()
    for written in ((), ([],)):  # no file, or one without rows
        write(*written)
        with refused(ReleaseError, "", 0, table.rows):
            measure_tables.of_table(sent, tmp_path)


def test_rows_that_are_not_verified_are_not_measured(finished: Project, tmp_path: Path) -> None:
    mine = tiny.copy(finished.root, tmp_path / "mine")
    change(mine.release / "data/helmet/narrativeqa/4k/test-00000-of-00001.parquet", unused_wrong)
    with refused(CheckFailed, "validate.json", 1, "BUDGET"):
        stages.run(Project(mine.root), "validate")
    assert reported(mine) == {}


# --------------------------------------------------------------------------------- conversations and graphs, floors


TEXTS = [
    f"{word} trains\n\nThe {word.lower()} train leaves at {hour}." + " Nobody waits, and the lamps go out." * 56
    for hour, word in enumerate(["Night", "Slow", "Old"])
]


def needle_row(asked: int) -> Row:
    """Three texts of 2,000 characters on one request, as a conversation with line breaks."""
    pieces = [("", f"User: Write a poem about trains.\n\nAssistant: {text}") for text in TEXTS]
    facts = {"string": "aB3x", "asked": asked, "needles": 3, "chat_template": "none"}
    row = made(
        pieces, f"User: Prepend aB3x to poem {asked}.", [f"aB3x{TEXTS[asked - 1]}"], "mrcr@strict", group=f"m{asked}"
    )
    messages = [{"role": "user", "content": "Write a poem about trains."}]
    return row | {"references": TEXTS, "messages": messages, "metadata": json.dumps(facts), "max_new_tokens": 600}


def graph_row(*right: str) -> Row:
    edges = "\n".join(f"n{i} -> n{i * 7 % 40}" for i in range(40))
    stored = f"Final Answer: [{', '.join(right)}]"
    more = {"answer_groups": [[name] for name in right], "max_new_tokens": 60}
    return made([("", edges)], "Find the parents.", [stored], "graphwalks@strict", group=f"w{len(right)}") | more


def test_floors_are_means_of_outputs_under_the_primary_metric() -> None:
    rows = list(map(needle_row, (1, 2, 3)))
    floors = {
        "first": lambda row: [f"aB3x{row['references'][0]}"],
        "random": lambda row: [f"aB3x{text}" for text in row["references"]],
        "empty": lambda row: [""],
    }
    found = whole(rows, right=lambda row: row["answers"][0], floors=floors)
    assert found["floors"]["first"] == pytest.approx(found["floors"]["random"], abs=1) and found["floors"]["empty"] == 0
    assert 33 < found["floors"]["first"] < 100
    assert found["baselines"]["oracle"] == 100, "line breaks of a text to repeat are kept"
    assert "floors" not in whole(rows), "a task without floors has the figures of before"


@pytest.mark.parametrize(
    "rows", [list(map(needle_row, (1, 2, 3))), [graph_row(), graph_row("n1"), graph_row("n1", "n2")]]
)
def test_every_shortcut_reads_conversations_and_rows_without_a_right_node(rows: list[Row]) -> None:
    solved = {row["prompt"]: row["answers"] for row in rows}
    found = whole(
        rows, solve=lambda prompt: solved.get(prompt, rows[0]["answers"]), right=lambda row: row["answers"][0]
    )
    assert all("score" in found[name] for name in ("first_1k", "first_half", "bm25_top1", "digit_finder", "odd_out"))
    assert found["baselines"]["oracle"] == 100
    assert all(whole([row])["metric"] == rows[0]["metrics"][0] for row in rows)
