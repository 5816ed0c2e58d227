"""Common and frequent words (cwe, fwe): exact counts of words at every length, full lengths, places drawn for each group, oracles
that count the finished prompt alone, and each injury to a good row named."""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.synthetic.base import GeneratedTask
from generators.synthetic.counting_frequent import CLEAR, coded_words, schedule
from generators.synthetic.counting_stock import BLOCK, Order, Stock, scattered
from generators.synthetic.oracles.counting import common, frequent
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from tests.extras import few
from tests.generators.kit import context, finished, in_order, said
from tests.generators.synthetic import small
from tests.generators.synthetic.proving import prove

LENGTHS = ("4k", "8k", "16k", "64k", "128k")


@cache
def built(task: str, tokenizers: tuple[str, ...] = ("tekken",), **entry: Any) -> GeneratedTask[Any]:
    return small.task(task, tokenizers=tokenizers, **entry)


@cache
def sample(task: str, length: str, group: int, **entry: Any) -> Sample:
    return small.sample(built(task, **entry), length, group)


def row(task: str, length: str, group: int, **entry: Any) -> dict[str, Any]:
    return finished([sample(task, length, group, **entry)])[0]


def items(task: str, found: dict[str, Any]) -> list[str]:
    return cast("list[str]", built(task).background(found))


def names(found: dict[str, Any]) -> list[str]:
    return [name for group in found["answer_groups"] for name in group]


