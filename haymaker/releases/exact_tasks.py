"""Which tasks a rule of inspect-ai can score.

inspect-ai compares one text: of a column that is a list it takes the list as Python writes it, and `match` leaves out marks around it.
So a row needs one accepted answer, or a letter at `answer_index`. Which metrics its rules express, and how far, was measured on the
golden cases (docs/reference/published.md); what they cannot express is for `haymaker score`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

EXACT = "mini_exact"
"""Config of the rows that the one leaderboard `overall` counts."""
_ANSWER = {"input": "prompt", "target": "answers"}
_LETTER = {"input": "prompt", "target": "answer_index", "choices": "choices"}


@dataclass(frozen=True)
class Rule:
    """How inspect-ai scores what a metric of ours scores.

    Attributes:
        scorer: its name there.
        args: of the scorer.
        fields: what it reads of a row.
    """

    scorer: str
    args: Mapping[str, Any]
    fields: Mapping[str, str]


LAST = Rule("match", {}, _ANSWER)  # the output ends with the answer: one that lists several is not right
NUMBER = Rule("match", {"numeric": True}, _ANSWER)  # its last number is the answer
LETTER = Rule("pattern", {"pattern": r'"option"\s*:\s*"([A-Za-z])"'}, _LETTER)  # the JSON object that prompts ask for
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
"""Metric -> rule. Not here, though short: numbers of math_find and code_run, of which inspect-ai compares five digits; mc, whose outputs
are free; subem and longbench_retr, which read answers in other words."""


def exact_tasks(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Suite and task of the rows of mini that `overall` counts: one rule for all."""
    return [(suite, task["name"]) for suite, task, rule in tasks_with_rule(manifest) if rule is LAST]


def tasks_with_rule(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Rule]]:
    """Suite, task and rule of those whose first metric a rule expresses, whose rows have what it reads, and that may be sent as a chat."""
    small = manifest.get("mini", {"tasks": {}})["tasks"]
    for suite, facts in manifest["suites"].items():
        for task in facts["tasks"]:
            rule, known = RULES.get(task["metrics"][0]), small.get(suite, {}).get(task["name"])
            if rule and known and task["chat"] and (rule is LETTER or known["one_answer"]):
                yield suite, task, rule
