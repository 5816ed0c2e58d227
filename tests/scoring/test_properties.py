"""What holds for every metric of free text on any output, and for stored answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.text.strings import words
from haymaker.scoring.judges.entailment import Lexical, use_entailment
from haymaker.scoring.metrics import Metric, all_metrics, get
from tests.extras import few

# test_metrics.py has BABILong's, test_longbench.py LongBench's, test_longgen.py those of long outputs, test_option.py Marathon's,
# test_task_properties.py those of tasks with rows of their own kind.
ELSEWHERE = tuple(
    "babilong longbench ruler kv passkey infbench math code_run mc option label keypoints judge longgen code_line mrcr which_needle graphwalks".split()
)
METRICS = [metric for metric in all_metrics().values() if not metric.id.startswith(ELSEWHERE)]
STRICT = [metric for metric in METRICS if metric.id.endswith("@strict") and not metric.needs_model]

NAMES = st.from_regex(r"[A-Z][a-z]{2,8}( [A-Z][a-z]{2,8})?", fullmatch=True).filter(
    lambda name: not {"the", "and", "a", "an"} & set(words(name))
)
THOUGHT = "<think>\nlet me see ...\n</think>\n\n"
BEFORE = ("", THOUGHT, f"{THOUGHT}### Response\n\n", "**Answer:**\n")  # of a perfect output


class OfficialJudge(Lexical):
    """So that the rules of the reference run: it would refuse what calls itself a stand-in."""

    stand_in = False


def row(names: list[str], metrics: tuple[str, ...] = ()) -> dict[str, Any]:
    """Everything that a metric may read, for answers that are these names."""
    prompt, spans = "Read.\n\n", []
    for name in names:
        text = f"{name} was born in Rome."
        spans.append({"kind": "gold", "title": name, "start": len(prompt), "end": len(prompt) + len(text)})
        prompt += f"{text}\n\n"
    qrels = {str(100 + i): 3 - min(i, 3) for i in range(len(names))} | {"998": 0, "999": 0}
    return {
        "answers": names,
        "answer_groups": [[name] for name in names],
        "question": "born in Rome",
        "metrics": list(metrics),
        "prompt": f"{prompt}Answer:",
        "context_start": 7,
        "context_end": len(prompt),
        "spans": spans,
        "metadata": json.dumps({"qrels": qrels}),
        "max_new_tokens": 300,
        "language": "en",
        "category": "qa",
    }


def stored(metric: Metric, names: list[str]) -> str:
    """The answer that a row of these names would hold for a metric."""
    if metric.id.startswith("ndcg"):
        return " > ".join(str(100 + i) for i in range(len(names)))
    return (
        ", ".join(f"{name} [{i}]" for i, name in enumerate(names, 1)) if "answer_groups" in metric.columns else names[0]
    )


@pytest.mark.parametrize("metric", STRICT, ids=lambda metric: metric.id)
@few
@given(names=st.lists(NAMES, min_size=1, max_size=8, unique_by=str.lower))
def test_a_stored_answer_is_right_and_an_empty_output_wrong(metric: Metric, names: list[str]) -> None:
    for before in BEFORE:
        assert metric.function(before + stored(metric, names), row(names)) == pytest.approx(1.0, abs=1e-12)
    assert metric.function(f"<think>\n{stored(metric, names)}", row(names)) == 0.0
    assert metric.function("", row(names)) == metric.function(" \n ", row(names)) == 0.0


@pytest.mark.parametrize("metric", STRICT, ids=lambda metric: metric.id)
@few
@given(names=st.lists(NAMES, min_size=2, max_size=4, unique_by=str.lower), kept=st.integers(1, 4))
def test_case_and_space_do_not_matter(metric: Metric, names: list[str], kept: int) -> None:
    output = stored(metric, names[:kept])
    changed = f"\n  {output.upper().replace(' ', '   ')} \n"
    assert metric.function(changed, row(names)) == metric.function(output, row(names))


@few
@given(names=st.lists(NAMES, min_size=1, max_size=6, unique_by=str.lower))
@pytest.mark.parametrize("name", ["citation_recall", "citation_precision"])
@pytest.mark.parametrize("edition", ["strict", "official"])
def test_a_list_that_cites_what_names_each_item_is_right(name: str, edition: str, names: list[str]) -> None:
    metric = get(f"{name}@{edition}")
    target = row(names, ("qampari_rec_top5@strict",))
    with use_entailment(OfficialJudge()):
        assert metric.function(stored(metric, names), target) == 1.0
        assert metric.function("", target) == 0.0


def test_only_official_scores_refuse_the_stand_in() -> None:
    for metric in METRICS:
        assert metric.needs_model == metric.id.startswith("citation")
        assert metric.title == (f"{metric.id} by lexical@1 (stand-in)" if metric.needs_model else metric.id)