def injured(found: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    at = found["prompt"].index(old, found["context_start"])
    end = found["context_end"] + len(new) - len(old)
    return {**found, "prompt": found["prompt"][:at] + new + found["prompt"][at + len(old) :], "context_end": end}


def verified(task: str, result: Sample, **entry: Any) -> dict[str, Any]:
    """The row, after its counts, sums, fill, oracle and checks."""
    [found] = finished([result])
    prove(built(task, **entry), found)
    assert tokenizer.load("tekken").count(found["answers"][0]) <= found["max_new_tokens"] / 2
    instruction, units = found["spans"][0], items(task, found)
    assert (instruction["kind"], instruction["start"], instruction["token_start"]) == ("instruction", 0, 0)
    assert (len(units), len(set(units))) == (found["num_segments"], found["num_unique_segments"])
    return found


# ------------------------------------------------------------------------------------------------------ order of items


def test_schedule_by_heart() -> None:
    """Rank r is due every r * r; at the same time the smaller rank comes first."""
    assert (schedule(2.0, 19) + 1).tolist() == [1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 3, 1, 1, 1, 2, 1, 1, 1]


@given(st.integers(1, 4000), st.sampled_from([1.3, 1.5, 2.0, 3.1, 4.0]))
def test_every_beginning_of_the_schedule_follows_the_law(count: int, alpha: float) -> None:
    assert schedule(alpha, count)[: count // 3].tolist() == schedule(alpha, count // 3).tolist()
    counts = np.bincount(schedule(alpha, count)).tolist()
    rest = counts[0] * (1 << 20)  # the time: rank 1 is due at every unit
    for rank, times in enumerate(counts, start=1):
        share = Fraction(rest, round(rank**alpha * (1 << 20)))
        assert share - 1 <= times <= share + 1
    assert (len(counts) + 1) ** alpha >= counts[0], "the next rank is not due before this time"


@given(st.sets(st.integers(0, 3000), max_size=200), st.sets(st.integers(0, 3000), max_size=200))
def test_scattered_items_keep_their_order_when_more_come(some: set[int], others: set[int]) -> None:
    def order(chosen: set[int]) -> list[int]:
        return [int(i) for i in scattered(np.array(sorted(chosen), dtype=np.int64), Stream("places"))]

    few, many = order(some), order(some | others)
    assert sorted(few) == sorted(some) and [i for i in many if i in some] == few


def test_scattered_items_stand_anywhere() -> None:
    first = [int(scattered(np.arange(1000), Stream("places", i))[0]) for i in range(300)]
    assert len(set(first)) > 240 and 400 < sum(first) / 300 < 600


def test_scattered_by_hand() -> None:
    """By the definition: 32 bits a place, ties by number."""
    keys = Stream("hand").bulk(3).view("<u4").tolist()
    assert scattered(np.arange(5), Stream("hand")).tolist() == sorted(range(5), key=lambda i: (keys[i], i))


def test_an_order_takes_each_text_once_and_begins_alike() -> None:
    def taken(count: int, allowed: int = 1 << 20) -> list[int]:
        stock = Stock(lambda count: [f"t{i}" for i in range(count)], 3 * BLOCK + 5, [tokenizer.load("tekken")])
        order = Order(stock, lambda block: Stream("order", block), lambda block: block[block % 5 < allowed])
        return [int(i) for i in order.first(count)]

    assert taken(BLOCK + 9)[:20] == taken(20) and len(set(taken(2 * BLOCK))) == 2 * BLOCK
    assert taken(20) != list(range(20)) and all(i % 5 < 2 for i in taken(9000, 2))
    with pytest.raises(BuildError, match="24,577 texts are needed, but there are only 24,576"):
        taken(3 * BLOCK + 1)


def test_coded_words_are_distinct_and_no_words() -> None:
    words = [word for word, _ in zip(coded_words(Stream("words"), "test"), range(5000), strict=False)]
    assert len(set(words)) == 5000 and all(re.fullmatch("[b-df-hj-np-tv-xz]{6}", word) for word in words)


# ------------------------------------------------------------------------------------------------------- common words


def test_first_list_by_heart() -> None:
    found = row("cwe", "4k", 0)
    assert found["answers"] == [
        "amused-boot, cavernous-language, erect-book, fearless-template, focal-onion, habitual-timetable, "
        "kindly-calendar, mournful-jug, mythical-office, runny-visa"
    ]
    assert context(found).startswith(
        "1. habitual-timetable 2. mournful-jug 3. kindly-calendar 4. runny-visa 5. runny-visa "
    )
    assert (found["num_segments"], found["num_unique_segments"]) == (441, 57)
    assert found["prompt"].endswith("\n</list>\n\nQuestion: Which 10 words occur most often in the list?\nAnswer:")


@few
@given(st.integers(4, 24), st.integers(0, 2**40))
def test_lists_fill_the_length_and_are_counted_exactly(kilo: int, group: int) -> None:
    found = verified("cwe", small.sample(built("cwe"), f"{kilo}k", group))
    counts = Counter(items("cwe", found))
    assert sorted(counts.values()) == [3] * (len(counts) - 10) + [30] * 10
    assert sorted(name for name, times in counts.items() if times == 30) == names(found)


def test_no_length_is_left_with_a_gap() -> None:
    """docs/defects/synthetic.md A5 #5: one kind of words at every length, also where numbers get a digit more (1,000, 10,000)."""
    for kilo in (*range(8, 14), *range(90, 108, 2), 128):
        result = sample("cwe", f"{kilo}k", kilo)
        assert result.unused_tokens is not None and 0 <= result.unused_tokens <= 0.005 * kilo * 1024, kilo
        assert all(re.fullmatch("[a-z]+-[a-z]+", word) for word in set(items("cwe", finished([result])[0])))


def test_repeats_and_words_asked_are_settings() -> None:
    entry = {"asked": 5, "common": 6, "uncommon": 1}
    for length in ("2k", "4k", "20k"):
        found = verified("cwe", sample("cwe", length, 3, **entry), **entry)
        assert found["question"] == "Which 5 words occur most often in the list?" and len(names(found)) == 5
        assert set(Counter(items("cwe", found)).values()) == {6, 1}
    assert verified("cwe", sample("cwe", "4k", 0, asked=1), asked=1)["question"].startswith("Which word occurs")
    assert row("cwe", "16k", 0, asked=40)["max_new_tokens"] > 300


def test_too_many_common_words_are_refused() -> None:
    with pytest.raises(BuildError, match=r"synthetic_cwe_3k: 300 items .* Next: make `common` smaller"):
        sample("cwe", "3k", 0)


def test_the_example_is_a_list_of_its_own() -> None:
    shown = set()
    for group in range(6):
        found = row("cwe", "4k", group)
        [text] = said(found, "fewshot")
        inner = re.fullmatch(r"<example>\n(.*)\n\n(Question: .*\nAnswer:) (.*)\n</example>", text, re.DOTALL)
        assert inner and common(f"<list>\n{inner[1]}\n</list>\n\n{inner[2]}") == [inner[3]]
        assert not set(inner[1].split()[1::2]) & set(items("cwe", found))
        shown.add(inner[1])
    assert len(shown) == 6


def test_the_oracle_and_the_proof_see_injuries_to_a_list() -> None:
    found, task = row("cwe", "4k", 1), built("cwe")
    first = names(found)[0]
    rare = next(word for word, times in Counter(items("cwe", found)).items() if times == 3)
    swapped = injured(found, f" {first} ", f" {rare} ")
    wrong = [f"{first} appears 29 times in the list, not 30", f"{rare} appears 4 times in the list, not 3"]
    assert sorted(task.problems(swapped)) == sorted(wrong)
    renumbered = injured(found, " 7. ", " 8. ")
    assert list(task.problems(renumbered)) == ["items are not numbered 1, 2, 3 ..."]
    with pytest.raises(ValueError, match="not numbered"):
        task.solve(renumbered["prompt"])
    gone = {**found, "prompt": found["prompt"].replace(first, "other-word")}
    assert task.solve(gone["prompt"]) != found["answers"]
    assert "a common word is not in the list" in task.problems(gone)


def test_the_oracle_of_lists_by_hand() -> None:
    def prompt(listed: str, question: str) -> str:
        return f"1. a-a 2. a-a\n\n<list>\n{listed}\n</list>\n\nQuestion: {question}\nAnswer:"

    two = "Which 2 words occur most often in the list?"
    assert common(prompt("1. c-d 2. a-b 3. c-d 4. e-f 5. a-b 6. c-d", two)) == ["a-b, c-d"]
    assert common(prompt("1. c-d 2. a-b 3. c-d", "Which word occurs most often in the list?")) == ["c-d"]
    with pytest.raises(ValueError, match="do not occur clearly more often"):
        common(prompt("1. c-d 2. a-b 3. e-f", two))
    with pytest.raises(ValueError, match="question after it"):
        common(prompt("1. c-d 2. a-b", "Which words?"))


# ----------------------------------------------------------------------------------------------------- frequent words


def test_first_frequent_row_by_heart() -> None:
    found = row("fwe", "4k", 0)
    assert found["answers"] == ["nlqzzd, svdqtz, bnxhjd"]
    assert found["answer_groups"] == [["nlqzzd"], ["svdqtz"], ["bnxhjd"]]
    assert found["question"] == "Which 3 coded words occur most often in the text?"
    assert json.loads(found["metadata"]) == {"alpha": 2.0, "counts": [277, 123, 69, 44]}
    assert (found["num_segments"], found["num_unique_segments"], found["prompt_tokens"]) == (1777, 33, 3966)
    assert context(found).startswith("... ... nlqzzd ... ... ... nlqzzd ... svdqtz svdqtz ... ... ... tppwzk svdqtz ")
    assert context(found).endswith(" ... ... bnxhjd nlqzzd ... svdqtz svdqtz vxkxjc ... vkzlwf")


@few
@given(st.integers(4, 24), st.integers(0, 2**40), st.sampled_from([2.0, 1.5, 2.6]))
def test_texts_fill_the_length_to_a_word_and_follow_the_law(kilo: int, group: int, alpha: float) -> None:
    found = verified("fwe", small.sample(built("fwe", alpha=alpha), f"{kilo}k", group), alpha=alpha)
    assert found["unused_tokens"] <= 9, "a coded word has six tokens at most"
    counts = Counter(items("fwe", found))
    ranked = [counts.pop("..."), *sorted(counts.values(), reverse=True)]
    for rank, times in enumerate(ranked, start=1):
        assert abs(times - ranked[0] / rank**alpha) <= 1 + 1 / rank**alpha
    assert [word for word, _ in counts.most_common(3)] == names(found)


@pytest.mark.parametrize("length", ["4k", "16k"])
def test_no_half_tells_the_most_frequent_words_of_fwe_hard(length: str) -> None:
    """Ours 17, shortcuts: the first half told all six words in 80 to 100 % of the rows, the first 250 words five of six."""
    told, share = Counter[str](), Counter[str]()
    for group in range(24):
        found = row("fwe_hard", length, group)
        words, gold = [item for item in items("fwe_hard", found) if item != "..."], set(names(found))
        half = len(words) // 2
        parts = {"half": words[:half], "rest": words[half:], "first": words[:250], "last": words[-250:]}
        for part, shown in parts.items():
            right = gold & {word for word, _ in Counter(shown).most_common(6)}
            told[part] += right == gold
            share[part] += len(right)
    assert max(told.values()) <= 1
    assert all(share[part] <= 24 * 6 * 0.7 for part in ("half", "rest"))
    assert all(share[part] <= 24 * 6 * {"4k": 0.55, "16k": 0.4}[length] for part in ("first", "last"))


def test_words_of_fwe_hard_stand_in_a_quarter_of_the_text_each_and_gaps_anywhere() -> None:
    for group in range(6):
        found = row("fwe_hard", "16k", group)
        listed = items("fwe_hard", found)
        at = {name: np.array([i for i, item in enumerate(listed) if item == name]) for name in (*names(found), "...")}
        first = sorted(_begin(each, len(listed)) for name, each in at.items() if name != "...")
        assert all(later - sooner > 0.01 for sooner, later in pairwise(first)), "quarters begin apart"
        for name, each in at.items():
            share = len(set((each * 20 // len(listed)).tolist())) / 20
            assert share == 1.0 if name == "..." else 0.1 < share < 0.5


def _begin(places: np.ndarray[Any, Any], length: int) -> float:
    """Where the widest gap between neighbouring places ends, going round."""
    gaps = np.diff(np.concatenate((places[-1:] - length, places)))
    return float(places[int(gaps.argmax())] / length)


@pytest.mark.parametrize(
    ("name", "entry", "title"),
    [
        ("cwe", {}, "RULER common words: the ten words that occur most often in a numbered list (thirty times, all others three times)"),
        ("cwe", {"asked": 1, "common": 6}, "RULER common words: the word that occurs most often in a numbered list (six times, all others three times)"),
        ("fwe", {}, "RULER frequent words: the three most frequent words of a coded text"),
        ("fwe", {"asked": 6, "alpha": 1.4}, "RULER frequent words: the six most frequent words of a coded text"),
        ("fwe_hard", {}, "Frequent words, after RULER's: the six most frequent words of a coded text, each word in a quarter of its own"),
    ],
)  # fmt: skip
def test_titles_say_what_the_settings_ask_for(name: str, entry: dict[str, Any], title: str) -> None:
    """Ours 10: fwe_hard asked for six words while its title said three."""
    task = small.task(name, **entry)
    assert task.spec.titled(task.settings, simulated=False) == title


def test_words_asked_for_are_clearly_apart_at_every_length() -> None:
    before = [0, 0, 0, 0]
    for length in LENGTHS:
        found = row("fwe", length, 4)
        counts = json.loads(found["metadata"])["counts"]
        assert all(more - less >= CLEAR for more, less in pairwise(counts))
        assert all(now > then for now, then in zip(counts, before, strict=True))
        before = counts
    with pytest.raises(BuildError, match=r"synthetic_fwe_4k: the 10 most frequent words .* request fewer words"):
        sample("fwe", "4k", 0, asked=10)
    assert len(names(row("fwe", "64k", 0, asked=10))) == 10


def test_the_oracle_and_the_proof_see_injuries_to_a_text() -> None:
    found, task = row("fwe", "4k", 1), built("fwe")
    counts, (first, second, third) = json.loads(found["metadata"])["counts"], names(found)
    less = injured(found, f" {third} ", f" {first} ")
    stored = [counts[0] + 1, counts[1], counts[2] - 1, counts[3]]
    wrong = f"the requested words and the next one appear {stored} times in the text, which differs from the row"
    assert list(task.problems(less)) == [wrong]
    odd = injured(found, f" {second} ", " Xyzxyz ")
    assert "'Xyzxyz' is neither a gap nor a coded word" in task.problems(odd)
    swapped = {**found, "prompt": found["prompt"].replace(first, "#").replace(second, first).replace("#", second)}
    assert task.solve(swapped["prompt"]) == [f"{second}, {first}, {third}"]
    words = [word for word in items("fwe", found) if word not in (first, second, third, "...")]
    rival = Counter(words).most_common(1)[0][0]
    overtaken = found["prompt"].replace(f" {third} ", f" {rival} ", counts[2] - counts[3])
    assert task.solve(overtaken) == [f"{first}, {second}, {rival}"]


def test_the_oracle_of_texts_by_hand() -> None:
    def prompt(text: str) -> str:
        return f"<text>\n{text}\n</text>\n\nQuestion: Which 2 coded words occur most often in the text?\nAnswer:"

    assert frequent(prompt("... bcd fgh ... fgh ... klm fgh bcd ...")) == ["fgh, bcd"]
    for bad in ("... bcd fgh ... klm", "bcd ..."):
        with pytest.raises(ValueError, match="do not occur clearly more often"):
            frequent(prompt(bad))
    with pytest.raises(ValueError, match="question after it"):
        frequent(prompt("bcd fgh\nklm"))


# --------------------------------------------------------------------------------------------------------------- both


@pytest.mark.parametrize("task", ["cwe", "fwe"])
def test_longer_contexts_hold_shorter_ones_and_have_the_same_answer(task: str) -> None:
    for group in (0, 7):
        rows = [row(task, length, group) for length in LENGTHS]
        for shorter, longer in pairwise(rows):
            few, many = items(task, shorter), items(task, longer)
            assert len(few) < len(many) and in_order(few, many)
            assert shorter["prompt"][: shorter["context_start"]] == longer["prompt"][: longer["context_start"]]
            for same in ("question", "answers", "answer_groups", "group_id", "max_new_tokens"):
                assert shorter[same] == longer[same]


@pytest.mark.parametrize(("task", "harder"), [("cwe", {"common": 12}), ("fwe", {"alpha": 1.4})])
def test_how_often_words_stand_leaves_the_question_as_it_is(task: str, harder: dict[str, Any]) -> None:
    usual, other, more = row(task, "8k", 3), row(task, "8k", 3, **harder), row(task, "8k", 3, asked=4)
    for same in ("group_id", "question", "answers"):
        assert usual[same] == other[same] != more[same]
    assert Counter(items(task, usual)) != Counter(items(task, other))


@pytest.mark.parametrize("task", ["cwe", "fwe"])
def test_places_are_drawn_for_each_group(task: str) -> None:
    """docs/defects/synthetic.md A5 #2: the reference puts the common words at the same places in every row."""
    orders = []
    for group in range(6):
        found = row(task, "8k", group)
        listed, roles = items(task, found), dict[str, str]()
        at = [i for i, item in enumerate(listed) if item in names(found)]
        for i in at:
            roles.setdefault(listed[i], f"number {len(roles)} to be met")
        orders.append([roles[listed[i]] for i in at])
        assert 0.4 < sum(at) / len(at) / len(listed) < 0.6
    for one, other in combinations(sorted(orders, key=len), 2):
        assert not in_order(one, other), "with the same places in both rows it would"


@pytest.mark.parametrize("task", ["cwe", "fwe"])
def test_the_answer_has_room(task: str) -> None:
    """docs/defects/synthetic.md A5 #13: a list of ten items, numbered and one a line, is about 150 tokens."""
    found = row(task, "4k", 2)
    written = "\n".join(f"{n}. **{name}**" for n, name in enumerate(names(found), start=1))
    assert tokenizer.load("tekken").count(written) <= found["max_new_tokens"]
