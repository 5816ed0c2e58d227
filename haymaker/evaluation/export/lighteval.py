"""Export for LightEval, one task per table: `lighteval ... "haymaker_NAME|0" --custom-tasks haymaker_tasks.py`.

LightEval reads datasets with `load_dataset(folder, config)`, so the folder has a README.md that lists the release's
files. The output token budget of a table is the largest of its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from haymaker.evaluation.export.rows import SCORE, prompt_of, scores
from haymaker.evaluation.export.tables import ExportedTables, Table, tables_file

TASKS = '''"""Written by haymaker export lighteval."""

from pathlib import Path

from haymaker.evaluation.export.lighteval import tasks_of

TASKS_TABLE = tasks_of(Path(__file__).parent)
'''
_PAGE = "README.md"  # `datasets` reads the configs from it
_NOTE = "Conversations (rows with `messages`) are sent as one user message with the text of all messages: tasks of LightEval 0.13 have no earlier messages."


def files(tables: Sequence[Table], release: Mapping[str, str], *, base: bool, thinking_tokens: int) -> dict[str, str]:
    """Return the files of the export folder: name -> content."""
    configs = [
        {"config_name": table.name, "data_files": [{"split": "test", "path": list(table.files)}]} for table in tables
    ]
    page = yaml.safe_dump({"configs": configs}, sort_keys=False, allow_unicode=True, width=200)
    note = f"\n{_NOTE}\n" if any(table.has_conversations for table in tables) else ""
    return {
        "haymaker_tasks.py": TASKS,
        _PAGE: f"---\n{page}---\nWritten by `haymaker export lighteval`: the tables of {release['name']} {release['version']}.\n{note}",
        **tables_file(tables, release, base=base, thinking_tokens=thinking_tokens),
    }


def tasks_of(folder: Path) -> list[Any]:
    """Return a LightEval task configuration for each table.

    Args:
        folder: export folder.
    """
    facts = ExportedTables.read(folder)
    return [_config(table, facts, folder) for table in facts.tables]


def _config(table: Table, facts: ExportedTables, folder: Path) -> Any:
    from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.requests import Doc, SamplingMethod

    def prompt(line: dict[str, Any], task_name: str) -> Any:
        answers = list(line["answers"])
        return Doc(
            query=prompt_of(line, base=facts.base), choices=answers, gold_index=list(range(len(answers))),
            instruction=None if facts.base else line["system"], task_name=task_name, specific=line,
        )  # fmt: skip

    names = [SCORE, *table.metrics]
    metric = SampleLevelMetricGrouping(
        metric_name=names,
        higher_is_better=dict.fromkeys(names, True),
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_ours(facts.base, names),
        corpus_level_fn=dict.fromkeys(names, _mean),
    )
    return LightevalTaskConfig(
        name=f"haymaker_{table.name}", prompt_function=prompt, hf_repo=str(folder), hf_subset=table.name,
        hf_avail_splits=["test"], evaluation_splits=["test"], metrics=[metric],
        generation_size=table.max_new_tokens + facts.thinking_tokens,
        stop_sequence=list(table.stop) if facts.base else [],
    )  # fmt: skip


def _ours(base: bool, names: Sequence[str]) -> Any:
    """Return LightEval's sample-level computation; a row without a score for a metric gives NaN."""
    from lighteval.metrics.metrics_sample import SampleLevelComputation

    def compute(self: Any, doc: Any, model_response: Any, **kwargs: Any) -> dict[str, float]:
        found = scores(doc.specific, model_response.final_text[0], base=base)
        return {name: found.get(name, float("nan")) for name in names}

    return type("HaymakerScore", (SampleLevelComputation,), {"compute": compute})()


def _mean(values: Sequence[float]) -> float:
    """Return the mean over rows with a score."""
    there = [value for value in values if value == value]  # noqa: PLR0124 - NaN differs from itself
    return sum(there) / len(there) if there else float("nan")
