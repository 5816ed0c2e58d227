"""A parameter file that extends another one: what is merged, replaced and selected."""

from __future__ import annotations

from typing import Any

import pytest

from haymaker.core.errors import ParamsError
from haymaker.core.extends import as_yaml, merged, parent_name
from haymaker.core.files.yaml_file import mapping
from tests.errors import refused

PARENT: dict[str, Any] = {
    "release": {"name": "above", "seed": 1},
    "sources": {"texts": {"kind": "novels", "words": 80}, "talk": {"kind": "talk"}},
    "suites": {
        "one": {
            "background": "texts",
            "lengths": {"4k": 5, "16k": 5},
            "tasks": {"a": {"depths": 3, "decoys": 2}, "b": None},
        },
        "two": {"tasks": {"c": {}}},
    },
}


def suites(own: dict[str, Any]) -> Any:
    return merged(PARENT, {"suites": own})["suites"]


def test_mappings_are_merged_and_other_values_replaced() -> None:
    found = merged(PARENT, {"release": {"name": "below"}, "sources": {"texts": {"words": 9}}, "mirror": None})
    assert found["release"] == {"name": "below", "seed": 1}
    assert found["sources"] == {"texts": {"kind": "novels", "words": 9}, "talk": {"kind": "talk"}}
    assert found["suites"] == PARENT["suites"] and found["mirror"] is None
    replaced = merged(PARENT, {"sources": {"texts": {"kind": "folder", "path": "x"}}})["sources"]
    assert replaced == {"texts": {"kind": "folder", "path": "x"}, "talk": {"kind": "talk"}}


def test_a_parent_is_a_name_and_the_child_has_a_name_of_its_own() -> None:
    assert parent_name({"extends": "demo", "release": {"name": "mine"}}, where="w") == "demo"
    for wrong in (None, 3, "../demo", "demo.yaml"):
        with refused(ParamsError, "w: extends", fix="extends: demo"):
            parent_name({"extends": wrong, "release": {"name": "mine"}}, where="w")
    with refused(ParamsError, "w", fix="name"):
        parent_name({"extends": "demo", "release": {"seed": 3}}, where="w")


def test_suites_and_tasks_select_and_lengths_are_replaced() -> None:
    assert suites({"two": None}) == {"two": PARENT["suites"]["two"]}
    found = suites({"one": {"lengths": {"8k": 1}, "tasks": {"a": {"depths": 5}, "new": {"base": "b"}}}})
    tasks = {"a": {"depths": 5, "decoys": 2}, "new": {"base": "b"}}
    assert found == {"one": {"background": "texts", "lengths": {"8k": 1}, "tasks": tasks}}


def test_a_setting_of_the_suite_applies_to_all_its_tasks() -> None:
    found = suites({"one": {"depths": 9, "lengths": {"1M": 1}}})["one"]
    assert found["tasks"] == {"a": {"decoys": 2}, "b": None} and found["depths"] == 9
    tasks = suites({"one": {"depths": 9, "tasks": {"a": {"depths": 4}}}})["one"]["tasks"]
    assert tasks == {"a": {"depths": 4, "decoys": 2}}


@pytest.mark.parametrize("text", ["no", "1.0", "a: b", "ä # b", ""])
def test_the_written_file_has_the_same_values(text: str) -> None:
    values = {"a": {text or "k": [text, {"b": text}]}, "n": None, "f": 0.5, "i": 3, "t": True}
    assert mapping(as_yaml(values, "comment"), name="x") == values
