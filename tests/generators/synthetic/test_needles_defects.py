"""Defects of the references (docs/defects/synthetic.md) that must not come back in needle rows, each with a test that sees it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from generators.synthetic.base import GeneratedTask
from haymaker.core.errors import BuildError
from haymaker.scoring.metrics import get as metric
from tests.errors import refused
from tests.generators.kit import Row, context, said
from tests.generators.synthetic import proving, small

SHORT, LONG = ("4k", 30), ("16k", 6)


@cache
def task(name: str) -> GeneratedTask[Any]:
    return small.task(name)


def row(name: str, length: str, group: int) -> Row:
    return proving.row(task(name), length, group)


def lines(row: Row) -> list[str]:
    return context(row).split("\n") if row["background_corpus"] == "needles" else re.split(r"(?<=\.) ", context(row))


def gold(row: Row) -> str:
    return said(row, "gold")[0]


def words(line: str) -> list[str]:
    return re.findall(r"[\w-]+", line.lower())


def pairs(line: str) -> list[tuple[str, str]]:
    return list(zip(words(line), words(line)[1:], strict=False))


def counts(texts: Sequence[str], parts: Callable[[str], Sequence[Any]]) -> Counter[Any]:
    return Counter(part for text in texts for part in set(parts(text)))


def rarity(texts: Sequence[str], parts: Callable[[str], Sequence[Any]]) -> list[str]:
    """The one line whose parts are rarest in the mean."""
    seen = counts(texts, parts)
    return [min(texts, key=lambda text: sum(math.log(seen[part]) for part in parts(text)) / len(words(text)))]


def shape(line: str) -> list[str]:
    return ["#" if re.search(r"\d", w) else "@" if "-" in w else w for w in words(line)]


def hapax(texts: Sequence[str], keep: str) -> list[str]:
    """Lines with a word of a kind that stands nowhere else."""
    seen = counts(texts, words)
    return [text for text in texts if any(seen[w] == 1 and re.fullmatch(keep, w) for w in words(text))]


def rarest_opening(texts: Sequence[str]) -> list[str]:
    seen = Counter(tuple(shape(text)[:2]) for text in texts)
    return [text for text in texts if seen[tuple(shape(text)[:2])] == 1]


CHEATS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "a line that comes once": lambda t: [line for line, count in Counter(t).items() if count == 1],
    "a line with digits": lambda t: [line for line in t if re.search(r"\d", line)],
    "a line with a number twice": lambda t: [
        line for line in t if len(n := re.findall(r"\d+", line)) == 2 and n[0] == n[1]
    ],
    "a line with a word of its own": lambda t: hapax(t, r".*"),
    "a line with a plain word of its own": lambda t: hapax(t, r"[a-z]+"),
    "the line of the rarest words": lambda t: rarity(t, words),
    "the line of the rarest pairs of words": lambda t: rarity(t, pairs),
    "a line that begins like no other": rarest_opening,
}


@pytest.mark.parametrize(("length", "groups"), [SHORT, LONG])
@pytest.mark.parametrize("name", ["niah_single_1", "passkey", "number_string"])
def test_no_rule_of_rarity_finds_the_needle_among_filler(name: str, length: str, groups: int) -> None:
    """Each rule picks one of its candidates at random; it is right in one row of ten at most (said twice, at 4k), most in 2 %."""
    found = [row(name, length, group) for group in range(groups)]
    for cheat, candidates in CHEATS.items():
        right = 0.0
        for each in found:
            picked = candidates(lines(each))
            right += (gold(each) in picked) / max(1, len(picked))
        most = 0.15 if cheat == "a line with a number twice" and length == "4k" else 0.04
        assert right / groups <= most, (cheat, right / groups)


def test_the_rules_find_a_needle_in_one_repeated_line() -> None:
    """What the references do: any of these rules would be right."""
    repeated = ["The grass is green."] * 200 + ["The special number of big-ant is 1234567."]
    finds = (
        "a line that comes once",
        "a line with digits",
        "the line of the rarest words",
        "a line with a word of its own",
    )
    for cheat in finds:
        assert CHEATS[cheat](repeated) == repeated[-1:]


def test_lines_and_needles_stand_elsewhere_in_every_group() -> None:
    """docs/defects/synthetic.md A5 #2: one shuffle for all samples."""
    for name in ("niah_multikey_2", "niah_single_1", "niah_multivalue"):
        found = [row(name, "4k", group) for group in range(12)]
        assert len({lines(each)[0] for each in found}) == 12
        assert len({each["depth"] for each in found}) == 12
    orders = Counter(
        tuple(sorted(range(4), key=lambda i: each["prompt"].find(each["answer_groups"][i][0], each["context_start"])))
        for each in (row("niah_multiquery", "4k", group) for group in range(40))
    )
    assert len(orders) >= 8


