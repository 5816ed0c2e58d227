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
from tests.errors import refused

NINES = "9" * 5000


@pytest.mark.parametrize(
    ("value", "where", "held"),
    [
        (NINES, "p.yaml", "YAML"),
        (f"0x{'f' * 5000}", "p.yaml: release.seed", "20,000 bits"),
        (f"-0b1{'0' * 200}", "p.yaml: release.seed", "201 bits"),
        (".inf", "p.yaml: release.seed", "inf"),
        ("-.inf", "p.yaml: release.seed", "-inf"),
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
