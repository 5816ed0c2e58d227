"""Rows of all nine tasks over small mined sets: counts, places, nesting, checks, and one row by heart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.mined import write_mined
from corpora.stores.passages.store import unit
from corpora.tokenizers import tokenizer
from generators.helmet.passages import TASKS as HELMET
from generators.helmet.passages import TASKS as SPECS
from generators.passages import task as passage_task
from generators.passages.checks import answer_leaks, as_mined, folded, letters, passages
from generators.passages.variants import place
from generators.suite import ReleaseSuite
from generators.synthetic.paragraphs import TASKS as RULER
from haymaker.core.errors import BuildError, CorpusError, ParamsError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream
from haymaker.core.rows.ranking import random_ndcg
from haymaker.core.rows.schema import to_table
from haymaker.scoring.metrics import all_metrics
from tests.generators.kit import (
    Injury,
    Row,
    Rows,
    assert_named,
    drawn,
    findings_of,
    finished,
    metadata,
    note,
    refused,
    rows_of,
    said,
    sound,
    spans,
)
from tests.generators.passages import small

TASKS: dict[str, Any] = {
    "kilt_nq": {"retrieval_set": "single", "lengths": {"4k": 12, "8k": 12, "16k": 6}},
    "kilt_triviaqa": {"retrieval_set": "single", "lengths": {"4k": 6}, "shots": 0},
    "kilt_popqa": {"retrieval_set": "single", "lengths": {"4k": 6}, "depths": 3, "order": "shuffled"},
    "kilt_hotpotqa": {"retrieval_set": "twohop", "lengths": {"4k": 6, "8k": 6}},
    "msmarco_rerank": {"retrieval_set": "search", "lengths": {"4k": 6, "8k": 6, "16k": 3}},
    "alce_asqa": {"retrieval_set": "several", "lengths": {"4k": 3, "8k": 3, "16k": 3}},
    "alce_qampari": {"retrieval_set": "several", "lengths": {"8k": {"test": 3, "train": 2}}},
    "alce_asqa_nocite": {"retrieval_set": "several", "lengths": {"4k": 2}},
    "alce_qampari_nocite": {"retrieval_set": "several", "lengths": {"4k": 2}, "order": "retrieval"},
    "nq_grid": {"base": "kilt_nq", "retrieval_set": "single", "lengths": {"8k": 11}, "depths": 11},
}
GRADES = [3, 2, 0, 0, 1, 1, 0, 2, 0, 1]
TWOHOP: dict[str, Any] = {"golds": 2, "kind": "bridge", "answers": ["Vuqe Zz"], "answer_groups": []}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("helmet")
    single = [small.question("test", i, 130) for i in range(5)] + [small.question("train", i, 8) for i in range(6)]
    twohop = [small.question("test", i, 80, **TWOHOP) for i in range(3)]
    twohop += [small.question("train", i, 8, **TWOHOP | {"answers": ["yes"]}) for i in range(6)]
    several = [small.question("test", i, 120, golds=3) for i in range(6)]
    several += [small.question("train", i, 60, golds=2) for i in range(8)]
    search = [small.search("test", i, GRADES, 340, numbered=i == 0) for i in range(3)]
    search += [small.search("train", i, [3, 2, 0, 0], 10) for i in range(6)]
    for name, questions in (("single", single), ("twohop", twohop), ("several", several), ("search", search)):
        small.write(folder, name, questions)
    return small.suite(folder, TASKS)


def every(rows: Rows) -> Iterator[Row]:
    for table in rows.values():
        yield from table


def shown(row: Row, *kinds: str) -> list[dict[str, Any]]:
    return [span for span in row["spans"] if span["kind"] in (kinds or ("gold", "distractor", "passage"))]


def test_every_check_of_validate_passes(suite: ReleaseSuite, rows: Rows) -> None:
    """Tokenised anew, filled to 99.5 %, nested, verbatim, clean, scored: by the code that proves releases."""
    assert {suite.entries[task].spec.name for task, _, _ in rows} == {spec.name for spec in SPECS}
    nested = 12 + 6 + 6 + 6 + 3 + 3 + 3  # nq, hotpotqa, rerank, asqa
    sound(suite, rows, small.suite(suite.inputs.data, TASKS), FILL=len(list(every(rows))), NESTED=nested)


def test_examples_are_other_questions_of_split_train(rows: Rows) -> None:
    for row in every(rows):
        assert len(row["fewshot_ids"]) == (0 if row["task"] == "kilt_triviaqa" or "nocite" in row["task"] else 2)
        assert all(demo.startswith("tr") for demo in row["fewshot_ids"])
        assert row["prompt"].lower().count("worked examples") == bool(row["fewshot_ids"])
        count = {"kilt": 3, "msma": 10, "alce": 5, "nq_g": 3}[row["task"][:4]]
        assert {text.count("Document") for text in said(row, "fewshot")} <= {count}


def test_a_list_of_everything_is_no_answer_to_a_question_for_a_list(rows: Rows) -> None:
    """The titles of all passages, answers among them, scored 1.0 by the first metric, which counted what was found alone."""
    for name, length in (("alce_qampari", "8k"), ("alce_qampari_nocite", "4k")):
        for row in rows[name, length, "test"]:
            right = [group[0] for group in row["answer_groups"]]
            listed = ", ".join([*right, *(span["title"] for span in shown(row))])
            found = all_metrics()[row["metrics"][0]].function
            assert found(", ".join(right), row) == 1.0
            assert found(listed, row) < 0.5
            assert all_metrics()["qampari_rec_top5@strict"].function(listed, row) == 1.0


def test_a_built_row_lists_the_forms_of_its_answers_and_nothing_else_changes(tmp_path: Path) -> None:
    gold = small.passages([("Ulm", "The Xa is 4 June 1990.")], prefix="g", rank=[None], supports=[[0]])
    small.write(tmp_path, "popqa", [small.question("test", 0, 60, answers=["4 June 1990"], gold=gold)])
    suite = small.suite(
        tmp_path, {"kilt_popqa": {"retrieval_set": "popqa", "shots": 0, "depths": 2, "lengths": {"4k": 2}}}
    )
    table = suite.tables()[0]
    task, candidate = suite.task("kilt_popqa"), suite.candidates(table, 0, 1)[0]
    plain, built = finished([task.row(table, candidate, 0), *suite.build(table, 0, 1)])
    assert plain["answers"] == ["4 June 1990"]
    assert built["answers"][:3] == ["4 June 1990", "June 4, 1990", "4 of June 1990"] and len(built["answers"]) == 6
    assert {**built, "answers": plain["answers"]} == plain
    assert not list(task.problems(built)) and not list(task.answer_leaks(built))


def test_relations_take_turns_in_the_order_of_a_release(tmp_path: Path) -> None:
    """Of 12 questions 9 ask for an occupation; the first six ask for each as often."""
    kinds = ["occupation"] * 9 + ["place of birth"] * 3
    by = ["", "provenance"] * 6
    questions = [small.question("test", i, 60, relation=kinds[i], gold_source=by[i]) for i in range(12)]
    small.write(tmp_path, "popqa", questions)
    suite = small.suite(
        tmp_path, {"kilt_popqa": {"retrieval_set": "popqa", "shots": 0, "depths": 2, "lengths": {"4k": 24}}}
    )
    built = finished(suite.build(suite.tables()[0], 0, 24))
    asked = [row for row in built if row["depth_index"] == 0]
    relations = [kinds[int(row["group_id"].rpartition("te")[2])] for row in asked]
    assert [relations[i : i + 2].count("occupation") for i in (0, 2, 4)] == [1, 1, 1]
    assert relations[6:] == ["occupation"] * 6
    assert {row["gold_source"] for row in asked} == {"provenance", None}
    assert asked[0]["metrics"][0] == "subem@strict"


def test_gold_at_six_depths_among_the_same_passages(rows: Rows) -> None:
    """At the nearest place."""
    for count, places in ((100, [0, 20, 40, 59, 79, 99]), (6, [0, 1, 2, 3, 4, 5]), (2, [0, 0, 0, 1, 1, 1])):
        assert [place(j, 6, count) for j in range(6)] == places
    for length, groups in (("4k", 2), ("8k", 2), ("16k", 1)):
        table = rows["kilt_nq", length, "test"]
        for first in range(0, len(table), 6):
            group = table[first : first + 6]
            assert [row["depth_index"] for row in group] == [0, 1, 2, 3, 4, 5]
            k = group[0]["num_segments"]
            places = [[s["kind"] for s in shown(row)].index("gold") for row in group]
            assert places == [place(j, 6, k) for j in range(6)]
            assert [row["depth"] for row in group] == pytest.approx([at / (k - 1) for at in places])
            rest = [[s["ref"] for s in shown(row, "distractor")] for row in group]
            assert all(refs == rest[0] for refs in rest)
            ranks = [s["rank"] for s in shown(group[0], "distractor")]
            assert ranks == sorted(ranks)
            assert len({(row["group_id"], *row["fewshot_ids"]) for row in group}) == 1
        assert len({row["group_id"] for row in table}) == groups


def test_longer_lengths_ask_the_same_questions_with_the_same_examples(rows: Rows) -> None:
    short, long = rows["kilt_nq", "8k", "test"], rows["kilt_nq", "16k", "test"]
    assert [row["group_id"] for row in long] == [row["group_id"] for row in short[:6]]
    assert [row["fewshot_ids"] for row in long] == [row["fewshot_ids"] for row in short[:6]]
    for a, b in zip(short, long, strict=False):
        assert set(a["doc_ids"]) < set(b["doc_ids"])


def test_two_golds_in_three_orders(rows: Rows) -> None:
    table = rows["kilt_hotpotqa", "8k", "test"]
    for first in range(0, len(table), 3):
        group = table[first : first + 3]
        assert [row["order_index"] for row in group] == [0, 1, 2]
        assert [len(shown(row, "gold")) for row in group] == [2, 2, 2]
        assert len({tuple(row["doc_ids"]) for row in group}) == 3
        assert len({frozenset(row["doc_ids"]) for row in group}) == 1


def test_bridge_rows_say_whether_one_hop_is_enough(tmp_path: Path) -> None:
    """Where a search by the question alone found each gold; the passage with the answer among the first five needs no second hop."""
    said = {}
    for kind, rank in (("bridge", 0), ("bridge", 4), ("bridge", 5), ("bridge", None), ("comparison", 0)):
        known = small.question("test", 0, 40, **TWOHOP | {"kind": kind})
        gold = replace(known.gold, rank=[rank, 7])
        small.write(tmp_path, "one", [replace(known, gold=gold)])
        tasks = {"kilt_hotpotqa": {"retrieval_set": "one", "lengths": {"4k": 1}, "shots": 0, "permutations": 1}}
        suite = small.suite(tmp_path, tasks)
        metadata = json.loads(next(suite.build(suite.tables()[0], 0, 1)).metadata or "{}")
        said[kind, rank] = metadata.get("gold_ranks"), metadata.get("single_hop")
    assert said == {
        ("bridge", 0): ([0, 7], True), ("bridge", 4): ([4, 7], True), ("bridge", 5): ([5, 7], False),
        ("bridge", None): ([None, 7], False), ("comparison", 0): (None, None),
    }  # fmt: skip


def test_shuffled_distractors_keep_their_order_at_every_depth(rows: Rows) -> None:
    group = rows["kilt_popqa", "4k", "test"][:3]
    ranks = [[s["rank"] for s in shown(row, "distractor")] for row in group]
    assert ranks[0] == ranks[1] == ranks[2] != sorted(ranks[0])


def test_an_example_never_shares_passage_or_answer(tmp_path: Path) -> None:
    """Three of four train questions are unfit: one has the row's gold, one says its answer, one asks the same."""
    query = small.question("test", 0, 60)
    thief = small.question("train", 0, 8, gold=query.gold)
    said = small.passages([("", f"Mary saw {query.answers[0].upper()}.")] * 3, prefix="p")
    parrot = small.question("train", 1, 8, distractors=said)
    echo = small.question("train", 2, 8, question=query.question.upper())
    questions = [query, thief, parrot, echo, small.question("train", 3, 8)]
    small.write(tmp_path, "few", questions)
    tasks = {"kilt_nq": {"retrieval_set": "few", "lengths": {"4k": 6}, "shots": 1}}
    suite = small.suite(tmp_path, tasks)
    assert {tuple(row.fewshot_ids) for row in suite.build(suite.tables()[0], 0, 6)} == {("tr3",)}


