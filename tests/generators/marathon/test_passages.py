"""Marathon's passage retrieval: four names of paragraphs, the wrong ones nearest by words, each letter right once over one text."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.marathon.suite import SUITE
from generators.pages import stock as page_stock
from generators.pages.find import FindParagraph
from generators.spec import Table
from haymaker.core.errors import BuildError
from haymaker.core.text.strings import words
from tests.errors import refused
from tests.extras import few
from tests.generators.kit import Row, context, finished
from tests.generators.pages import small
from tests.rows import row_digest

FIND, EXTRACT = "passage_retrieval", "passage_retrieval_extractive"


def task(folder: Path, name: str = EXTRACT, tokenizers: tuple[str, ...] = ("tekken",), **entry: Any) -> FindParagraph:
    made = small.task(folder, name, tokenizers, SUITE, **entry)
    assert isinstance(made, FindParagraph)
    return made


def group(made: FindParagraph, length: str, number: int, split: Any = "test") -> list[Row]:
    """All rows of a candidate."""
    at = Table("marathon", made.entry.name, length, split, made.variants)
    return finished(made.row(at, made.pool(split).candidate(number), variant) for variant in range(made.variants))


def four(row: Row) -> dict[str, str]:
    """Passage id -> what it is marked as, of those that the options name."""
    return {span["ref"]: span["kind"] for span in row["spans"] if span["kind"] in ("gold", "distractor")}


def test_first_and_last_row_are_these(corpus: Path) -> None:
    """A changed byte is a new version of the suite (versions.yaml)."""
    first, last = group(task(corpus), "natural", 0)[0], group(task(corpus), "natural", 99)[3]
    named = f"marathon-{EXTRACT}-natural-{EXTRACT}-test"
    assert (first["id"], first["answers"][1:]) == (f"{named}-00000-r0", ["B", "B. Paragraph 28"])
    assert (last["id"], last["answers"][1:]) == (f"{named}-00099-r3", ["B", "B. Paragraph 3"])
    assert [row_digest(first), row_digest(last)] == ["b1f1d46469f3", "883e7f75c6e3"]
    asked = f"\n\nQuotation: {first['question']}\n\nQuestion about the paragraphs above: Which of them is this quotation from?\n"
    assert first["prompt"][first["context_end"] :].startswith(f"{asked}A. Paragraph 6\nB. Paragraph 28\n")


def test_four_rows_have_one_text_and_each_letter_once(corpus: Path) -> None:
    made = task(corpus)
    for length in ("natural", "4k"):
        for number in range(4):
            rows = group(made, length, number)
            assert len({context(row) for row in rows}) == len({row["group_id"] for row in rows}) == 1
            assert [row["id"][-3:] for row in rows] == ["-r0", "-r1", "-r2", "-r3"]
            assert [row["order_index"] for row in rows] == [0, 1, 2, 3]
            assert sorted(row["answer_index"] for row in rows) == [0, 1, 2, 3]
            for one, other in pairwise(rows):
                assert other["choices"] == one["choices"][-1:] + one["choices"][:-1]
            assert len({row["choices"][row["answer_index"]] for row in rows}) == 1


def test_with_one_row_a_summary_letters_are_even_too(corpus: Path) -> None:
    made = task(corpus, rotations=1)
    assert made.variants == 1
    for first in range(0, 40, 4):
        answers = [made.answered(made.pool("test").candidate(first + more), np.arange(30), 0) for more in range(4)]
        assert sorted(each["answer_index"] for each in answers) == [0, 1, 2, 3]
    assert group(made, "natural", 0)[0]["id"].endswith("-r0")


def test_the_wrong_ones_are_the_nearest_by_words(corpus: Path) -> None:
    """BM25 worked out again, over all that a row can have: none nearer is left out, in no row."""
    made = task(corpus)
    stock = made.stock(made.pool("test").candidate(0))
    texts = dict(zip(stock.ids.tolist(), (words(text) for text in stock.texts), strict=True))
    for number in (0, 1, 5):
        for length in ("natural", "16k"):
            row = group(made, length, number)[0]
            marked = four(row)
            (gold,) = [ref for ref, kind in marked.items() if kind == "gold"]
            scores = dict(zip(texts, small.bm25(list(texts.values()), words(row["question"])), strict=True))
            least = min(scores[ref] for ref in marked if ref != gold)
            assert len(marked) == 4 and scores[gold] == max(scores.values())
            assert all(scores[ref] <= least + 1e-6 for ref in texts if ref not in marked)
            ranked = {span["rank"]: scores[span["ref"]] for span in row["spans"] if span["kind"] == "distractor"}
            assert ranked[0] >= ranked[1] >= ranked[2] > 0


def test_neither_number_nor_letter_nor_length_of_a_name_says_which_is_right(corpus: Path) -> None:
    made, count = task(corpus), 320
    rows = small.rows(made, "natural", count)
    ranks = Counter(json.loads(row["metadata"])["number_rank"] for row in rows)
    assert ranks == dict.fromkeys(range(4), count / 4), "each once in every four questions"
    assert Counter(row["answer_index"] for row in rows) == dict.fromkeys(range(4), count / 4)
    found = made.measures(rows)["shortcuts"]
    assert found["bm25_first"] == 1.0, "sentences taken out are found by their words: no measure of reading"
    assert found["number_rank"] == pytest.approx(max(ranks.values()) / count, abs=1e-4)
    alone = made.measures(rows)["option_leaks"]
    assert (alone["questions"], alone["letter"], alone["like_others"], alone["like_question"]) == (
        count / 4,
        0.25,
        0.25,
        0.25,
    )
    assert all(0.17 <= alone[name] <= 0.33 for name in ("longest", "shortest")) and alone["unread"] <= 0.33
    for rank in range(3):  # nor is any of the others always at the same place
        marked = [[span["rank"] for span in row["spans"] if span["ref"] in four(row)] for row in rows[::4]]
        places = Counter(each.index(rank) for each in marked)
        assert set(places) == {0, 1, 2, 3} and max(places.values()) <= 0.35 * count / 4
    assert made.measures([]) == {}


def test_a_sample_of_a_large_corpus_is_the_suites_own(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever suite of a process asks first."""
    monkeypatch.setattr(page_stock, "SAMPLE", 200)
    alone, other = task(corpus), small.task(corpus, EXTRACT)
    expected = set(alone.stock(alone.pool("test").candidate(0)).ids.tolist())
    first, then = small.task(corpus, EXTRACT), task(corpus)
    then.inputs = first.inputs
    drawn = set(first.stock(first.pool("test").candidate(0)).ids.tolist())
    assert set(then.stock(then.pool("test").candidate(0)).ids.tolist()) == expected != drawn
    assert drawn == set(other.stock(other.pool("test").candidate(0)).ids.tolist())


