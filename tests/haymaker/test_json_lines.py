"""Outputs and replies as others write them: every line that is not what it must be is refused by its number, never scored as empty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import ReleaseError
from haymaker.core.files.json_lines import objects_in
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score.run import score
from haymaker.scoring.judges.judge import read_replies
from tests.errors import refused
from tests.growth import TIMES, grows
from tests.scoring.test_scorecard import Release, kv_rows

GOOD = b'{"id": "a", "output": "x"}\n'
NO_TEXT = [
    ("5", "5"),
    ("null", "null"),
    ('["x"]', "['x']"),
    ("NaN", "nan"),
    ("true", "True"),
    ('{"text": "x"}', "{'text': 'x'}"),
]


@pytest.mark.parametrize(("given", "met"), NO_TEXT)
def test_an_output_or_a_reply_that_is_no_text_is_refused_by_line(tmp_path: Path, given: str, met: str) -> None:
    file = tmp_path / "o.jsonl"
    file.write_text(f'{GOOD.decode()}\n{{"id": "b", "output": {given}}}\n')
    with refused(ReleaseError, f"{file}:3", "output", met, "text"):
        read_outputs(file)
    for key in ("id", "call", "reply", "judge"):
        reply = {"id": '"b"', "call": '"qa"', "reply": '"{}"', "judge": '"m"'} | {key: given}
        file.write_text("{" + ", ".join(f'"{name}": {value}' for name, value in reply.items()) + "}\n")
        with refused(ReleaseError, f"{file}:1", key, met, "text"):
            read_replies(file)


@pytest.mark.parametrize(
    ("raw", "line", "values"),
    [
        (b"", "", ("empty",)),
        (b"\n \r\n", "", ("empty",)),
        (b"\xef\xbb\xbf\n", "", ("empty",)),
        (GOOD + b'{"id": "b", "output" "x"}', ":2", ("JSON", "':'", 22)),
        (GOOD + b"\n{", ":3", ("JSON", 2)),
        (GOOD + GOOD.strip() + GOOD, ":2", ("JSON", 27)),
        (GOOD + b'"text"', ":2", ("JSON object",)),
        (GOOD + b"[1]", ":2", ("JSON object",)),
        (GOOD + b"null", ":2", ("JSON object",)),
        (GOOD + b'{"id": "b"}', ":2", ("output",)),
        (GOOD + b'{"output": "b"}', ":2", ("id",)),
        (GOOD + b'{"id": ["a"], "output": "b"}', ":2", ("id", "['a']", "text")),
        (GOOD + GOOD, ":2", ("id 'a'", "twice")),
        (GOOD + b'{"id": "b", "output": "x", "output": "y"}', ":2", ("'output'", "twice")),
        (GOOD + b'{"id": "b", "output": ' + b"9" * 5000 + b"}", ":2", (4300,)),
        (GOOD + b'{"id": "b", "output": ' + b"9" * 4000 + b"}", ":2", ("output", "text")),
        (GOOD + b'{"id": "b", "output": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", ":2", ("JSON", "nested")),
        (GOOD + b'{"id": "b", "output": "\xff"}', ":2", ("byte 24", "UTF-8")),
        ('{"id": "a", "output": "x"}'.encode("utf-16"), ":1", ("byte 1", "UTF-8")),
        (b"\x00" * 40, ":1", ("JSON", 1)),
    ],
    ids=range(20),
)  # fmt: skip
def test_a_file_that_is_not_what_it_must_be(tmp_path: Path, raw: bytes, line: str, values: tuple[object, ...]) -> None:
    file = tmp_path / "o.jsonl"
    file.write_bytes(raw)
    with refused(ReleaseError, f"{file}{line}", *values) as caught:
        read_outputs(file)
    assert caught.value.fix and len(str(caught.value)) < 400


def test_what_is_as_it_must_be_is_read_to_the_letter(tmp_path: Path) -> None:
    file = tmp_path / "o.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "output": ""}\r\n\r\n  {"id": "b", "output": "\\u2028\xe2\x80\xa8", "logprob": NaN}'
    )
    assert read_outputs(file) == {"a": "", "b": "\u2028\u2028"}


@pytest.mark.parametrize("output", [5, None, ["x"], float("nan"), b"x"])
def test_python_callers_are_held_to_the_same(tmp_path: Path, output: Any) -> None:
    release = Release(tmp_path, kv_rows())
    first = next(iter(release.right()))
    for outputs, values in (
        ({first: output}, (f"'{first}'", "null" if output is None else repr(output))),
        ({5: "x"}, ("id", 5)),
    ):
        with refused(ReleaseError, "outputs", *values, "text"):
            score(outputs, release.folder)  # type: ignore[arg-type]


def test_half_a_character_is_scored_and_asked_about(tmp_path: Path) -> None:
    from haymaker.evaluation.score.judge_prompts import write_judge_prompts
    from tests.scoring.test_scorecard import judged_rows

    release = Release(tmp_path, judged_rows())
    release.file.write_text("\n".join(f'{{"id": "{row.id}", "output": "Ada \\ud83d"}}' for row in release.samples))
    write_judge_prompts(release.folder, release.file, tmp_path / "asked.jsonl")
    assert "\nAda ?\n" in json.loads((tmp_path / "asked.jsonl").read_text().splitlines()[0])["prompt"]
    assert score(release.file, release.folder).figures


def test_objects_in_a_text_come_in_order_those_within_too() -> None:
    text = 'so {"a": 1} or { {"b": {"c": 2, "c": 3}}'
    found = list(objects_in(text))
    assert [each for *_, each in found] == [{"a": 1}, {"b": {"c": 3}}, {"c": 3}]
    assert [text[first:end] for first, end, _ in found] == ['{"a": 1}', '{"b": {"c": 2, "c": 3}}', '{"c": 2, "c": 3}']
    assert [each for *_, each in objects_in(text, list)][2] == [("c", 2), ("c", 3)]


@pytest.mark.parametrize("unit", ["{", '{"a":['])
def test_time_of_braces_without_end_grows_with_their_number(unit: str) -> None:
    assert list(objects_in(unit * (20_000 // len(unit)))) == []
    assert grows(lambda size: list(objects_in(unit * (size // len(unit)))), 5_000) < 2.5 * TIMES
