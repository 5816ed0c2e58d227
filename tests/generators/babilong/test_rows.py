"""Rows of BABILong over many questions: where facts stand, how full, how nested, how apart; and a release with the words of `large`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from generators.babilong.oracle import OracleError, labels
from generators.babilong.story import relative_depths
from generators.context.sentences import slot
from generators.suite import ReleaseSuite, release_suite
from haymaker.core.errors import ParamsError
from haymaker.core.rows.schema import Sample
from pipelines.project import Project
from tests.errors import refused
from tests.extras import LONG
from tests.generators.kit import Injury, Row, assert_named, finished, metadata, note
from tests.pipelines import tiny

GRID = 5
TASKS = {
    "qa1": {"lengths": {"0k": 10, "1k": {"test": 15, "train": 10, "dev": 5}, "4k": {"test": 15, "train": 10, "dev": 5}, "16k": 5}},
    "qa2": {"lengths": {"1k": 15, "4k": 15, "16k": 3}},
    "qa3": {"lengths": {"1k": 15, "4k": 20}},
    "qa2_quarter": {"base": "qa2", "placement": "quarter", "lengths": {"4k": 20, "16k": 8}},
    "qa1_grid": {"base": "qa1", "placement": "grid", "depths": GRID, "lengths": {"1k": 20, "4k": 20}},
    "qa3_grid": {"base": "qa3", "placement": "grid", "depths": GRID, "lengths": {"4k": 20}},
}  # fmt: skip


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleaseSuite]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAYMAKER_WORKERS", "1")
        project = tiny.make(
            tmp_path_factory.mktemp("rows"),
            **{
                "sources.stories.questions": {"test": 60, "train": 20, "dev": 20},
                "sources.novels.novels": {"test": 4, "train": 2, "dev": 1},
                "sources.novels.words": 8000,
                "suites.babilong.tasks": TASKS,
            },
        )
        tiny.run(project, "download", "prepare")
    yield project.suites()[0]


def rows(suite: ReleaseSuite, task: str, length: str, split: str = "test") -> list[Sample]:
    table = next(t for t in suite.tables() if (t.task, t.length, t.split) == (task, length, split))
    return list(suite.build(table, 0, table.rows))


def every(suite: ReleaseSuite) -> Iterator[Sample]:
    for table in suite.tables():
        yield from suite.build(table, 0, table.rows)


def background(row: Sample) -> list[tuple[str, int]]:
    """Every background sentence as (document, number)."""
    return [
        (doc, unit) for doc, first, last in json.loads(row.metadata or "")["background"] for unit in range(first, last)
    ]


def before(suite: ReleaseSuite, row: Sample) -> list[int]:
    """Sentences that stand before each fact, counted in the finished text alone."""
    facts = [s for s in row.spans if s.kind in ("fact", "support")]
    store = suite.inputs.background("books")
    first_of = {e.doc_id: e.first for e in store.documents}
    lengths = [store.char_at[first_of[d] + u + 1] - store.char_at[first_of[d] + u] for d, u in background(row)]
    counts, done, at, unit = [], row.context_start - 1, 0, 0  # the text begins without its space
    for span in facts:
        gap = span.start - 1 - done
        while at < gap:
            at += lengths[unit]
            unit += 1
        assert at == gap, "a fact stands inside a sentence"
        counts.append(unit)
        at, done = 0, span.end
    return counts


def test_every_row_is_full_and_says_what_it_holds(suite: ReleaseSuite) -> None:
    """Counts and fill, no sentence and no book twice, facts in order at counted places, the depth of the deciding one."""
    tokenizer, count = suite.inputs.tokenizers[0], 0
    for row in every(suite):
        assert tokenizer.count(row.text) == row.prompt_tokens, row.id
        if row.length_tokens is not None:
            unused = row.unused_tokens or 0
            reserved = row.reserved_output_tokens + row.reserved_template_tokens
            assert row.prompt_tokens + reserved + unused == row.length_tokens
            assert 0 <= unused <= 0.005 * row.length_tokens, row.id
        used = background(row)
        assert len(set(used)) == len(used) == row.num_segments == row.num_unique_segments
        assert row.doc_ids == list(dict.fromkeys(doc for doc, _ in used))
        order = [doc for i, (doc, _) in enumerate(used) if i == 0 or used[i - 1][0] != doc]
        assert order.count(order[0]) <= 2 if order else True, "only the first book is taken up again, at the very end"
        assert all(order.count(doc) == 1 for doc in order[1:-1])
        facts, told = [s for s in row.spans if s.kind in ("fact", "support")], json.loads(row.metadata or "")
        assert [row.text[s.start : s.end] for s in facts] == told["facts"]
        assert {int((s.ref or "")[5:]) for s in facts if s.kind == "support"} == set(told["supporting"])
        assert row.text[row.context_start - 7 : row.context_start] == "<text>\n"
        assert row.text[row.context_end : row.context_end + 8] == "\n</text>"
        if row.num_segments:
            assert row.depth == before(suite, row)[max(told["supporting"])] / row.num_segments
        if row.length == "1k":
            for span in facts:
                assert span.token_start == tokenizer.count(row.text[: span.start].removesuffix(" ")), (row.id, span)
        count += 1
    assert count == sum(table.rows for table in suite.tables()) == 231


def test_quarters_hold_all_their_facts(suite: ReleaseSuite) -> None:
    for length in ("4k", "16k"):
        found = rows(suite, "qa2_quarter", length)
        for at in range(0, len(found), 4):
            group = found[at : at + 4]
            assert len({row.group_id for row in group}) == 1
            assert [row.depth_index for row in group] == [0, 1, 2, 3]
            around = [set(background(row)) for row in group]
            apart = set.union(*around) - set.intersection(*around)
            assert len(apart) <= 2, "the same text around the facts, but for a sentence that seams leave room for"
            for quarter, row in enumerate(group):
                assert row.variant == "quarter"
                n = (row.num_segments or 0) + 1  # places
                for place in before(suite, row):
                    assert int(quarter * n / 4) <= place <= min((quarter + 1) * n / 4, n - 1), (row.id, place, n)


@pytest.mark.parametrize(("task", "length"), [("qa1_grid", "1k"), ("qa1_grid", "4k"), ("qa3_grid", "4k")])
def test_the_grid_is_exact(suite: ReleaseSuite, task: str, length: str) -> None:
    found = rows(suite, task, length)
    for at in range(0, len(found), GRID):
        group = found[at : at + GRID]
        assert len({row.group_id for row in group}) == 1
        for point, row in enumerate(group):
            n = row.num_segments or 0
            deciding = max(json.loads(row.metadata or "")["supporting"])
            places = before(suite, row)
            wanted = point / (GRID - 1)
            assert row.depth_index == point
            assert abs(places[deciding] - wanted * n) <= 1
            assert places == sorted(places)
            if point == 0:
                assert places[: deciding + 1] == [0] * (deciding + 1)
            if point == GRID - 1:
                assert places[deciding:] == [n] * (len(places) - deciding)


@pytest.mark.parametrize("task", ["qa1", "qa2", "qa3", "qa2_quarter", "qa1_grid"])
def test_longer_holds_shorter_in_order(suite: ReleaseSuite, task: str) -> None:
    lengths = [b for b in ("1k", "4k", "16k") if any((t.task, t.length) == (task, b) for t in suite.tables())]
    shared = 0
    for short, long in pairwise(lengths):
        by_group = {(row.group_id, row.depth_index): row for row in rows(suite, task, long)}
        for row in rows(suite, task, short):
            longer = by_group.get((row.group_id, row.depth_index))
            if longer is None:
                continue
            shared += 1
            place = {unit: i for i, unit in enumerate(background(longer))}
            positions = [place[unit] for unit in background(row)]
            assert positions == sorted(positions)
            assert (row.question, row.answers) == (longer.question, longer.answers)
            a, b = json.loads(row.metadata or ""), json.loads(longer.metadata or "")
            assert (a["facts"], a["supporting"], a["position"]) == (b["facts"], b["supporting"], b["position"])
            assert abs((row.depth or 0) - (longer.depth or 0)) <= 1.5 / (row.num_segments or 1), (
                "the same relative depth"
            )
    assert shared >= 3 * (len(lengths) - 1)


def test_splits_share_no_document_and_no_question(suite: ReleaseSuite) -> None:
    documents: dict[str, set[str]] = {}
    questions: dict[str, set[tuple[str, str]]] = {}
    for length in ("1k", "4k"):
        for split in ("test", "train", "dev"):
            for row in rows(suite, "qa1", length, split):
                documents.setdefault(split, set()).update(row.doc_ids)
                questions.setdefault(split, set()).add((str(json.loads(row.metadata or "")["facts"]), row.question))
                assert row.split == split and f"-{split}-" in row.group_id
    for kind in (documents, questions):
        assert set(kind) == {"test", "train", "dev"}
        assert not kind["test"] & kind["train"]
        assert not kind["test"] & kind["dev"]
        assert not kind["train"] & kind["dev"]


def test_rows_do_not_depend_on_each_other(suite: ReleaseSuite) -> None:
    table = next(t for t in suite.tables() if (t.task, t.length, t.split) == ("qa2", "4k", "test"))
    fresh = release_suite("babilong", suite.inputs)
    assert list(fresh.build(replace(table, rows=10), 7, 9)) == rows(suite, "qa2", "4k")[7:9]
    texts = {t.task: suite.fingerprint(t)["own"]["texts"] for t in suite.tables()}
    assert texts["qa1"]["instruction"] in rows(suite, "qa1", "0k")[0].text and texts["qa1"] != texts["qa2"]


def test_a_group_that_cannot_fill_its_length_is_listed_and_gives_way(suite: ReleaseSuite) -> None:
    table = next(t for t in suite.tables() if (t.task, t.length) == ("qa3", "1k"))
    missing = suite.select(table).missing
    reasons = set(missing.values())
    assert reasons <= {"facts and prompt leave no room for background", "no choice of sentences fills 99.5 %"}
    assert missing, "stories of qa3 are long: some do not fit 1k"
    assert not set(missing) & {row.group_id for row in rows(suite, "qa3", "1k")}
    assert len(rows(suite, "qa3", "1k")) == 15


def test_relative_depths_and_slots() -> None:
    draws = [0.0, 0.5, 0.999999]
    assert relative_depths("uniform", draws, 1, 0, 1) == draws
    assert relative_depths("quarter", draws, 1, 2, 4) == [0.5, 0.625, pytest.approx(0.75, abs=1e-6)]
    assert relative_depths("grid", draws, 1, 0, 5) == [0.0, 0.0, pytest.approx(1.0, abs=1e-5)]
    assert relative_depths("grid", draws, 1, 4, 5) == [0.0, 1.0, 1.0]
    assert relative_depths("grid", draws, 2, 2, 5)[2] == 0.5
    assert [slot(d, 10) for d in (0.0, 0.05, 0.5, 0.99, 1.0)] == [0, 0, 5, 10, 10]
    assert [slot(i / 4, 100) for i in range(5)] == [0, 25, 50, 75, 100]
    assert slot(0.7, 0) == 0


def other_support(row: Row) -> None:
    facts, golds = len(metadata(row)["facts"]), metadata(row)["supporting"]
    note(row, supporting=[*golds[:-1], next(at for at in range(facts) if at not in golds)])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda r: note(r, supporting=metadata(r)["supporting"][::-1]), "the oracle takes its answer from"),
        (other_support, "the oracle takes its answer from"),
        (lambda r: note(r, evidence=[*range(len(metadata(r)["facts"]))]), "the evidence is not the supporting facts"),
        (lambda r: note(r, facts=metadata(r)["facts"][::-1]), "the facts are not at their spans in order"),
        (lambda r: note(r, vocabulary="large"), "the row has vocabulary large"),
        (lambda r: r.update(depth=r["depth"] / 2), "the deciding fact is at depth "),
        (lambda r: r.update(depth=None), "the deciding fact is at depth "),
        (lambda r: r.update(num_segments=r["num_segments"] + 1), "the row has "),
        (lambda r: r["doc_ids"].append("another"), "doc_ids are not the documents of the context"),
        (lambda r: note(r, background=metadata(r)["background"][1:]), "does not match its background"),
    ],
)
def test_facts_and_background_of_a_row_are_verified(suite: ReleaseSuite, damage: Injury, words: str) -> None:
    found = finished(rows(suite, "qa2", "1k"))
    row = next(row for row in found if len(metadata(row)["facts"]) > len(metadata(row)["evidence"]))
    assert_named(suite.task("qa2"), row, damage, words)
    note(row, evidence=metadata(row)["evidence"][1:])
    with pytest.raises(OracleError, match="cannot be answered"):
        list(suite.task("qa2").problems(row))


SOME = [f"qa{n}" for n in (range(1, 21) if os.environ.get(LONG) else (3, 8, 19, 20))]
LARGE = {
    "sources.stories.vocabulary": "large",
    "sources.stories.tasks": SOME,
    "sources.stories.questions": {"test": 12},
    "suites.babilong.tasks": {task: {"lengths": {"4k": 2}} for task in SOME} | {"qa3": {"lengths": {"0k": 2, "8k": 2}}},
}
CLEAN = "corpora.books.clean.decontaminate"


def test_a_corpus_that_keeps_lookalikes_is_refused(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, **LARGE)
    line = tiny.one_line(tiny.haymaker(project.root, "plan"))
    assert line.endswith(
        "corpora.books.clean.decontaminate: questions of 'stories' use the vocabulary large, but the corpus keeps "
        "sentences that look like theirs. Next: add babi_large"
    )
    assert not project.data.exists()
    tiny.write_params(tmp_path, tiny.params(**LARGE | {CLEAN: ["babi"]}))
    with refused(ParamsError, "params.yaml: params.yaml: corpora.books.clean.decontaminate", fix="babi_large"):
        Project(tmp_path).suites()
    tiny.write_params(tmp_path, tiny.params(**LARGE | {CLEAN: ["babi_large"]}))
    assert Project(tmp_path).suites()


def test_every_task_is_built_and_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    project = tiny.make(tmp_path, **LARGE | {CLEAN: ["babi_large"]})
    tiny.run(project)
    report = json.loads((project.reports / "validate.json").read_text())
    assert report["failures"] == 0
    assert {report["checked"][name] for name in ("ORACLE", "VERBATIM", "STRICT")} == {2 * len(SOME) + 2}
    for task in SOME:
        length = "8k" if task == "qa3" else "4k"
        for row in pq.read_table(project.release / f"data/babilong/{task}/{length}").to_pylist():
            notes, at = json.loads(row["metadata"]), row["answer_index"]
            assert notes["vocabulary"] == "large" and row["choices"] == list(labels(task, "large"))
            assert row["choices"][at] == row["answers"][0] if at is not None else "," in row["answers"][0]
            assert set(notes["supporting"]) <= set(notes["evidence"])
