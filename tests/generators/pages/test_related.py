"""dureader: pages of a search among pages of others, small made rows, and the publisher's demonstration."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpora import sources
from corpora.sources.base import FetchContext
from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams
from corpora.tokenizers import tokenizer
from generators.longbench.suite import SUITE
from generators.pages.search import SearchPageQA as Related
from haymaker.core.errors import ParamsError
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Passage
from tests.extras import needs
from tests.generators.pages import small

NAME = "dureader"
_CHARACTERS = [chr(code) for code in range(0x4E00, 0x4E00 + 900)]
MORE = {"questions": small.SUMMARIES, "set": "user", "parts": {"test": 100}}


def said(number: int, size: int = 60) -> str:
    stream = Stream("small chinese search", number)
    return "".join(stream.choice(_CHARACTERS) + "，" * (place % 20 == 19) for place in range(size)) + "。"


def passage(number: int, text: str = "") -> Passage:
    return Passage(f"p{number}-0", f"p{number}", "", "", text or said(number, 45 + number % 37))


def asked(number: int, answers: list[str], *golds: int, **more: Any) -> dict[str, Any]:
    evidence = [{"article_id": f"p{gold}"} for gold in golds]
    return {
        "id": f"q{number}", "question": f"问题{number}是什么", "part": "test", "answers": answers, "evidence": evidence,
    } | more  # fmt: skip


def data(folder: Path, questions: list[dict[str, Any]], passages: list[Passage]) -> Path:
    small.data(folder, passages)
    file = folder / "notes.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in questions))
    source = sources.create(small.SUMMARIES, "questions_jsonl", {"path": str(file)}, where="test")
    source.fetch(folder / "raw" / small.SUMMARIES, FetchContext(None, folder / "cache", folder / "lock.json"))
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Related:
    passages = [passage(number) for number in range(400)]
    passages[20] = passage(20, passages[3].text)  # a copy of another question's gold, word for word but for its end
    passages[20] = passage(20, passages[3].text[:-1] + "！再见")
    questions = [
        asked(0, [passages[0].text[5:25]], 0, 1), asked(1, [said(9_000, 15), passages[2].text[3:30]], 2),
        asked(2, [said(9_001, 15)], 4), asked(3, [passages[3].text[2:30]], 3), asked(4, [passages[20].text[2:30]], 20),
        asked(5, [passages[6].text], 6, 7, 8),
    ]  # fmt: skip
    folder = data(tmp_path_factory.mktemp("related") / "data", questions, passages)
    built = small.suite(folder, {NAME: {"buckets": {"4k": 1}, **MORE}}).task(NAME)
    assert isinstance(built, Related)
    return built


def by_id(made: Related) -> dict[str, Any]:
    return {
        made.pool("test").candidate(n).key.rpartition("-")[2]: made.pool("test").candidate(n)
        for n in range(made.pool("test").count)
    }


def test_what_cannot_be_asked_is_left_out_with_its_reason(made: Related) -> None:
    assert {key: made.rejection_reason(each) for key, each in by_id(made).items()} == {
        "q0": "", "q1": "", "q3": "", "q5": "",
        "q2": "no page that it shows says an answer",
        "q4": "its pages are much like those of another question",
    }  # fmt: skip


@needs("zh", "jieba")
def test_rows_show_all_golds_at_every_length_and_accept_what_they_say(made: Related) -> None:
    shown: dict[str, list[list[str]]] = {}
    for bucket in ("natural", "4k", "16k"):
        for row in small.rows(made, bucket, 3):
            assert not (found := list(made.problems(row))), found
            assert row["prompt_tokens"] == tokenizer.load("tekken").count(row["prompt"])
            assert row["prompt"].startswith("下面有许多编了号的文章") and row["prompt"].endswith("答案：")
            golds = [span for span in row["spans"] if span["kind"] == "gold"]
            assert all(any(answer in row["prompt"][s["start"] : s["end"]] for s in golds) for answer in row["answers"])
            shown.setdefault(row["group_id"], []).append([s["ref"] for s in row["spans"] if s["kind"] == "passage"])
            assert row["n_units"] == 20 or bucket != "natural"
            assert row["n_distractors"] == row["n_units"] - len(golds)
    for short, longer in ((rows[a], rows[b]) for rows in shown.values() for a, b in ((0, 2), (1, 2))):
        assert [each for each in longer if each in short] == short, "a longer row holds the shorter one in order"


def test_a_checked_row_must_say_its_answer_and_stand_at_its_depth(made: Related) -> None:
    (row,) = small.rows(made, "natural", 1)
    assert next(made.problems(row | {"answers": [said(9_000, 15)]})).startswith("no gold page says")
    assert any("gold at depths" in each for each in made.problems(row | {"depth": 0.123}))


def test_a_set_that_the_source_does_not_have_is_named(tmp_path: Path) -> None:
    folder = data(tmp_path / "data", [asked(0, ["好的"], 0)], [passage(n) for n in range(3)])
    with pytest.raises(ParamsError, match=r"has no question set 'usr'"):
        small.suite(folder, {NAME: {"buckets": {"4k": 1}, **MORE, "set": "usr"}}).task(NAME).check()


@pytest.mark.real
def test_the_demonstration(mirror: Path, tmp_path: Path) -> None:
    """205 questions, some 78 of which can be asked: why not is counted, shared words find the gold of half."""
    source = sources.create("web", "dureader_mirror", {}, where="test")
    raw, counter = tmp_path / "raw" / small.SUMMARIES, tokenizer.load("tekken")
    source.fetch(raw, FetchContext(mirror, tmp_path / "cache", tmp_path / "lock.json"))
    (tmp_path / "corpora").mkdir()
    read = (each for batch in source.batches(raw) for each in source.passages(raw, batch))
    build_store(read, tmp_path / "corpora" / small.CORPUS, PassageParams(source="web"), [counter], {"kind": "x"})
    entry = {"questions": small.SUMMARIES, "parts": {"test": 100}, "buckets": {"4k": 4}}
    made = small.suite(tmp_path, {NAME: entry}, of=SUITE, notes={"kind": "dureader_mirror"}).task(NAME)
    reasons = Counter(
        made.rejection_reason(made.pool("test").candidate(n)) for n in range(made.pool("test").count or 0)
    )
    assert (
        reasons.total() == 205 and 76 <= reasons[""] <= 80
    )  # which of two pages that are alike stays, the release's order decides
    assert reasons["an opinion, and its answers have nothing in common"] == 72
    for bucket, count in (("natural", 40), ("64k", 10)):
        rows = small.rows(made, bucket, count)  # type: ignore[arg-type]
        assert not [each for row in rows[::5] for each in made.problems(row)]
        found = made.measures(rows)["shortcuts"]
        assert 0.2 <= found["bm25_first"] <= 0.75 and found["last_1k_tokens"] <= 0.3  # about 0.15 of many
        assert {row["n_units"] for row in rows if bucket == "natural"} <= {20}
