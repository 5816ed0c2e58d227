"""Mined sets of the stage retrieve, from KILT's own forms to the mined file: exact contents, any number of workers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from corpora.stores.mined import Mined
from corpora.stores.passages.store import Passages, unit
from haymaker.core.errors import ParamsError
from haymaker.core.files.disk import read_json
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream
from haymaker.core.text.strings import holds, padded
from pipelines import stages
from pipelines.project import Project
from pipelines.stages import mine
from tests.corpora.retrieval.small_models import encoder
from tests.errors import refused
from tests.pipelines import tiny, tiny_bare

ARTICLES = 120
PLAIN = ["river", "stone", "wheel", "flour", "valley"] + [
    f"plain{i}" for i in range(400)
]  # each in a fifth of the passages
SET = {
    "questions": "qa", "set": "nq", "passages": "wiki100", "retriever": "lexical", "top_k": 300, "num_negatives": 60,
    "count": {"test": 30, "train": 5},
}  # fmt: skip


def name(number: int) -> str:
    syllables = ("Ba", "Ce", "Di", "Fo", "Gu")
    return "".join(syllables[int(digit) % 5] + "rlsn"[int(digit) % 4] for digit in f"{number:03d}") + "os"


def article(number: int) -> dict[str, Any]:
    """Four paragraphs of some 60 words: one names the builder of the mill, one the mill's neighbour."""
    draw = Stream("article", number)
    texts = [" ".join(draw.choice(PLAIN) for _ in range(60)) + ".\n" for _ in range(4)]
    texts[1] = f"The mill of Town {number} was built by {name(number)} in a dry summer. {texts[1]}"
    texts[3] = f"The mill of Town {(number + 1) % ARTICLES} stands near and was never built again. {texts[3]}"
    return {
        "wikipedia_id": str(number),
        "wikipedia_title": f"Town {number}",
        "text": [f"Town {number}\n", *texts],
    }


def kilt_question(number: int, place: int | None = None) -> dict[str, Any]:
    provenance = [{"wikipedia_id": str(number if place is None else place), "title": "x", "start_paragraph_id": 2}]
    return {
        "id": f"q{number}", "input": f"Who built the stone mill in the river valley of Town {number}?",
        "output": [{"answer": name(number), "provenance": provenance}],
    }  # fmt: skip


