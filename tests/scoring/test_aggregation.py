"""Published tables as data: their shape is the paper's, their names are ours, and a mean says of what it is
(docs/spec/helmet.md 1, 11.7)."""

from __future__ import annotations

from collections import Counter

import pytest

from generators.suite import SUITES, suite
from haymaker.scoring.metrics import all_metrics
from haymaker.scoring.published_tables import Value, table, tables
from haymaker.scoring.statistics.means import Share, summarise

HELMET, RULER = table("helmet"), table("ruler")
LONGBENCH, LONGBENCH_E = table("longbench"), table("longbench_e")
LATER = {"multifieldqa_zh", "dureader", "vcsum", "lsht", "passage_retrieval_zh", "lcc", "repobench_p"}
"""Sets of LongBench that no task builds yet: Chinese and code."""
ENGLISH = {
    "narrativeqa", "qasper", "multifieldqa_en", "hotpotqa", "wikimqa2", "musique", "gov_report", "qmsum", "multi_news",
    "trec", "triviaqa", "samsum", "passage_count", "passage_retrieval_en",
}  # fmt: skip
TASKS = {name: {spec.name: spec.metrics for spec in suite(name).tasks} for name in SUITES}


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("helmet", [4, 4, 1, 6, 3, 2, 5]),
        ("ruler", [8, 1, 2, 2]),
        ("longbench", [4, 4, 4, 4, 3, 2]),
        ("longbench_e", [2, 2, 2, 3, 2, 2]),
    ],
)
def test_categories_have_as_many_figures_as_in_the_paper(name: str, sizes: list[int]) -> None:
    assert [len(values) for values in table(name).categories.values()] == sizes


@pytest.mark.parametrize("name", tables())
def test_every_figure_is_of_a_task_of_ours_that_has_the_metric(name: str) -> None:
    values = [value for values in table(name).categories.values() for value in values]
    if name.startswith("longbench") and not TASKS["longbench"]:
        pytest.skip("NOT RUN: the suite longbench has no tasks yet")
    assert Counter(values).most_common(1)[0][1] == 1
    for of, task, metric in values:
        for edition in ("strict", "official"):
            spec = task.removesuffix("_e") if name == "longbench_e" else task  # entries of the same tasks
            if spec not in (LATER | {"passage_retrieval"}) - set(TASKS[of]):
                assert f"{metric}@{edition}" in TASKS[of][spec], (of, spec)
            assert f"{metric}@{edition}" in all_metrics()


def _figures(mean: float) -> dict[Value, float]:
    return {value: mean for values in HELMET.categories.values() for value in values}


def test_overall_is_the_mean_of_categories_not_of_figures() -> None:
    figures = {value: 1.0 if name == "Re-rank" else 0.0 for name, vs in HELMET.categories.items() for value in vs}
    summary = summarise(HELMET, figures)
    assert summary.overall == Share(1 / 7, 25, 25)
    assert summary.categories["Re-rank"] == (1.0, 1, 1)
    assert summary.missing == []


def test_what_is_missing_is_named_and_counted() -> None:
    gone = {Value("synthetic", "json_kv", "kv"), *HELMET.categories["Summ"]}
    figures = {value: 0.5 for value in _figures(0.5) if value not in gone}
    summary = summarise(HELMET, figures)
    assert set(summary.missing) == gone
    assert summary.categories["Recall"] == Share(0.5, 3, 4)
    assert summary.categories["Summ"] == Share(None, 0, 2)
    assert summary.overall == Share(0.5, 22, 25)
    assert not summary.overall.complete
    assert summarise(HELMET, {}).overall == Share(None, 0, 25)


# ---------------------------------------------------------------- LongBench


def test_the_code_sets_enter_both_languages() -> None:
    by_language = {
        name: {category: [value.task for value in values] for category, values in of.items()}
        for name, of in LONGBENCH.languages.items()
    }
    assert list(by_language) == ["en", "zh"]
    assert by_language["en"]["Code"] == by_language["zh"]["Code"] == ["lcc", "repobench_p"]
    assert {task for tasks in by_language["en"].values() for task in tasks} == ENGLISH | {"lcc", "repobench_p"}
    assert {task for tasks in by_language["zh"].values() for task in tasks} == LATER
    assert len(by_language["zh"]) == 6


def test_overall_figures_of_a_language_are_means_of_its_own_categories() -> None:
    """English 0.2 but code 0.8, Chinese 0.6: categories of both, of all, and their means worked out by hand."""
    figures = {}
    for dataset in LONGBENCH.datasets:
        both, zh = len(dataset.languages) == 2, dataset.languages == ("zh",)
        figures.update(dict.fromkeys(dataset.values, 0.8 if both else 0.6 if zh else 0.2))
    summary = summarise(LONGBENCH, figures)
    assert summary.languages["en"] == Share(pytest.approx((5 * 0.2 + 0.8) / 6), 16, 16)
    assert summary.languages["zh"] == Share(pytest.approx((5 * 0.6 + 0.8) / 6), 7, 7)
    three_of_four, two_of_three = (3 * 0.2 + 0.6) / 4, (2 * 0.2 + 0.6) / 3
    assert summary.overall == Share(pytest.approx((4 * three_of_four + two_of_three + 0.8) / 6), 21, 21)


def test_marathons_figure_is_the_mean_of_six_tasks_not_of_questions() -> None:
    """By heart, of the published rows: the means of their six accuracies (docs/spec/marathon.md 4)."""
    marathon = table("marathon")
    assert [len(values) for values in marathon.categories.values()] == [1] * 6
    for accuracies, average in (((77.03, 69.21, 69.08, 60.82, 100.00, 95.41), 78.59), ((25.0,) * 6, 25.0)):
        values = [value for values in marathon.categories.values() for value in values]
        found = summarise(marathon, dict(zip(values, accuracies, strict=True))).overall
        assert found.complete and found.mean == pytest.approx(average, abs=0.005)
    assert (marathon.consistency, list(marathon.classes)) == (True, ["option_json", "option_like", "option_plain"])
