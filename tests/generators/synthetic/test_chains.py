"""Variable tracking (vt): rows fill their length to the token, statements stand where the spans say at every length, the oracle
follows the prompt alone, and each injury to a good row is named."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.synthetic import chains
from generators.synthetic.base import GeneratedTask
from generators.synthetic.chains_content import Chain, apart, one_digit_off, statements, variables
from generators.synthetic.oracles.chains import holders
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.scoring.metrics import get as metric
from tests.errors import refused
from tests.extras import few
from tests.generators.kit import context, finished, said, spans
from tests.generators.synthetic import proving, small

SHAPES = [(4, 1, "low"), (4, 3, "high"), (1, 1, "low"), (2, 6, "low"), (12, 12, "high")]


@cache
def built(
    hops: int = 4, chains: int = 1, distractor_similarity: str = "low", tokenizers: tuple[str, ...] = ("tekken",),
    ruler_prompt: bool = False,
) -> GeneratedTask[Any]:  # fmt: skip
    return small.task(
        "vt",
        tokenizers=tokenizers,
        hops=hops,
        chains=chains,
        distractor_similarity=distractor_similarity,
        ruler_prompt=ruler_prompt,
    )


@cache
def sample(length: str, group: int, *shape: Any) -> Sample:
    return small.sample(built(*shape), length, group)


def row(length: str, group: int, *shape: Any) -> dict[str, Any]:
    return finished([sample(length, group, *shape)])[0]


def stated(found: dict[str, Any]) -> list[dict[str, Any]]:
    return spans(found, "gold", "distractor")


def noise(found: dict[str, Any]) -> list[str]:
    return proving.units(built(), found)


def test_first_row_by_heart() -> None:
    found = row("4k", 0)
    assert found["question"] == "Which variables hold the number 94413?"
    assert found["answers"] == ["BWDLQ, PXWFD, JLFMW, GCMHK, XMMSM"]
    assert found["answer_groups"] == [["BWDLQ"], ["PXWFD"], ["JLFMW"], ["GCMHK"], ["XMMSM"]]
    assert said(found, "gold") == [
        "Let BWDLQ = 94413.", "Let PXWFD = BWDLQ.", "Let JLFMW = PXWFD.", "Let GCMHK = JLFMW.", "Let XMMSM = GCMHK.",
    ]  # fmt: skip
    assert (found["group_id"], found["depth_index"], found["num_distractors"]) == ("vt-test-00000", 0, 0)
    assert found["prompt"].endswith("\n</text>\n\nQuestion: Which variables hold the number 94413?\nAnswer:")


def test_statements_of_two_chains_by_heart() -> None:
    chains = [Chain(12345, ("AB", "CD"), (0.2, 0.6)), Chain(67890, ("EF", "GH"), (0.1, 0.6))]
    assert [(s.text, s.kind) for s in statements(chains, "Let {name} = {value}.")] == [
        ("Let EF = 67890.", "distractor"), ("Let AB = 12345.", "gold"), ("Let CD = AB.", "gold"),
        ("Let GH = EF.", "distractor"),
    ]  # fmt: skip


def test_names_are_distinct_and_no_words() -> None:
    names = [name for name, _ in zip(variables(Stream("names"), "test"), range(5000), strict=False)]
    assert len(set(names)) == 5000 and all(re.fullmatch("[B-DF-HJ-NP-TV-XZ]{5}", name) for name in names)


def test_near_values_differ_in_one_digit() -> None:
    assert {12340, 22345, 12945} <= set(one_digit_off(12345)) and 12345 not in one_digit_off(12345)
    assert one_digit_off(99998)[-1] == 99997 and one_digit_off(10000)[0] == 10001
    for group in range(5):
        first, *others = [str(c["value"]) for c in json.loads(row("4k", group, 2, 6, "high")["metadata"])["chains"]]
        assert len({first, *others}) == 6
        assert all(sum(a != b for a, b in zip(first, other, strict=True)) == 1 for other in others)


def test_distractor_chains_leave_the_question_as_it_is() -> None:
    rows = [row("8k", 3, 4, *shape) for shape in ((1, "low"), (6, "low"), (6, "high"))]
    assert len({(found["group_id"], found["question"], found["answers"][0]) for found in rows}) == 1
    assert row("8k", 3, 2)["group_id"] != rows[0]["group_id"]


def test_one_of_the_statements_goes_through_the_depths() -> None:
    which = set()
    for group in range(20):
        found = row("32k", group)
        assert found["depth_index"] == (7 * group + group // 10) % 10
        assert found["depth_index"] / 10 - 0.001 <= found["depth"] <= (found["depth_index"] + 1) / 10
        ends = [found["prompt"][found["context_start"] : span["start"]].count(". ") for span in stated(found)]
        shares = [abs(end / found["num_segments"] - found["depth"]) for end in ends]
        assert min(shares) < 0.01, "depth is the share of sentences before the statement"
        which.add(shares.index(min(shares)))
    assert which == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("ruler_prompt", [False, True])
def test_statements_stand_anywhere_with_the_same_chance(ruler_prompt: bool) -> None:
    """Ours 17.4: by fifth of the context 6, 10, 15, 24 and 45 % of the statements stood there, over 0.40 of it (RULER: 20 each, 0.67)."""
    task = small.task("vt", ruler_prompt=ruler_prompt)
    chains = [task._draw_chains(task.pool("test").candidate(group))[1][0] for group in range(600)]
    fifths = Counter(int(5 * depth) for chain in chains for depth in chain.depths)
    assert all(abs(fifths[fifth] / 3000 - 0.2) < 0.025 for fifth in range(5))
    assert abs(mean(chain.depths[-1] - chain.depths[0] for chain in chains) - 4 / 6) < 0.02


def test_a_list_of_all_variables_is_no_answer_beside_other_chains() -> None:
    """Ours 17, shortcuts: all names of the text got 100 % of vt_near by its first metric, which counts no precision."""
    plain, near = row("4k", 0), row("4k", 0, 4, 4, "high")
    assert plain["metrics"] == ["ruler_f1@strict", "ruler_all@strict", "ruler_all@official"]
    assert near["metrics"] == ["ruler_f1@strict"]
    everything = ", ".join(span["ref"] for span in stated(near))
    score = metric("ruler_f1@strict").function
    assert score(near["answers"][0], near) == 1.0 and score(everything, near) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({}, "a chain of four hops"),
        ({"hops": 1, "ruler_prompt": True}, "a chain of one hop; the answer is begun as in RULER"),
        ({"chains": 4}, "one of four chains of four hops"),
        (
            {"chains": 4, "distractor_similarity": "high"},
            "one of four chains of four hops whose numbers differ in one digit",
        ),
    ],
)
def test_titles_say_what_the_settings_ask_for(entry: dict[str, Any], told: str) -> None:
    """Ours 10: vt_near has four chains and its title did not say so."""
    task = small.task("vt", **entry)
    title = task.spec.titled(task.settings, simulated=False)
    assert title == f"RULER variable tracking: which variables hold a number, by {told}"


def test_as_ruler_begins_the_answer() -> None:
    task = small.task("vt", ruler_prompt=True)
    for group in range(2):
        found = proving.row(task, "4k", group)
        value = json.loads(found["metadata"])["chains"][0]["value"]
        assert found["prompt"][found["answer_prefix_start"] :] == f"Answer: 5 variables hold the number {value}:"
        assert (found["variant"], found["depth_index"]) == ("ruler", None)
        assert holders(found["prompt"]) == found["answers"]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=13).map(sorted))
def test_places_apart(places: list[int]) -> None:
    found = apart(places, 12)
    assert found == sorted(set(found)) and found[0] >= 0 and found[-1] <= 12
    assert found == places or len(set(places)) < len(places)
    assert apart([3, 3, 3], 1) == [3, 3, 3] and apart([2, 5, 5], 5) == [2, 4, 5]


def test_as_ruler_no_two_statements_stand_side_by_side() -> None:
    side_by_side = Counter[bool]()
    for group in range(60):
        for ruler_prompt in (False, True):
            found = row("4k", group, 4, 1, "low", ("tekken",), ruler_prompt)
            placed = stated(found)
            side_by_side[ruler_prompt] += any(b["start"] - a["end"] < 2 for a, b in pairwise(placed))
            before = [found["prompt"][found["context_start"] : span["start"]].count(". ") for span in placed]
            depths = [(sentences - i) / found["num_segments"] for i, sentences in enumerate(before)]
            assert any(depth == pytest.approx(found["depth"], abs=1e-6) for depth in depths)
    assert side_by_side[False] > 0 == side_by_side[True]


def test_the_example_is_a_task_of_its_own() -> None:
    shown = set()
    for group in range(6):
        found = row("4k", group, 4, 3, "high")
        [text] = said(found, "fewshot")
        inner = re.fullmatch(r"<example>\n(.*)\n\n(Question: .*\nAnswer:) (.*)\n</example>", text, re.DOTALL)
        assert inner and holders(f"<text>\n{inner[1]}\n</text>\n\n{inner[2]}") == [inner[3]]
        names = set(re.findall(r"\b[A-Z]{5}\b", inner[1]))
        assert not names & set(re.findall(r"\b[A-Z]{5}\b", context(found)))
        assert not set(re.split(r"(?<=\.) ", inner[1])) & set(re.split(r"(?<=\.) ", context(found)))
        shown.add(inner[1])
    assert len(shown) == 6


def test_values_do_not_stand_in_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [int(number) for number in re.findall(r"\b[1-9]\d{4}\b", " ".join(noise(row("16k", 0))))]
    assert len(numbers) > 10, "noise says five digits"
    monkeypatch.setattr(chains, "values", lambda *given: iter(numbers[:2]))
    task = small.task("vt")
    found = proving.row(task, "16k", 0)
    proving.solved(task, found)
    assert not {str(value) for value in numbers[:2]} & set(re.findall(r"\d+", " ".join(noise(found))))


def test_noise_never_repeats() -> None:
    found = row("64k", 3)
    sentences = noise(found)
    assert len(sentences) == len(set(sentences)) == found["num_segments"] == found["num_unique_segments"]
    assert sum(any(c.isdigit() for c in sentence) for sentence in sentences) > 0.1 * len(sentences)


@few
@given(st.integers(4, 20), st.integers(0, 2**40), st.sampled_from(SHAPES))
def test_rows_fill_the_length_and_are_counted_exactly(kilo: int, group: int, shape: tuple[int, int, str]) -> None:
    task = built(*shape)
    found = proving.row(task, f"{kilo}k", group)
    proving.exact(found)
    proving.solved(task, found)
    prompt, count = found["prompt"], tokenizer.load("tekken").count
    assert count(found["answers"][0]) <= found["max_new_tokens"] / 2
    for span in stated(found)[:: max(1, len(stated(found)) // 4)]:
        assert count(prompt[: span["start"] - 1]) == span["token_start"]
    inside = count(prompt[: found["context_end"]]) - count(prompt[: found["context_start"]])
    told = sum(count(f" {text}") for text in said(found, "gold", "distractor"))
    assert abs(found["evidence_density"] - told / inside) < 0.001


@pytest.mark.parametrize("shape", SHAPES[:2])
def test_longer_contexts_hold_shorter_ones(shape: tuple[int, int, str]) -> None:
    for group in (0, 7):
        rows = [row(length, group, *shape) for length in ("4k", "8k", "16k", "64k", "128k")]
        proving.assert_nested(built(*shape), rows)
        for shorter, longer in pairwise(rows):
            assert shorter["prompt"][: shorter["context_start"]] == longer["prompt"][: longer["context_start"]]
            assert all(shorter[same] == longer[same] for same in ("answers", "metadata", "max_new_tokens"))
            assert [s["ref"] for s in stated(shorter)] == [s["ref"] for s in stated(longer)]
            assert abs(shorter["depth"] - longer["depth"]) < 0.01


def test_a_statement_may_stand_first_or_last() -> None:
    groups = (g for g in range(400) if (7 * g + g // 10) % 10 == 0)
    first = next(found for g in groups if stated(found := row("1k", g))[0]["start"] == found["context_start"])
    span = stated(first)[0]
    assert span["token_start"] == tokenizer.load("tekken").count(first["prompt"][: span["start"]])
    assert not list(built().problems(first)) and len(noise(first)) == first["num_segments"]


def test_too_short_a_length_is_refused() -> None:
    with refused(BuildError, "synthetic_vt_1k"):
        sample("1k", 0, 12, 12, "low")


def injured(found: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    assert old in found["prompt"]
    at = found["prompt"].index(old, found["context_start"])
    return {**found, "prompt": found["prompt"][:at] + new + found["prompt"][at + len(old) :]}


def test_the_oracle_sees_a_broken_chain() -> None:
    found, task = row("4k", 1, 4, 3, "high"), built(4, 3, "high")
    names, value = found["answers"][0].split(", "), re.search(r"\d+", found["question"])
    assert value and task.solve(found["prompt"]) == found["answers"]
    other = json.loads(found["metadata"])["chains"][1]["value"]
    changed = injured(found, f"Let {names[0]} = {value[0]}.", f"Let {names[0]} = {other}.")
    with refused(ValueError, "", "variable"):
        task.solve(changed["prompt"])
    assert any(names[0] in problem for problem in task.problems(changed))
    cut = injured(found, f"Let {names[4]} = {names[3]}.", f"Lot {names[4]} = {names[3]}.")
    assert task.solve(cut["prompt"]) == [", ".join(names[:4])]
    late = injured(found, f"Let {names[2]} = {names[1]}.", f"Let {names[2]} = {names[4]}.")
    with refused(ValueError, "", "before"):
        task.solve(late["prompt"])
    twice = injured(found, f"Let {names[2]} = {names[1]}.", f"Let {names[1]} = {names[0]}.")
    with refused(ValueError, "", "twice"):
        task.solve(twice["prompt"])


def test_the_oracle_reads_the_last_text_and_its_question_alone() -> None:
    text = "<text>\nLet QQ = 11111. Let RR = QQ. Let SS = 22222.\n</text>\n\nQuestion: Which variables hold the number 11111?\nAnswer:"
    assert holders(f"Let TT = 11111.\n\n{text}") == ["QQ, RR"]
    for bad in (text.replace("hold", "have"), text.replace("<text>", ""), f"{text} QQ"):
        with refused(ValueError, "", "question"):
            holders(bad)


def test_problems_name_what_is_said_twice() -> None:
    found, task = row("4k", 2), built()
    value = json.loads(found["metadata"])["chains"][0]["value"]
    sentence = noise(found)[-1]
    again = injured(found, sentence, f"The ledger number is {value}.")
    assert list(task.problems(again)) == [f"{value} appears 2 times in the context, not 1"]
    name = found["answers"][0].split(", ")[-1]
    named = injured(found, sentence, f"Somebody wrote {name} on the wall.")
    assert list(task.problems(named)) == [f"{name} appears 2 times in the context, not 1"]
    moved = {**found, "spans": [{**s, "start": s["start"] + 1} if s["kind"] == "gold" else s for s in found["spans"]]}
    assert len(list(task.problems(moved))) == 5
    fewer = {**found, "spans": found["spans"][:-1]}
    assert list(task.problems(fewer)) == ["spans are not one for each variable"]
