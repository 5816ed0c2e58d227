"""LongBench as a whole: configs that load, what all tasks of the suite say."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from generators.longbench.suite import SUITE
from haymaker.core.lengths import WORD_RANGES
from haymaker.core.rng import Stream
from haymaker.scoring.metrics import get

ROOT = Path(__file__).parents[3]


def test_a_range_of_words_is_a_config_that_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with a minus and a plus in them, as `load_dataset` reads them from a folder."""
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    configs = []
    for length in ("natural", *WORD_RANGES):
        folder = tmp_path / "release/data/longbench/qasper_e" / length
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"length": [length]}), folder / "test-00000-of-00001.parquet")
        path = f"data/longbench/qasper_e/{length}/test-*.parquet"
        configs.append({"config_name": f"longbench_qasper_e_{length}", "data_files": [{"split": "test", "path": path}]})
    (tmp_path / "release/README.md").write_text(f"---\n{yaml.safe_dump({'configs': configs})}---\n")
    from datasets import load_dataset

    for length in ("natural", *WORD_RANGES):
        rows = load_dataset(
            str(tmp_path / "release"), f"longbench_qasper_e_{length}", split="test", cache_dir=str(tmp_path)
        )
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
