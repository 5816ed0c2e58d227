"""Own texts, articles and questions from files to rows: the example of docs/reference/own-corpus.md, word for word."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from corpora.stores.mined import Mined
from corpora.stores.passages.store import Passages
from generators.inputs import KINDS
from haymaker.core.text.strings import filter_aliases, holds, padded
from pipelines.project import Project
from pipelines.run.runner import activate
from tests.pipelines import tiny
from tests.reliability import mining_small


def handbook(root: Path) -> Project:
    """The example, with articles and questions in the folders that it names."""
    for number in range(4):
        numbers = range(number * 100, number * 100 + 100)
        mining_small.lines(root / f"texts/handbook/{number}.jsonl", [mining_small.article(i, 60) for i in numbers])
    records = [mining_small.question(number, "test") for number in range(120)]
    for record in records:
        del record["split"]
    mining_small.lines(root / "texts/questions.jsonl", records)
    project = tiny.make(root)
    shutil.copy(tiny.ROOT / "params/demo.yaml", root / "params")
    page = (tiny.ROOT / "docs/reference/own-corpus.md").read_text(encoding="utf-8")
    example = re.findall(r"```yaml\n(.*?)```", page.split("## Articles and questions")[1], re.DOTALL)[0]
    (root / "params/handbook.yaml").write_text(example, encoding="utf-8")
    activate(project.with_release("handbook"))
    return Project(root)


def test_every_question_has_its_gold_and_distractors_without_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = handbook(tmp_path)
    tiny.run(project)
    mined = Mined(KINDS["retrieval_sets"].path(project.data, "handbook"))
    found = [mined.read(index) for index in range(len(mined.outline))]
    assert Passages(project.data / "corpora/handbook").meta["totals"]["articles"] == 400
    assert [sum(q.split == split for q in found) for split in ("test", "train")] == [20, 15]
    for question in found:
        number = question.question_id.removeprefix("q")
        assert question.gold.article_id[0] == number
        assert f"Pump {number} was mounted by {question.answers[0]}." in question.gold.text[0]
        assert len(question.distractors) == (100 if question.split == "test" else 10)
        aliases = filter_aliases(question.answers)
        passages = zip(question.distractors.title, question.distractors.text, strict=True)
        assert not any(holds(padded(f"{title} {text}"), aliases) for title, text in passages)
    report = json.loads((project.counts / "retrieve/retrieval_sets/handbook/counts.json").read_text())
    assert (report["questions"], report["dropped"], report["short"]) == ({"test": 20, "train": 15}, {}, 0)
    counts = json.loads((project.reports / "validate.json").read_text())
    assert (counts["rows"], counts["failures"], counts["failed"]) == (90, 0, {})
    manifest = json.loads((project.release / "manifest.json").read_text())
    assert "the user's own" in json.dumps(manifest["sources"])