def mine_with(prepared: Project, **changes: Any) -> Mined:
    """The set that these parameters give."""
    values = read_yaml(prepared.root / "params.yaml") | {"retrieval_sets": {"towns": SET | changes}}
    tiny.write_params(prepared.root, values)
    stages.run(Project(prepared.root), "retrieve")
    return Mined(prepared.data / "retrieval_sets/towns.parquet")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a corpus and questions, to be read only; 100 of them have gold, two point nowhere, one to another town."""
    root = tmp_path_factory.mktemp("mine")
    known = [*map(kilt_question, range(100)), kilt_question(100, 900), kilt_question(101, 901), kilt_question(102, 7)]
    for file, rows in (
        ("kilt_knowledgesource.json", map(article, range(ARTICLES))),
        ("nq-dev-kilt.jsonl", known),
        ("nq-train-kilt.jsonl", map(kilt_question, range(105, 118))),
    ):
        (root / file).write_text("".join(json.dumps(record) + "\n" for record in rows), encoding="utf-8")
    blocks = {
        "sources.wiki": {"kind": "kilt_wikipedia", "url": root.as_uri()},
        "sources.qa": {"kind": "kilt_tasks", "url": root.as_uri(), "tasks": ["nq"]},
        "passages": {"wiki100": {"source": "wiki"}},
        "indexes": {"wiki100": {"lexical": {}}},
        "retrieval_sets": {"towns": SET},
    }
    prepared = tiny_bare.make(root / "project", **blocks)
    tiny.run_alone(prepared, "download", "prepare", "retrieve")
    return prepared


@pytest.fixture
def prepared(built: Project, tmp_path: Path) -> Project:
    """A copy of the built project."""
    return Project(shutil.copytree(built.root, tmp_path / "project"))


def test_the_mined_file_holds_gold_and_clean_ranked_distractors(built: Project) -> None:
    mined, store = Mined(built.data / "retrieval_sets/towns.parquet"), Passages(built.data / "corpora/wiki100")
    assert [each["split"] for each in mined.outline] == ["test"] * 30 + ["train"] * 5
    for i, outlined in enumerate(mined.outline):
        question = mined.read(i)
        number = int(question.question_id[1:])
        assert question.answers == [name(number)]
        gold, distractors = question.gold, question.distractors
        assert gold.article_id == [str(number)] and gold.rank[0] is not None
        assert f"built by {name(number)}" in " ".join(gold.text[0].split())
        assert len(distractors) == outlined["num_distractors"] == (60 if question.split == "test" else 10)
        assert question.searched == len(distractors) + sum(question.removed.values())
        assert distractors.rank == sorted(set(distractors.rank))
        assert distractors.score == sorted(distractors.score, reverse=True)
        assert len({*distractors.text, *gold.text}) == len(distractors) + 1
        for text in (*distractors.title, *distractors.text):
            assert not holds(padded(text), [padded(name(number))])
        for each in (gold, distractors):
            found = [store.by_id(passage_id) for passage_id in each.passage_id]
            assert each.text == [store.passage(at).text for at in found]
            assert each.tokens == store.tokens(found).T.tolist()
            units = [unit(title, text) for title, text in zip(each.title, each.text, strict=True)]
            assert each.tokens[0] == list(built.inputs.tokenizers[0].count_units(units))


def test_fewer_questions_and_those_that_are_left_out(prepared: Project) -> None:
    """Fewer questions are the first of more. The next one takes the place of a question that is left out by its id or
    whose gold is not there; an unknown id is a mistake. Too few distractors are reported, not padded."""

    def asked(**changes: Any) -> list[str]:
        return [each["question_id"] for each in mine_with(prepared, **changes).outline]

    def report() -> dict[str, Any]:
        return read_json(prepared.counts / "retrieve/retrieval_sets/towns/counts.json")

    before = asked(count={"test": 12})
    assert asked(count={"test": 5}) == before[:5]
    assert asked(count={"test": 11}, exclude_ids=[before[3]]) == before[:3] + before[4:]
    assert report()["dropped"]["gold_read_as_wrong"] == 1
    assert len(asked(count={"test": 103}, num_negatives=20)) == 100
    assert report()["dropped"] == {"gold_not_in_corpus": 2, "gold_without_answer": 1}
    with refused(ParamsError, "retrieval_sets.towns.exclude_ids", "qa", "'t-none'", "test", "train"):
        mine_with(prepared, exclude_ids=["t-none"])
    mined = mine_with(prepared, count={"test": 4}, top_k=50, num_negatives=50)
    assert mined.meta["short"] == {each["question_id"]: each["num_distractors"] for each in mined.outline}
    assert report()["short"] == 4 and all(each["num_distractors"] < 50 for each in mined.outline)


def test_any_number_of_workers_and_any_size_of_shards_give_the_same_bytes(
    prepared: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outputs() -> list[dict[str, str]]:
        return [tiny.digests(prepared.root, below) for below in ("data/retrieval_sets", "data/counts/retrieve")]

    expected = outputs()
    for workers, shard, together in (("2", 8, 16), ("1", 7, 3)):
        monkeypatch.setenv("HAYMAKER_WORKERS", workers)
        monkeypatch.setattr(mine, "SHARD_QUESTIONS", shard)
        monkeypatch.setattr(mine, "_MINED_TOGETHER", together)
        shutil.rmtree(prepared.work / "inputs/retrieval_sets")
        stages.run(Project(prepared.root), "retrieve")
        assert outputs() == expected
        assert list((prepared.work / "mine/retrieval_sets").iterdir()) == []


def test_it_is_mined_again_only_when_something_that_decides_it_changes(prepared: Project) -> None:
    """Neither the title nor the rows of a release do; its seed, a rule and the words of the index do."""

    def kept() -> dict[str, int]:
        return {folder.name: folder.stat().st_ino for folder in (prepared.work / "inputs/retrieval_sets").iterdir()}

    given = read_yaml(prepared.root / "params.yaml")
    suites = {"synthetic": {"tasks": {"qa_1": {"retrieval_set": "towns", "lengths": {"4k": 6}}}}}
    for changes, builds in (
        ({"release": given["release"] | {"title": "Renamed"}, "suites": suites}, False),
        ({"release": given["release"] | {"seed": 8}}, True),
        ({"retrieval_sets": {"towns": SET | {"filter": {"near_duplicates": None}}}}, True),
        ({"indexes": {"wiki100": {"lexical": {"b": 0.5}}}}, True),
        ({}, False),
    ):
        before = kept()
        tiny.write_params(prepared.root, given | changes)
        stages.run(Project(prepared.root), "retrieve")
        assert before.items() <= kept().items() and len(kept()) == len(before) + builds


def test_every_way_to_search(prepared: Project, tmp_path: Path) -> None:
    """Drawn passages, a keyed draw, and dense and fused retrieval with a model of random weights."""
    ranks = mine_with(prepared, sample="keyed", count={"test": 3}).read(0).distractors.rank
    assert ranks == sorted(ranks) and len(ranks) == 60 and max(filter(None, ranks)) > 100
    dense = {"model": str(encoder(tmp_path / "encoder")), "dimensions": 16}
    given = read_yaml(prepared.root / "params.yaml")
    tiny.write_params(prepared.root, given | {"indexes": {"wiki100": {"lexical": {}, "dense": dense}}})
    for retriever in ("dense", "hybrid", "random"):
        more = {"gold": "retrieved", "gold_depth": 300} if retriever == "random" else {}
        mined = mine_with(prepared, retriever=retriever, count={"test": 2}, num_negatives=40, **more)
        assert mined.meta["retriever"]["retriever"] == retriever
        for question in (mined.read(0), mined.read(1)):
            assert question.searched == len(question.distractors) + sum(question.removed.values()) == 300
            assert (set(question.distractors.score) == {0.0}) == (retriever == "random")
