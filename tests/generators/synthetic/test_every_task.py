"""What holds for every task, whatever its settings and language: rows are exact, full, verified, solved, nested and the same again."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.generated.base import GeneratedTask
from generators.synthetic.suite import SUITE
from haymaker.core.errors import BuildError, ParamsError
from haymaker.scoring.metrics import get as metric
from tests.errors import refused
from tests.extras import few
from tests.generators.kit import context, in_order, said
from tests.generators.synthetic import proving, small
from tests.generators.synthetic.proving import CASES, ENGLISH, made, prove, row, task_of
from tests.rows import row_digest

SLOW = {f"de_{name}" for name in ("niah_single_1", "passkey", "number_string", "vt_ruler", "vt_chains", "absent_key")}
"""Among filler in German: filler is drawn as in Chinese, which has no spaces besides."""
EACH = [pytest.param(case, marks=pytest.mark.slow if case in SLOW else ()) for case in CASES]
LENGTHS = ("4k", "8k", "32k")
TOLD = {"en": "The answer is {}.", "de": "Die Antwort lautet {}.", "zh": "答案是{}。"}


@pytest.mark.parametrize("case", EACH)
def test_every_row_is_exact_full_verified_and_solved(case: str) -> None:
    """The first row of a group, and the last one, which has no answer where an entry asks for such rows."""
    task, count = task_of(case), tokenizer.load("tekken").count
    both = (row(case, "4k"), row(case, "8k", 1, -1))
    assert all(both[0][same] == both[1][same] for same in ("group_id", "question", "language"))
    assert bool(CASES[case][2].get("unanswerable")) == (both[1]["variant"] == "unanswerable")
    for each in both:
        prove(task, each)
        assert each["max_new_tokens"] >= (2 * count(each["answers"][0]) if each["answer_groups"] else 1)
        for name in each["metrics"]:
            if name.endswith("@strict") and task.spec.name.startswith("niah"):
                assert metric(name).function(TOLD[each["language"]].format(each["answers"][0]), each) == 1.0


@pytest.mark.parametrize("case", EACH)
def test_longer_contexts_hold_shorter_ones_in_order(case: str) -> None:
    """With the same question, answer and needles; a calculation goes on where the shorter one ends."""
    task, found = task_of(case), [row(case, length) for length in LENGTHS]
    for short, long in pairwise(found):
        fewer, more = (proving.one_by_one(task.background(each)) for each in (short, long))
        assert len(more) > 1.5 * len(fewer) and in_order(fewer, more)
        assert all(short[same] == long[same] for same in ("group_id", "question", "depth_index"))
        assert short["prompt"][: short["context_start"]] == long["prompt"][: long["context_start"]]
        if task.spec.name == "math_calc":
            assert long["answers"][0].startswith(f"{short['answers'][0]}, ") and more[: len(fewer)] == fewer
        else:
            assert (short["answers"], short["max_new_tokens"]) == (long["answers"], long["max_new_tokens"])
            assert sorted(said(short, "gold")) == sorted(said(long, "gold"))


@pytest.mark.parametrize("case", EACH[len(ENGLISH) :])
def test_no_word_of_a_row_is_english(case: str) -> None:
    """But for tags, codes and the word none, which metrics read."""
    prose = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "", row(case, "4k")["prompt"])
    names = {name.lower() for name in re.findall(r"\b[A-Z]{5}\b", prose)}  # variables
    found = set(re.findall(r"[a-z]+", prose.lower())) - names
    english = "the of is special number numbers question answer let variables hidden".split()
    assert found.isdisjoint(english) and not {*"{}"} & {*prose}
    assert CASES[case][0] != "zh" or found <= {"text", "example", "none"}


@pytest.mark.parametrize("case", ["vt", "vt_chains", "cwe", "cwe_few"])
def test_the_worked_example_is_a_task_of_its_own(case: str) -> None:
    shown = set()
    for group in range(3):
        each = row(case, "4k", group)
        inner = re.fullmatch(
            r"<example>\n(.*)\n\n(Question: .*\nAnswer:) (.*)\n</example>", said(each, "fewshot")[0], re.DOTALL
        )
        tag = "text" if case.startswith("vt") else "list"
        assert inner and task_of(case).solve(f"<{tag}>\n{inner[1]}\n</{tag}>\n\n{inner[2]}") == [inner[3]]
        words = [set(re.findall(r"\b[A-Z]{5}\b|\b[a-z]+-[a-z]+\b", text)) for text in (inner[1], context(each))]
        assert words[0] and not words[0] & words[1]
        shown.add(inner[1])
    assert len(shown) == 3


@given(
    case=st.sampled_from(sorted(ENGLISH)),
    group=st.integers(0, 2**40),
    length=st.sampled_from(["5k", "6k", "9k", "11k"]),
)
@few
def test_any_group_fills_any_length(case: str, group: int, length: str) -> None:
    prove(task_of(case), proving.row_of(task_of(case), length, group, group % task_of(case).variants))


@given(
    haystack=st.sampled_from(["essay", "noise"]), key=st.sampled_from(["word", "uuid"]), queries=st.integers(1, 4),
    value=st.sampled_from(["number", "uuid", "digits", "runs"]), values=st.integers(1, 3), unanswerable=st.booleans(),
    distractors=st.integers(1, 5), distractor_similarity=st.sampled_from(["low", "high"]), depths=st.sampled_from([1, 3]),
    paraphrase=st.booleans(), length=st.sampled_from(["3k", "5k", "7k"]), group=st.integers(0, 10**6),
    point=st.integers(0, 3),
)  # fmt: skip
@few
def test_any_settings_of_needles_make_a_row_that_is_verified(length: str, group: int, point: int, **entry: Any) -> None:
    task = small.task("niah", **entry)
    prove(task, proving.row_of(task, length, group, point % task.variants))


@pytest.mark.parametrize("name", ["niah_single_1", "code_run", "json_kv", "cwe", "fwe", "vt"])
def test_any_order_of_work_gives_the_same_rows(name: str) -> None:
    wanted = [("64k", 7, -1), ("4k", 0, 0), ("4k", 7, 0)]
    fresh = small.fresh(name)
    found = {each: proving.row_of(fresh, each[0], each[1], each[2] % fresh.variants) for each in reversed(wanted)}
    assert {each: row(name, *each) for each in wanted} == found


@pytest.mark.parametrize(
    ("name", "same", "others"),
    [
        ("niah_multikey_1", [{"distractors": 9, "distractor_similarity": "high"}, {"depths": 11}, {"unanswerable": True},
            {"order": "shuffled"}], [{"value": "digits"}, {"key": "uuid"}, {"queries": 2}, {"values": 2}, {"haystack": "noise"}]),
        ("niah_multivalue", [{"depths": 11}, {"decoys": 8}], [{"values": 3}]),
        ("kv_retrieval", [{"distractors": 9}, {"shots": 2, "bins": 3}, {"depths": 2, "unanswerable": True}], [{"keys": "word"}]),
        ("cwe", [{"common": 12}], [{"asked": 4}]),
        ("fwe", [{"alpha": 1.4}], [{"asked": 4}]),
        ("vt", [{"chains": 6}, {"chains": 6, "distractor_similarity": "high"}], [{"hops": 2}]),
    ],
)  # fmt: skip
def test_settings_that_ask_the_same_share_groups(
    name: str, same: list[dict[str, Any]], others: list[dict[str, Any]]
) -> None:
    """GeneratedTask.paired: same group, question and answer, so that scores can be compared row by row; else another group."""

    def asked(entry: dict[str, Any]) -> tuple[Any, ...]:
        found = made(name, "8k", 3, **entry)
        question = re.sub(r" If the text does not .*", "", found["question"])
        return found["group_id"], question, found["answers"][0]

    usual = asked({})
    assert {asked(entry) for entry in same} == {usual}
    assert not {asked(entry)[0] for entry in others} & {usual[0]}


REFUSED: list[tuple[str, dict[str, Any], tuple[object, ...]]] = [
    ("passkey", {"queries": 2}, ("requires",)),
    ("passkey", {"value": "uuid"}, ("'digits'", "'runs'")),
    ("number_string", {"key": "word", "queries": 4}, ("'none'",)),
    ("niah", {"distractor_similarity": "high"}, ("distractors",)),
    ("niah", {"values": 0}, (1,)),
    ("niah", {"depth": 3}, ("Next: depths",)),
    *(("cwe", entry, ()) for entry in ({"common": 5}, {"uncommon": 0}, {"asked": 41}, {"repeats": 3})),
    *(("fwe", entry, ()) for entry in ({"asked": 0}, {"alpha": 1.0}, {"alpha": "steep"})),
    *(("vt", entry, ()) for entry in ({"hops": 0}, {"chains": 13}, {"distractor_similarity": "nearer"})),
    ("json_kv", {"keys": "numbers"}, ("keys",)),
    ("math_calc", {"low": 5, "high": 6}, ("high must be at least low",)),
    ("math_calc", {"high": 1000}, ("high",)),
    *(("code_run", {"layers": wrong}, ("layers",)) for wrong in ([], [0], ["two"])),
]


@pytest.mark.parametrize(("name", "entry", "values"), REFUSED)
def test_mistakes_in_the_parameters(name: str, entry: dict[str, Any], values: tuple[object, ...]) -> None:
    with refused(ParamsError, "", f"suites.synthetic.tasks.{name}", *values):
        small.task(name, **entry)


@pytest.mark.parametrize(
    ("name", "entry", "length", "line"),
    [
        ("niah_multiquery", {"queries": 8, "values": 4}, "1k", r"synthetic_niah_multiquery_1k test: "),
        ("niah", {}, "1M", r"synthetic_niah_1M test: "),
        ("passkey", {}, "3M", r"synthetic_passkey_3M test: .*98,304"),
        ("vt", {"hops": 12, "chains": 12}, "1k", r"synthetic_vt_1k"),
        ("cwe", {}, "3k", r"synthetic_cwe_3k: 300 items .* Next: make `common` smaller"),
        ("fwe", {"asked": 10}, "4k", r"synthetic_fwe_4k: the 10 most frequent words .* request fewer words"),
        ("json_kv", {"distractors": 80}, "4k", "leave no room"),
        pytest.param("json_kv", {}, "8M", r"synthetic_json_kv_8M test: 65,\d+ units have 4,\d+,\d+ tokens, but .*drop", marks=pytest.mark.slow),
        pytest.param("code_run", {}, "4M", r"synthetic_code_run_4M test: 131,\d+ units have 2,\d+,\d+ tokens, but .*drop", marks=pytest.mark.slow),
        ("code_run", {"layers": [40]}, "1k", "leave no room"),
        ("math_find", {}, "2M", r"synthetic_math_find_2M test: 81,\d+ units have 1,4\d+,\d+ tokens"),
    ],
)  # fmt: skip
def test_a_length_that_cannot_be_filled_is_refused(name: str, entry: dict[str, Any], length: str, line: str) -> None:
    """No loop without end, and no unit comes twice (docs/defects/synthetic.md A5 #4, #8)."""
    with pytest.raises(BuildError, match=line):
        small.sample(small.task(name, **entry), length, 0)


@pytest.mark.parametrize(
    ("name", "line"),
    [("json_kv", "no choice of units fills 99.5 % .*longer length"), ("math_calc", "no choice of units fills"), ("niah_multikey_3", "832")],
)  # fmt: skip
def test_units_too_large_for_a_length_are_refused(name: str, line: str) -> None:
    with pytest.raises(BuildError, match=rf"synthetic_{name}_1k.*{line}"):
        for group in range(40):
            small.sample(task_of(name), "1k", group)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("niah", 130_000, 190_000), ("passkey", 1_500_000, 1_800_000), ("kv_retrieval", 3_500_000, 4_700_000),
        ("math_find", 1_400_000, 1_500_000), ("code_run", 1_900_000, 2_300_000),
    ],
)  # fmt: skip
def test_the_limit_is_honest(name: str, least: int, most: int) -> None:
    limit = task_of(name).limit()
    assert limit is not None and least < limit < most
    if name == "math_find":
        built = small.sample(task_of(name), f"{limit * 98 // 102_400}k", 6)
        assert built.unused_tokens is not None and 0 <= built.unused_tokens < 20
    assert task_of("math_calc").limit() is None


