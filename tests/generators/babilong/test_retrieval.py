"""Retrieval accuracy: scores equal to a library's, ranks worked out by hand, prompts rebuilt, damage found."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.chunks import Chunker
from corpora.retrieval.lexical import BM25, K1, B
from corpora.retrieval.scorers import ranking
from corpora.tokenizers.tokenizer import load
from generators.babilong import oracle
from generators.babilong.retrieval import CHUNK_TOKENS, Retriever, summary
from generators.context.sentences import Needle, weave
from generators.suite import ReleaseSuite
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.rows.retrieved_prompt import KS, UNITS, retrieved_prompt
from haymaker.core.rows.sample import Sample
from haymaker.releases.find_row import find
from pipelines import stages
from pipelines.project import Project
from tests.errors import refused
from tests.pipelines import tiny
from tests.pipelines.test_validate import change, failed, path_of

Row = dict[str, Any]
TASKS = {
    "qa1": {"buckets": {"0k": {"test": 8, "train": 2}, "1k": 6, "4k": 6, "18k": 1}},
    "qa2": {"buckets": {"4k": 5}, "retrieval": "none"},
    "qa3": {"buckets": {"4k": 6}},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A finished project whose rows were searched, qa2's excepted; to be read only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAYMAKER_WORKERS", "1")
        changes = {"suites.babilong.tasks": TASKS, "suites.babilong.retrieval": "bm25"}
        project = tiny.make(tmp_path_factory.mktemp("searched"), **changes)
        tiny.run(project)
        yield project.root


@pytest.fixture
def project(root: Path) -> Project:
    return Project(root)


@pytest.fixture
def mine(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    return tiny.copy(root, tmp_path / "mine")


def suite(project: Project) -> ReleaseSuite:
    return project.suites()[0]


def built(of: ReleaseSuite, task: str, bucket: str) -> list[Sample]:
    table = next(t for t in of.tables() if (t.task, t.bucket, t.part) == (task, bucket, "test"))
    return list(of.build(table, 0, table.rows))


def extra(row: Row) -> dict[str, Any]:
    return dict(json.loads(row["extra"]))


# --------------------------------------------------------------------------------------------------------------- BM25


def bounds_of(pieces: list[str]) -> Any:
    return np.cumsum([0, *map(len, pieces)])


def library(pieces: list[str], query: str) -> Any:
    index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
    index.index([[w.lower() for w in re.findall(r"\w+", piece)] for piece in pieces], show_progress=False)
    return index.get_scores([w.lower() for w in re.findall(r"\w+", query)])


WORDS = [
    "Mary",
    "mary",
    "MARY",
    "went",
    "to",
    "the",
    "The",
    "kitchen.",
    "“Mary—the",
    "Mary's",
    "élan",
    "Élan",
    "x_1",
    "—",
    "Straße",
]


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), min_size=1, max_size=12),
    st.lists(st.sampled_from([*WORDS, "nobody"]), min_size=1, max_size=5),
)
def test_scores_and_order_are_those_of_the_library(sentences: list[list[str]], asked: list[str]) -> None:
    pieces = [" " + " ".join(words) for words in sentences]
    if not any(re.search(r"\w", piece) for piece in pieces):
        return  # the library divides by the mean length
    query = " ".join(asked)
    if not re.search(r"\w", query):
        query = "nobody"
    scores = BM25("".join(pieces)).scores(query, bounds_of(pieces))
    expected = library(pieces, query)
    assert scores == pytest.approx(expected, abs=1e-8)
    assert ranking(scores).tolist() == sorted(range(len(pieces)), key=lambda i: (-round(float(expected[i]), 9), i))


def test_a_score_worked_out_by_hand() -> None:
    pieces = [" Mary went to the kitchen.", " John went to the office.", " Where is it, asked Mary, and where?"]
    scores = BM25("".join(pieces)).scores("Where is Mary?", bounds_of(pieces))
    idf = {1: math.log(1 + 2.5 / 1.5), 2: math.log(1 + 1.5 / 2.5)}  # of words in one and in two of three pieces
    norm = {n: 1.2 * (0.25 + 0.75 * n / (17 / 3)) for n in (5, 7)}  # 17 words in three pieces
    third = idf[1] * 2 / (2 + norm[7]) + idf[1] / (1 + norm[7]) + idf[2] / (1 + norm[7])
    assert scores == pytest.approx([idf[2] / (1 + norm[5]), 0.0, third], abs=1e-9)
    assert ranking(scores).tolist() == [2, 0, 1]


def test_ties_stand_in_the_order_of_the_text() -> None:
    pieces = [
        " Nothing at all here now.",
        " Mary went to the hall.",
        " Mary moved to the park.",
        " Nobody came to this place.",
    ]
    scores = BM25("".join(pieces)).scores("Mary", bounds_of(pieces))
    assert scores[1] == scores[2] > scores[0] == scores[3] == 0
    assert ranking(scores).tolist() == [1, 2, 0, 3]


def test_words_that_add_up_in_another_order_are_a_tie_too() -> None:
    """Three words of one weight: (a + b) + c and a + (b + c) may differ in the last digit."""
    pieces = [" a b c z.", " b c d z.", " a c d z.", " d a b z.", " q q q q."]
    scores = BM25("".join(pieces)).scores("d a c b", bounds_of(pieces))
    assert ranking(scores).tolist() == [0, 1, 2, 3, 4]


# ------------------------------------------------------------------------------------------------------------- chunks


def test_chunks_hold_as_many_whole_words_as_fit() -> None:
    tokenizer = load("tekken")
    units = [f" The {'very ' * (i % 7)}old miller of Ferngate counted {i * 37} lanterns, didn't he?" for i in range(60)]
    long = " " + "x1" * 40  # one word of more tokens than a chunk
    units.insert(31, long)
    text, counts = "".join(units), tokenizer.count_units(units)
    bounds = Chunker(tokenizer, 40).bounds(text, bounds_of(units).tolist(), np.cumsum([0, *counts]).tolist())
    chunks = [text[a:b] for a, b in pairwise(bounds)]
    assert "".join(chunks) == text
    assert long in chunks and tokenizer.count_part(long) > 40
    for chunk, after in pairwise(chunks):
        word = re.match(r" \S+", after)
        assert chunk[0] == " " and word
        if chunk != long:
            assert tokenizer.count_part(chunk) <= 40 < tokenizer.count_part(chunk + word[0])


def searched(project: Project, facts: list[str], supporting: list[int], question: str) -> dict[str, Any]:
    """A context of facts alone, at character 100 of its prompt."""
    of = suite(project)
    tokenizer, store = of.inputs.tokenizers[0], of.inputs.background("books")
    needles = Needle.of(facts, [tokenizer])
    context = weave(store, [], needles, [0] * len(facts), [store.tokens_at(tokenizer.fingerprint)])
    places = [(0, needle.characters, needle.tokens[0]) for needle in needles]
    return Retriever("bm25", store, tokenizer).found(question, supporting, context, [], places, 100)


def test_exact_ranks_and_places(project: Project) -> None:
    facts = [
        "John went to the hall.",
        "Mary went to the park.",
        "Mary and Mary met John there.",
        "Mary is in the hall.",
    ]
    found = searched(project, facts, [3, 1], "Where is Mary?")
    assert found["retriever"] == "bm25"
    # fact 3 has "is" and "Mary"; fact 2 has "Mary" twice, in six words; fact 0 nothing
    assert found["sentence"]["ranks"] == [1, 3]
    at = [100, 123, 146, 176]  # where each fact begins: 22, 22, 29 and 20 characters with a space between
    assert found["sentence"]["top"] == [[at[3], 196], [at[2], 175], [at[1], 145], [at[0], 122]]
    assert found["chunk"] == {"ranks": [1, 1], "top": [[100, 100 + len(" ".join(facts))]]}


def test_a_fact_that_a_chunk_cuts_has_no_rank(project: Project) -> None:
    tokenizer = suite(project).inputs.tokenizers[0]
    assert [tokenizer.count_part(w) for w in (" Mary", " went", " to", " the", " kitchen.")] == [1, 1, 1, 1, 2]
    found = searched(project, ["Mary went to the kitchen."] * 200, list(range(200)), "Where is Mary?")
    ranks = found["chunk"]["ranks"]
    assert (
        CHUNK_TOKENS == 512 == 85 * 6 + 2
    )  # so the first cut is behind "went" of fact 85; the second: 1024 = 170 * 6 + 4
    assert [i for i, rank in enumerate(ranks) if rank is None] == [85, 170]
    assert [len({*ranks[a:b]}) for a, b in ((0, 85), (86, 170), (171, 200))] == [1, 1, 1]
    assert found["sentence"]["ranks"] == list(range(1, 201)), "all alike: in the order of the text"
    assert len(found["sentence"]["top"]) == 20


# --------------------------------------------------------------------------------------------------------------- rows


def test_without_it_rows_are_the_same(project: Project, tmp_path: Path) -> None:
    off = suite(tiny.make(tmp_path / "off", **{"suites.babilong.tasks": TASKS, "suites.babilong.retrieval": "none"}))
    off.inputs.data = project.data
    on = suite(project)
    for task, bucket in (("qa1", "0k"), ("qa1", "4k"), ("qa3", "4k")):
        for a, b in zip(built(on, task, bucket), built(off, task, bucket), strict=True):
            known = json.loads(a.extra or "")
            assert set(known) - set(json.loads(b.extra or "")) == {"retrieval"}
            del known["retrieval"]
            assert replace(a, extra=json.dumps(known, separators=(",", ":"))) == b
    for row in built(on, "qa2", "4k"):
        assert "retrieval" not in json.loads(row.extra or ""), "a task's own key comes first"


def test_fingerprints_tell_searched_tables_apart(project: Project) -> None:
    on = suite(project)
    settings, decides = ({t.task: on.fingerprint(t)[key] for t in on.tables()} for key in ("settings", "decides"))
    assert (settings["qa1"]["retrieval"], decides["qa1"]["retrieval"]) == ("bm25", 1)
    assert settings["qa2"]["retrieval"] == "none" and "retrieval" not in decides["qa2"]


def test_fingerprints_hold_the_prompt(project: Project) -> None:
    on = suite(project)
    texts = {t.task: on.fingerprint(t)["texts"] for t in on.tables()}
    assert texts["qa1"]["instruction"] in find(project.release, "qa1", "0k", 0, "test")["prompt"]
    assert texts["qa1"] != texts["qa2"]


def test_without_background_the_pieces_are_the_facts(project: Project) -> None:
    for i in range(8):
        row = find(project.release, "qa1", "0k", i, "test")
        found, facts = extra(row)["retrieval"], extra(row)["facts"]
        assert found["chunk"]["ranks"] == [1]
        assert found["chunk"]["top"] == [[row["context_start"], row["context_end"]]]
        pieces = [row["prompt"][a:b] for a, b in found["sentence"]["top"]]
        assert sorted(pieces) == sorted(facts)
        name = row["question"].split()[-1].strip("?")
        mentions = sum(name in fact for fact in facts)
        assert all(name in piece for piece in pieces[:mentions])
        assert found["sentence"]["ranks"][0] <= mentions


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("k", KS)
def test_prompts_are_rebuilt_in_both_orders(project: Project, unit: str, k: int) -> None:
    for i in range(6):
        row = find(project.release, "qa3", "4k", i, "test")
        top = extra(row)["retrieval"][unit]["top"][:k]
        assert len(top) == min(k, len(top)) and len({tuple(p) for p in top}) == len(top)
        head, tail = row["prompt"][: row["context_start"]], row["prompt"][row["context_end"] :]
        texts = {a: row["prompt"][a:b] for a, b in top}
        scored = retrieved_prompt(row, unit, k, "score")
        ordered = retrieved_prompt(row, unit, k)
        assert scored == head + "\n\n".join(texts[a] for a, _ in top) + tail
        assert ordered == head + "\n\n".join(texts[a] for a in sorted(texts)) + tail


def test_the_solver_reads_a_rebuilt_prompt(project: Project) -> None:
    """Every mention of the person is found at 20, so the answer still follows."""
    for bucket, rows in (("1k", 6), ("4k", 6)):
        for i in range(rows):
            row = find(project.release, "qa1", bucket, i, "test")
            assert extra(row)["retrieval"]["sentence"]["ranks"][0] <= 20
            start, tail = row["context_start"], len(row["prompt"]) - row["context_end"]
            prompt = retrieved_prompt(row, k=20)  # the solver knows facts between single spaces
            prompt = prompt[:start] + prompt[start:-tail].replace("\n\n", " ") + prompt[-tail:]
            assert [oracle.solve("qa1", prompt, strict=True).answer] == row["answers"]


def test_wrong_wishes_are_one_clear_line(project: Project) -> None:
    row = find(project.release, "qa1", "4k", 0, "test")
    for wish, words in (
        ({"k": 0}, "0 pieces"),
        ({"k": 21}, "choose 1 to 20"),
        ({"unit": "page"}, "no unit 'page'. Next: choose sentence or chunk"),
        ({"order": "up"}, "no order 'up'. Next: choose document or score"),
    ):
        with pytest.raises(ReleaseError, match=re.escape(words)):
            retrieved_prompt(row, **wish)
    with refused(ReleaseError, "", "retrieval"):
        retrieved_prompt(find(project.release, "qa2", "4k", 0, "test"))


def test_an_unknown_retriever_is_refused(tmp_path: Path) -> None:
    for key in ("suites.babilong.retrieval", "suites.babilong.tasks.qa1"):
        value = "bm26" if key.endswith("retrieval") else {"retrieval": "bm26"}
        with refused(ParamsError, "retrieval"):
            tiny.make(tmp_path / key, **{key: value}).suites()


# ------------------------------------------------------------------------------------------------ reports, card, program


def test_summary_by_hand() -> None:
    def row(*ranks: int | None) -> Row:
        return {"extra": json.dumps({"retrieval": {unit: {"ranks": ranks} for unit in UNITS}})}

    found = summary([row(1, 6), row(None, 2), row(20, 21), row(3, 4)])
    assert found["sentence"] == found["chunk"]
    assert found["chunk"] == {
        "recall@1": 0.125, "all@1": 0.0, "recall@5": 0.5, "all@5": 0.25,
        "recall@10": 0.625, "all@10": 0.5, "recall@20": 0.75, "all@20": 0.5,
    }  # fmt: skip


def test_reports_and_card_say_what_the_rows_say(project: Project) -> None:
    figures = json.loads((project.reports / "tables/babilong.json").read_text())["retrieval"]
    assert {task: list(by_bucket) for task, by_bucket in figures.items()} == {
        "qa1": ["0k", "18k", "1k", "4k"],
        "qa3": ["4k"],
    }
    ranks = [extra(find(project.release, "qa3", "4k", i, "test"))["retrieval"]["chunk"]["ranks"] for i in range(6)]
    for k in KS:
        hits = [[rank is not None and rank <= k for rank in row] for row in ranks]
        assert figures["qa3"]["4k"]["chunk"][f"all@{k}"] == round(sum(map(all, hits)) / 6, 4)
    card = (project.release / "README.md").read_text()
    shown = [f"{100 * figures['qa3']['4k']['chunk'][f'all@{k}']:.0f}" for k in (1, 5, 10, 20)]
    assert f"| qa3 | chunk |  |  | {' / '.join(shown)} |  |\n" in card
    assert "| qa1 | sentence | " in card and "| qa2 | sentence |" not in card


def test_show_prints_the_rebuilt_prompt(project: Project) -> None:
    row = find(project.release, "qa1", "4k", 2, "test")
    result = tiny.haymaker(project.root, "show", "qa1", "-b", "4k", "-i", "2", "--retrieved", "3", "--order", "score")
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == retrieved_prompt(row, k=3, order="score").split()
    line = tiny.one_line(tiny.haymaker(project.root, "show", "qa2", "-b", "4k", "--retrieved", "3"))
    assert "built without retrieval. Next: set `retrieval: bm25` in suites.babilong" in line


# -------------------------------------------------------------------------------------------------------------- damage


def edited(edit: Callable[[dict[str, Any]], object]) -> Callable[[list[Row]], None]:
    """An edit of `extra` of the first row."""

    def on_rows(rows: list[Row]) -> None:
        known = extra(rows[0])
        edit(known)
        rows[0]["extra"] = json.dumps(known, separators=(",", ":"))

    return on_rows


def rank_worse(known: dict[str, Any]) -> None:
    known["retrieval"]["sentence"]["ranks"][0] += 1


def rank_lost(known: dict[str, Any]) -> None:
    known["retrieval"]["chunk"]["ranks"][0] = None


def rank_one_too_many(known: dict[str, Any]) -> None:
    known["retrieval"]["chunk"]["ranks"].append(1)


def pieces_swapped(known: dict[str, Any]) -> None:
    top = known["retrieval"]["sentence"]["top"]
    top[-1], top[-2] = top[-2], top[-1]


def piece_moved(known: dict[str, Any]) -> None:
    known["retrieval"]["chunk"]["top"][0][1] -= 1


def both_moved(known: dict[str, Any]) -> None:
    """Rank and piece agree with each other, and are both wrong."""
    found = known["retrieval"]["sentence"]
    rank = found["ranks"][0]
    other = rank % 20
    found["top"][rank - 1], found["top"][other] = found["top"][other], found["top"][rank - 1]
    found["ranks"][0] = other + 1


def renamed(known: dict[str, Any]) -> None:
    known["retrieval"]["retriever"] = "dense"


def removed(known: dict[str, Any]) -> None:
    del known["retrieval"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (rank_worse, "sentence: the ranks are not those"),
        (rank_worse, r"sentence: ranks are \[\d+\], the row says \[\d+\]"),
        (rank_lost, r"chunk: ranks are \[\d+\], the row says \[None\]"),
        (rank_one_too_many, "ValueError"),
        (pieces_swapped, r"sentence: top are \[\["),
        (piece_moved, r"chunk: top are \[\["),
        (both_moved, r"sentence: ranks are \[\d+\], the row says \[\d+\]"),
        (renamed, "retrieval by dense, asked for bm25"),
        (removed, "retrieval by none, asked for bm25"),
    ],
)
def test_damage_is_found(mine: Project, edit: Callable[[dict[str, Any]], object], words: str) -> None:
    change(path_of(mine, "qa1", "4k"), edited(edit))
    found, _ = failed(mine)
    assert set(found) == {"VERBATIM"}
    result = json.loads((mine.reports / "validate.json").read_text())["first_failures"]
    assert any(re.search(words, text) for text in result), result


def test_a_long_row_whose_rank_and_pieces_disagree_is_found(mine: Project) -> None:
    change(path_of(mine, "qa1", "18k"), edited(rank_worse))
    assert failed(mine)[0] == {"VERBATIM": 1}


def test_ranks_that_nobody_asked_for_are_found(mine: Project) -> None:
    change(path_of(mine, "qa2", "4k"), edited(lambda known: known.update(retrieval={"retriever": "bm25"})))
    found, line = failed(mine)
    assert found == {"VERBATIM": 1}
    assert "retrieval by bm25, asked for none" in line


def test_chunks_are_proved_without_the_background_too(mine: Project) -> None:
    import shutil

    shutil.rmtree(mine.data / "corpora")
    stages.run(mine, "validate")
    change(path_of(mine, "qa1", "4k"), edited(piece_moved))
    assert failed(mine)[0] == {"VERBATIM": 1}
