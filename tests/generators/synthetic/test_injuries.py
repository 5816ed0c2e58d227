"""The verification of rows names every injury; the oracles read prompts written by hand, and refuse what is not one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from generators.generated.base import GeneratedTask
from generators.synthetic.numbers import TARGETS
from generators.synthetic.oracles import chains, code, counting, needles, numbers, pairs
from tests.generators.kit import Injury, Row, assert_named, context, metadata, put, said, spans
from tests.generators.synthetic import proving, small

ENTRIES: dict[str, dict[str, Any]] = {
    "niah": {"depths": 3, "unanswerable": True, "distractors": 1},
    "niah_single_3": {"paraphrase": True, "decoys": 4},
    "vt": {"chains": 3, "distractor_similarity": "high"},
}


@cache
def task(name: str) -> GeneratedTask[Any]:
    return small.task(name, **ENTRIES.get(name, {}))


@cache
def _row(name: str, point: int) -> str:
    return json.dumps(proving.row_of(task(name), "4k", 5, point))


def good(name: str, point: int = 0) -> Row:
    row: Row = json.loads(_row(name, point))
    return row


def first(row: Row, kind: str = "gold") -> Row:
    return spans(row, kind)[0]


def placed(row: Row, text: str) -> None:
    """Put a text over words of the background, and letters over what is left of them."""
    letters = rf"(?<= )[A-Za-z ]{{{len(text) + 2},{len(text) + 9}}}(?= )"
    for match in re.finditer(letters, row["prompt"][: row["context_end"]]):
        begin, end = match.span()
        if begin > row["context_start"] and all(end < s["start"] or begin > s["end"] for s in row["spans"]):
            rest = "q" * (end - begin - len(text) - 1)
            row["prompt"] = f"{row['prompt'][:begin]}{text} {rest}{row['prompt'][end:]}"
            return
    raise AssertionError("no place")


def replaced(row: Row, old: str, new: str) -> None:
    assert len(old) == len(new)
    assert old in row["prompt"]
    row["prompt"] = row["prompt"].replace(old, new, 1)


def decoy_with_a_key(row: Row) -> None:
    value, text = said(row, "gold")[0][:-1].split()[-1], said(row, "decoy")[0]
    row["prompt"] = row["prompt"].replace(text, re.sub(r"\d{7}", value, text))


def line_twice(row: Row) -> None:
    lines = context(row).split("\n")
    last = "\n".join([*lines[:-1], lines[-3]])
    row["prompt"] = row["prompt"][: row["context_start"]] + last + row["prompt"][row["context_end"] :]
    row["context_end"] = row["context_start"] + len(last)


def value_twice(row: Row) -> None:
    values = re.findall(r" is (\d+)\.", row["prompt"][: row["context_end"]])
    assert row["answer_groups"][0][0] not in values[-2:]
    replaced(row, values[-1], values[-2])


def change(old: Callable[[Row], str], new: Callable[[Row], str]) -> Injury:
    """Put other words where some stand in the context."""

    def injure(row: Row) -> None:
        one, other = old(row), new(row)
        at = row["prompt"].index(one, row["context_start"])
        row["prompt"] = row["prompt"][:at] + other + row["prompt"][at + len(one) :]
        row["context_end"] += len(other) - len(one)

    return injure


def text(words: str) -> Callable[[Row], str]:
    return lambda row: words


def answer(form: str, at: int = 0) -> Callable[[Row], str]:
    """One of the names, or values, of the answer, as it stands in the text."""
    return lambda row: form.format(row["answers"][0].split(", ")[at])


def values(change: Callable[[list[str]], list[str]]) -> Injury:
    return lambda row: row.update(answers=[", ".join(change(row["answers"][0].split(", ")))])


def other_pair(form: str, part: int) -> Callable[[Row], str]:
    """A key (0) or a value (1) of the object that is not asked for."""
    return lambda row: form.format(
        next(pair for pair in json.loads(context(row)).items() if pair[0] != row["question"])[part]
    )


def other_number(row: Row) -> str:
    return next(each for each in context(row).split(", ")[1:] if each != row["answers"][0])


def callee(row: Row) -> str:
    return f"def {metadata(row)['calls'][1]}("


def rare_word(row: Row) -> str:
    return next(word for word, times in Counter(context(row).split()[1::2]).items() if times == 3)


def filler(row: Row) -> str:
    return str(task("vt").background(row)[-1])


ANY_DEPTH: Injury = lambda r: r.update(depth=r["depth"] + 0.1)  # noqa: E731


INJURIES: list[tuple[str, int, Injury, str]] = [
    ("niah_single_2", 0, lambda r: first(r).update(start=first(r)["start"] + 1), "a needle's span does not contain a needle"),
    ("niah_multiquery", 0, lambda r: r["spans"].remove(first(r)), "3 needles are requested"),
    ("niah_multikey_1", 0, lambda r: first(r).update(kind="distractor"), "the requested needles are not the needles marked gold"),
    ("niah_multivalue", 0, lambda r: r["spans"].append(dict(r["spans"][-1])), "needles overlap"),
    ("niah_multikey_1", 0, lambda r: r["spans"].remove(first(r, "distractor")), "the number of needles differs from the settings"),
    ("niah_multi", 4, lambda r: r["spans"].remove(first(r, "decoy")), "7 decoys"),
    ("niah_multi", 4, decoy_with_a_key, "a decoy has the words of a needle"),
    ("niah_single_3", 0, change(lambda r: said(r, "decoy")[0], lambda r: said(r, "decoy")[0].swapcase()), "the form of a decoy differs"),
    ("niah_single_2", 0, lambda r: placed(r, r["answer_groups"][0][0]), "appears outside its needle"),
    ("niah_single_2", 0, lambda r: placed(r, metadata(r)["keys"][0]), "appears outside its needle"),
    ("niah_single_1", 0, lambda r: placed(r, r["answer_groups"][0][0]), "appears outside its needle"),
    ("niah_single_3", 0, lambda r: placed(r, "zzzzzz"), "does not match its background"),
    ("niah_multikey_1", 0, lambda r: r.update(num_distractors=r["num_distractors"] + 1), "num_distractors is not"),
    ("niah_multikey_2", 0, lambda r: r.update(num_distractors=r["num_distractors"] + 1), "num_distractors is not"),
    ("niah_single_2", 0, lambda r: r.update(num_segments=r["num_segments"] + 1), "num_segments is not the number of sentences"),
    ("niah_single_1", 0, lambda r: r.update(num_segments=r["num_segments"] + 1), "num_segments is not the number of lines"),
    ("niah_single_1", 0, lambda r: r.update(depth=0.9), "the row has depth 0.9"),
    ("niah_single_2", 0, lambda r: r.update(depth=0.9), "the row has depth 0.9"),
    ("niah_single_2", 0, lambda r: r.update(depth_index=r["depth_index"] + 2), "is not at depth_index 7"),
    ("niah", 1, lambda r: r.update(depth_index=r["depth_index"] + 1), "is not at depth_index 2"),
    ("niah", 3, lambda r: r.update(depth=0.5), "an unanswerable row has a depth"),
    ("niah", 3, lambda r: r.update(depth_index=2), "one of depth and depth_index is missing"),
    ("niah", 3, lambda r: r.update(variant=None), "0 needles are requested"),
    ("niah_multi", 4, lambda r: r.update(depth=0.6), "the row has depth 0.6"),
    ("niah_single_2", 0, lambda r: r.update(answer_prefix_start=r["answer_prefix_start"] + 8), "no cue at answer_prefix_start"),
    ("niah_multikey_2", 0, line_twice, "a line appears twice"),
    ("niah_multikey_2", 0, value_twice, "a key or a value appears twice"),
    ("niah_multikey_2", 0, change(text(" special number of "), text(" spatial number of ")), "a line is not a needle"),
    ("json_kv", 2, change(answer('"{}"'), answer('"x{}"')), "its value also appears elsewhere"),
    ("json_kv", 2, change(other_pair('"{}"', 1), answer('"{}"')), "a value appears twice"),
    ("json_kv", 2, change(other_pair('"{}"', 0), lambda r: f'"{r["question"]}"'), "1 units occur twice"),
    ("json_kv", 2, change(text('"\n, "'), text('", \n"')), "not its units in order"),
    ("json_kv", 2, lambda r: put(r, r["prompt"].index("Key: ") + 5, r["question"]), "is not another pair of the object"),
    ("json_kv", 2, lambda r: r.update(variant="unanswerable"), "the requested key is in the object, or its answer is not none"),
    ("json_kv", 2, lambda r: r.update(num_segments=7), "the row has 7"),
    ("json_kv", 2, ANY_DEPTH, "the row has 0."),
    ("math_find", 0, change(other_number, answer("{}")), "1 units occur twice"),
    ("math_find", 0, lambda r: r.update(answers=[other_number(r)]), "the requested number is not at its span"),
    ("math_find", 0, lambda r: r.update(context_end=r["context_end"] - len(" 1234567,"), num_segments=r["num_segments"] - 1,
        num_unique_segments=r["num_segments"] - 1), "the list has no middle"),
    ("math_find", 0, lambda r: r.update(num_segments=7), "the row has 7"),
    ("math_find", 0, ANY_DEPTH, "the row has "),
    ("math_calc", 0, values(lambda v: v[:-1]), "the number of values is not the number of steps"),
    ("math_calc", 0, values(lambda v: ["100", *v[1:]]), "an intermediate value is out of range"),
    ("math_calc", 0, values(lambda v: [v[1], *v[1:]]), "a step changes nothing"),
    ("math_calc", 0, lambda r: r.update(max_new_tokens=r["max_new_tokens"] + 1), "not the tokens of the answer plus the margin"),
    ("math_calc", 0, lambda r: r.update(max_new_tokens=100), "takes more than the 100 tokens of the output budget"),
    ("code_run", 0, change(text("): return"), text("): rteurn")), "a line is not a function like the others"),
    ("code_run", 0, change(callee, lambda r: f"{callee(r)[:-2]}Z("), "called and not defined, e.g. "),
    ("code_run", 0, lambda r: r["spans"][1].update(ref="call:9"), "the functions called are not at their spans"),
    ("code_run", 0, lambda r: r.update(num_distractors=3), "num_distractors is not the number of other functions"),
    ("code_run", 0, lambda r: r.update(num_segments=r["num_segments"] + 1), "the row has "),
    ("code_run", 0, ANY_DEPTH, "the row has "),
    ("cwe", 0, change(answer(" {} "), lambda r: f" {rare_word(r)} "), "appears 29 times in the list, not 30"),
    ("cwe", 0, change(answer(" {} "), lambda r: f" {rare_word(r)} "), "appears 4 times in the list, not 3"),
    ("cwe", 0, change(text(" 7. "), text(" 8. ")), "items are not numbered 1, 2, 3 ..."),
    ("cwe", 0, lambda r: r.update(prompt=r["prompt"].replace(answer("{}")(r), "other-word")), "a common word is not in the list"),
    ("fwe", 0, change(answer(" {} ", 2), answer(" {} ")), "the requested words and the next one appear ["),
    ("fwe", 0, change(answer(" {} ", 1), text(" Xyzxyz ")), "'Xyzxyz' is neither a gap nor a coded word"),
    ("vt", 0, change(answer("Let {} = "), answer("Lot {} = ")), "no statement of "),
    ("vt", 0, change(filler, lambda r: f"The ledger number is {metadata(r)['chains'][0]['value']}."), "appears 2 times in the context, not 1"),
    ("vt", 0, change(filler, answer("Somebody wrote {} on the wall.", -1)), "appears 2 times in the context, not 1"),
    ("vt", 0, lambda r: first(r).update(start=first(r)["start"] + 1), "no statement of "),
    ("vt", 0, lambda r: r["spans"].pop(), "spans are not one for each variable"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "point", "injure", "says"), INJURIES)
def test_the_proof_names_each_injury(name: str, point: int, injure: Injury, says: str) -> None:
    assert_named(task(name), good(name, point), injure, says)


def asked(context: str, question: str) -> str:
    return f"Anything.\n\n<text>\n{context}\n</text>\n\nQuestion: {question}\nAnswer: The special number is"


ONE = "What is the special number of big-ant in the text above? Answer with the number only."
NONE = " If the text does not give it, answer with the word none."
MANY = "What are the special numbers of big-ant in the text above? Answer with all of them, separated by commas."
TWO = "What are the special numbers of big-ant and old-owl in the text above? "
EACH = "Answer with one number for each of them, separated by commas."
ALL = "Answer with all of them, name by name, separated by commas."
PASS = "What is the pass number in the text above? Answer."
NOTHING = "Nothing at all."
TEXT = "It rained. The special number of big-ant is 12. The special number of old-owl is 7. The big number of big-ant is 5."
THREE = f"{TEXT} The special number of big-ant is 3."
OTHER = "They had long since given big-ant a mark of its own, 0f-a1. All this time big-ant had kept crate 4."


def listed(text: str, question: str) -> str:
    return f"1. a-a 2. a-a\n\n<list>\n{text}\n</list>\n\nQuestion: {question}\nAnswer:"


def coded(text: str) -> str:
    return f"<text>\n{text}\n</text>\n\nQuestion: Which 2 coded words occur most often in the text?\nAnswer:"


def numbered(text: str, which: str) -> str:
    return f"x <numbers> {text} </numbers>\n\nWhat is the {which} number in the list?\nAnswer:"


def calculated(text: str) -> str:
    return f"x <calculation> {text} </calculation>\n\nValues:"


def called(text: str, call: str = "a(-3)") -> str:
    return f"x\n\n<code>\n{text}\n</code>\n\nWhat does {call} return?\nAnswer:"


def chained(text: str) -> str:
    return f"Let TT = 11111.\n\n<text>\n{text}\n</text>\n\nQuestion: Which variables hold the number 11111?\nAnswer:"


TWO_WORDS = "Which 2 words occur most often in the list?"
NONE_OFTEN = "do not occur clearly more often"
Solve = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("solve", "prompt", "found"),
    [
        *((needles.solve, asked(context, question), found) for context, question, found in (
            (TEXT, ONE, "12"), (TEXT, f"{TWO}{EACH}", "12, 7"), (TEXT.replace(". ", ".\n"), ONE, "12"), (NOTHING, ONE + NONE, "none"),
            (TEXT, ONE + NONE, "12"), (TEXT, f"{TWO}Answer.{NONE}", "12, 7"), (NOTHING, f"{TWO}{ALL}{NONE}", "none"),
            (THREE, MANY + NONE, "12, 3"), (THREE, MANY, "12, 3"), (TEXT, MANY, "12"),
            (f"The special number of old-owl is 9. {THREE}", f"{TWO}{ALL}", "12, 3, 9, 7"),
            (OTHER, "According to the text above, which special UUID belongs to big-ant? Answer.", "0f-a1"),
            ("The barn number is 1, so somebody wrote 1 at noon. The pass number is 007, so somebody wrote 007 by the open window.", PASS, "007"),
        )),
        (counting.common, listed("1. c-d 2. a-b 3. c-d 4. e-f 5. a-b 6. c-d", TWO_WORDS), "a-b, c-d"),
        (counting.common, listed("1. c-d 2. a-b 3. c-d", "Which word occurs most often in the list?"), "c-d"),
        (counting.frequent, coded("... bcd fgh ... fgh ... klm fgh bcd ..."), "fgh, bcd"),
        *((numbers.find, numbered("5, -3, 9, 7, 1", which), str(n)) for which, n in zip(TARGETS, (9, 7, 5, -3, 1, 5, 5), strict=True)),
        (numbers.calculate, calculated("4 + 9 - 15 + 2"), "13, -2, 0"),
        (numbers.calculate, calculated("-4 - 9 - 0"), "-13, -13"),
        (code.run, called("def b(x): return x - 12\ndef a(x): return b(x) + 17"), "2"),
        (code.run, called("def a(x): return x + 0", "a(10)"), "10"),
        (chains.holders, chained("Let QQ = 11111. Let RR = QQ. Let SS = 22222."), "QQ, RR"),
    ],
)  # fmt: skip
def test_prompts_written_by_hand(solve: Solve, prompt: str, found: str) -> None:
    assert solve(prompt) == [found]


@pytest.mark.parametrize(
    ("solve", "prompt", "says"),
    [
        *((needles.solve, asked(context, question), says) for context, question, says in (
            (THREE, f"{TWO}Answer with all of them.", r"\[2, 1\] values found, any number"), (NOTHING, ONE, r"\[0\] values found, one of each"),
            (NOTHING, MANY, r"\[0\] values found, any number of each"), (THREE, ONE, r"\[2\] values found, one of each"),
            ("The special number of big-ant is 12.", f"{TWO}Answer.{NONE}", r"\[1, 0\] values found"),
            (TEXT, "How are you?", "is not a question of a needle task"),
            ("The pass number is 1, so somebody wrote 2 by the open window.", PASS, "contradicts itself"),
        )),
        (needles.solve, asked(TEXT, ONE).replace("<text>", ""), "no text, question and answer"),
        (counting.common, listed("1. c-d 2. a-b 3. e-f", TWO_WORDS), NONE_OFTEN),
        (counting.common, listed("1. c-d 2. a-b", "Which words?"), "question after it"),
        (counting.common, listed("1. c-d 3. a-b", TWO_WORDS), "not numbered"),
        (counting.frequent, coded("... bcd fgh ... klm"), NONE_OFTEN),
        (counting.frequent, coded("bcd ..."), NONE_OFTEN),
        (counting.frequent, coded("bcd fgh\nklm"), "question after it"),
        (numbers.find, numbered("1, 2", "median"), "even list"),
        (numbers.find, numbered("1, 2, 2", "largest"), "more than once"),
        (numbers.find, numbered("1, 2, 3", "fourth largest"), "no question"),
        *((numbers.calculate, calculated(text), "no calculation") for text in ("4", "4 * 2", "4 + 2 +", "4 + -2")),
        (code.run, called("def a(x): return b(x) + 1"), "b is not defined"),
        (code.run, called("def a(x): return b(x) + 1\ndef b(x): return a(x) + 1"), "never end"),
        (code.run, called("def a(x): return x + 1\ndef a(x): return x + 2"), "defined twice"),
        (code.run, called("def a(x): return x * 2"), "neither addition"),
        (code.run, called("def a(x): return x + x"), "more than add"),
        (code.run, called("import os"), "not a function"),
        (code.run, called("def a(x): return __import__('os').system(x) + 1"), "more than add"),
        (code.run, "<code>\ndef a(x): return x + 1\n</code>\n\nAnswer:", "no question"),
        *((chains.holders, wrong, "question") for wrong in (
            chained("Let QQ = 11111.").replace("hold", "have"), f"{chained('Let QQ = 11111.')} QQ",
        )),
        (chains.holders, chained("Let QQ = 11111. Let RR = SS. Let SS = QQ."), "before"),
        (chains.holders, chained("Let QQ = 11111. Let QQ = 22222."), "twice"),
        (chains.holders, chained("Let QQ = 22222."), "variable"),
        (pairs.solve, "x <jsn>\n{}\n</json>", "no object"),
    ],
)  # fmt: skip
def test_the_oracles_refuse(solve: Solve, prompt: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        solve(prompt)


def test_the_oracle_of_objects_reads_only_the_prompt() -> None:
    row = good("json_kv", 2)
    key, value = row["question"], row["answers"][0]
    lost, found = other_pair('"{}"', 0)(row), other_pair('"{}"', 1)(row)
    swapped = row["prompt"].replace(f'"{value}"', '"A"').replace(found, f'"{value}"')
    assert pairs.solve(swapped) == ["A"]
    for old, new, reason in ((f'"{key}":', '"lost":', "does not have the key"), (f"{lost}:", f'"{key}":', "twice")):
        with pytest.raises(ValueError, match=reason):
            pairs.solve(row["prompt"].replace(old, new, 1))
