"""In Chinese: dureader, pages of a search among pages of others, and passage_retrieval_zh."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpora.tokenizers import tokenizer
from generators.pages.search import SearchPageQA
from haymaker.core.errors import ParamsError
from haymaker.core.rows.source_records import Passage
from tests.extras import needs
from tests.generators.pages import small

NAME = "dureader"
MORE = {"questions": small.SUMMARIES, "set": "user", "splits": {"test": 100}}


def said(number: int, size: int = 60) -> str:
    return small.chinese(number, size, "small chinese search")


def passage(number: int, text: str = "") -> Passage:
    return Passage(f"p{number}-0", f"p{number}", "", "", text or said(number, 45 + number % 37))


def asked(number: int, answers: list[str], *golds: int, **more: Any) -> dict[str, Any]:
    evidence = [{"article_id": f"p{gold}"} for gold in golds]
    return {
        "id": f"q{number}", "question": f"问题{number}是什么", "split": "test", "answers": answers, "evidence": evidence,
    } | more  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SearchPageQA:
    passages = [passage(number) for number in range(400)]
    passages[30] = passage(30, "【月亮离地球有多远】" + passages[30].text)
    passages[20] = passage(20, passages[3].text[:-1] + "！再见")  # a copy of another question's gold but for its end
    questions = [
        asked(0, [passages[0].text[5:25]], 0, 1), asked(1, [said(9_000, 15), passages[2].text[3:30]], 2),
        asked(2, [said(9_001, 15)], 4), asked(3, [passages[3].text[2:30]], 3), asked(4, [passages[20].text[2:30]], 20),
        asked(5, [passages[6].text], 6, 7, 8, question="月亮离地球多远"),
    ]  # fmt: skip
    folder = small.data(tmp_path_factory.mktemp("related") / "data", passages, lines=questions)
    built = small.suite(folder, {NAME: {"lengths": {"4k": 1}, **MORE}}).task(NAME)
    assert isinstance(built, SearchPageQA)
    return built


def by_id(made: SearchPageQA) -> dict[str, Any]:
    pool = made.pool("test")
    return {each.key.rpartition("-")[2]: each for each in map(pool.candidate, range(pool.count or 0))}


def test_what_cannot_be_asked_is_left_out_with_its_reason(made: SearchPageQA) -> None:
    assert {key: made.rejection_reason(each) for key, each in by_id(made).items()} == {
        "q0": "", "q1": "", "q3": "", "q5": "",
        "q2": "no page that it shows says an answer",
        "q4": "its pages are much like those of another question",
    }  # fmt: skip


@needs("zh", "jieba")
def test_rows_show_all_golds_at_every_length_and_accept_what_they_say(made: SearchPageQA) -> None:
    shown: dict[str, list[list[str]]] = {}
    for length in ("natural", "4k", "16k"):
        for row in small.rows(made, length, 3):
            assert not (found := list(made.problems(row))), found
            assert row["prompt_tokens"] == tokenizer.load("tekken").count(row["prompt"])
            assert row["prompt"].startswith("下面是许多编了号的文章") and row["prompt"].endswith("答案：")
            golds = [span for span in row["spans"] if span["kind"] == "gold"]
            assert all(any(answer in row["prompt"][s["start"] : s["end"]] for s in golds) for answer in row["answers"])
            shown.setdefault(row["group_id"], []).append([s["ref"] for s in row["spans"] if s["kind"] == "passage"])
            assert row["num_segments"] == 20 or length != "natural"
            assert row["num_distractors"] == row["num_segments"] - len(golds)
    for short, longer in ((rows[a], rows[b]) for rows in shown.values() for a, b in ((0, 2), (1, 2))):
        assert [each for each in longer if each in short] == short, "a longer row holds the shorter one in order"


def test_damaged_rows_are_caught(made: SearchPageQA) -> None:
    """The last one shows a page of the search that is no gold."""
    (row,) = small.rows(made, "natural", 1)
    ref = next(span["ref"] for span in row["spans"] if span["kind"] == "passage")
    assert not list(made.problems(row))
    assert next(made.problems(row | {"answers": [said(9_000, 15)]})).startswith("no gold page contains")
    assert any("the row has 0.123" in each for each in made.problems(row | {"depth": 0.123}))
    made._unmarked("test")[row["question"]].add(ref)
    assert any("may answer the question" in each for each in made.problems(row))
    made._unmarked("test")[row["question"]].discard(ref)


def test_a_page_whose_title_is_the_question_is_no_distractor(made: SearchPageQA) -> None:
    rows = small.rows(made, "16k", 4)
    shown = {row["question"]: {span["ref"] for span in row["spans"] if span["kind"] == "passage"} for row in rows}
    assert "p30-0" not in shown["月亮离地球多远"]
    usable = {key: each for key, each in by_id(made).items() if not made.rejection_reason(each)}
    entry = made.stock(usable["q5"]).ids.tolist().index("p30-0")
    assert [key for key, each in usable.items() if entry in made.barred(each)] == ["q5"]


def test_a_set_that_the_source_does_not_have_is_named(tmp_path: Path) -> None:
    folder = small.data(tmp_path / "data", [passage(n) for n in range(3)], lines=[asked(0, ["好的"], 0)])
    with pytest.raises(ParamsError, match=r"has no question set 'usr'"):
        small.suite(folder, {NAME: {"lengths": {"4k": 1}, **MORE, "set": "usr"}}).task(NAME).check()


@pytest.mark.slow
@pytest.mark.real
def test_the_demonstration(mirror: Path, tmp_path: Path) -> None:
    """140 questions, about 37 of which can be asked: why not is counted."""
    entry = {"questions": small.SUMMARIES, "splits": {"test": 100}, "lengths": {"4k": 4}}
    data = small.real(mirror, tmp_path, "dureader_mirror")
    made = small.suite(data, {NAME: entry}, notes={"kind": "dureader_mirror"}).task(NAME)
    reasons = Counter(map(made.rejection_reason, map(made.pool("test").candidate, range(140))))
    assert (
        made.pool("test").count == 140 and 35 <= reasons[""] <= 39
    )  # which of two alike pages stays depends on the order
    assert reasons["an opinion, and its answers have nothing in common"] == 72
    for length, count in (("natural", 12), ("64k", 3)):
        rows = small.rows(made, length, count)  # type: ignore[arg-type]
        assert not [each for row in rows[::5] for each in made.problems(row)]
        assert all(set(row["doc_ids"]).isdisjoint(made._unmarked("test")[row["question"]]) for row in rows)
        found = made.measures(rows)["shortcuts"]
        assert found["bm25_first"] >= 0.9 and found["last_1k_tokens"] <= 0.3  # about 0.15 of many
        assert {row["num_segments"] for row in rows if length == "natural"} <= {20}


def test_rows_are_chinese_exact_and_of_paragraphs_long_enough(tmp_path: Path) -> None:
    passages = [
        passage(number, small.chinese(number, 20 if number % 10 == 9 else 45 + number % 37)) for number in range(300)
    ]
    summaries = [(passages[n].text[8:30], f"p{n}") for n in range(9)]
    data = small.data(tmp_path / "data", passages, summaries, ("tekken", "gpt2"))
    more = {"summaries": small.SUMMARIES, "set": "user", "splits": {"test": 100}}
    made = small.suite(data, {"passage_retrieval_zh": {"lengths": {"4k": 1}, **more}}, ("tekken", "gpt2")).task(
        "passage_retrieval_zh"
    )
    assert len(made.stocks.of("test")) == 270, "of 20 characters is too short"  # type: ignore[attr-defined]
    for length in ("natural", "8k", "16k"):
        (row,) = small.rows(made, length, 1)  # type: ignore[arg-type]
        small.prove(made, row, ("tekken", "gpt2"))  # type: ignore[arg-type]
        assert row["language"] == "zh" and row["prompt"].endswith("答案：")
        (gold,) = [span for span in row["spans"] if span["kind"] == "gold"]
        assert row["prompt"][: gold["start"]].endswith(f"{row['answers'][0].replace('段落', '段落 ')}: ")
