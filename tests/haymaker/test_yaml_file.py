"""What no parameter is: found when the file is read, before anything is built, in one line with its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from haymaker.errors import ParamsError
from haymaker.places import expanded
from haymaker.yaml_file import mapping, read_yaml

NINES = "9" * 5000


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (NINES, "not valid YAML: ValueError: Exceeds the limit"),
        (f"0x{'f' * 5000}", r"release\.seed: is a number of 20,000 bits"),
        (f"-0b1{'0' * 200}", r"release\.seed: is a number of 201 bits"),
        ("1" + ":59" * 3000, r"release\.seed: is a number of [0-9,]+ bits"),
        (".inf", r"release\.seed: is inf, not a number"),
        ("-.inf", r"release\.seed: is -inf"),
        ("1.0e+999", r"release\.seed: is inf"),
        (".nan", r"release\.seed: is nan"),
        ('"\\ud800"', r"release\.seed: holds a lone surrogate"),
        ('[1, {a: "x\\udfff"}]', r"release\.seed\.1\.a: holds a lone surrogate"),
        ('{"\\ud800": 1}', r"release\.seed: a key holds a lone surrogate"),
        (f"{{? 0x{'f' * 5000} : 1}}", r"release\.seed: a key is a number of 20,000 bits"),
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
