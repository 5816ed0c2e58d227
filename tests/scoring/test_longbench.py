"""LongBench's metrics: `@official` beside its rules written out anew, `@strict` without their defects
(docs/spec/longbench.md 5, docs/defects/longbench.md).
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from haymaker.core.errors import EnvironmentProblem
from haymaker.scoring.metrics import all_metrics, get, longbench_rouge, longbench_zh
from tests.extras import needs
from tests.scoring import longbench_reference as reference

METRICS = [metric for metric in all_metrics().values() if metric.id.startswith("longbench")]
HERE = [
    pytest.param(metric, id=metric.id, marks=needs("zh", "jieba") if "_zh@" in metric.id else ()) for metric in METRICS
]
STRICT = [param for param in HERE if param.id.endswith("@strict")]
STORED = {
    "longbench_f1": ["the Eiffel Tower"],
    "longbench_rouge_l": ["It stands in Paris. It is tall.", "e.g. this one"],
    "longbench_cls": ["Other location"],
    "longbench_count": ["17"],
    "longbench_retr": ["Paragraph 12"],
    "longbench_edit": ["\tif (x > 0) {  // yes", "#region A"],
    "longbench_f1_zh": ["铜仁市的财政总收入增长了25.89%。"],
    "longbench_rouge_l_zh": ["会议讨论了绿色校园，以及低碳转型的路径。"],
}
LABELS = ["Other", "Other location", "Oth", "Date", "Food", "Food"]

WORDS = st.sampled_from(
    ["a", "b", "c", "The", "the", "an", "yes", "Rome,", "U.S.", "3.5", ".", "..", "", " ", "\n", "x-y"]
)
TEXTS = st.lists(WORDS, max_size=14).map(" ".join) | st.lists(WORDS, max_size=10).map("".join) | st.text(max_size=20)
LINES = st.lists(
    st.sampled_from(
        ["x = 1", "    return x", "# no", "y  # why", "// a", "url('//')", "```", "", "  ", "/* b", "*/", "z;"]
    ),
    max_size=6,
).map("\n".join)


def row(
    answers: list[str], category: str = "multi-doc-qa", choices: list[str] | None = None, question: str = ""
) -> dict[str, Any]:
    chosen = LABELS if choices is None else choices
    return {"answers": answers, "category": category, "choices": chosen, "question": question}


def official(name: str, output: str, gold: str, **more: Any) -> float:
    return get(f"longbench_{name}@official").function(output, row([gold], **more))


def strict(name: str, output: str, gold: str, **more: Any) -> float:
    return get(f"longbench_{name}@strict").function(output, row([gold], **more))


# ---------------------------------------------------------------- the reference's rules


@given(output=TEXTS, gold=TEXTS)
def test_f1_is_the_rule(output: str, gold: str) -> None:
    assume(gold.strip())
    assert official("f1", output, gold) == pytest.approx(reference.f1(output, gold), abs=1e-12)
    read = reference.first_line(output)
    assert official("f1", output, gold, category="few-shot") == pytest.approx(reference.f1(read, gold), abs=1e-12)


@given(output=LINES | st.text("ab#/`\n ", max_size=12), gold=LINES)
def test_edit_is_the_rule(output: str, gold: str) -> None:
    assume(gold.strip())  # a row whose answer says nothing is refused
    expected = reference.indel_ratio(reference.edit_line(output), gold)
    assert official("edit", output, gold) == pytest.approx(expected, abs=1e-12)


@given(output=TEXTS, gold=TEXTS)
def test_rouge_is_the_rule(output: str, gold: str) -> None:
    assume(gold.strip())
    assert official("rouge_l", output, gold) == pytest.approx(reference.rouge_l(output, gold), abs=1e-12)
    read = reference.first_line(output)
    expected = reference.rouge_l(read, gold)
    assert official("rouge_l", output, gold, category="few-shot") == pytest.approx(expected, abs=1e-12)


@given(output=TEXTS, gold=TEXTS, limit=st.integers(0, 12))
def test_rouge_fails_where_any_walk_is_too_long(output: str, gold: str, limit: int) -> None:
    expected = reference.rouge_l(output, gold, limit)
    assert longbench_rouge.rouge_l_official(output, gold, limit) == pytest.approx(expected, abs=1e-12)


def test_difflib_is_another_ratio() -> None:
    from difflib import SequenceMatcher

    ours, gold = "ab cd", "cd ab"
    assert official("edit", ours, gold) == 0.4
    assert SequenceMatcher(None, "abxcd", "cdxab").ratio() == 0.4
    assert SequenceMatcher(None, "tide", "diet").ratio() == 0.25  # the published example of the two ways of difflib
    assert SequenceMatcher(None, "diet", "tide").ratio() == 0.5
    assert official("edit", "tide", "diet") == official("edit", "diet", "tide") == 0.5


# ---------------------------------------------------------------- ours


@pytest.mark.parametrize("metric", STRICT)
@pytest.mark.parametrize("category", ["few-shot", "summaries"])
def test_a_stored_answer_is_right_and_an_empty_output_wrong(metric: Any, category: str) -> None:
    answers = STORED[metric.id.partition("@")[0]]
    for answer in answers:
        asked = row(answers, category)
        assert metric.function(answer, asked) == pytest.approx(1.0, abs=1e-12)
        assert metric.function(f"It is hard.</think>{answer}\n", asked) == pytest.approx(1.0, abs=1e-12)
        assert metric.function("", asked) == metric.function(" \n ", asked) == metric.function("</think>", asked) == 0.0


@given(words=st.lists(st.sampled_from("abcde"), min_size=1, max_size=20), cuts=st.sets(st.integers(1, 19)))
def test_strict_rouge_is_the_official_one_where_nothing_is_wrong(words: list[str], cuts: set[int]) -> None:
    output = "".join(f"{'.' if at in cuts else ''} {word}" for at, word in enumerate(words))
    gold = "a b c. d e a"
    assert strict("rouge_l", output, gold) == pytest.approx(official("rouge_l", output, gold), abs=1e-7)


@pytest.mark.parametrize("words", [100, 990, 991, 5000])
def test_no_length_makes_strict_rouge_nothing(words: int) -> None:
    """D2: 0 means that nothing is shared."""
    output = " ".join(f"w{i}" for i in range(words))
    assert strict("rouge_l", output, output) == 1.0
    assert (official("rouge_l", output, output) > 0) == (words <= 990)


@given(number=st.integers(1, 99), other=st.integers(1, 99))
def test_strict_paragraphs_are_right_or_wrong(number: int, other: int) -> None:
    """D6."""
    gold = f"Paragraph {number}"
    assert strict("retr", f"Paragraph {other}", gold) == float(number == other)
    assert strict("retr", f"Paragraph {number} or {other}", gold) == float(number == other)
    assert strict("retr", f"段落{number}，讲的是{other}年的事", f"段落{number}") == 1.0
    assert strict("count", f"Answer: {number}", str(other)) == float(number == other)


def test_without_jieba_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    longbench_zh._tokenizer.cache_clear()
    longbench_zh.cut.cache_clear()
    monkeypatch.setattr(longbench_zh, "find_spec", lambda name: None)
    try:
        with pytest.raises(EnvironmentProblem) as caught:
            official("f1_zh", "北京", "北京")
    finally:
        longbench_zh._tokenizer.cache_clear()
    assert "jieba" in caught.value.what and 'pip install -c constraints.txt --editable ".[zh]"' in caught.value.fix
    assert "\n" not in str(caught.value)


@needs("zh", "jieba")
def test_words_that_a_program_taught_jieba_change_nothing() -> None:
    import jieba

    text = "绿色低碳校园建设"
    longbench_zh.cut.cache_clear()
    before = longbench_zh.cut(text)
    jieba.add_word(text)
    try:
        assert list(jieba.cut(text)) == [text]
        longbench_zh.cut.cache_clear()
        assert longbench_zh.cut(text) == before != (text,)
    finally:
        jieba.del_word(text)


SETS = {
    "f1": ("narrativeqa", "qasper", "multifieldqa_en", "hotpotqa", "2wikimqa", "musique", "triviaqa"),
    "rouge_l": ("gov_report", "qmsum", "multi_news", "samsum"),
    "cls": ("trec", "lsht"),
    "count": ("passage_count",),
    "retr": ("passage_retrieval_en", "passage_retrieval_zh"),
    "edit": ("lcc", "repobench-p"),
    "f1_zh": ("multifieldqa_zh",),
    "rouge_l_zh": ("vcsum", "dureader"),
}


@pytest.mark.real
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs("zh", "jieba") if "_zh" in name else ()) for name in SETS]
)
def test_published_answers_are_right_and_nothing_is_wrong(mirror: Path, name: str) -> None:
    for key in SETS[name]:
        with gzip.open(mirror / f"longbench/mini/{key}.jsonl.gz", "rt", encoding="utf-8") as file:
            items = [json.loads(line) for line in file]
        assert items
        for item in items:
            category = "few-shot" if key in ("trec", "lsht", "triviaqa", "samsum") else "other"
            asked = row(item["answers"], category, item["all_classes"] or [], item["input"])
            for edition in ("strict", "official"):
                function = get(f"longbench_{name}@{edition}").function
                best = [function(answer, asked) for answer in item["answers"]]
                # D4: the reference refuses some of its own lines of code
                assert best == pytest.approx([1.0] * len(best), abs=1e-8) or (edition, name) == ("official", "edit")
                assert function("", asked) == 0.0
