"""YAML values are those that DVC reads; values that no parameter can be are refused in one line with their place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from haymaker.core.errors import ParamsError
from haymaker.core.files.paths import expanded
from haymaker.core.files.yaml_file import mapping, read_yaml

NINES = "9" * 5000


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (NINES, "not valid YAML: ValueError: Exceeds the limit"),
        (f"0x{'f' * 5000}", r"release\.seed: is a number of 20,000 bits"),
        (f"-0b1{'0' * 200}", r"release\.seed: is a number of 201 bits"),
        (".inf", r"release\.seed: is inf, not a number"),
        ("-.inf", r"release\.seed: is -inf"),
        ("1.0e+999", r"release\.seed: is inf"),
        (".nan", r"release\.seed: is nan"),
        ('"\\ud800"', ":2: not valid YAML: found invalid Unicode character escape code"),
        (f"{{? 0x{'f' * 5000} : 1}}", r"release\.seed: a key is a number of 20,000 bits"),
        ("{? [a, b] : 1}", r":2: not valid YAML: key \('a', 'b'\) is a list"),
        ("{<<: {a: 1}, b: 1}", ":2: not valid YAML: .*merge"),
        ("{a: 1, b: 2,\n    a: 3}", ":3: not valid YAML: key 'a' is given twice"),
        ("&a [*a]", "holds more than 100,000 values, aliases written out"),
        ("[" * 1_000_000, ":2: nested more than 100 levels deep"),
    ],
)
def test_values_that_later_code_would_trip_over(tmp_path, value, message):
    (tmp_path / "p.yaml").write_text(f"release:\n  seed: {value}\n")
    with pytest.raises(ParamsError, match=f"^p.yaml.*{message}") as caught:
        read_yaml(tmp_path / "p.yaml", name="p.yaml")
    line = str(caught.value)
    assert len(line) < 300 and line.isprintable() and line.encode()


def test_what_a_reader_does_to_a_mapping_no_other_sees():
    raw = b"a: {b: [1]}"
    mapping(raw, name="x")["a"]["b"].append(2)
    assert mapping(raw, name="x") == {"a": {"b": [1]}}


def test_numbers_and_texts_that_are_fine(tmp_path):
    (tmp_path / "p.yaml").write_text(f'a: {2**64}\nb: 1.0e+300\nc: "\\U0001F33E\\e[31m"\n')
    assert read_yaml(tmp_path / "p.yaml") == {"a": 2**64, "b": 1e300, "c": "\U0001f33e\x1b[31m"}


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


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, loop, device])
def test_what_no_file_is_is_refused_at_once(tmp_path, make: Callable[[Path], None]):
    make(tmp_path / "p.yaml")
    with pytest.raises(ParamsError, match=r"^p\.yaml: cannot be read: (is|Too many)"):
        read_yaml(tmp_path / "p.yaml", name="p.yaml")


@pytest.mark.parametrize("path", ["~nosuchuser", "~nosuchuser/x", "a\0b", "", "x" * 256, "a/" + "\u20ac" * 100])
def test_what_no_path_can_be(path):
    with pytest.raises(ParamsError, match=r"no user 'nosuchuser'|is no path"):
        expanded(path)


def test_paths_of_people(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert (expanded("~/x"), expanded("a/~b")) == (tmp_path / "x", Path("a/~b"))