def test_a_question_without_worked_examples_is_skipped_at_every_length(tmp_path: Path) -> None:
    """Both train questions are fit for the second question, one for the first, whose gold the other shows."""
    first, second = small.question("test", 0, 200), small.question("test", 1, 200)
    thief = small.question("train", 0, 8, gold=first.gold, answers=first.answers)
    small.write(tmp_path, "few", [first, second, thief, small.question("train", 1, 8)])
    entry = {"retrieval_set": "few", "shots": 2}
    for length in ("4k", "16k"):
        suite = small.suite(tmp_path, {"kilt_nq": entry | {"lengths": {length: 6}}})
        assert {row["group_id"] for row in rows_of(suite)} == {"few-test-te1"}
        both = small.suite(tmp_path, {"kilt_nq": entry | {"lengths": {length: 12}}})
        with pytest.raises(BuildError, match=r"1 reach the length \(only 1 of 2 worked examples fit: 1\)"):
            both.select(both.tables()[0])


@pytest.mark.parametrize("grades", [[3] * 40, [2] * 40 + [1] * 20, [3] + [1] * 60, [3, 2, 1] * 20 + [0] * 9])
def test_a_random_order_scores_little_at_every_length(grades: list[int]) -> None:
    """Queries with few or no passages of grade 0: every prefix has three for each relevant one, or no further relevant one."""
    kind = SPECS[4].kind(lambda *purpose: Stream("ranked", *purpose), False)
    for hits in (20, 500):
        material = kind.material(small.search("test", 0, grades, hits))
        shown = [material.passages.grade[i] or 0 for i in material.pool]
        useless = grades.count(0) + hits
        assert sum(grade > 0 for grade in shown) == min(sum(grade > 0 for grade in grades), useless // 3)
        assert len(set(material.pool)) == len(shown) and sum(not grade for grade in shown) == useless
        for count in range(20, len(shown)):
            ideal = sum(grade / log2(at + 2) for at, grade in enumerate(sorted(shown[:count], reverse=True)[:10]))
            orders = (
                [Stream("orders", count, n).shuffled(shown[:count]) for n in range(40)] if count in (40, 80) else []
            )
            scores = [sum(grade / log2(at + 2) for at, grade in enumerate(order[:10])) / ideal for order in orders]
            assert random_ndcg(shown[:count]) < 0.45 and not kind.unusable(material, material.pool[:count])
            assert not scores or random_ndcg(shown[:count]) == pytest.approx(sum(scores) / 40, abs=0.08)
    assert kind.unusable(material, [i for i in material.pool if material.passages.grade[i]][:20] + material.pool[-1:])


def test_grades_are_balanced_and_ranked(rows: Rows) -> None:
    for row in (*rows["msmarco_rerank", "4k", "test"], *rows["msmarco_rerank", "16k", "test"]):
        metadata = json.loads(row["metadata"])
        labels = Counter(metadata["qrels"].values())
        assert {grade: labels[int(grade)] for grade in "3210"} == metadata["labels"]
        ranking = row["answers"][0].split(" > ")
        grades = [metadata["qrels"][shown_id] for shown_id in ranking]
        assert grades == sorted(metadata["qrels"].values(), reverse=True)[:10]  # all that NDCG@10 reads
        order = list(metadata["qrels"])  # as in the prompt
        same = [(a, b) for a, b in pairwise(ranking) if metadata["qrels"][a] == metadata["qrels"][b]]
        assert all(order.index(a) < order.index(b) for a, b in same)
    most = rows["msmarco_rerank", "16k", "test"][0]
    assert {s["label"] for s in shown(most)} == {"0", "1", "2", "3"}
    assert json.loads(most["metadata"])["judged"] == len(GRADES)
    assert most["num_distractors"] == most["num_segments"] - 6


def test_ids_are_drawn_and_no_published_number_is_shown(rows: Rows) -> None:
    table = rows["msmarco_rerank", "8k", "test"] + rows["msmarco_rerank", "4k", "test"]
    for row in table:
        ids = list(json.loads(row["metadata"])["qrels"])
        assert len(set(ids)) == len(ids) == row["num_segments"]
        assert not set(ids) & set(row["doc_ids"])  # those of "te0" are numbers too, neighbours where they are judged
        assert all(len(shown_id) == 7 and shown_id.isdecimal() for shown_id in ids)


def test_no_citations_and_the_order_of_retrieval(rows: Rows) -> None:
    for row in rows["alce_qampari_nocite", "4k", "test"]:
        assert "[" not in row["answers"][0]
        assert row["variant"] == "nocite"
        ranks = [span["rank"] for span in shown(row)]
        assert ranks == [None] * 3 + sorted(ranks[3:])  # golds that no search found stand first


def test_an_honest_largest_length(tmp_path: Path) -> None:
    small.write(tmp_path, "mixed", [small.question("test", i, 120 if i < 2 else 40) for i in range(4)])
    suite = small.suite(tmp_path, {"kilt_nq": {"retrieval_set": "mixed", "shots": 0, "lengths": {"16k": 18}}})
    (table,) = suite.tables()
    assert refused(BuildError, suite.select, table) == (
        "helmet_kilt_nq_16k test: 3 questions are required, but only 2 reach the length (its distractors end before the length is full: 2); "
        "the longest length that 3 reach is 4k. Next: request 12 rows or fewer, or use 4k, or prepare more (retrieval_sets.mixed)"
    )
    assert suite.select(replace(table, rows=12)).selection()["dropped"] == {}


def test_left_out_questions_are_counted(tmp_path: Path) -> None:
    gold = small.passages([("", "Nothing here.")], prefix="n")
    questions = [
        small.question("test", 0, 60), small.question("test", 1, 60, answers=["The", "a"]),
        small.question("test", 2, 60, gold=small.passages([], prefix="x")),
        small.question("test", 3, 60, golds=2, gold=gold), small.question("test", 0, 60, question_id="again"),
        small.question("test", 4, 60, answers=["Never said"]),
    ]  # fmt: skip
    small.write(tmp_path, "odd", questions)
    entry = {"retrieval_set": "odd", "shots": 0}
    reasons = "no answer with words: 2, no gold passage: 1, the gold passage does not say the answer: 1"
    for task, count, why in (
        ("kilt_nq", 12, rf"1 reach the length \({reasons}\)"),
        ("alce_asqa", 6, "an answer that no gold passage says in one piece: 3"),
    ):
        suite = small.suite(tmp_path, {task: entry | {"lengths": {"4k": count}}})
        with pytest.raises(BuildError, match=why):
            suite.select(suite.tables()[0])


def test_counted_with_other_tokenizers(tmp_path: Path) -> None:
    """Two tokenizers count alike; a set that was counted with another one is refused."""
    names, questions = ("tekken", "gpt2"), [small.question(split, i, 60, golds=2) for split in ("test", "train") for i in range(3)]  # fmt: skip
    for each in (each for question in questions for each in (question.gold, question.distractors)):
        each.tokens.append(tokenizer.load("gpt2").count_units(list(map(unit, each.title, each.text))))
    small.write(tmp_path, "two", questions, names)
    entry = {"alce_asqa": {"retrieval_set": "two", "lengths": {"8k": 1}, "shots": 1}}
    suite = small.suite(tmp_path, entry, names)
    assert findings_of(suite, rows_of(suite)).failures == []
    write_mined(questions, tmp_path / "retrieval_sets/two.parquet", {"tokenizers": ["other-1-000000000000"]})
    other = small.suite(tmp_path, entry)
    with pytest.raises(CorpusError, match="was counted with other-1-000000000000, but the release uses tekken"):
        other.select(other.tables()[0])


def test_passages_that_no_row_can_reach_decide_nothing(suite: ReleaseSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that were mined, a short row looks at the first few; where it looks at all of them it is the same."""
    for table in (t for t in suite.tables() if (t.task, t.length) in {("kilt_nq", "4k"), ("msmarco_rerank", "4k")}):
        task, candidates, pools, built = suite.task(table.task), suite.select(table).candidates, [], []
        assert isinstance(task, passage_task.PassageTask)
        for looked_at in (2, 10**6):
            monkeypatch.setattr(passage_task, "_LOOKED_AT", looked_at)
            suite.inputs.held("another", dict)
            built.append(to_table([task.row(table, each, 0) for each in candidates]))
            pools.append(len(task._prepared(table, candidates[-1]).material.pool))
        assert pools[0] < pools[1] and built[0].equals(built[1])


def test_a_training_stream_asks_train_questions_in_rounds(tmp_path: Path) -> None:
    """Every question once a round, then at another depth, and never its own worked example."""
    small.write(tmp_path, "one", [small.question("train", i, 60) for i in range(5)])
    small.write(tmp_path, "two", [small.question("train", i, 60, golds=2) for i in range(5)])
    entries = {"kilt_nq": {"retrieval_set": "one"}, "alce_qampari": {"retrieval_set": "two", "permutations": 3}}
    suite = small.suite(tmp_path, entries, lengths={"4k": 6})
    for task in entries:
        rows = drawn(suite, task, 10, "4k")
        groups = [row["group_id"].rpartition("-")[2] for row in rows]
        assert len(set(groups[:5])) == len(set(groups[5:])) == 5
        assert groups[:5] != groups[5:] and len({row["id"] for row in rows}) == 10
        assert all(group not in row["fewshot_ids"] for group, row in zip(groups, rows, strict=True))


ENTRY = {"retrieval_set": "nq", "lengths": {"4k": 6}}


@pytest.mark.parametrize(
    ("name", "entry", "said"),
    [
        ("kilt_nqq", ENTRY, "unknown task 'kilt_nqq'. Next: did you mean 'kilt_nq'?"),
        ("kilt_nq", ENTRY | {"permutations": 3}, "unknown key 'permutations'"),
        ("kilt_hotpotqa", ENTRY | {"depths": 3}, "unknown key 'depths'"),
        ("kilt_hotpotqa", ENTRY | {"order": "retrieval"}, "3 permutations of passages in the order of retrieval"),
        ("kilt_nq", ENTRY | {"shots": 9}, "less than or equal to 8"),
    ],
)
def test_mistakes(tmp_path: Path, name: str, entry: dict[str, Any], said: str) -> None:
    line = refused(ParamsError, small.suite, tmp_path, {name: entry})
    assert said in line
    assert line.startswith(f"suites.helmet.tasks.{name}")


def test_examples_that_nobody_mines(tmp_path: Path) -> None:
    mined = {"nq": {"count": {"test": 5}}, "popqa": {"count": {"test": 5, "train": 20}}}
    small.suite(
        tmp_path, {"kilt_popqa": ENTRY | {"retrieval_set": "popqa"}, "kilt_nq": ENTRY | {"shots": 0}}, mined=mined
    )
    with pytest.raises(
        ParamsError, match=r"retrieval_sets.nq.count: task 'kilt_nq' uses 2 worked examples, but the set contains none"
    ):
        small.suite(tmp_path, {"kilt_nq": ENTRY}, mined=mined)


def test_titles_say_whose_questions_are_asked() -> None:
    """The demo asks a simulated version of NQ in RULER's form: its title must not say SQuAD."""
    for task, mined, simulated, title in (
        ("qa_1", "nq", True, "Simulated version of RULER QA 1 (Natural Questions): an answer in one of many numbered passages of an encyclopaedia"),
        ("qa_1", "squad", False, "RULER QA 1 (SQuAD): an answer in one of many numbered passages of an encyclopaedia"),
        ("qa_2", "law", False, "RULER QA 2 (the set law): an answer that takes two of many numbered passages of an encyclopaedia"),
        ("kilt_nq", "nq_dense", False, "Natural Questions: a short answer in one of many passages"),
        ("kilt_nq", "popqa", True, "Simulated version of PopQA: a short answer in one of many passages"),
        ("alce_asqa_nocite", "asqa", False, "ASQA without citations"),
    ):  # fmt: skip
        spec = next(spec for spec in (*HELMET, *RULER) if spec.name == task)
        settings = spec.task.settings_type.model_validate({**spec.defaults, "retrieval_set": mined})
        assert spec.titled(settings, simulated=simulated) == title
    assert RULER[0].titled(simulated=False).startswith("RULER QA 1 (SQuAD)"), "of no entry: the usual set"


NO_GOLD = {("triviaqa_mirror", "triviaqa"), ("qampari_mirror", "qampari"), ("alce", "qampari")}


@pytest.mark.parametrize("name", ["mirror", "full"])
def test_the_mirror_and_full_ask_nothing_without_gold(name: str) -> None:
    """No set of questions whose source names neither passage nor article is mined or asked (docs/reference/gold.md)."""
    given = read_yaml(Path(f"params/{name}.yaml"))
    kinds = {source: block["kind"] for source, block in given["sources"].items()}
    assert not NO_GOLD & {(kinds[block["questions"]], block["set"]) for block in given["retrieval_sets"].values()}
    asked = {
        entry["retrieval_set"]
        for suite in given["suites"].values()
        for entry in suite["tasks"].values()
        if "retrieval_set" in entry
    }
    assert asked == set(given["retrieval_sets"])
    assert given["retrieval_sets"]["nq"]["require_annotator_agreement"] is True


def write_over(row: Row, span: dict[str, Any], text: str) -> None:
    """Other text of the same length in the place of a span."""
    size = span["end"] - span["start"]
    row["prompt"] = row["prompt"][: span["start"]] + text.ljust(size, "x")[:size] + row["prompt"][span["end"] :]


def swap_gold(row: Row) -> None:
    row["spans"][row["spans"].index(spans(row, "gold")[0])]["kind"] = "distractor"
    spans(row, "distractor")[0]["kind"] = "gold"


def twice(row: Row) -> None:
    one, other = sorted(spans(row, "distractor")[:2], key=lambda s: int(s["end"] - s["start"]))
    write_over(row, other, "x")
    write_over(row, one, "x")
    other["end"] = other["start"] + one["end"] - one["start"]


def shift(row: Row) -> None:
    for span in row["spans"]:
        if span["kind"] != "instruction":
            span["start"] += 1


INJURIES: list[tuple[str, Injury, str]] = [
    ("kilt_nq", lambda row: write_over(row, spans(row, "distractor")[0], "Changed"), "differs from the prepared"),
    ("kilt_nq", lambda row: write_over(row, spans(row, "gold")[0], "No more"), "differs from the prepared"),
    ("kilt_nq", lambda row: row.update(answers=["Never said"]), "does not contain the answer"),
    ("kilt_nq", swap_gold, "is marked"),
    ("kilt_nq", twice, "1 passages appear twice"),
    ("kilt_nq", lambda row: row.update(answer_prefix_start=len(row["prompt"])), "or the cue at answer_prefix_start, is missing"),
    ("kilt_nq", shift, "the context is not its units"),
    ("kilt_nq", lambda row: row.update(depth=0.9), "the row has 0.9"),
    ("kilt_nq", lambda row: row.update(depth_index=2), "not the nearest to point 2"),
    ("kilt_nq", lambda row: row["spans"].remove(spans(row, "distractor")[3]), "the context is not its units"),
    ("kilt_nq", lambda row: row["doc_ids"].reverse(), "doc_ids are not the documents"),
    ("kilt_nq", lambda row: row.update(num_segments=3), "the row has 3 and"),
    ("kilt_nq", lambda row: row.update(num_distractors=3), "distractors, the row has 3"),
    ("kilt_nq", lambda row: row.update(fewshot_ids=["tr0", "tr0"]), "worked examples instead of"),
    ("kilt_nq", lambda row: row.update(fewshot_ids=["te0", "tr0"]), "not another question of split train"),
    ("kilt_nq", lambda row: row.update(unused_tokens=600), "room for a passage"),
    ("kilt_nq", lambda row: row.update(question="Who?"), "the question"),
    ("kilt_nq", lambda row: row.update(group_id="single-test-none"), "no question single-test-none"),
    ("msmarco_rerank", lambda row: note(row, qrels=dict.fromkeys(metadata(row)["qrels"], 0)), "qrels are not the ids"),
    ("msmarco_rerank", lambda row: row.update(answers=["1 > 2"]), "not the best ids by grade"),
    ("alce_qampari", lambda row: row.update(answers=[row["answers"][0].replace("[", "[9")]), "which is not a gold passage"),
    ("alce_qampari", lambda row: row.update(answers=[row["answers"][0].replace(" [", "zu [")]), "which does not support"),
    ("alce_qampari", lambda row: spans(row, "distractor")[0].update(title="Other"), "the context is not its units"),
    ("alce_qampari", lambda row: row.update(answers=[row["answers"][0] + ", and more"]), "which cites nothing"),
]  # fmt: skip


def test_a_passage_that_an_example_shows_is_not_one_passed_over(suite: ReleaseSuite, whole: dict[str, Row]) -> None:
    task, row = suite.task("kilt_nq"), whole["kilt_nq"] | {"unused_tokens": 600}
    question = task.stock.mined.read(task.stock.number_of[row["group_id"]])  # type: ignore[attr-defined]
    for examples, problems in (("", 1), ("\n".join(question.distractors.text), 0)):
        at = len(examples)
        each = row | {"prompt": examples + row["prompt"], "context_start": at + row["context_start"]}
        moved = [span | {"start": at + span["start"], "end": at + span["end"]} for span in passages(row)]
        assert len(list(as_mined(each, moved, question, range(len(question.distractors)), graded=False))) == problems


@pytest.mark.parametrize(("task", "injure", "named"), INJURIES)
def test_each_injury_is_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, injure: Injury, named: str
) -> None:
    assert_named(suite.task(task), whole[task], injure, named)


def test_without_the_mined_set_only_the_prompt_is_verified(
    tmp_path: Path, suite: ReleaseSuite, whole: dict[str, Row]
) -> None:
    alone = small.suite(tmp_path, TASKS).task("kilt_nq")
    row = deepcopy(whole["kilt_nq"])
    assert list(alone.problems(row)) == list(alone.answer_leaks(row)) == []
    row["doc_ids"].reverse()
    assert len(list(alone.problems(row))) == 1


@pytest.mark.parametrize(
    ("alias", "text", "found"),
    [
        ("pol", "The police came.", False),  # docs/defects/helmet.md D24
        ("pol", "Ils sont (Pol) là.", True),
        ("U.S.", "in the u.s. army", True),
        ("Béla Bartók", "BELA\nBARTOK wrote", True),
        ("rock 'n' roll", "Rock-n-Roll!", True),
        ("yes", "yes", False),
        ("A", "a", False),
        ("!!", "!!", False),
        ("New York", "New Yorker", False),
        ("7", "7", False),
        ("07", "in 07.", True),
    ],
)
def test_a_matcher_of_its_own(whole: dict[str, Row], alias: str, text: str, found: bool) -> None:
    for where in ("text", "title"):
        row = deepcopy(whole["kilt_nq"]) | {"answers": [alias]}
        span = spans(row, "distractor")[0]
        write_over(row, span, f"{text} " if where == "text" else "x")
        span["title"] = text if where == "title" else "x"
        assert any("distractor" in each for each in answer_leaks(row)) == found


def test_an_answer_in_an_example_is_seen(whole: dict[str, Row]) -> None:
    row = deepcopy(whole["kilt_nq"])
    word = row["prompt"][spans(row, "fewshot")[0]["start"] :].split()[9].strip(".")
    assert any(each.startswith("fewshot") for each in answer_leaks(row | {"answers": [word]}))
    assert list(answer_leaks(row | {"answers": ["Document", "Question", "Answer", "Title"]})) == []


WRITTEN = st.text(st.sampled_from("aEéÉe\u0301KK\u212aİißẞ字あ１ａ,.-_ \n19ñ"), max_size=12)


@given(before=WRITTEN, alias=WRITTEN, behind=WRITTEN)
def test_a_text_that_holds_an_alias_has_its_letters(before: str, alias: str, behind: str) -> None:
    """Where letters differ, folded texts do: what is passed over by letters alone holds nothing."""
    for text in (f"{before} {alias} {behind}", before + alias + behind, before):
        assert folded(alias) not in folded(text) or letters(alias) in letters(text)
        assert folded(alias) != folded(text) or letters(alias) == letters(text)
    assert letters("Gödel, 1931!") == b"godel1931" == letters("go\u0308DEL 19 31")
