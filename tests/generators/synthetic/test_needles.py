"""Needle rows: exact counts, full lengths, needles verbatim at the places in the row, the same content at every length, depth and twin."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.context.sentences import slot
from generators.inputs import Use
from generators.synthetic.base import GeneratedTask
from generators.synthetic.needles import TASKS
from haymaker.core.errors import BuildError, ParamsError
from tests.errors import refused
from tests.extras import few
from tests.generators.kit import Row, context, finished, in_order, said, spans
from tests.generators.synthetic import proving, small
from tests.generators.synthetic.proving import exact, one_by_one, solved
from tests.rows import row_digest

TEKKEN = tokenizer.load("tekken")
NAMES = [spec.name for spec in TASKS]
# two UUIDs a line: lines of nearly one size fill 1k and 2k for some groups only; eight UUIDs: the answer's room is half of 1k
SMALLEST = {"niah_multikey_3": "4k", "long_answers": "4k"}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in NAMES},
    "absent": ("niah_multikey_1", {"unanswerable": True}),
    "absent_each": ("niah_multiquery", {"unanswerable": True, "distractors": 3, "distractor_similarity": "high"}),
    "absent_several": ("niah_multivalue", {"unanswerable": True, "distractors": 2, "depths": 3}),
    "absent_matrix": ("niah_multiquery", {"unanswerable": True, "distractors": 2, "values": 2, "queries": 2}),
    "shuffled": ("niah", {"order": "shuffled", "distractors": 2}),
    "other": ("niah_multivalue", {"paraphrase": True}),
    "near": ("niah_multikey_2", {"distractors": 8, "distractor_similarity": "high", "unanswerable": True}),
    "near_uuids": ("niah_multikey_1", {"key": "uuid", "value": "uuid", "distractor_similarity": "high"}),
    "matrix": ("niah_single_1", {"queries": 2, "values": 3, "distractors": 1}),
    "lines_other": ("niah_multikey_2", {"paraphrase": True, "value": "digits", "depths": 5}),
    "absent_key": ("passkey", {"unanswerable": True, "depths": 3}),
    "long_answers": ("niah_multivalue", {"values": 8, "value": "uuid"}),
    "many_keys": ("niah_multiquery", {"queries": 16}),
}


@cache
def task_of(variant: str, tokenizers: tuple[str, ...] = ("tekken",)) -> GeneratedTask[Any]:
    name, entry = VARIANTS[variant]
    return small.task(name, tokenizers=tokenizers, **entry)


def row(variant: str, length: str, group: int = 0, point: int = 0) -> Row:
    return proving.row(task_of(variant), length, group, point)


def needles(row: Row, *kinds: str) -> list[Row]:
    return spans(row, *(kinds or ("gold", "distractor")))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_row_is_exact_full_verified_and_solved(variant: str) -> None:
    task, points = task_of(variant), task_of(variant).variants
    for length, groups in ((SMALLEST.get(variant, "1k"), 4), ("8k", 2)):
        for group in range(groups):
            each = row(variant, length, group, group % points)
            exact(each)
            solved(task, each)
            assert each["max_new_tokens"] >= max(32, 2 * TEKKEN.count(each["answers"][0]))
            for span in needles(each) if length != "8k" else ():
                assert span["token_start"] == TEKKEN.count(each["prompt"][: span["start"]].removesuffix(" "))


@pytest.mark.parametrize("variant", ["niah_multikey_3", "niah_multivalue", "shuffled", "absent_key"])
def test_exact_under_a_second_tokenizer(variant: str) -> None:
    for group in range(2):
        each = proving.row(task_of(variant, ("tekken", "gpt2")), "4k", group)
        exact(each, ("tekken", "gpt2"))
        assert each["prompt"] == row(variant, "4k", group)["prompt"]  # a further tokenizer changes no text


@pytest.mark.real
@pytest.mark.parametrize("variant", ["niah_single_3", "niah_multikey_3", "passkey"])
def test_exact_under_other_release_tokenizers(variant: str, mirror: Path) -> None:
    for name in ("o200k", f"file:{mirror}/tokenizers/mistral_v1/tokenizer.model.v1"):
        task = task_of(variant, (name,))
        for group, length in ((0, "4k"), (1, "8k")):
            each = proving.row(task, length, group)
            exact(each, (name,))
            assert list(task.problems(each)) == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_longer_contexts_hold_shorter_ones_in_order(variant: str) -> None:
    task, lengths = task_of(variant), [SMALLEST.get(variant, "1k"), "4k", "8k", "32k"]
    for group in (0, 7):
        found = [row(variant, length, group) for length in lengths]
        assert len({(each["question"], each["answers"][0], each["group_id"]) for each in found}) == 1
        texts = [said(each, "gold", "distractor") for each in found]
        assert texts.count(texts[0]) == len(texts)
        for shorter, longer in pairwise(found):
            few_units, many = (one_by_one(task.background(each)) for each in (shorter, longer))
            assert len(few_units) == shorter["num_segments"] and in_order(few_units, many)


@pytest.mark.parametrize("variant", ["niah_single_1", "niah_single_2", "niah_multikey_2", "niah_multiquery", "passkey"])
def test_groups_take_turns_in_ten_bins(variant: str) -> None:
    """The needle named first stands in every tenth of the context once in ten groups (docs/defects/synthetic.md A5 #7), and
    never shallow alone in a few."""
    found = [row(variant, "16k", group) for group in range(20)]
    assert [each["depth_index"] for each in found] == [0, 7, 4, 1, 8, 5, 2, 9, 6, 3, 1, 8, 5, 2, 9, 6, 3, 0, 7, 4]
    for each in found:
        assert abs(each["depth"] - (each["depth_index"] + 0.5) / 10) <= 0.05 + 1 / each["num_segments"]
    assert len({round(each["depth"] % 0.1, 4) for each in found}) > 15
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
    rest = {tuple(one_by_one(task_of("niah").background(each))) for each in found}
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
    for group in range(60):
        each = row(variant, "2k", group)
        keys, labels = json.loads(each["metadata"])["keys"], [s["label"] for s in needles(each, "gold")]
        value = {s["label"]: each["prompt"][s["start"] : s["end"] - 1].split()[-1] for s in needles(each)}
        assert each["answer_groups"] == [[value[key]] for key in keys]
        found[tuple(keys.index(key) for key in labels)] += 1
    assert len(found) >= orders
    assert max(found.values()) <= 20
    at_depths = {tuple(s["label"] for s in needles(row("niah_multi", "2k", 3, p), "gold")) for p in range(11)}
    assert len(at_depths) == 1


def test_settings_that_ask_the_same_share_groups() -> None:
    """The list NeedleTask.paired: same group, key, answer and background; anything else is another group."""
    plain, question = row("niah_multikey_1", "4k", 3), "What is the special number of {} in the text above?"
    for entry in (
        {"distractors": 9, "distractor_similarity": "high"}, {"depths": 11}, {"unanswerable": True}, {"order": "shuffled"},
        {"paraphrase": True},
    ):  # fmt: skip
        other = proving.row(small.task("niah_multikey_1", **entry), "4k", 3)
        key = json.loads(other["metadata"])["keys"]
        assert all(other[same] == plain[same] for same in ("group_id", "answers"))
        assert key == json.loads(plain["metadata"])["keys"]
        assert other["question"] == question.format(*key) or "paraphrase" in entry
        assert other["doc_ids"][0] == plain["doc_ids"][0]
    grid = proving.row(small.task("niah_multivalue", depths=11), "4k", 3, 5)
    assert grid["answers"] == row("niah_multivalue", "4k", 3)["answers"]
    for entry in ({"value": "digits"}, {"key": "uuid"}, {"queries": 2}, {"values": 2}, {"haystack": "noise"}):
        other = proving.row(small.task("niah_multikey_1", **entry), "4k", 3)
        assert other["group_id"] != plain["group_id"] and other["answers"] != plain["answers"]


def test_the_answer_has_room() -> None:
    """Room for the answer twice, the same for a row and its twin, at every length and depth; never less than the task's."""
    assert (row("long_answers", "4k")["max_new_tokens"], row("many_keys", "4k")["max_new_tokens"]) > (500, 250)
    task = small.task("niah_multivalue", values=8, value="uuid", unanswerable=True, depths=3)
    found = [proving.row(task, b, 2, p) for b in ("4k", "8k") for p in range(4)]
    assert {each["max_new_tokens"] for each in found} == {2 * TEKKEN.count(found[0]["answers"][0])}
    assert row("niah_multivalue", "4k")["max_new_tokens"] == 128
    assert row("number_string", "4k")["max_new_tokens"] == 32


@given(st.floats(0, 1), st.integers(1, 10_000))
def test_every_place_is_as_likely(depth: float, n: int) -> None:
    assert 0 <= slot(depth, n) <= n
    assert slot(0.0, n) == 0
    assert slot(1.0, n) == n
    assert slot(depth, n) <= depth * (n + 1)


def test_twins_differ_in_what_is_asked_for_alone() -> None:
    for variant in ("absent", "absent_each", "absent_several", "absent_matrix", "absent_key", "near"):
        last = task_of(variant).variants - 1
        for group in range(3):
            there, gone = row(variant, "8k", group, 0), row(variant, "8k", group, last)
            assert there["group_id"] == gone["group_id"]
            assert (there["variant"], gone["variant"]) == (None, "unanswerable")
            assert (gone["depth"], gone["depth_index"]) == (None, None)
            assert there["max_new_tokens"] == gone["max_new_tokens"]
            assert (there["question"], gone["answers"]) == (gone["question"], ["none"])
            tails = [each["prompt"][each["context_end"] :] for each in (there, gone)]
            assert tails[0] == tails[1]
            assert "answer with the word none." in tails[0]
            assert tails[0].endswith("Answer:")
            assert re.search("may (?:contain|ask)", gone["prompt"][: gone["context_start"]])
            assert not re.search(r"\b(?:[Tt]here are|order of the text|one or more|[Aa]n? pass)", tails[0])
            assert there["prompt"][: there["context_start"]] == gone["prompt"][: gone["context_start"]]
            assert not any(key in context(gone) for key in json.loads(gone["metadata"])["keys"])
            assert not any(value in context(gone) for values in there["answer_groups"] for value in values)
            left, others = ([s["label"] for s in needles(*args)] for args in ((gone,), (there, "distractor")))
            assert [label for label in left if label in others] == others
            assert len(left) == (len(needles(there)) if variant != "absent_key" else 0)
            assert (gone["num_distractors"] - there["num_distractors"]) == len(left) - len(others)
            shared = set(task_of(variant).background(there)) & set(task_of(variant).background(gone))
            assert (
                len(shared) > 0.8 * min(there["num_segments"], gone["num_segments"])
                or there["background_corpus"] == small.CORPUS
            )


def test_a_grid_has_one_row_without_what_is_asked_for(tmp_path: Path) -> None:
    """At every depth it would be the same text."""
    found = [row("absent_key", "2k", 0, point) for point in range(4)]
    assert [each["variant"] for each in found] == [None, None, None, "unanswerable"]
    assert [each["depth_index"] for each in found] == [0, 1, 2, None]
    entry = {"base": "passkey", "unanswerable": True, "depths": 3, "lengths": {"4k": 6}}
    made = small.suite(tmp_path, {"x": entry})
    assert [each.rows for each in made.entries.values()] == [(("4k", "test", 8),)], "three depths and a row without it"


def test_near_keys_share_a_word() -> None:
    for group in range(10):
        each = row("near", "4k", group)
        query = json.loads(each["metadata"])["keys"][0]
        others = [s["label"] for s in needles(each, "distractor")]
        assert len(set(others)) == 8
        assert all(set(query.split("-")) & set(key.split("-")) and key != query for key in others)
    each = row("near_uuids", "4k")
    query = json.loads(each["metadata"])["keys"][0]
    assert {s["label"][:24] for s in needles(each, "distractor")} == {query[:24]}


def test_far_keys_and_keys_of_lines_are_no_nearer_than_chance() -> None:
    shared = 0
    for group in range(20):
        each = row("niah_multikey_1", "1k", group)
        query = json.loads(each["metadata"])["keys"][0].split("-")
        shared += sum(bool(set(query) & set(s["label"].split("-"))) for s in needles(each, "distractor"))
    assert shared <= 2


def test_other_words_than_the_needle() -> None:
    same, other = row("niah_multivalue", "2k"), row("other", "2k")
    assert other["question_gold_overlap"] < 0.2 < same["question_gold_overlap"]
    keys = set(json.loads(other["metadata"])["keys"][0].split("-"))
    text = said(other, "gold")[0]
    words = {w.strip(".?,").lower() for w in text.replace("-", " ").split()}
    query = {w.strip(".?,").lower() for w in other["question"].replace("-", " ").split()}
    assert words & query == keys


@pytest.mark.parametrize("decoys", [2, 8])
def test_no_form_leads_to_a_needle_asked_for_in_other_words(decoys: int) -> None:
    """Every wording occurs equally often, give or take one, and the gold has each of them."""
    task, golds = small.task("niah_single_2", paraphrase=True, decoys=decoys), Counter[str]()
    for group in range(12):
        each = proving.row(task, "2k", group)
        texts = [each["prompt"][s["start"] : s["end"]] for s in each["spans"] if s["kind"] in ("gold", "decoy")]
        forms = Counter(text.split()[0] for text in texts)
        assert len(texts) == decoys + 1 and len(forms) == 3 and max(forms.values()) <= min(forms.values()) + 1
        golds[said(each, "gold")[0].split()[0]] += 1
    assert len(golds) == 3


def test_shuffled_sentences_are_the_same_ones_elsewhere() -> None:
    plain, mixed = proving.row(small.task("niah", distractors=2), "8k", 0), row("shuffled", "8k")
    assert plain["prompt"] != mixed["prompt"]
    assert sorted(context(plain).split(". "))[5:9] == sorted(context(mixed).split(". "))[5:9]
    units = [int(str(unit)) for unit in task_of("shuffled").background(mixed)]
    follows = sum(b == a + 1 for a, b in pairwise(units))
    assert follows < 0.05 * len(units)


def test_train_rows_share_no_line_with_test() -> None:
    for variant in ("niah_single_1", "niah_multikey_2", "niah_single_2"):
        test, train = (proving.row(task_of(variant), "8k", 0, split=split) for split in ("test", "train"))
        assert not set(context(test).split(". ")) & set(context(train).split(". "))
        assert not set(context(test).split("\n")) & set(context(train).split("\n"))
        assert not set(test["doc_ids"]) & set(train["doc_ids"])


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tasks = {
        "niah_multikey_2": {},
        "niah_twins": {"base": "niah", "unanswerable": True, "depths": 3},
        "passkey": {"lengths": {"2k": {"train": 2}}},
    }
    return small.suite(tmp_path_factory.mktemp("data"), tasks, lengths={"1k": 12, "4k": 8})


def test_tables_and_slices(suite: Any) -> None:
    tables = {(t.task, t.length): t for t in suite.tables()}
    listed = [(n, b) for n in ("niah_multikey_2", "niah_twins") for b in ("1k", "4k")]
    assert list(tables) == [*listed, ("passkey", "2k")]
    assert suite.uses() == (Use("corpora", small.CORPUS),)
    for table in tables.values():
        whole = list(suite.build(table, 0, table.rows))
        parts = [each for first in range(table.rows) for each in suite.build(table, first, first + 1)]
        assert [each.prompt for each in whole] == [each.prompt for each in parts]
        found = finished(whole)
        assert len({each["id"] for each in found}) == table.rows
        task = suite.task(table.task)
        assert len({(task.identity(each), each["depth_index"]) for each in found}) == table.rows
        for each in found:
            solved(task, each)
    assert suite.draw("passkey", "1k", 5, 0, 3).split == "train"
    assert suite.draw("niah_twins", "1k", 5, 0, 3).variant == "unanswerable"


def test_no_background_is_needed_for_lines(tmp_path: Path) -> None:
    task, wanted = small.suite(tmp_path, {"passkey": {}}, lengths={"1k": 2}, background=None), {"1k": 11}
    assert task.uses() == ()
    assert len(list(task.build(task.tables()[0], 0, 2))) == 2
    assert task_of("passkey").settings.background is None  # another corpus builds no line anew
    with refused(ParamsError, "suites.synthetic.tasks.niah", fix="suites.synthetic.background"):
        small.suite(tmp_path, {"niah": {"lengths": wanted}}, background=None)


def test_material_ends(tmp_path: Path) -> None:
    """No line and no book comes twice: above the limit a row is refused."""
    with refused(BuildError, "synthetic_niah_1M test"):
        row("niah", "1M")
    long = small.suite(tmp_path, {"niah": {"lengths": {"1M": 11}}})
    with refused(BuildError, "synthetic_niah_sim_1M test"):
        long.select(long.tables()[0])
    assert 130_000 < (task_of("niah").limit() or 0) < 190_000
    with refused(BuildError, "synthetic_passkey_3M test", "98,304"):
        row("passkey", "3M")
    assert 1_500_000 < (task_of("passkey").limit() or 0) < 1_800_000


def test_what_cannot_be_filled_is_refused() -> None:
    with refused(BuildError, "synthetic_niah_multikey_3_1k", 832):
        for group in range(40):
            row("niah_multikey_3", "1k", group)


@pytest.mark.parametrize(
    ("task", "entry", "message"),
    [
        ("passkey", {"queries": 2}, ("suites.synthetic.tasks.passkey", "requires")),
        ("passkey", {"haystack": "needles"}, ("suites.synthetic.tasks.passkey", "haystack")),
        ("passkey", {"order": "shuffled"}, ("suites.synthetic.tasks.passkey", "shuffled")),
        ("passkey", {"value": "uuid"}, ("suites.synthetic.tasks.passkey: value", "'digits'", "'runs'")),
        ("number_string", {"key": "word", "queries": 4}, ("suites.synthetic.tasks.number_string: key", "'none'")),
        ("niah", {"distractor_similarity": "high"}, ("suites.synthetic.tasks.niah", "distractors")),
        ("niah", {"values": 0}, ("suites.synthetic.tasks.niah: values", 1)),
        ("niah", {"haystack": "hay"}, ("suites.synthetic.tasks.niah: haystack", "'essay'", "'noise'", "'needles'")),
        ("niah", {"depth": 3}, ("suites.synthetic.tasks.niah: depth", "Next: depths")),
    ],
)
def test_mistakes_in_the_parameters(
    tmp_path: Path, task: str, entry: dict[str, Any], message: tuple[object, ...]
) -> None:
    with refused(ParamsError, *message):
        small.suite(tmp_path, {task: {"lengths": {"4k": 110}, **entry}})


def test_a_task_that_the_release_does_not_list_is_checked_before_its_rows_are_drawn(tmp_path: Path) -> None:
    suite = small.suite(tmp_path, {"niah": {"lengths": {"4k": 11}}}, value="uuid")
    with refused(ParamsError, "suites.synthetic.tasks.passkey: value", "'digits'", "'runs'"):
        suite.draw("passkey", "1k", 5, 0, 0)


@settings(few, derandomize=True)
@given(
    haystack=st.sampled_from(["essay", "noise"]), key=st.sampled_from(["word", "uuid"]), queries=st.integers(1, 4),
    value=st.sampled_from(["number", "uuid", "digits", "runs"]), values=st.integers(1, 3), unanswerable=st.booleans(),
    distractors=st.integers(1, 5), distractor_similarity=st.sampled_from(["low", "high"]), depths=st.sampled_from([1, 3]),
    paraphrase=st.booleans(), length=st.sampled_from(["3k", "5k", "7k"]), group=st.integers(0, 10**6),
    point=st.integers(0, 3),
)  # fmt: skip
def test_any_settings_make_a_row_that_proves(length: str, group: int, point: int, **entry: Any) -> None:
    task = small.task("niah", **entry)
    each = proving.row(task, length, group, point % task.variants)
    assert each["prompt_tokens"] == TEKKEN.count(each["prompt"])
    solved(task, each)


def test_first_rows_by_heart() -> None:
    """A changed byte is a new version of the suite."""
    assert {v: row_digest(row(v, "4k", 1)) for v in VARIANTS} == GOLDEN


GOLDEN: dict[str, str] = {
    "niah_single_1": "1085256b6126", "niah_single_2": "cdcacded904f", "niah_single_3": "32256ff4a571",
    "niah_multikey_1": "dd82dbcec44e", "niah_multikey_2": "e7693634d424", "niah_multikey_3": "345ff87ee4cb",
    "niah_multivalue": "1315d8e98de4", "niah_multiquery": "b2e8635505de", "niah": "f6375dbd86a2",
    "niah_multi": "58deb6b7f46f", "passkey": "eb4827c89c4e", "number_string": "ecdfb45a2ab7", "absent": "0bf2d65089ec",
    "absent_each": "48a688430822", "absent_several": "c7c3a629ea5d", "absent_matrix": "db2505a1a082",
    "shuffled": "2adf254e4856", "other": "9435e9ac7224", "near": "19ea3db98498", "near_uuids": "caf681a8006d",
    "matrix": "1003f146a81e", "lines_other": "f51206b52460", "absent_key": "b440ad63e1a1",
    "long_answers": "aa64879f8951", "many_keys": "72684b48ceb2",
}  # fmt: skip
