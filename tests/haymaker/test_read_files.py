"""YAML and JSON lines of others: what is not as it must be is refused in one line with its place. What `sweep` removes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import sweep, temporary_name
from haymaker.core.files.json_lines import objects_in
from haymaker.core.files.paths import expanded
from haymaker.core.files.yaml_file import mapping, read_yaml
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score.run import score
from haymaker.scoring.judges.judge import read_replies
from tests.errors import refused
from tests.growth import TIMES, grows
from tests.scoring.test_scorecard import Release, kv_rows

GOOD = b'{"id": "a", "output": "x"}\n'
NO_TEXT = [
    ("5", "5"),
    ('["x"]', "['x']"),
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
        (GOOD + b'{"id": "b", "output" "x"}', ":2", ("JSON", "':'", 22)),
        (GOOD + b"\n{", ":3", ("JSON", 2)),
        (GOOD + GOOD.strip() + GOOD, ":2", ("JSON", 27)),
        (GOOD + b"[1]", ":2", ("JSON object",)),
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
    ids=range(17),
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
    def none_found(size: int) -> None:
        assert list(objects_in(unit * (size // len(unit)))) == []

    assert grows(none_found, 5_000) < 2.5 * TIMES


NINES = "9" * 5000


@pytest.mark.parametrize(
    ("value", "where", "held"),
    [
        (NINES, "p.yaml", "YAML"),
        (f"0x{'f' * 5000}", "p.yaml: release.seed", "20,000 bits"),
        (f"-0b1{'0' * 200}", "p.yaml: release.seed", "201 bits"),
        ("1.0e+999", "p.yaml: release.seed", "inf"),
        (".nan", "p.yaml: release.seed", "nan"),
        ('"\\ud800"', "p.yaml:2", "Unicode"),
        (f"{{? 0x{'f' * 5000} : 1}}", "p.yaml: release.seed", "20,000 bits"),
        ("{? [a, b] : 1}", "p.yaml:2", "('a', 'b')"),
        ("{<<: {a: 1}, b: 1}", "p.yaml:2", "merge"),
        ("{a: 1, b: 2,\n    a: 3}", "p.yaml:3", "'a'"),
        ("&a [*a]", "p.yaml", "100,000"),
        ("[" * 1_000_000, "p.yaml:2", "100"),
    ],
)
def test_values_that_later_code_would_trip_over(tmp_path, value, where, held):
    (tmp_path / "p.yaml").write_text(f"release:\n  seed: {value}\n")
    with refused(ParamsError, where, held) as caught:
        read_yaml(tmp_path / "p.yaml", name="p.yaml")
    line = str(caught.value)
    assert len(line) < 300 and line.isprintable() and line.encode()


def test_what_a_reader_does_to_a_mapping_no_other_sees():
    raw = b"a: {b: [1]}"
    mapping(raw, name="x")["a"]["b"].append(2)
    assert mapping(raw, name="x") == {"a": {"b": [1]}}


WRITTEN = "010 0o10 0b11 0x1F 1e-5 1e3 1_000 12:30:45 2020-01-01 yes No on 08 1. .5 +1 ~ null true TRUE y '010'".split()


def test_values_are_those_of_yaml_1_2_as_dvc_reads_it():
    text = "".join(f"k{number}: {value}\n" for number, value in enumerate(WRITTEN))
    found = mapping(text.encode(), name="x")
    assert repr(found) == repr(YAML(typ="safe").load(text))
    assert list(found.values())[:5:4] == [10, 1e-5]


def loop(path: Path) -> None:
    path.symlink_to(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, loop, device, lambda path: path.write_bytes(b"\xff"), bool])
def test_what_no_file_is_is_refused_at_once(tmp_path, make: Callable[[Path], None]):
    make(tmp_path / "p.yaml")
    with refused(ParamsError, "p.yaml"):
        read_yaml(tmp_path / "p.yaml", name="p.yaml")


@pytest.mark.parametrize("path", ["~nosuchuser", "~nosuchuser/x", "a\0b", "", "x" * 256, "a/" + "\u20ac" * 100])
def test_what_no_path_can_be(path):
    with refused(ParamsError, "", "'nosuchuser'" if path.startswith("~") else "path"):
        expanded(path)


def test_only_what_a_dead_process_of_ours_left_is_swept(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = tmp_path / "deep" / f".rows.parquet.{dead.pid}.haymaker.tmp"
    folder = tmp_path / f".store.{dead.pid}.haymaker.tmp"
    ours, theirs = temporary_name(tmp_path / "now"), [tmp_path / ".v.2.0.tmp", tmp_path / ".notes.99999999.tmp"]
    folder.mkdir()
    left.parent.mkdir()
    for path in (left, folder / "text", ours, *theirs):
        path.write_text("x")
    sweep(tmp_path)
    assert not left.exists() and not folder.exists()
    assert all(path.exists() for path in (ours, *theirs))


def test_a_process_lives_until_it_is_known_to_have_ended() -> None:
    """With no file left to open, a stage once took the run above it for dead, and ended without a word."""
    code = (
        "import os, resource\nfrom haymaker.core.files.disk import alive\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\nheld = []\n"
        "try:\n    while True:\n        held.append(os.open('/dev/null', os.O_RDONLY))\n"
        "except OSError:\n    print(alive(os.getppid()))\n"
        "for each in held:\n    os.close(each)\nprint(alive(os.getpid()), alive(2**22 + 1))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\nTrue False\n"
