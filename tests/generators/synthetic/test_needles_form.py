"""What would find a needle by its form: its digits, its length, the number of needles, how many values a question speaks of."""

from __future__ import annotations

import re
from collections import Counter
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml

from corpora.stores.sentences.clean import CleaningParams
from corpora.stores.sentences.split import splitter
from corpora.stores.sentences.store import CorpusParams
from generators.spec import TaskSettings
from generators.synthetic.base import GeneratedTask
from generators.synthetic.suite import SUITE
from haymaker.core.rows.source_records import Document
from tests.generators.kit import context, said
from tests.generators.synthetic import proving, small, speaking
from worlds.novels import write_novel

ROOT = Path(__file__).parents[3]
SHAPES = {"number": r"(?<![\w-])\d{7}(?![\w-])", "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"}


@pytest.mark.parametrize(
    ("name", "entry", "found"),
    [
        ("niah_single_2", {}, 1),  # RULER's law: the only number is the answer
        ("niah", {}, 9),
        ("niah_multi", {}, 15),
        ("niah_single_3", {"decoys": 8}, 9),
        ("niah_multikey_1", {"decoys": 30, "unanswerable": True}, 34),
    ],
)
def test_who_looks_for_a_number_finds_decoys_too(name: str, entry: dict[str, Any], found: int) -> None:
    task = small.task(name, **entry)
    for group in range(4):
        row = proving.row(task, "8k", group)
        assert len(set(re.findall(SHAPES[task.settings.value], context(row)))) == found
        decoys = said(row, "decoy")
        assert len(set(decoys)) == len(decoys) == task.settings.decoys
        assert row["num_distractors"] == len(said(row, "distractor"))
        assert all(re.search(r"[a-z]+-[a-z]+", text) and "special number" not in text for text in decoys)
        assert (task.solve(row["prompt"]), list(task.problems(row))) == (row["answers"], [])


def test_decoys_change_neither_question_nor_answer_nor_needles() -> None:
    plain, among = small.task("niah_single_2"), small.task("niah_single_2", decoys=8)
    for group in range(4):
        a, b = (proving.row(task, "8k", group) for task in (plain, among))
        assert (a["group_id"], a["question"], a["answers"]) == (b["group_id"], b["question"], b["answers"])
        assert said(a, "gold") == said(b, "gold")
        assert said(b, "decoy") == said(proving.row(among, "16k", group), "decoy")


def test_decoys_stand_anywhere() -> None:
    task = small.task("niah")
    tenths = [
        int(10 * (span["start"] - row["context_start"]) / len(context(row)))
        for row in (proving.row(task, "16k", group) for group in range(20))
        for span in row["spans"]
        if span["kind"] == "decoy"
    ]
    assert all(5 <= tenths.count(i) <= 32 for i in range(10)), tenths


def test_the_other_wording_is_said_in_words_that_books_use_often() -> None:
    """A sentence of rare words is found without being read."""
    task = small.task("niah_single_2", paraphrase=True, decoys=8)
    needle = said(proving.row(task, "4k", 0), "gold")[0]
    ranks = Counter(re.findall(r"[a-z]+", write_novel(5, 0, words=20_000).text.lower())).most_common(500)
    rare = set(re.findall(r"[a-z]+", needle.lower())) - {word for word, _ in ranks}
    assert rare == set(re.findall(r"[a-z]+", proving.row(task, "4k", 0)["question"].split()[-1]))


@pytest.mark.parametrize(
    "entry", [{}, {"values": 2}, {"unanswerable": True}, {"queries": 2}, {"depths": 3, "paraphrase": True}]
)
def test_no_question_tells_how_many_values_there_are_or_their_order(entry: dict[str, Any]) -> None:
    row = proving.row(small.task("niah_multivalue", **entry), "4k", 0)
    words = row["prompt"][: row["context_start"]] + row["prompt"][row["context_end"] :]
    assert not re.search(r"\d|\b(?:two|three|four|there are|order of the text)\b", words.lower())
    assert "nswer with all of them" in words


@pytest.mark.parametrize(
    "entry", [{}, {"distractor_similarity": "high", "distractors": 5}, {"queries": 2, "values": 2, "depths": 3}]
)
def test_as_many_needles_whether_what_is_asked_for_is_there_or_not(entry: dict[str, Any]) -> None:
    """A reader who counts needles knows nothing of the answer; those that stand in have places as the others."""
    task = small.task("niah_multikey_1", unanswerable=True, **entry)
    for group in range(6):
        rows = [proving.row(task, "8k", group, variant) for variant in range(task.variants)]
        assert len({len(said(row, "gold", "distractor")) for row in rows}) == 1
        gone = rows[-1]
        assert (gone["variant"], said(gone, "gold"), gone["answers"]) == ("unanswerable", [], ["none"])
        assert set(said(rows[0], "distractor")) < set(said(gone, "distractor"))
        assert (task.solve(gone["prompt"]), list(task.problems(gone))) == (["none"], [])
        if "depths" not in entry:
            places = [[s["start"] / len(row["prompt"]) for s in row["spans"] if s["label"]] for row in rows]
            assert places[0] == pytest.approx(places[1], abs=0.02)


def test_none_is_seldom_right_and_no_more_is_allowed() -> None:
    for release in sorted((ROOT / "params").glob("*.yaml")):
        entries = yaml.safe_load(release.read_text(encoding="utf-8"))["suites"].get("synthetic", {}).get("tasks", {})
        for name, entry in entries.items():
            assert not (entry or {}).get("unanswerable") or entry["depths"] >= 3, (release, name)
    task = small.task("niah_multikey_1", unanswerable=True, depths=3)
    allowed = task.settings.allows(task.spec)
    assert allowed["majority"].percent == allowed["last_1k"].percent == 25
    assert allowed["digit_finder"].percent == 40  # F1 of naming all four such values, as without absent rows
    plain = small.task("niah_multikey_1")
    assert "majority" not in plain.settings.allows(plain.spec)