def test_lines_are_paired_anew_in_every_group() -> None:
    a, b = (set(re.findall(r"of (\S+) is (\S+)\.", "\n".join(lines(row("niah_multikey_2", "32k", g))))) for g in (0, 1))
    assert not a & b
    assert {key for key, _ in a} & {key for key, _ in b}


def test_ids_are_unique() -> None:
    """docs/defects/synthetic.md A5 #3: ids overwritten by offsets."""
    niah = small.task("niah", unanswerable=True)
    ids = [small.sample(niah, length, group, p).id for length in ("1k", "2k") for group in (0, 1) for p in range(12)]
    assert len(set(ids)) == len(ids)


def test_a_length_that_is_too_short_is_refused_at_once() -> None:
    """docs/defects/synthetic.md A5 #4: a loop without end."""
    niah = small.task("niah_multiquery", queries=8, values=4)
    with refused(BuildError, "synthetic_niah_multiquery_1k test"):
        small.sample(niah, "1k", 0)


def test_keys_and_values_differ() -> None:
    """docs/defects/synthetic.md A5 #11: a distractor with the asked key, or with its value."""
    for group in range(6):
        for name in ("niah_multikey_2", "niah_multikey_3", "niah_multikey_1", "niah_multiquery"):
            each = row(name, "4k", group)
            found = re.findall(r"special \w+ of (\S+) is (\S+)\.", each["prompt"][: each["context_end"]])
            assert len(found) == len({key for key, _ in found}) == len({value for _, value in found})


def test_no_sentence_comes_twice() -> None:
    """docs/defects/synthetic.md A5 #8: essays repeated from 146k tokens on."""
    for name in ("niah_single_2", "niah_single_1", "niah_multikey_2"):
        texts = lines(row(name, "64k", 0))
        assert len(set(texts)) == len(texts)


def test_every_row_hides_another_needle() -> None:
    """B: one needle that everybody knows."""
    assert len({gold(row("niah", "1k", group)) for group in range(60)}) == 60


def test_leading_zeros_and_all_first_digits() -> None:
    """D: keys of five digits, zeros at the front too."""
    firsts = Counter(row("passkey", "1k", group)["answers"][0][0] for group in range(120))
    assert set(firsts) == set("0123456789")


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("niah_multivalue", {"distractors": 2, "decoys": 8}),
        ("niah_multiquery", {"distractors": 4, "decoys": 8}),
        ("niah_multikey_1", {"distractors": 20, "distractor_similarity": "high"}),
        ("niah_multikey_1", {"unanswerable": True, "depths": 3, "decoys": 8}),
        ("niah_multi", {}),
        ("niah", {}),
    ],
)
def test_a_list_of_all_values_is_no_answer_if_the_text_hides_others(name: str, entry: dict[str, Any]) -> None:
    """Ours, shortcuts: every number of the text got 100 % of these by their first metric, which counts no precision."""
    hidden = small.task(name, **entry)
    row = proving.row(hidden, "4k", 0)
    assert row["metrics"] == ["ruler_f1@strict", "ruler_all@strict", "ruler_all@official"]
    score, everything = metric(row["metrics"][0]).function, ", ".join(re.findall(r"\b\d{7}\b", row["prompt"]))
    assert score(row["answers"][0], row) == 1.0
    assert score(everything, row) <= 0.5


@pytest.mark.parametrize(
    "name", ["niah_single_2", "niah_multikey_1", "niah_multikey_2", "niah_multivalue", "niah_multiquery"]
)
def test_the_tasks_of_ruler_have_precision_first(name: str) -> None:
    assert row(name, "4k", 0)["metrics"][0] == "ruler_f1@strict"
