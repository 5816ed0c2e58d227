"""bAbI files: the real ones in full, and every way of being damaged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.babi import parse_file
from corpora.sources.babi_shapes import fact_lookalike_patterns
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import StoryQuestion
from tests.corpora.sources.faults import zipped
from tests.errors import refused

GOOD = "1 Mary moved to the bathroom.\n2 John went to the hallway.\n3 Where is Mary? \tbathroom\t1\n"

TASKS = [f"qa{number}" for number in range(1, 21)]


@pytest.mark.real
def test_all_twenty_real_test_files(held):
    source, raw = held("babi_mirror")
    for task in TASKS:
        found = source.stories(raw, task, "test")
        assert len(found) == 1000
    first, last = found[0], found[-1]
    assert first == StoryQuestion("qa20", "test", 0, 0, ("Jason is thirsty.",), "Where will jason go?", "kitchen", (0,))
    assert (last.story, last.position, last.answer) == (92, 999, "bored")
    nineteen = source.stories(raw, "qa19", "test")
    assert (nineteen[0].answer, nineteen[0].supporting) == ("s,s", (3, 1))  # ids are not ascending: order is kept
    assert (nineteen[-1].facts[4], nineteen[-1].answer) == ("The kitchen is north of the hallway.", "w,s")


@pytest.mark.real
def test_every_real_fact_is_a_lookalike_of_itself(held):
    source, raw = held("babi_mirror")
    patterns = [re.compile(pattern) for pattern in fact_lookalike_patterns()]
    for task in TASKS:
        sentences = {fact for q in source.stories(raw, task, "test") for fact in q.facts}
        missed = [fact for fact in sentences if not any(pattern.search(fact) for pattern in patterns)]
        assert missed == [], task


def parsed(tmp_path: Path, text: str | bytes) -> list[StoryQuestion]:
    path = tmp_path / "qa1_test.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return parse_file(path, "qa1", "test")


def test_earlier_questions_are_dropped_and_ids_become_indices(tmp_path):
    text = GOOD + "4 Mary went to the office.\n5 Where is Mary? \toffice\t4 1\n1 A b.\n2 C? \td\t1\n"
    first, second, third = parsed(tmp_path, text)
    assert first.facts == ("Mary moved to the bathroom.", "John went to the hallway.")
    assert second.facts == (*first.facts, "Mary went to the office.")
    assert (second.supporting, second.story, second.position) == ((2, 0), 0, 1)
    assert (third.facts, third.story, third.position, third.supporting) == (("A b.",), 1, 2, (0,))
    assert first.question == "Where is Mary?"


def test_harmless_differences_are_tolerated(tmp_path):
    for text in (
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "  \n"),
        GOOD.rstrip("\n"),
        GOOD + "\n\n \r\n",
    ):
        assert parsed(tmp_path, text) == parsed(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (GOOD.replace("\t", "|"), 3),
        *((GOOD.replace("\t1", "\t" + ids), 3) for ids in ("4", "0", "1,2", "9" * 5000, "", "1\t2")),
        (GOOD.replace("bathroom\t", " \t"), 3),
        (GOOD.replace("Where is Mary? ", " "), 3),
        (GOOD.replace("2 John", "3 John"), 2),
        (GOOD.replace("1 Mary", "one Mary"), 1),
        (GOOD.replace("1 Mary", "1" * 5000 + " Mary"), 1),
        (GOOD + "5 Mary moved.\n", 4),
        (GOOD + "4 Where is Mary? \tbathroom\t3\n", 4),
        ("1 Where is Mary? \tbathroom\t1\n", 1),
        ("1 Mary moved.\n" + GOOD, 2),
        (GOOD + "1 Mary moved.\n", None),
        ("", 1),
    ],
)
def test_any_other_shape_fails_with_file_and_line(tmp_path, text, line):
    with refused(SourceError, f"qa1_test.txt:{line}" if line else "qa1_test.txt"):
        parsed(tmp_path, text)


def test_files_anywhere_in_the_archive_with_and_without_slug_and_twice(context, tmp_path):
    names = ["x/y/en-valid/qa1_valid.txt", "x/y/en-valid/qa11_test.txt", "__MACOSX/en-valid/._qa1_valid.txt"]
    names += ["a/en-valid/qa2_test.txt", "b/en-valid/qa2_single_test.txt"]
    (tmp_path / "tasks.zip").write_bytes(zipped(dict.fromkeys(names, GOOD)))
    source = create("b", "babi", {"url": (tmp_path / "tasks.zip").as_uri(), "variant": "en-valid"}, where="w")
    source.fetch(tmp_path / "raw/b", context)
    assert source.stories(tmp_path / "raw/b", "qa1", "dev")[0].split == "dev"
    with refused(SourceError, "source b", 11, 1):
        source.stories(tmp_path / "raw/b", "qa1", "test")
    with refused(SourceError, "en-valid"):
        source.stories(tmp_path / "raw/b", "qa2", "test")


@pytest.mark.parametrize(
    ("sentence", "alike"),
    [
        ("John went to the kitchen.", True),
        ('"Mary\nis in the garden,"', True),
        ("mary and daniel travelled to the office!", True),
        ("So John went to the kitchen and wept.", True),
        ("Mary was in a grassy corner of the garden, where there was a swing.", True),
        ("Said John, the kitchen was cold.", False),
        ("Yesterday John went to the market.", False),
        ("Upjohn went to the kitchen.", False),
    ],
)
def test_lookalikes_hold_a_fact_anywhere(sentence, alike):
    assert any(re.search(pattern, sentence) for pattern in fact_lookalike_patterns()) is alike