def test_an_entry_says_what_its_own_settings_ask_for() -> None:
    def title(name: str, **entry: Any) -> str:
        task: GeneratedTask[TaskSettings] = small.task(name, **entry)
        return task.spec.titled(task.settings, simulated=False)

    assert title("niah_multikey_1") == "RULER NIAH multikey 1: one of four numbers in books"
    near = "RULER NIAH multikey 1: one of twenty-one numbers in books, the other names like the one asked for"
    assert title("niah_multikey_1", distractors=20, distractor_similarity="high") == near
    assert title("niah_multikey_1", unanswerable=True).endswith(
        "one of four numbers in books, not there in one row of two"
    )
    assert title("niah_single_2", order="shuffled").endswith("a number in books, sentences shuffled")
    assert title("niah_single_2", paraphrase=True).endswith("a number in books, asked in other words")
    assert title("niah_multivalue", values=2, queries=3, distractors=1).endswith(
        "two numbers of each of three names of four in books"
    )
    assert title("niah_single_3", decoys=2).endswith("a UUID in books, among two decoys")
    assert title("json_kv", distractors=9, unanswerable=True, depths=3) == (
        "JSON-KV (HELMET): the value of a key in a long JSON object, the pair at three depths, nine keys nearly like it, "
        "not there in one row of four"
    )
    assert "three deep" in title("code_run", layers=[3])
    assert all("{" not in spec.titled(simulated=False) for spec in SUITE.tasks)


def _store(data: Path, text: str, **clean: Any) -> None:
    """A corpus of one book, named as that of the suite."""
    rules = CorpusParams(source="novels", duplicates=True, clean=CleaningParams(**clean))
    speaking.store(data, small.CORPUS, rules, [Document("book", "Book", "test", text)], ["tekken"])


def _task(data: Path, name: str, rows: int = 10) -> Any:
    return small.suite(data, {name: {}}, lengths={"4k": rows}).task(name)


def test_no_key_or_value_is_a_word_of_the_books(tmp_path: Path) -> None:
    """Whatever a book says, nothing in it is what is asked for."""
    lines = [f"The cart went round bend {i * i + 7} of the road." for i in range(900)]
    rules = {"splitter": "lines", "front_matter": False, "tables": False, "min_tokens": 1, "min_letter_share": 0.0}
    _store(tmp_path / "a", "\n".join(lines), **rules)
    plain = proving.row(_task(tmp_path / "a", "niah_multikey_1"), "4k", 0)
    asked = re.findall(r"of (\S+) is (\S+)\.", "\n".join(said(plain, "gold", "distractor")))
    told = [f"They wrote to {key} and heard {value} of it." for key, value in asked]
    _store(tmp_path / "b", "\n".join([*lines, *told]), **rules)
    other = proving.row(_task(tmp_path / "b", "niah_multikey_1"), "4k", 0)
    again = re.findall(r"of (\S+) is (\S+)\.", "\n".join(said(other, "gold", "distractor")))
    assert not {word for pair in asked for word in pair} & {word for pair in again for word in pair}
    assert len(again) == 4


@pytest.mark.real
def test_no_needle_is_told_by_its_length_in_an_uncut_book(tmp_path: Path, mirror: Path) -> None:
    """With min_tokens 10 a needle is shorter than most sentences; with short ones kept a third of them is shorter still.

    Sentences as a reader sees them: a unit may be a speech of several sentences.
    """
    text, ranks = (mirror / "pg19/test/120.txt").read_text(encoding="utf-8"), {}
    for least in (10, 1):
        _store(tmp_path / str(least), text, min_tokens=least, min_letter_share=0.3)
        task = _task(tmp_path / str(least), "niah_single_2")
        store = task.inputs.background(small.CORPUS)
        sizes = [end - start for start, end in splitter("punkt")(bytes(store.text).decode())]
        golds = [len(said(proving.row(task, "4k", group), "gold")[0]) for group in range(10)]
        ranks[least] = sorted(sum(size < gold for size in sizes) / len(sizes) for gold in golds)[5]
    assert ranks[10] < 0.3 < ranks[1] < 0.7, ranks


def _rarest(lines: list[str]) -> str:
    """The line whose groups of three letters are rarest in the mean."""

    def groups(line: str) -> list[str]:
        return [line[i : i + 3] for i in range(len(line) - 2)]

    seen = Counter(group for line in lines for group in groups(line))
    return min((line for line in lines if len(line) > 20), key=lambda line: fmean(log(seen[g]) for g in groups(line)))


@pytest.mark.real
def test_the_line_least_like_the_others_is_seldom_the_needle(tmp_path: Path, mirror: Path) -> None:
    text, found = (mirror / "pg19/test/120.txt").read_text(encoding="utf-8"), {}
    _store(tmp_path, text, min_tokens=1, min_letter_share=0.3)
    for name in ("niah_single_2", "niah"):
        task = _task(tmp_path, name, rows=11)
        rows = [proving.row(task, "4k", group, group % task.variants) for group in range(30)]
        picked = [_rarest(re.split(r"(?<=[.!?]) ", context(row))) for row in rows]
        found[name] = sum(line in said(row, "gold")[0] for line, row in zip(picked, rows, strict=True)) / 30
    assert found["niah"] <= 0.25 < 0.4 < found["niah_single_2"], found
