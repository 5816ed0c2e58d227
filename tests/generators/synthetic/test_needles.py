"""Needle rows: depths and orders of needles, rows without what is asked for, names alike, other words, training rows."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from generators.inputs import Use
from haymaker.core.errors import BuildError, ParamsError
from tests.errors import refused
from tests.generators.kit import Row, context, said, spans
from tests.generators.synthetic import proving, small
from tests.generators.synthetic.proving import made, row, task_of


def needles(row: Row, *kinds: str) -> list[Row]:
    return spans(row, *(kinds or ("gold", "distractor")))


@pytest.mark.parametrize("variant", ["niah_single_2", "niah_multikey_2", "niah_multiquery"])
def test_groups_take_turns_in_ten_bins(variant: str) -> None:
    """The needle named first stands in every tenth of the context once in ten groups (docs/defects/synthetic.md A5 #7), and
    never shallow alone in a few."""
    found = [row(variant, "16k", group) for group in range(20)]
    assert [each["depth_index"] for each in found] == [0, 7, 4, 1, 8, 5, 2, 9, 6, 3, 1, 8, 5, 2, 9, 6, 3, 0, 7, 4]
    for each in found:
        assert abs(each["depth"] - (each["depth_index"] + 0.5) / 10) <= 0.05 + 1 / each["num_segments"]
    places = Counter(
        int(10 * (span["start"] - each["context_start"]) / len(context(each)))
        for each in found
        for span in needles(each, "gold")
    )
    assert len(places) == 10


def test_the_grid_has_the_same_needle_at_eleven_depths() -> None:
    found = [row("niah", "8k", 3, point) for point in range(11)]
    assert [each["depth_index"] for each in found] == list(range(11))
    assert len({each["answers"][0] for each in found}) == 1
    assert len({each["group_id"] for each in found}) == 1
    assert len({each["id"] for each in found}) == 11
    assert all(abs(each["depth"] - i / 10) <= 1 / each["num_segments"] for i, each in enumerate(found))
    rest = {tuple(proving.one_by_one(task_of("niah").background(each))) for each in found}
    assert len(rest) == 1
    first, last = found[0], found[-1]
    assert needles(first)[0]["start"] == first["context_start"]
    assert needles(last)[0]["end"] == last["context_end"]


def test_several_needles_stand_evenly_behind_the_first() -> None:
    """Spacing (1 - depth) / number of needles (docs/spec/synthetic.md B)."""
    each = row("niah_multi", "32k", 1, 4)
    n, at = each["num_segments"], [s["token_start"] / each["prompt_tokens"] for s in needles(each, "gold")]
    assert len(needles(each, "distractor")) == each["num_distractors"] == 4
    assert each["depth"] == pytest.approx(0.4, abs=1 / n)
    assert at == pytest.approx([0.4, 0.6, 0.8], abs=0.01)
    assert each["question"] == "What are the special numbers of {}, {} and {} in the text above?".format(
        *json.loads(each["metadata"])["keys"]
    )


@pytest.mark.parametrize(("variant", "orders"), [("niah_multi", 6), ("niah_multiquery", 20)])
def test_the_order_of_the_question_is_not_that_of_the_text(variant: str, orders: int) -> None:
    """Answers follow the question; the text has the same keys in any order, in one order at all depths of a group."""
    found: Counter[tuple[int, ...]] = Counter()
    for group in range(40):
        each = row(variant, "2k", group)
        keys, labels = json.loads(each["metadata"])["keys"], [s["label"] for s in needles(each, "gold")]
        value = {s["label"]: each["prompt"][s["start"] : s["end"] - 1].split()[-1] for s in needles(each)}
        assert each["answer_groups"] == [[value[key]] for key in keys]
        found[tuple(keys.index(key) for key in labels)] += 1
    assert len(found) >= orders
    assert max(found.values()) <= 14
    at_depths = {tuple(s["label"] for s in needles(row("niah_multi", "2k", 3, p), "gold")) for p in range(11)}
    assert len(at_depths) == 1


def test_twins_differ_in_what_is_asked_for_alone() -> None:
    """A reader who counts needles knows nothing of the answer; those of both rows are at the same places."""
    for variant in ("absent", "absent_each", "absent_several", "absent_matrix", "absent_key", "near"):
        there, gone = row(variant, "8k", 1, 0), row(variant, "8k", 1, -1)
        assert all(there[same] == gone[same] for same in ("group_id", "max_new_tokens", "question"))
        assert (there["variant"], gone["variant"], gone["answers"]) == (None, "unanswerable", ["none"])
        assert (gone["depth"], gone["depth_index"]) == (None, None)
        assert there["prompt"][: there["context_start"]] == gone["prompt"][: gone["context_start"]]
        tails = [each["prompt"][each["context_end"] :] for each in (there, gone)]
        assert tails[0] == tails[1] and "answer with the word none." in tails[0] and tails[0].endswith("Answer:")
        assert re.search("may (?:contain|ask)", gone["prompt"][: gone["context_start"]])
        assert not re.search(r"\b(?:[Tt]here are|order of the text|one or more|[Aa]n? pass)", tails[0])
        sought = [*json.loads(gone["metadata"])["keys"], *(value for each in there["answer_groups"] for value in each)]
        assert not any(each in context(gone) for each in sought)
        left, others = ([s["label"] for s in needles(*args)] for args in ((gone,), (there, "distractor")))
        assert [label for label in left if label in others] == others
        assert len(left) == (len(needles(there)) if variant != "absent_key" else 0)
        assert gone["num_distractors"] - there["num_distractors"] == len(left) - len(others)
    places = [
        [s["start"] / len(each["prompt"]) for s in needles(each)]
        for each in (row("absent", "8k"), row("absent", "8k", 1, 1))
    ]
    assert places[0] == pytest.approx(places[1], abs=0.02)


def test_a_grid_has_one_row_without_what_is_asked_for(tmp_path: Path) -> None:
    """At every depth it would be the same text."""
    found = [row("absent_key", "2k", 0, point) for point in range(4)]
    assert [each["variant"] for each in found] == [None, None, None, "unanswerable"]
    assert [each["depth_index"] for each in found] == [0, 1, 2, None]
    entry = {"base": "passkey", "unanswerable": True, "depths": 3, "lengths": {"4k": 6}}
    made = small.suite(tmp_path, {"x": entry})
    assert [each.rows for each in made.entries.values()] == [(("4k", "test", 8),)], "three depths and a row without it"


def test_near_keys_share_a_word() -> None:
    for group in range(3):
        each = row("near", "4k", group)
        query = json.loads(each["metadata"])["keys"][0]
        others = [s["label"] for s in needles(each, "distractor")]
        assert len(set(others)) == 8
        assert all(set(query.split("-")) & set(key.split("-")) and key != query for key in others)
    each = row("near_uuids", "4k")
    query = json.loads(each["metadata"])["keys"][0]
    assert {s["label"][:24] for s in needles(each, "distractor")} == {query[:24]}


@pytest.mark.parametrize("decoys", [2, 8])
def test_no_form_leads_to_a_needle_asked_for_in_other_words(decoys: int) -> None:
    """Every wording occurs equally often, give or take one, and the gold has each of them."""
    golds = Counter[str]()
    for group in range(12):
        each = made("niah_single_2", "2k", group, paraphrase=True, decoys=decoys)
        texts = [each["prompt"][s["start"] : s["end"]] for s in each["spans"] if s["kind"] in ("gold", "decoy")]
        forms = Counter(text.split()[0] for text in texts)
        assert len(texts) == decoys + 1 and len(forms) == 3 and max(forms.values()) <= min(forms.values()) + 1
        golds[said(each, "gold")[0].split()[0]] += 1
    assert len(golds) == 3
    same, other = row("niah_multivalue", "4k"), row("other", "4k")
    assert other["question_gold_overlap"] < 0.2 < same["question_gold_overlap"]
    words, query = (
        {w.strip(".?,").lower() for w in re.split("[ -]", text)} for text in (said(other, "gold")[0], other["question"])
    )
    assert words & query == set(json.loads(other["metadata"])["keys"][0].split("-"))


def test_train_rows_share_no_line_with_test() -> None:
    for variant in ("niah_multikey_2", "niah_single_2"):
        test, train = (proving.row_of(task_of(variant), "4k", 0, split=split) for split in ("test", "train"))
        assert not {*re.split(r"\. |\n", context(test))} & {*re.split(r"\. |\n", context(train))}
        assert not set(test["doc_ids"]) & set(train["doc_ids"])


def test_what_a_suite_uses_and_draws_for_training(tmp_path: Path) -> None:
    entry = {"base": "niah", "unanswerable": True, "depths": 3}
    suite = small.suite(
        tmp_path, {"niah_twins": entry, "long": {"base": "niah", "lengths": {"1M": 11}}}, lengths={"1k": 12}
    )
    assert suite.uses() == (Use("corpora", small.CORPUS),)
    drawn = suite.draw("niah_twins", "1k", 5, 0, 3)
    assert (drawn.split, drawn.variant) == ("train", "unanswerable")
    with refused(BuildError, "synthetic_long_sim_1M test"):
        suite.select(suite.tables()[-1])
    wrong = small.suite(tmp_path, {"niah": {"lengths": {"4k": 11}}}, value="uuid")
    with refused(ParamsError, "suites.synthetic.tasks.passkey: value", "'digits'", "'runs'"):
        wrong.draw("passkey", "1k", 5, 0, 0)  # a task that the release does not list


def test_no_background_is_needed_for_lines(tmp_path: Path) -> None:
    suite = small.suite(tmp_path, {"passkey": {}}, lengths={"1k": 2}, background=None)
    assert suite.uses() == () and len(list(suite.build(suite.tables()[0], 0, 2))) == 2
    with refused(ParamsError, "suites.synthetic.tasks.niah", fix="suites.synthetic.background"):
        small.suite(tmp_path, {"niah": {"lengths": {"1k": 11}}}, background=None)
