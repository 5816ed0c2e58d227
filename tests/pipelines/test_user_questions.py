"""Articles and questions of one's own: the example of docs/reference/own-corpus.md, word for word, from files to rows."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator

import pytest

from corpora.stores.mined import Mined, MinedQuestion
from corpora.stores.passages.store import Passages
from generators.inputs import KINDS
from haymaker.core.text.strings import filter_aliases, holds, padded
from pipelines.project import Project
from pipelines.run.runner import activate
from tests.pipelines import tiny
from tests.reliability import mining_small

ARTICLES, QUESTIONS = 400, 120


def example() -> str:
    """The parameter file of the page."""
    page = (tiny.ROOT / "docs/reference/own-corpus.md").read_text(encoding="utf-8")
    return str(re.findall(r"```yaml\n(.*?)```", page.split("## Articles and questions")[1], re.DOTALL)[0])


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The example as far as mined; to be read only."""
    root = tmp_path_factory.mktemp("handbook")
    for number in range(4):
        numbers = range(number * 100, number * 100 + 100)
        mining_small.lines(root / f"texts/handbook/{number}.jsonl", [mining_small.article(i, 60) for i in numbers])
    records = [mining_small.question(number, "test") for number in range(QUESTIONS)]
    for record in records:
        del record["split"]
    mining_small.lines(root / "texts/questions.jsonl", records)
    project = tiny.make(root)
    shutil.copy(tiny.ROOT / "params/demo.yaml", root / "params")
    (root / "params/handbook.yaml").write_text(example(), encoding="utf-8")
    activate(project.with_release("handbook"))
    project = Project(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setenv("HAYMAKER_WORKERS", "1")
        tiny.run(project, "download", "prepare", "retrieve")
        yield project


def questions(project: Project) -> list[MinedQuestion]:
    mined = Mined(KINDS["retrieval_sets"].path(project.data, "handbook"))
    return [mined.read(index) for index in range(len(mined.outline))]


def test_every_question_has_its_gold_and_distractors_without_the_answer(handbook: Project) -> None:
    store, found = Passages(handbook.data / "corpora/handbook"), questions(handbook)
    assert store.meta["totals"]["articles"] == ARTICLES
    assert [sum(q.split == split for q in found) for split in ("test", "train")] == [20, 15]
    for question in found:
        number = question.question_id.removeprefix("q")
        assert question.gold.article_id[0] == number
        assert f"Pump {number} was mounted by {question.answers[0]}." in question.gold.text[0]
        assert len(question.distractors) == (100 if question.split == "test" else 10)
        aliases = filter_aliases(question.answers)
        passages = zip(question.distractors.title, question.distractors.text, strict=True)
        assert not any(holds(padded(f"{title} {text}"), aliases) for title, text in passages)
    report = json.loads((handbook.counts / "retrieve/retrieval_sets/handbook/counts.json").read_text())
    assert (report["questions"], report["dropped"], report["short"]) == ({"test": 20, "train": 15}, {}, 0)


def test_as_far_as_rows(handbook: Project) -> None:
    tiny.run(handbook, "generate", "validate", "card")
    counts = json.loads((handbook.reports / "validate.json").read_text())
    assert (counts["rows"], counts["failures"], counts["failed"]) == (90, 0, {})
    manifest = json.loads((handbook.release / "manifest.json").read_text())
    assert "the user's own" in json.dumps(manifest["sources"])