def test_titles_say_what_the_settings_ask_for() -> None:
    """Ours 10: fwe_hard asked for six words while its title said three, and vt_near did not say that it has four chains."""
    for name, entry, title in TITLES:
        task: GeneratedTask[Any] = small.task(name, **entry)
        assert task.spec.titled(task.settings, simulated=False).endswith(title), name
    assert all("{" not in spec.titled(simulated=False) for spec in SUITE.tasks)


TITLES: list[tuple[str, dict[str, Any], str]] = [
    ("niah_multikey_1", {}, "RULER NIAH multikey 1: one of four numbers in books"),
    ("niah_multikey_1", {"distractors": 20, "distractor_similarity": "high"},
        "one of twenty-one numbers in books, the other names like the one asked for"),
    ("niah_multikey_1", {"unanswerable": True}, "one of four numbers in books, not there in one row of two"),
    ("niah_multivalue", {"values": 2, "queries": 3, "distractors": 1}, "two numbers of each of three names of four in books"),
    ("json_kv", {"distractors": 9, "unanswerable": True, "depths": 3},
        "the pair at three depths, nine keys nearly like it, not there in one row of four"),
    ("code_run", {"layers": [3]}, "what a function returns that calls others, three deep, among thousands"),
    ("cwe", {"asked": 1, "common": 6}, "the word that occurs most often in a numbered list (six times, all others three times)"),
    ("fwe_hard", {}, "the six most frequent words of a coded text, each word in a quarter of its own"),
    ("vt", {"hops": 1, "ruler_prompt": True}, "by a chain of one hop; the answer is begun as in RULER"),
    ("vt", {"chains": 4, "distractor_similarity": "high"}, "by one of four chains of four hops whose numbers differ in one digit"),
]  # fmt: skip