@few
@given(st.integers(0, 1 << 40), st.integers(4, 5000))
def test_four_stand_at_four_places_of_any_number_of_paragraphs(corpus: Path, number: int, count: int) -> None:
    made = task(corpus)
    candidate = made.pool("test").candidate(number % made.pool("test").count)  # type: ignore[operator]
    placed = made.placed(candidate)
    places = placed.places(count)
    assert len(set(places)) == 4 and all(0 <= place < count for place in places)
    order = np.arange(1000, 1000 + count - 4)
    laid = placed.lay(order)
    assert laid[places].tolist() == placed.entries
    assert np.delete(laid, places).tolist() == order.tolist()
    for variant in range(4):
        said = made.answered(candidate, laid, variant)
        assert said["choices"][said["answer_index"]] == f"Paragraph {places[-1] + 1}"
        assert sorted(said["choices"]) == sorted(f"Paragraph {place + 1}" for place in places)
        assert json.loads(said["answers"][0]) == {"option": said["answers"][1]}


def test_four_long_paragraphs_do_not_fit_a_short_length(tmp_path: Path) -> None:
    passages = [small.passage(number, sentences=40) for number in range(60)]
    made = task(small.data(tmp_path / "d", passages), splits={"test": 1})
    at = Table("marathon", EXTRACT, "4k", "test", 4)
    assert (
        made.rejection_reason_at(at, made.pool("test").candidate(0))
        == "what every row shows leaves no room for other paragraphs"
    )
    with refused(BuildError, "marathon_passage_retrieval_extractive_4k passage_retrieval_extractive-test-00000"):
        made.row(at, made.pool("test").candidate(0), 0)
    small.prove(made, group(made, "32k", 0)[0])


def test_damaged_rows_are_caught(corpus: Path) -> None:
    made = task(corpus)
    row = group(made, "4k", 0)[1]

    def problems(**changes: Any) -> str:
        return "; ".join(made.problems({**row, **changes}))

    assert problems() == ""
    turned = row["choices"][1:] + row["choices"][:1]
    assert "not shown in order" in problems(choices=turned) and "the gold is Paragraph" in problems(choices=turned)
    assert "the gold is Paragraph" in problems(answer_index=(row["answer_index"] + 1) % 4)
    assert "the gold is Paragraph" in problems(answers=["B"])
    assert "another number than the row" in problems(order_index=2) and "another number" in problems(order_index=4)
    demand = row["prompt"].replace("<letter>", "A")
    assert "not found after the context" in problems(prompt=demand)
    unmarked = [{**span, "kind": "passage"} if span["rank"] == 0 else span for span in row["spans"]]
    assert "not the four paragraphs that are marked" in problems(spans=unmarked)
