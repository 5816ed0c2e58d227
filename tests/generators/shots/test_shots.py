"""Rows of shots: filled to the last token, one shot of each label a round, own numbers for every question; by an oracle that
reads only the finished prompt. Mistakes and material that ends are refused in one line. First rows by heart."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import LabelledText
from tests.extras import few
from tests.generators.kit import (
    AnyLength,
    Injury,
    Row,
    Rows,
    assert_named,
    by_place,
    drawn,
    in_order,
    metadata,
    note,
    put,
    refused,
    said,
    sound,
    spans,
)
from tests.generators.shots import small

LADDER = {"4k": 8, "8k": 8, "16k": 4}
TRAIN = {"4k": {"test": 4, "train": 4}, "8k": {"train": 4}}
TASKS: dict[str, Any] = {
    "icl_trec_coarse": {"classification_set": "small", "lengths": LADDER, "repeats": False},
    "icl_trec_fine": {"classification_set": "small", "lengths": TRAIN, "repeats": False},
    "icl_banking77": {"classification_set": "small", "lengths": LADDER, "labels": "natural", "repeats": False},
    "icl_clinc150": {"classification_set": "small", "lengths": {"4k": 3, "16k": 3, "64k": 2}},
    "icl_nlu": {"classification_set": "small", "lengths": {"4k": 3}, "balance_eval": False},
    "counted": {"base": "icl_aggregate", "classification_set": "small", "lengths": {"4k": 20, "8k": 20}},
}
SHOT = re.compile(r"Text: (.+)\nLabel: (.+)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shots")
    small.write(folder)
    return folder


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    return small.suite(folder, TASKS)


def every(rows: Rows, *tasks: str) -> Iterator[Row]:
    return (row for (task, *_), table in rows.items() for row in table if not tasks or task in tasks)


def read(prompt: str) -> tuple[list[tuple[str, str]], str]:
    """Shots and the text asked for, as a reader finds them in the prompt alone."""
    *blocks, last = prompt.split("\n\n")[1:]
    shots, asked = [SHOT.fullmatch(block) for block in blocks], re.fullmatch(r"Text: (.+)\nLabel:", last)
    assert all(shots) and asked
    return [(shot[1], shot[2]) for shot in shots if shot], asked[1]


def true_labels(suite: ReleaseSuite) -> dict[str, str]:
    """Text -> label of the source, of all splits."""
    labelled = suite.inputs.labelled("small")
    splits = [labelled.split(split) for split in ("train", "test")]  # type: ignore[arg-type]
    return {
        text: labelled.labels[n] for split in splits for text, n in zip(split.text, split.label.tolist(), strict=True)
    }


def test_every_row_asked_for_and_every_check_of_validate(folder: Path, suite: ReleaseSuite, rows: Rows) -> None:
    """docs/defects/helmet.md D5: each row is as long as its own tokens say, to the last one: no number of shots per length."""
    nested = 12 + 12 + 3 + 2 + 4 + 17  # three questions on counts are too close at 4k
    sound(suite, rows, small.suite(folder, TASKS), FILL=len(list(every(rows))), ORACLE=40, NESTED=nested)
    missing = {t: suite.select(t).missing for t in suite.tables()}
    assert [(t.task, t.length, len(groups)) for t, groups in missing.items() if groups] == [("counted", "4k", 3)]
    assert all(0 <= row["unused_tokens"] <= 1 for row in every(rows))
    assert len({row["num_segments"] for row in rows["icl_trec_coarse", "4k", "test"]}) > 3


def test_the_answer_follows_from_the_prompt_alone(suite: ReleaseSuite, rows: Rows) -> None:
    """Who knows which texts are of one kind can answer: labels as shown and kinds are one to one."""
    kinds = true_labels(suite)
    for row in every(rows, *(TASKS.keys() - {"counted"})):
        shots, asked = read(row["prompt"])
        shown = {(kinds[text], label) for text, label in shots}
        assert len(shown) == len({kind for kind, _ in shown}) == len({label for _, label in shown}) == small.LABELS
        assert row["answers"] == [dict(shown)[kinds[asked]]]
        assert asked == row["question"] and asked not in {text for text, _ in shots}
        assert row["choices"][row["answer_index"]] == row["answers"][0]
        assert sorted(row["choices"]) == sorted(label for _, label in shown)
        assert json.loads(row["metadata"])["label_map"] == dict(shown)
    own = [json.loads(row["metadata"])["label_map"] for row in rows["icl_trec_coarse", "4k", "test"]]
    assert len({json.dumps(each) for each in own}) == len(own), "own numbers for every question"
    assert all(sorted(each.values()) == sorted(map(str, range(12))) for each in own)


def test_each_text_once_and_each_label_evenly(suite: ReleaseSuite, rows: Rows) -> None:
    """Without `repeats`: as many of each label as its rounds have, over the whole context, the small labels too."""
    kinds = true_labels(suite)
    for row in every(rows, "icl_trec_coarse", "icl_trec_fine", "icl_banking77"):
        labels, metadata = [kinds[text] for text, _ in read(row["prompt"])[0]], json.loads(row["metadata"])
        sizes = {small.name(i): size for i, size in enumerate(small.SIZES)}
        if row["split"] == "train":
            sizes[kinds[row["question"]]] -= 1
        beyond = 0
        for label, size in sizes.items():
            count = labels.count(label)
            assert count >= min(size, metadata["rounds"])
            beyond += max(0, count - metadata["rounds"])
            at = [place for place, each in enumerate(labels) if each == label]
            gaps = [after - before for before, after in pairwise([-1, *at, len(labels)])]
            assert max(gaps) < 3.5 * len(labels) / count
        assert beyond < 96 and metadata["full_rounds"] == min(metadata["rounds"], *sizes.values())


def test_rows_and_titles_say_what_an_entry_asks_for(rows: Rows, suite: ReleaseSuite) -> None:
    """Published means take rows without a variant alone; no title has a number of labels that another set does not have."""
    assert {task: {row["variant"] for row in every(rows, task)} for task in TASKS} == {
        "icl_trec_coarse": {"once"}, "icl_trec_fine": {"once"}, "icl_banking77": {"natural-once"},
        "icl_clinc150": {None}, "icl_nlu": {None}, "counted": {None},
    }  # fmt: skip
    end = " from hundreds of labelled texts"
    for name, title in (
        ("icl_clinc150", f"CLINC150: learn the numbers that stand for kinds of requests{end}"),
        ("icl_banking77", f"BANKING77: learn the names that stand for kinds of customers' messages{end}, each shown once"),
    ):  # fmt: skip
        entry = suite.entries[name]
        assert entry.spec.titled(entry.settings, simulated=False) == title


def asked_labels(suite: ReleaseSuite, name: str) -> list[str]:
    """Labels of a task's test questions in the release's order."""
    task: Any = suite.task(name)
    numbers = [task.pool("test").candidate(i).number for i in range(task.pool("test").count)]
    return [small.name(int(task.stock.split("test").label[number])) for number in numbers]


def test_questions_are_taken_in_rounds(rows: Rows, folder: Path) -> None:
    """docs/defects/helmet.md D15: TREC's questions are balanced too, as far as there are any; not so where switched off."""
    entry = {"classification_set": "small", "lengths": {"4k": 40}}
    order = asked_labels(small.suite(folder, {"icl_trec_coarse": entry}), "icl_trec_coarse")
    assert len(order) == sum(small.TEST)
    for number in range(3):
        assert sorted(order[12 * number : 12 * number + 12]) == [small.name(i) for i in range(12)]
    assert Counter(order[36:]) == {small.name(i): small.TEST[i] - 3 for i in range(12) if small.TEST[i] > 3}
    loose = asked_labels(small.suite(folder, {"icl_nlu": entry | {"balance_eval": False}}), "icl_nlu")
    assert Counter(loose) == Counter(order) and max(Counter(loose[:12]).values()) > 1
    short, long = ([row["question"] for row in rows["icl_trec_coarse", length, "test"]] for length in ("4k", "8k"))
    assert short == long


