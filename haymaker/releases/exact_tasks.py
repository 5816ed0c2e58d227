"""Tasks that inspect-ai scorers can score.

inspect-ai compares one text: list columns become their Python representation; `match` strips punctuation.
So a row needs one accepted answer, or a letter index in `answer_index`. Agreement of its scorers with the metrics
was measured on the golden cases (docs/reference/published.md); use `haymaker score` for all other metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

EXACT = "mini_exact"
"""Config of the rows that the leaderboard `overall` counts."""
_ANSWER = {"input": "prompt", "target": "answers"}
_LETTER = {"input": "prompt", "target": "answer_index", "choices": "choices"}


@dataclass(frozen=True)
class Rule:
    """inspect-ai scorer that corresponds to a metric.

    Attributes:
        scorer: name of the inspect-ai scorer.
        args: arguments of the scorer.
        fields: inspect-ai field -> column of the row.
    """

    scorer: str
    args: Mapping[str, Any]
    fields: Mapping[str, str]


LAST = Rule("match", {}, _ANSWER)  # the output ends with the answer; several answers are wrong
NUMBER = Rule("match", {"numeric": True}, _ANSWER)  # the last number of the output is the answer
LETTER = Rule("pattern", {"pattern": r'"option"\s*:\s*"([A-Za-z])"'}, _LETTER)  # the JSON object in the prompt's format
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "babilong@strict": LAST,
        "ruler_f1@strict": LAST,
        "ruler_all@strict": LAST,
        "kv@strict": LAST,
        "infbench_kv@strict": LAST,
        "passkey@strict": LAST,
        "label@strict": NUMBER,
        "longbench_count@strict": NUMBER,
        "option@strict": LETTER,
    }
)
"""Metric -> rule. Excluded short metrics: math_find, code_run (inspect-ai compares five digits), mc (free outputs),
subem and longbench_retr (answers in other words)."""


def exact_tasks(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (suite, task) of the mini rows that the leaderboard `overall` counts: all use one rule."""
    return [(suite, task["name"]) for suite, task, rule in tasks_with_rule(manifest) if rule is LAST]


def tasks_with_rule(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Rule]]:
    """Yield (suite, task, rule) of chat tasks whose primary metric has a rule and whose mini rows have its fields."""
    small = manifest.get("mini", {"tasks": {}})["tasks"]
    for suite, facts in manifest["suites"].items():
        for task in facts["tasks"]:
            rule, known = RULES.get(task["metrics"][0]), small.get(suite, {}).get(task["name"])
            if rule and known and task["use_chat_template"] and (rule is LETTER or known["one_answer"]):
                yield suite, task, rule
