"""Tasks for lm-evaluation-harness: one YAML file a table, a group for the small set, each length and each suite.

`lm_eval --include_path FOLDER --tasks haymaker_mini` runs them. What it cannot do a row at a time it does for a table: room for
the answer is that of the row that needs most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from haymaker.evaluation.export.rows import SCORE, prompt_of, scores
from haymaker.evaluation.export.tables import Table

MODULE = "haymaker_rows"
_IMPORTS = "from haymaker.evaluation.export.lm_eval import base_scores, base_text, chat_scores, chat_text, first_answer  # noqa: F401"


def chat_text(doc: Mapping[str, Any]) -> str:
    """What a model that replies is asked."""
    return prompt_of(doc, base=False)


def base_text(doc: Mapping[str, Any]) -> str:
    """What a model continues."""
    return prompt_of(doc, base=True)


def first_answer(doc: Mapping[str, Any]) -> str:
    """The stored answer, for logs alone."""
    return str((doc["answers"] or [""])[0])


def chat_scores(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """What a reply is worth."""
    return scores(doc, results[0], base=False)


def base_scores(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """What a continuation is worth."""
    return scores(doc, results[0], base=True)


def files(tables: Sequence[Table], release: Mapping[str, str], *, base: bool, thinking_tokens: int) -> dict[str, str]:
    """Name -> content of the files of a folder."""
    how = "base" if base else "chat"
    found = {f"{MODULE}.py": f'"""Written by haymaker export lm_eval."""\n\n{_IMPORTS}\n'}
    for table in tables:
        found[f"haymaker_{table.name}.yaml"] = _task(table, release, how, thinking_tokens)
    for group, members in _groups(tables).items():
        found[f"group_{group}.yaml"] = _group(f"haymaker_{group}", members)
    return found


def _task(table: Table, release: Mapping[str, str], how: str, thinking_tokens: int) -> str:
    facts: dict[str, Any] = {
        "task": f"haymaker_{table.name}",
        "dataset_path": "parquet",
        "dataset_kwargs": {"data_files": {"test": list(table.files)}, "columns": list(table.columns)},
        "test_split": "test",
        "output_type": "generate_until",
        "description": "" if how == "base" else "{{system or ''}}",
        "doc_to_text": _Function(f"{how}_text"),
        "doc_to_target": _Function("first_answer"),
        "process_results": _Function(f"{how}_scores"),
        "generation_kwargs": {
            "until": list(table.stop) if how == "base" else [],
            "max_gen_toks": table.max_new_tokens + thinking_tokens,
            "do_sample": False,
            "temperature": 0.0,
        },
        "metric_list": [
            {"metric": name, "aggregation": "mean", "higher_is_better": True} for name in (SCORE, *table.metrics)
        ],
        "metadata": {"version": release["version"], "release": release["name"], "digest": release["digest"]},
    }
    return _yaml(facts)


def _group(name: str, members: Iterable[str]) -> str:
    mean = {"metric": SCORE, "aggregation": "mean", "weight_by_size": False}
    return _yaml({"group": name, "task": list(members), "aggregate_metric_list": [mean]})


def _groups(tables: Sequence[Table]) -> dict[str, list[str]]:
    """The small set, each length and each suite, with their tasks."""
    found: dict[str, list[str]] = {}
    for table in tables:
        for group in dict.fromkeys((table.bucket, *([] if table.bucket == "mini" else [table.suite]))):
            found.setdefault(group, []).append(f"haymaker_{table.name}")
    return found


class _Function(str):
    """Name of a function in MODULE."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", f"{MODULE}.{name}", None))


def _yaml(facts: dict[str, Any]) -> str:
    return yaml.dump(facts, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
