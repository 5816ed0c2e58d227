"""Every question that the mirror release asks from a reviewed set was read, and every verdict is on a question that exists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.retrieval.mining.params import SPLITS
from corpora.sources import reviews
from corpora.sources.reviews import record_id, reviews_of
from corpora.stores.documents.store import Documents
from corpora.stores.mined import Mined
from haymaker.core.files.yaml_file import read_yaml
from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny

pytestmark = [pytest.mark.real, pytest.mark.slow]
MIRROR = read_yaml(tiny.ROOT / "params/mirror.yaml")
KINDS = {name: block["kind"] for name, block in MIRROR["sources"].items()}


def verdicts(source: str, name: str) -> set[str]:
    """Ids of the questions of a set that were read; empty if nobody read the set."""
    review = reviews_of(KINDS.get(source, "")).get(name)
    return set(review.ids) if review else set()


MINED = {name: each for name, each in MIRROR["retrieval_sets"].items() if verdicts(each["questions"], each["set"])}
DOCUMENTS = {name: each for name, each in MIRROR["documents"].items() if verdicts(each["source"], each["set"])}
LABELLED = {  # a set without kept texts was searched for words, not read
    name: each
    for name, each in MIRROR["classification_sets"].items()
    if (review := reviews_of(KINDS[each["source"]]).get(each["set"])) and review.keep
}
TASKS = {
    name: entry
    for name, entry in MIRROR["suites"]["longbench"]["tasks"].items()
    if verdicts(entry.get("questions", ""), entry.get("questions", ""))
}


def blocks() -> dict[str, Any]:
    """The blocks of params/mirror.yaml that the reviewed sets need; few distractors change no question."""
    passages = {each["passages"] for each in (*MINED.values(), *TASKS.values())}
    sources = {each["questions"] for each in (*MINED.values(), *TASKS.values())}
    sources |= {each["source"] for each in (*DOCUMENTS.values(), *LABELLED.values())}
    sources |= {MIRROR["passages"][name]["source"] for name in passages}
    few = {"top_k": 200, "num_negatives": 50}
    tasks = {"city": {"lengths": {"4k": 1}}}  # reads no source
    return {
        "sources": {name: MIRROR["sources"][name] for name in sorted(sources)},
        "passages": {name: MIRROR["passages"][name] for name in sorted(passages)},
        "indexes": {name: MIRROR["indexes"][name] for name in sorted(passages & set(MIRROR["indexes"]))},
        "retrieval_sets": {name: {**each, **few} for name, each in MINED.items()},
        "documents": DOCUMENTS,
        **{name: {} for name in ("corpora", "classification_sets")},
        "suites": {"longgenbench": {"tasks": tasks}, **({"longbench": {"tasks": TASKS}} if TASKS else {})},
    }


@pytest.fixture(scope="module")
def project(mirror: Path, once: Once) -> Project:
    def fill(root: Path) -> None:
        tiny.make(root)
        tiny.write_params(root, {**MIRROR, **blocks()})
        tiny.run_alone(Project(root), "download", "prepare", "retrieve")

    return Project(once("reviewed sets", fill))


def test_every_question_of_a_mined_set_was_read(project: Project) -> None:
    """And of a collection of documents, of a task on pages, and every text with a class."""
    asked: dict[tuple[str, str, str], set[str]] = {}
    for name, block in MINED.items():
        outline = Mined(project.data / f"retrieval_sets/{name}.parquet").outline
        asked[name, block["questions"], block["set"]] = {each["question_id"] for each in outline}
    for name, block in DOCUMENTS.items():
        found = Documents(project.data / "documents" / name).all
        asked[name, block["source"], block["set"]] = {each.source.question_id for each in found}
    for name, entry in TASKS.items():
        task = next(built for built in project.suites() if built.name == "longbench").task(name)
        pool = task.pool("test")
        drawn = [pool.candidate(index) for index in range(pool.count or 0)]
        keys = {each.key.removeprefix(f"{name}-test-") for each in drawn if not task.rejection_reason(each)}
        asked[name, entry["questions"], entry["questions"]] = keys
    for name, block in LABELLED.items():
        source, raw = project.inputs.source(block["source"]), project.inputs.raw(block["source"])
        texts = [each for split in SPLITS for each in source.labelled(raw, block["set"], split)]
        asked[name, block["source"], block["set"]] = {each.text_id for each in texts}
    for (name, source_name, of), ids in asked.items():
        assert ids and ids <= verdicts(source_name, of), name


def test_every_verdict_is_on_a_question_of_the_source(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {name: reviews_of(kind) for name, kind in KINDS.items()}
    monkeypatch.setattr(reviews, "FOLDER", project.root / "none")
    for name in project.params.sources:
        source, raw = project.inputs.source(name), project.inputs.raw(name)
        for of, review in given[name].items():
            if of in source.question_sets():
                known: list[Any] = [each for split in SPLITS for each in source.questions(raw, of, split)]
            elif of in source.label_sets():
                known = [each for split in SPLITS for each in source.labelled(raw, of, split)]
            else:
                known = source.document_questions(raw, of)
            assert set(review.ids) <= set(map(record_id, known)), (name, of)
