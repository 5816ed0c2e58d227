"""LongBench as a whole: configs that load, what all tasks of the suite say, what instructions say of a context; released Chinese documents."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import generators.longbench as longbench
from generators.documents.layout import MARK
from generators.documents.prompts import PromptQuestion, Wording, tail
from generators.longbench.suite import SUITE
from haymaker.core.rng import Stream
from haymaker.scoring.metrics import get
from pipelines.project import Project
from tests.extras import LONG
from tests.generators.kit import findings_of, rows_of
from tests.pipelines import tiny

ROOT = Path(__file__).parents[3]


def test_a_range_of_words_is_a_config_that_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with a minus and a plus in them, as `load_dataset` reads them from a folder."""
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    from datasets import load_dataset

    for length in ("4-8k", "8k+"):
        path, release = f"data/longbench/qasper_e/{length}/test-00000-of-00001.parquet", tmp_path / length
        (release / path).parent.mkdir(parents=True)
        pq.write_table(pa.table({"length": [length]}), release / path)
        config = {"config_name": f"longbench_qasper_e_{length}", "data_files": [{"split": "test", "path": path}]}
        (release / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': [config]})}---\n")
        rows = load_dataset(str(release), config["config_name"], split="test", cache_dir=str(tmp_path))
        assert rows["length"][:] == [length]


def test_what_every_task_says_of_itself() -> None:
    """Metrics in both editions, the reference's categories, which of them are continued."""
    for spec in SUITE.tasks:
        own = [name for name in spec.metrics if name.startswith("longbench_")]
        assert [name.partition("@")[2] for name in own] == ["strict", "official"], spec.name
        assert all(get(name) for name in spec.metrics)
        assert spec.use_chat_template == (spec.category not in ("few-shot", "code")) and spec.task.natural
    assert {spec.category for spec in SUITE.tasks} == {
        "single-doc-qa", "multi-doc-qa", "summaries", "few-shot", "synthetic", "code",
    }  # fmt: skip


def test_language_is_what_the_release_says() -> None:
    """No row's language is guessed from its text: one writer fills the column, from the release's key or the task's own."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "generators").rglob("*.py")}
    readers = {name for name, text in texts.items() if "language=" in text and 'language="' not in text}
    assert readers == {"writer.py"}
    assert "language=self.spec.language or self.release.language" in texts["writer.py"]
    chinese = {"multifieldqa_zh", "dureader", "vcsum", "lsht", "passage_retrieval_zh"}
    shortened = {f"{name}_compressed" for name in ("multifieldqa_zh", "dureader")}
    assert {spec.name for spec in SUITE.tasks if spec.language} == chinese | shortened


def test_another_seed_asks_other_questions() -> None:
    """A release of another seed draws other candidates' content, so that what a model has seen does not help."""
    first, second = (
        Stream(seed, "longbench", "passage_count", "test", 0, "order").shuffled(range(50)) for seed in (1, 2)
    )
    assert first != second


DOCUMENTS = yaml.safe_load((Path(longbench.__file__).parent / "documents.yaml").read_text())


def test_what_opens_a_text_among_others_is_told_from_lines_of_the_texts() -> None:
    """Scripts, papers and news have lines in brackets of their own; three stars stand before titles alone."""
    assert MARK.split() == ["***", "[{title}]"]
    chinese = "一行三个星号，接着是方括号里的名称"
    english = "a line of three asterisks and then its name in square brackets"
    for kind, texts in DOCUMENTS.items():
        assert (chinese if kind.endswith("_zh") else english) in texts["several"]
        assert "{title}" in texts["request_several"]


def test_the_instruction_after_one_text_does_not_choose_among_texts() -> None:
    """A single text needs no description of which text is meant."""
    for kind in ("field", "field_zh"):
        wording = Wording(**DOCUMENTS[kind])
        one, several = wording.repeated(several=False), wording.repeated(several=True)
        assert one != several and not any(word in one for word in ("that", "names", "那篇"))
        shown = PromptQuestion("Q?", "A", title="T")
        assert several in tail(wording, shown) and one in tail(wording, replace(shown, title=""))


def test_titles_in_chinese_words_stand_in_chinese_quotation_marks() -> None:
    for kind in (kind for kind in DOCUMENTS if kind.endswith("_zh")):
        asked = " ".join(DOCUMENTS[kind].values())
        assert "“{title}”" in asked and '"' not in asked


LENGTHY = {"multifieldqa_zh": {"natural": 100, "16k": 40, "128k": 10}, "vcsum": {"natural": 5, "64k": 5, "512k": 2}}
FEW = {"multifieldqa_zh": {"natural": 6, "16k": 3}}


@pytest.mark.real
def test_released_chinese_documents(tmp_path: Path, mirror: Path) -> None:
    """Rows of every length are held to every check, counted exactly, and Chinese from the first word to the cue."""
    pytest.importorskip("jieba", reason="NOT RUN: jieba is not installed")
    clean, given = {"splitter": "cjk", "emphasis": False}, {"given": {"kind": "longbench_zh_mirror"}}
    lengths: dict[str, dict[str, int]] = LENGTHY if os.environ.get(LONG) else FEW
    documents = {name: {"source": "given", "set": name, "clean": clean, "distractor_sets": [other for other in lengths if other != name]} for name in lengths}  # fmt: skip
    suites = {"longbench": {"tasks": {name: {"documents": name, "lengths": lengths[name]} for name in lengths}}}
    project = tiny.make(tmp_path / "p", sources=given, corpora={}, documents=documents, mirror=str(mirror), suites=suites)  # fmt: skip
    tiny.run(project, "download", "prepare")
    suite = next(suite for suite in Project(project.root).suites() if suite.name == "longbench")
    rows = rows_of(suite)
    findings = findings_of(suite, rows)
    assert findings.failures == [] and findings.checked["recounted"] == len(rows)
    for row in rows:
        assert row["language"] == "zh" and (row["question"] or "概要") in row["prompt"]
        assert row["prompt"].startswith("下面是") and row["prompt"].endswith("：")