def test_rows_drawn_for_training(folder: Path) -> None:
    """Of any task and length: every question once before any comes again, whose label has another text."""
    small.write(folder, "rare", {"train": [1, 2, 30, 40], "test": [1, 1, 1, 1]})
    tasks = {"icl_nlu": "small", "icl_banking77": "rare", "icl_aggregate": "small"}
    entries = {task: {"classification_set": name, "lengths": {"4k": 1}} for task, name in tasks.items()}
    suite = small.suite(folder, entries)
    for task in tasks:
        rows = drawn(suite, task, 12, "2k", "3k", "4k")
        assert len({(row["group_id"], row["question"]) for row in rows}) == 12
    rare: Any = suite.task("icl_banking77")
    turns = [suite.draw("icl_banking77", "2k", 5, turn, turn) for turn in range(rare.pool("train").count)]
    shots = rare.stock.shots
    label = dict(zip(shots.text_id, shots.label.tolist(), strict=True))
    labels = Counter(small.name(label[sample.group_id.removeprefix("rare-train-")]) for sample in turns)
    assert labels == {small.name(1): 2, small.name(2): 30, small.name(3): 40}


@few
@given(st.integers(2 * 1024, 12 * 1024), st.integers(0, 30), st.sampled_from(sorted(set(TASKS) - {"icl_trec_fine"})))
def test_any_length(suite: ReleaseSuite, tokens: int, group: int, task: str) -> None:
    """Not only the usual lengths: never over, filled, exact, and held in order by a row twice as long."""
    maker = suite.task(task)
    tokens = min(tokens, (maker.limit() or 2 * tokens) // 2)  # beyond it, whether the texts last is a matter of luck
    shorter, longer = (
        maker.row(AnyLength("helmet", task, f"{size} tokens", "test", 1), maker.pool("test").candidate(group), 0)
        for size in (tokens, 2 * tokens)
    )
    for sample, size in ((shorter, tokens), (longer, 2 * tokens)):
        assert sample.prompt_tokens == tokenizer.load("tekken").count(sample.text)
        assert 0 <= size - 84 - sample.prompt_tokens <= 0.005 * size
    shots = [SHOT.findall(sample.text.partition("\n\n")[2]) for sample in (shorter, longer)]
    assert len(shots[0]) == shorter.num_segments and in_order(*shots)


def test_the_material_ends(folder: Path) -> None:
    """The longest honest length is built and filled; the next is refused, and the longest named."""
    entry = {"classification_set": "small", "lengths": {"4k": 2}}
    tasks = {
        "once": entry | {"base": "icl_trec_coarse", "repeats": False},
        "counted": entry | {"base": "icl_aggregate"},
    }
    suite = small.suite(folder, tasks | {"again": entry | {"base": "icl_nlu"}})
    assert suite.limit("once") == 26_289 and suite.limit("again") is None
    assert small.suite(folder / "nowhere", tasks).limit("counted") is None
    for task, fix in (
        ("once", "or shorter, or repeats: true on the task"),
        ("counted", "or shorter, or a set of more texts"),
    ):
        longest = (suite.limit(task) or 0) // 1024
        for sample in suite.build(Table("helmet", task, f"{longest}k", "test", 2), 0, 2):
            assert (sample.unused_tokens or 0) <= 0.005 * longest * 1024
        line = refused(BuildError, suite.select, Table("helmet", task, f"{longest + 1}k", "test", 2))
        assert f"the texts of set 'small' end at {suite.limit(task):,} tokens" in line and line.endswith(fix)


def test_too_few_questions_reach_the_length(folder: Path) -> None:
    small.write(folder, "wide", {"train": [6] * 90, "test": [1] * 90})
    stiff = [LabelledText(f"{i}", "train", f"{'one ' * 40}{i}", f"l{i % 3}") for i in range(100, 160)]
    asked = [LabelledText(f"q{i}", "test", f"{'two ' * i}", f"l{i % 3}") for i in range(1, 40)]
    small.write_texts(folder, "stiff", stiff, asked)
    for name, length, why in (
        ("wide", "1k", "no room for one shot of each of 90 labels: 64"),
        ("stiff", "2k", "no choice of shots fills 99.5 %: "),
    ):
        suite = small.suite(folder, {"icl_nlu": {"classification_set": name, "lengths": {length: 30}}})
        assert f"reach the length ({why}" in refused(BuildError, suite.select, suite.tables()[0])


@pytest.mark.real
def test_other_tokenizers(tmp_path: Path, mirror: Path) -> None:
    """SentencePiece as release tokenizer, byte BPE as a further one: counts of the finished prompt."""
    names = (f"file:{next((mirror / 'tokenizers' / 'llama2').glob('*.model'))}", "gpt2")
    small.write(tmp_path, tokenizers=names)
    suite = small.suite(tmp_path, {task: TASKS[task] | {"lengths": {"4k": 3}} for task in TASKS}, names)
    sound(suite, by_place(suite))


def shot(row: Row, number: int) -> Row:
    return spans(row, "shot")[number]


def other_word(row: Row) -> None:
    put(row, shot(row, 7)["start"], "qqq")


def other_label(row: Row) -> None:
    at = shot(row, 7)["end"] - 1
    put(row, at, "8" if row["prompt"][at] != "8" else "9")


def two_labels_one_number(row: Row) -> None:
    labels = metadata(row)["label_map"]
    note(row, label_map=labels | {small.name(0): labels[small.name(1)]})


def wrong_choices(row: Row) -> None:
    row["choices"] = [*row["choices"][1:], row["choices"][0]]
    row["answer_index"] = (row["answer_index"] - 1) % len(row["choices"])


def asked_is_a_shot(row: Row) -> None:
    text = said(row, "shot")[3].rpartition("\nLabel: ")[0]
    row["prompt"] = row["prompt"][: row["context_end"]] + f"\n\nText: {text.upper()}\nLabel:"
    row["question"], row["answer_prefix_start"] = text.upper(), len(row["prompt"]) - len("Label:")


def in_rounds(row: Row) -> None:
    """Labels where rounds would put them, should their texts end early: the last half without the first label."""
    shots, half = spans(row, "shot"), len(spans(row, "shot")) // 2
    own = [span for span in shots[half:] if span["label"] == shots[0]["label"]]
    others = iter([span for span in shots[:half] if span["label"] != shots[0]["label"]])
    for span in own:
        other = next(others)
        span["label"], other["label"] = other["label"], span["label"]


def too_close(row: Row) -> None:
    """As many of the rarest as of the next, as a reader counts them."""
    counts = metadata(row)["counts"]
    rare, next_ = sorted(counts, key=counts.get)[:2]
    note(row, question="least")
    lines = [f"Label: {label}\n" for label in (next_, rare)]
    row["prompt"] = row["prompt"].replace(*lines, (counts[next_] - counts[rare]) // 2)


def rarer_label(row: Row) -> None:
    _, *others = [span for span in spans(row, "shot") if span["label"] == shot(row, 0)["label"]]
    for span in others:
        span["label"] = shot(row, 1)["label"]


def lying_label(row: Row) -> None:
    shot(row, 5)["label"] = small.name(0) if shot(row, 5)["label"] != small.name(0) else small.name(1)


def other_counts(row: Row) -> None:
    counts = metadata(row)["counts"]
    note(row, counts=counts | {min(counts): counts[min(counts)] + 1})


INJURIES: dict[str, list[tuple[str, Injury, str]]] = {
    "icl_trec_coarse": [
        ("other word", other_word, "differs from the prepared input"),
        ("other label", other_label, "shot 8 has the label"),
        ("broken line", lambda r: put(r, shot(r, 7)["start"] + 2, "\n"), "shot 8 does not have the form of a shot"),
        ("glued", lambda r: put(r, shot(r, 7)["end"], "  "), "the context is not its units"),
        ("lost span", lambda r: r["spans"].pop(5), "the spans of shots do not follow one another"),
        ("other ref", lambda r: shot(r, 5).update(ref=shot(r, 6)["ref"]), "units occur twice"),
        ("lying label", lying_label, "shot 6 has the label"),
        ("wrong number of units", lambda r: r.update(num_unique_segments=r["num_unique_segments"] - 1), "the row has"),
        ("rarer label", rarer_label, "rounds have"),
        ("no rounds", lambda r: note(r, rounds=0, full_rounds=0), "not one whole round"),
        ("in rounds", in_rounds, "shots in a row without label"),
        ("two labels, one number", two_labels_one_number, "the label map is not one to one"),
        ("wrong choices", wrong_choices, "the choices are not the numbers from 0"),
        ("wrong index", lambda r: r.update(answer_index=(r["answer_index"] + 1) % small.LABELS), "the answer is not the choice at answer_index"),
        ("asked is a shot", asked_is_a_shot, "has the text or the question of the row"),
        ("other question", lambda r: r.update(question=r["question"] + "?"), "the shots are followed by"),
    ],
    "icl_clinc150": [
        ("rarer label", rarer_label, "does not contain each label once"),
        ("no rounds", lambda r: note(r, rounds=0, full_rounds=0), "after 0 whole rounds"),
        ("once", lambda r: r.update(variant="once"), "variant once, the task's rows are plain"),
    ],
    "counted": [
        ("too close", too_close, "are too close to tell apart"),
        ("other counts", other_counts, "do not occur as often as in `metadata`"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("task", "injure", "message"),
    [pytest.param(task, *case, id=f"{task}-{what}") for task, cases in INJURIES.items() for what, *case in cases],
)
def test_injuries_are_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, injure: Injury, message: str
) -> None:
    assert_named(suite.task(task), whole[task], injure, message)


def test_without_the_prepared_set(suite: ReleaseSuite, whole: dict[str, Row], tmp_path: Path) -> None:
    """A release can be verified alone: all but the source's own texts is in the rows."""
    name, alone = "icl_trec_coarse", small.suite(tmp_path, TASKS)
    assert not [problem for task, row in whole.items() for problem in alone.task(task).problems(row)]
    row = deepcopy(whole[name])
    other_word(row)
    assert not list(alone.task(name).problems(row)) and list(suite.task(name).problems(row))
    other_label(row)
    assert list(alone.task(name).problems(row))