LLAMA = "file:{}/tokenizers/llama2/tokenizer.model"
BYTES_FIRST = ("o200k", "gpt2", LLAMA, "tekken")
PIECES_FIRST = (LLAMA, "gpt2")


@pytest.mark.real
@pytest.mark.parametrize(
    ("case", "names"),
    [
        *((case, BYTES_FIRST) for case in ("json_absent", "code_run", "fwe")),
        *((case, PIECES_FIRST) for case in ("math_calc", "cwe", "vt_chains", "niah_single_3", "niah_multikey_3")),
    ],
)  # fmt: skip
def test_counts_under_other_tokenizers(mirror: Path, case: str, names: tuple[str, ...]) -> None:
    """Byte BPE and SentencePiece, as release tokenizer and as a further one."""
    names = tuple(each.format(mirror) for each in names)
    task = small.task(CASES[case][1], tokenizers=names, **CASES[case][2])
    prove(task, proving.row_of(task, "4k", 1, task.variants - 1), names)


@pytest.mark.parametrize("case", ["niah_multikey_3", "cwe"])
def test_a_further_tokenizer_changes_no_text(case: str) -> None:
    task = small.task(CASES[case][1], tokenizers=("tekken", "gpt2"), **CASES[case][2])
    each = proving.row_of(task, "4k", 1)
    proving.exact(each, ("tekken", "gpt2"))
    assert each["prompt"] == row(case, "4k")["prompt"]


