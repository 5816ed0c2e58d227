"""The answer reader, step by step: reasoning formats, the final answer, the length budget, near misses of the canonical form."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.scoring.metrics import all_metrics, get
from haymaker.scoring.reader import budget_of, canonical, final_answer, strip_reasoning, watched
from tests.growth import TIMES, grows

REASONING = [
    "<think>{}</think>{}", "{}</think>{}", "<thinking>{}</thinking>\n{}", "<reasoning>\n{}\n</reasoning>\n\n{}", "<thought>{}</thought>{}",
    "<scratchpad>{}</scratchpad>{}", "[THINK]{}[/THINK]{}", "<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "◁think▷{}◁/think▷{}", "<seed:think>{}</seed:think>{}", "<|channel>thought\n{}<channel|>{}", "<unused94>thought\n{}<unused95>{}",
    "Here is my thought process:\n{}\nHere is my response:\n{}", "analysis{}assistantfinal{}", "analysisI see. {}assistantfinal{}<|return|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "<|start|>assistant<|channel|>commentary to=user<|message|>{}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{}",
    "<think>a</think>{}<think>b</think>{}<|im_end|>", "<THINK>{}</THINK>\n\n{}",
]  # fmt: skip
ROW: dict[str, Any] = {
    "answers": ["garden"], "question": "Where is Mary?", "choices": ["garden", "kitchen", "office"], "answer_groups": [["garden"]],
    "max_new_tokens": 20, "language": "en", "category": "qa", "metadata": None, "references": None,
}  # fmt: skip


FREE_TEXT = ("subem", "subem_tokens", "ruler_part", "em", "f1", "longbench_f1")


def score(metric: str, output: str, **columns: Any) -> float:
    return get(f"{metric}@strict").function(output, ROW | columns)


@pytest.mark.parametrize("form", REASONING)
def test_reasoning_is_no_part_of_the_answer(form: str) -> None:
    """A right answer counts and a wrong one does not, whatever the reasoning before it names."""
    for metric in ("babilong", "subem", "label"):
        assert score(metric, form.format("Was it the kitchen?", "Mary is in the garden.")) == 1.0
        assert score(metric, form.format("Was it the garden?", "Mary is in the kitchen.")) == 0.0


@pytest.mark.parametrize("begin", sorted({form.split("{}")[0] for form in REASONING} - {""} - {"<think>a</think>"}))
def test_reasoning_that_never_ends_says_nothing(begin: str) -> None:
    assert strip_reasoning(f"{begin}It is the garden") == ""
    assert strip_reasoning(f"The garden. {begin}It was") in ("The garden.", f"The garden. {begin}It was".strip())


@pytest.mark.parametrize(
    ("output", "answer"),
    [("\n plain\n", " plain"), ("A? B?</think> \n \n    return x", "    return x"), ("</think>a</think>b", "b"), (None, ""), ("garden <think>sure</think>", "garden"), ("analysis of the text", "analysis of the text")],
)  # fmt: skip
def test_what_is_no_reasoning_stays(output: Any, answer: str) -> None:
    assert strip_reasoning(output) == answer


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("Paris", "Paris"), ("Let me see.\nThe answer is Paris.", "Paris."), ("**Answer:**\n\nParis", "Paris"), ("### Response\n\nParis", "Paris"),
        ("Answer: Lyon\nFinal answer: Paris", "Paris"), ("The answer to the question who won is Paris", "Paris"), (r"So \boxed{\text{Paris}}.", r"\text{Paris}"),
        ('{"answer": "Paris", "confidence": 0.9}', "Paris"), ("{'answer': 'Paris'}", "Paris"), ('```json\n{"answer": "Paris"}\n```', "Paris"),
        ("<answer>Paris</answer>", "Paris"), ("答案是巴黎", "巴黎"), ("La respuesta correcta es París", "París"), ("Die Antwort lautet: Paris", "Paris"), ("La réponse est Paris", "Paris"),
        ("Paris\n\nQuestion: next?\nAnswer: Rome", "Paris"), ("Question: where?\nAnswer: Paris", "Paris"), ("Paris. The answer is given in passage 3.", "Paris. The answer is given in passage 3."),
        ("```\nParis\n```", "Paris"), ("Answer: Paris\nbecause it says so", "Paris"), ("", ""),
    ],
)  # fmt: skip
def test_the_final_answer(output: str, answer: str) -> None:
    assert final_answer(output) == answer


@pytest.mark.parametrize(
    ("one", "other"),
    [("49.9", "499"), ("1.5", "15"), ("-5", "5"), ("−5", "5"), ("3/4", "34"), ("10:30", "1030"), ("10-3", "103"), ("19", "1945"), ("1.0", "10"), ("1,5", "15"), ("2.1.3", "213"), ("+5", "-5"), ("1966-1967", "19661967"), ("½", "12")],
)  # fmt: skip
def test_another_number_is_another_answer(one: str, other: str) -> None:
    for gold, output in ((one, other), (other, one)):
        for metric in FREE_TEXT:
            assert score(metric, output, answers=[gold], choices=None) == 0.0, metric
            assert score(metric, f"**{gold}**", answers=[gold], choices=None) == 1.0, metric


@pytest.mark.parametrize(
    "form",
    ["5,470,520", "5 470 520", "5\u202f470\u202f520", "5\u00a0470\u00a0520", "5'470'520", "5’470’520", "5.470.520", "5_470_520", r"$\boxed{5{,}470{,}520}$", r"$5\,470\,520$", "５４７０５２０", "٥٤٧٠٥٢٠", "५४७०५२०", "**5470520**", '{"number": 5470520}'],
)  # fmt: skip
def test_a_number_in_any_script_and_grouping(form: str) -> None:
    row = {
        "answers": ["5470520"],
        "answer_groups": [["5470520"]],
        "question": "What is the number of red-cat?",
        "max_new_tokens": 128,
    }
    for metric in ("ruler_f1", "ruler_all", "kv", "math_find", "subem"):
        assert score(metric, form, **row) == 1.0, metric
        assert (
            score(metric, form.replace("2", "7").replace("２", "７").replace("٢", "٧").replace("२", "७"), **row) == 0.0
        ), metric


@pytest.mark.parametrize("name", ["Zoë Ångström", "São Tomé", "Nguyễn Huệ", "Žižek", "résumé"])
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKD"])
def test_decomposed_letters_are_the_same(name: str, form: Any) -> None:
    for metric in (*FREE_TEXT, "rouge_l"):
        assert score(metric, unicodedata.normalize(form, name), answers=[name]) == 1.0, metric


LETTER = {"answers": ['{"option": "B"}', "B", "B. an oak"], "choices": ["a yew", "an oak", "an elm", "a lime"]}


@pytest.mark.parametrize(
    "form",
    ['{{"option": "{0}"}}', "The final answer is: $\\boxed{{{0}}}$", "{0} is correct.", "It is {0}.", "I would go with {0}.", "{0}: the text says so", "La respuesta correcta es {0}.", "答案是{0}。", "正确选项：{0}", "The answer is {0} because the others are wrong.", "({0})", "**{0}**", "Option {0}", "Therefore, {0}."],
)  # fmt: skip
def test_a_letter_in_any_form(form: str) -> None:
    for metric in ("option", "mc"):
        answers = LETTER["answers"] if metric == "option" else LETTER["answers"][1:]
        assert score(metric, form.format("B"), **LETTER | {"answers": answers}) == 1.0
        for wrong in "ACD":
            assert score(metric, form.format(wrong), **LETTER | {"answers": answers}) == 0.0


@pytest.mark.parametrize(
    "output",
    ["The answer is B because A is wrong", "B, not A.", "A is wrong, so B", "It cannot be A. It is B.", "an oak"],
)
def test_both_metrics_of_letters_agree(output: str) -> None:
    assert (
        score("option", output, **LETTER) == score("mc", output, **LETTER | {"answers": LETTER["answers"][1:]}) == 1.0
    )


LABEL = {
    "answers": ["voucher cancel"],
    "choices": ["voucher cancel", "voucher price", "cancel", "card arrival"],
    "question": "Forget the gift",
}


@pytest.mark.parametrize(
    "form",
    ["{}", r"\boxed{{\text{{{}}}}}", 'The intent is "{}".', "category: {}", "**Label:** {}", "Label: {}\n\nText: next", "I would label this as {}.", '{{"label": "{}"}}', "Class = {}", "`{}`", "<answer>{}</answer>"],
)  # fmt: skip
def test_a_label_that_is_a_name(form: str) -> None:
    assert (
        score("label", form.format("voucher cancel"), **LABEL)
        == score("label", form.format("voucher_cancel"), **LABEL)
        == 1.0
    )
    for wrong in ("voucher price", "cancel", "card arrival", "voucher cancel or cancel"):
        assert score("label", form.format(wrong), **LABEL) == 0.0


RANKING = {"metadata": '{"qrels": {"52": 3, "57": 2, "26": 1, "12": 0, "80": 0}}', "max_new_tokens": 200}


@pytest.mark.parametrize(
    "form",
    ["{0} > {1} > {2}", "Doc: {0}, Relevance: 9\nDoc: {1}, Relevance: 7\nDoc: {2}, Relevance: 5", "ID: {0}, Score: 26\nID: {1}, Score: 12\nID: {2}, Score: 3", "Rank 1: {0}\nRank 2: {1}\nRank 3: {2}",
     "({0}) > ({1}) > ({2})", "Document {0} > Document {1} > Document {2}", '["{0}", "{1}", "{2}"]', "[{0}] > [{1}] > [{2}]", "1. [ID: {0}]\n2. [ID: {1}]\n3. [ID: {2}]", "Ranking: {0}, {1}, {2}", "{0} ≻ {1} ≻ {2}", '{{"ranking": [{0}, {1}, {2}]}}'],
)  # fmt: skip
def test_a_ranking_in_any_form(form: str) -> None:
    assert score("ndcg10", form.format(52, 57, 26), **RANKING) == pytest.approx(1.0)
    assert score("ndcg10", form.format(26, 57, 52), **RANKING) < 0.9


def test_outputs_that_name_two_answers_or_the_wrong_one() -> None:
    magazines = {
        "question": "Which magazine was started first Arthur's Magazine or First for Women?",
        "answers": ["Arthur's Magazine"],
    }
    assert score("subem", "Arthur's Magazine\nFirst for Women was started in 1989.", **magazines) == 1.0
    assert score("subem", "Arthur's Magazine or First for Women", **magazines) == 0.0
    assert score("longbench_count", "There are 12 unique paragraphs among the 30.", answers=["12"]) == 1.0
    assert (
        score("code_run", "The function returns 12 for the input 3", answers=["12"], question="What does f(3) return?")
        == 1.0
    )
    for gold, output in (
        ("19", "She was born in 1945."),
        ("1", "It is unclear which one is meant."),
        ("Lyon", "It is not Lyon but Paris."),
        ("Lyon", "Lyon or Paris"),
    ):
        assert score("subem", output, answers=[gold]) == 0.0


PLACES = {"answers": ["bathroom"], "choices": ["bathroom", "kitchen", "office"], "question": "Where is John?"}
SUM = {"answers": ["12"], "category": "code"}
PARIS = {"answers": ["Paris"]}


@pytest.mark.parametrize(
    ("metric", "row", "output", "expected"),
    [
        ("babilong", PLACES, "Sandra went to the kitchen. John moved to the bathroom. John is now in the bathroom.", 1),
        ("babilong", PLACES, "John moved to the bathroom. Later he went to the office. John is now in the office.", 0),
        ("babilong", PLACES, "John is no longer in the kitchen; he is now in the bathroom.", 1), ("babilong", PLACES, "The bathroom, not the office.", 1),
        ("babilong", {"answers": ["apple,milk"], "choices": ["apple", "milk", "nothing"]}, "apple or milk", 0),
        ("code_run", SUM, "$9+3=12$", 1), ("code_run", SUM, "f(1) = 9\n9 + 3 = 12", 1), ("code_run", SUM, "12 + 1 = 13", 0), ("code_run", {"answers": ["-2"]}, "negative 2", 1),
        ("math_find", SUM, "The largest is 12 and the second largest is 11.", 1),
        ("label", {"answers": ["64"], "choices": ["12", "64"]}, "64\n\nText: my order\nLabel: 12", 1), ("label", {"answers": ["64"], "choices": ["12", "64"]}, "12\n\nText: my order\nLabel: 64", 0),
        ("subem", PARIS, "It isn't Paris.", 0), ("subem", PARIS, "It was not established in Paris.", 0), ("subem", PARIS, "They didn't meet in Paris; it was Lyon.", 0),
        ("subem", PARIS, "I am not sure, but Paris", 1), ("subem", {"answers": ["5154"]}, "约5,154人", 1),
        ("mc", LETTER | {"answers": ["B", "B. an oak"]}, "The text does not mention an oak.", 0), ("mc", LETTER | {"answers": ["B", "B. an oak"]}, "A is wrong, B is right.", 1),
        ("ndcg10", {"metadata": '{"qrels": {"5221673": 3, "5743865": 2}}'}, "1. 5221673 (Title: X 1934)\n2. 5743865 (born 1902)", 1),
        ("ndcg10", {"metadata": '{"qrels": {"5221673": 3, "5743865": 2}}'}, "5743865 and 5221673 fit.\n\n5221673 > 5743865", 1),
        ("qampari_f1", {"answer_groups": [["Ada"], ["Bo Finch"]]}, "Based on the text, the recipients are:\n- Ada \u2013 a singer [Document 1]\n- Bo Finch [2]", 1),
        ("qampari_f1", {"answer_groups": [["Ada"], ["Bo Finch"]]}, "The prize went to Ada and Bo Finch.", 1),
        ("longbench_f1", PARIS, "Answer: Paris\n\nExplanation: it says so.", 1),
    ],
)  # fmt: skip
def test_what_a_reader_of_real_rows_found(metric: str, row: dict[str, Any], output: str, expected: int) -> None:
    assert score(metric, output, **row) == pytest.approx(expected)


# ---------------------------------------------------------------- length budget

FILLER = "The river was low that year, and the mill at the bend stood still until the rain came back in autumn. "


def test_characters_of_a_budget() -> None:
    assert budget_of({"max_new_tokens": 300, "language": "en", "category": "cite"}) == 1800
    assert budget_of({"max_new_tokens": 300, "language": "zh", "category": "qa"}) == 600
    assert budget_of({"max_new_tokens": 300, "language": "en", "category": "code"}) == 1200
    assert budget_of({"max_new_tokens": 16, "language": "en", "category": "qa"}) == 240
    assert budget_of({}) is None


@pytest.mark.parametrize("metric", ["subem", "ruler_part", "babilong", "label", "ruler_f1"])
def test_a_dump_does_not_win_and_a_late_cue_does(metric: str) -> None:
    dump = f"{FILLER * 8} Mary went to the garden. {FILLER * 8}"
    found = score(metric, dump, choices=["garden", "kitchen"], answer_groups=[["garden"]])
    assert found == float(metric in ("babilong", "label"))  # one sentence names one place
    assert score(metric, f"{FILLER * 20}\n\nThe answer is: garden", answer_groups=[["garden"]]) == 1.0


def test_a_list_of_all_candidates_does_not_win() -> None:
    names = ["Ada Lane", "Bo Finch", "Cy Dunn", "Di Ross", "Ed Holt", "Flo Kerr", "Gus Pym", "Hal Orr", "Ida Voss"]
    for output in ("; ".join(names), "\n".join(names), ", ".join(names)):
        assert score("subem", output, answers=["Cy Dunn"]) == 0.0
    values = [str(1_000_000 + 7 * n) for n in range(12)]
    row = {"answers": values[:1], "answer_groups": [values[:1]], "max_new_tokens": 128}
    assert score("ruler_f1", ", ".join(values), **row) < 0.2 and score("kv", ", ".join(values), **row) == 0.0


def test_reciting_passages_costs_the_readings_of_an_ambiguous_question() -> None:
    groups = {"answer_groups": [["Isaac Thorne"], ["Walter Pym"]], "max_new_tokens": 300}
    answer = "The Exchange in Ludwell was built by Isaac Thorne [1]. The one in Marbury was built by Walter Pym [3]."
    assert score("str_f1", answer, **groups) == 1.0
    assert score("str_f1", f"{FILLER * 5}{answer} {FILLER * 5}", **groups) < 0.7
    assert score("str_f1", "It was built by Isaac Thorne [1].", **groups) == pytest.approx(2 / 3)


# ---------------------------------------------------------------- whatever is said


@given(st.text(max_size=200))
def test_canonical_words_are_stable(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text) or any(character.isdigit() for character in text)
    assert canonical(f"  {text}\n") == canonical(text)


@given(st.text(max_size=120), st.text(alphabet="abcdefgh", min_size=3, max_size=8))
def test_what_is_behind_the_last_cue_decides(before: str, name: str) -> None:
    output = f"{before.replace('<', ' ').replace('[', ' ').replace('|', ' ')}\nThe final answer is {name}x."
    assert score("em", output, answers=[f"{name}x"]) == 1.0


def test_every_step_can_be_watched() -> None:
    with watched() as steps:
        assert score("subem", "<think>kitchen?</think>The answer is the garden.") == 1.0
    assert steps["strip_reasoning"] == "The answer is the garden."
    assert (steps["final_answer"], steps["canonical"]) == ("the garden.", "garden")
    assert "garden" in str(steps["compare"])


PIECES = {
    "subem": ["```\n", "A.\n", "answer to ", "kitchen or ", "\\boxed{", '{"a": ', "<think>", "1 234 ", "not ", "\n- x", "so ", "because ", "$x_", "<a ", "\n", " ", "Question: x\n", "1 > "],
    "babilong": ["kitchen or ", "not ", '{"a": ', "because "],
    "option": ["A.\n", "kitchen or ", '{"a": ', "not "],
    "ruler_f1": ["A.\n", "1 234 ", '{"a": ', "\n- x"],
    "ndcg10": ["7", "1 > ", "1 234 ", '{"a": ', "\\boxed{"],
    "qampari_f1": ["Question: x\n", "\n- x", "kitchen or ", "A.\n"],
    "longbench_retr": ["1 234 ", '{"a": ', "answer to ", "\\boxed{"],
    "code_run": ["1 234 ", '{"a": ', "answer to ", "$x_"],
}  # fmt: skip
"""Pieces of an output by metric: one metric takes all of them through the steps that metrics share, others through their own."""


@pytest.mark.parametrize("metric", PIECES)
def test_time_grows_with_the_length_of_an_output(metric: str) -> None:
    row = {
        "max_new_tokens": None,
        "metadata": RANKING["metadata"],
        "answers": ["Paragraph 5" if "retr" in metric else "5"],
    }
    for piece in PIECES[metric]:
        growth = grows(lambda size, piece=piece: score(metric, piece * size, **row), 1_000)  # type: ignore[misc]
        assert growth < 2.5 * TIMES, piece


def test_strict_metrics_name_the_columns_of_the_budget() -> None:
    for metric in all_metrics().values():
        assert ("max_new_tokens" in metric.columns) == metric.id.endswith("@strict") or "@official" in metric.id


LONG_FRAMES = [
    "{}", "The special numbers are {}.", "Answer: {}", "**Answer:**\n\n{}", '{{"answer": "{}"}}', "```\n{}\n```", "<answer>{}</answer>", r"\boxed{{{}}}",
    "<think>" + FILLER * 60 + "</think>{}", FILLER * 30 + "\n\nSo the final answer is: {}", "<|channel>thought\n" + FILLER * 60 + "<channel|>{}",
]  # fmt: skip


@pytest.mark.parametrize("frame", LONG_FRAMES)
def test_a_long_right_answer_fits_into_its_budget(frame: str) -> None:
    """Answers that use all of the tokens that a row gives them, whatever stands around them."""
    values = [str(1_000_000 + 7_919 * number) for number in range(32)]  # 288 characters
    output = frame.format(", ".join(values))
    row = {"answers": [", ".join(values)], "answer_groups": [[value] for value in values], "max_new_tokens": 128}
    assert score("ruler_f1", output, **row) == score("ruler_all", output, **row) == 1.0
    phrase = "the long stone bridge over the river below the old mill at the northern end of the town of Swinington"
    assert score("subem", frame.format(phrase), answers=[phrase], question="What?") == 1.0
