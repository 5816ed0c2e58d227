"""LongBench as a whole: LongBench-E's sampler at its published sizes, configs that load, what all tasks of the suite say."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from generators.inputs import KINDS, Inputs
from generators.longbench.suite import SUITE
from generators.pool import Pool
from generators.spec import Candidate, Table, TaskSettings, TaskSpec
from generators.suite import ReleaseSuite, Suite
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.lengths import WORD_RANGES, outside
from haymaker.core.params import SuiteParams
from haymaker.core.rng import Stream
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.scoring.metrics import get
from tests.generators.kit import refused

ROOT = Path(__file__).parents[3]
SIZES: dict[str, tuple[int, int, int]] = {  # docs/spec/longbench.md 3
    "qasper": (100, 100, 24),
    "multifieldqa_en": (67, 70, 13),
    "multi_news": (100, 100, 94),
    **dict.fromkeys(
        ("hotpotqa", "2wikimqa", "gov_report", "trec", "triviaqa", "samsum", "passage_count", "passage_retrieval_en", "lcc", "repobench-p"),
        (100, 100, 100),
    ),
}  # fmt: skip


class Sizes(TaskSettings):
    """Candidates of a made source: so many per range of words."""

    sizes: tuple[int, int, int]


class Lengths(Task[Sizes]):
    """Natural rows of known lengths, in an order that mixes them."""

    settings_type = Sizes
    natural = True

    def lengths(self) -> list[int]:
        spread = [
            first + 7 * i
            for (first, _), n in zip(WORD_RANGES.values(), self.settings.sizes, strict=True)
            for i in range(n)
        ]
        return Stream(7, "made", self.entry.name).shuffled(spread)

    def pool(self, split: Split) -> Pool[int]:
        return Pool(split, range(sum(self.settings.sizes)), lambda index: f"{self.spec.name}-{split}-{index:05d}")

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        return outside(table.length, self.lengths()[candidate.number])

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        raise NotImplementedError


def made(asked: dict[str, dict[str, int]]) -> ReleaseSuite:
    skips = dict.fromkeys((Check.VERBATIM, Check.CLEAN, Check.ORACLE), "rows are not made")
    specs = tuple(TaskSpec(f"t{i}", Lengths, name, "c", ("m",), 1, skips=skips, defaults={"sizes": size}) for i, (name, size) in enumerate(SIZES.items()))  # fmt: skip
    names = {name: f"t{i}" for i, name in enumerate(SIZES)}
    params: Any = SimpleNamespace(
        release=SimpleNamespace(seed=7, stream_key="both world 7", reserved_output_tokens=None),
        **{kind: {} for kind in KINDS},
    )
    tasks = {names[name]: {"lengths": lengths} for name, lengths in asked.items()}
    return ReleaseSuite(Suite("e", "E", "", specs), SuiteParams(tasks=tasks), Inputs(params, Path()))


def test_longbench_e_takes_what_its_sources_have() -> None:
    """All 3,668 items of the 13 sets, each once and in its own range."""
    built = made({name: dict(zip(WORD_RANGES, sizes, strict=True)) for name, sizes in SIZES.items()})
    total = 0
    for table in built.tables():
        chosen, task = built.select(table), built.task(table.task)
        assert isinstance(task, Lengths)
        lengths = [task.lengths()[each.number] for each in chosen.candidates]
        first, last = WORD_RANGES[table.length]
        assert all(first <= length < (last or 10**9) for length in lengths) and len(set(lengths)) == table.rows
        total += len(lengths)
    assert total == 3668


def test_one_more_than_there_are_is_one_line_that_says_how_many() -> None:
    built = made({"qasper": {"8k+": 25}})
    assert refused(BuildError, built.select, built.tables()[0]) == (
        "e_t0_8k+ test: 25 questions are required, but only 24 reach the length (its words are not 8k+: 200). Next: request 24 rows or fewer, or use another length"
    )


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