def test_first_rows_by_heart() -> None:
    """A changed byte is a new version of the suite (versions.yaml)."""
    assert {case: row_digest(row(case, "4k")) for case in ENGLISH} == GOLDEN


GOLDEN: dict[str, str] = {
    "niah_single_1": "1085256b6126", "niah_single_2": "cdcacded904f", "niah_single_3": "32256ff4a571",
    "niah_multikey_1": "dd82dbcec44e", "niah_multikey_2": "e7693634d424", "niah_multikey_3": "345ff87ee4cb",
    "niah_multivalue": "1315d8e98de4", "niah_multiquery": "b2e8635505de", "niah": "f6375dbd86a2",
    "niah_multi": "58deb6b7f46f", "passkey": "eb4827c89c4e", "number_string": "ecdfb45a2ab7", "vt": "a666c1629264",
    "cwe": "b22341c246d5", "fwe": "4d48edf2b3c3", "fwe_hard": "229635fac550", "json_kv": "1ff1b3d09711",
    "kv_retrieval": "80e459818266", "math_find": "12dfc2865cdd", "math_calc": "df69d0c8f0ea", "code_run": "ee4de9a55b0a",
    "absent": "0bf2d65089ec", "absent_each": "48a688430822", "absent_several": "c7c3a629ea5d",
    "absent_matrix": "db2505a1a082", "absent_key": "b440ad63e1a1", "shuffled": "2adf254e4856", "other": "9435e9ac7224",
    "lines_other": "f51206b52460", "near": "19ea3db98498", "near_uuids": "caf681a8006d", "matrix": "1003f146a81e",
    "long_answers": "aa64879f8951", "many_keys": "72684b48ceb2", "vt_chains": "d43415b4cc6f", "vt_ruler": "a2c5b74deb89",
    "cwe_few": "044ce08cd666", "fwe_flat": "0c63a5292b54", "json_absent": "5b42eabbbb51", "json_words": "cecd2d506657",
    "kv_absent": "21ce6d4b3b07", "find_negative": "3ade2c59f910", "calc_negative": "0a1eb26938e6",
    "calc_narrow": "7f94d589c8d6", "code_layers": "40d9e14a17f7",
}  # fmt: skip
