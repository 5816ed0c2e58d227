"""Export for lm-evaluation-harness: a YAML file per table, and groups for the small set, each length and each suite.

Run `lm_eval --include_path FOLDER --tasks haymaker_mini`. The harness has no settings per row: the output token budget
of a table is the largest of its rows. The mean of a group is over its tables, however groups are nested: only the
mean of a suite at one length is always equal to the one of `haymaker score`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from haymaker.evaluation.export.rows import SCORE, prompt_of, scores
from haymaker.evaluation.export.tables import SMALL, Table

MODULE = "haymaker_rows"
CLASS = "Conversations"  # of tasks with conversations, in MODULE
_EXPORT = "haymaker.evaluation.export.lm_eval"
_IMPORTS = f"from {_EXPORT} import base_scores, base_text, chat_scores, chat_text, first_answer  # noqa: F401"


def chat_text(doc: Mapping[str, Any]) -> str:
    """Return the prompt for a chat model."""
    return prompt_of(doc, base=False)


def base_text(doc: Mapping[str, Any]) -> str:
    """Return the prompt for a base model, which continues it."""
    return prompt_of(doc, base=True)


def first_answer(doc: Mapping[str, Any]) -> str:
    """Return the first stored answer, used only in logs."""
    return str((doc["answers"] or [""])[0])


def chat_scores(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Return the scores of a chat model's reply."""
    return scores(doc, results[0], base=False)


def base_scores(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Return the scores of a base model's continuation."""
    return scores(doc, results[0], base=True)


def conversation_task() -> Any:
    """Return the task class of tables with conversations: with a chat template, their messages are sent as they are."""
    from lm_eval.api.task import ConfigurableTask

    class Conversations(ConfigurableTask):  # type: ignore[misc]  # an extra without types
        def __init__(self, config: Mapping[str, Any]) -> None:
            super().__init__(config={key: value for key, value in config.items() if key != "class"})

        def fewshot_context(self, doc: Mapping[str, Any], *args: Any, **how: Any) -> Any:
            if not (doc["messages"] and how.get("apply_chat_template")):
                return super().fewshot_context(doc, *args, **how)
            system = how.get("system_instruction")
            before = [{"role": "system", "content": system}] if system else []
            return how["chat_template"]([*before, *doc["messages"]])

    return Conversations


def files(tables: Sequence[Table], release: Mapping[str, str], *, base: bool, thinking_tokens: int) -> dict[str, str]:
    """Return the files of the export folder: name -> content."""
    how = "base" if base else "chat"
    found = {f"{MODULE}.py": f'"""Written by haymaker export lm_eval."""\n\n{_IMPORTS}\n'}
    if not base and any(table.has_conversations for table in tables):
        found[f"{MODULE}.py"] += f"from {_EXPORT} import conversation_task\n\n{CLASS} = conversation_task()\n"
    for table in tables:
        found[f"haymaker_{table.name}.yaml"] = _task(table, release, how, thinking_tokens)
    for group, members in _groups(tables).items():
        found[f"group_{group}.yaml"] = _group(f"haymaker_{group}", members)
    return found


def _task(table: Table, release: Mapping[str, str], how: str, thinking_tokens: int) -> str:
    facts: dict[str, Any] = {
        "task": f"haymaker_{table.name}",
        **({"class": _Function(CLASS)} if how == "chat" and table.has_conversations else {}),
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
    """Return the members of each group: the small set, each length, each suite, and each suite at each length."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for table in tables:
        task, cell = f"haymaker_{table.name}", f"{table.suite}_{table.length}"
        found[table.length][task] = None
        if table.length != SMALL:
            found[cell][task] = None
            found[table.suite][f"haymaker_{cell}"] = None
    return {group: list(members) for group, members in found.items()}


class _Function(str):
    """Name of a function in MODULE, written with the YAML tag `!function`."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", f"{MODULE}.{name}", None))


def _yaml(facts: dict[str, Any]) -> str:
    return yaml.dump(facts, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
