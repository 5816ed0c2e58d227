"""The JSON schema and the reference page of parameter files are generated, complete, and agree with the files."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path

from jsonschema import Draft202012Validator

from haymaker.core.files.yaml_file import read_yaml
from pipelines.parameters import json_schema, reference_page

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "params/schema.json"
FILES = [*sorted((ROOT / "params").glob("*.yaml")), ROOT / "params.yaml"]
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_schema_is_the_one_that_the_classes_give() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == json_schema.text(), "haymaker params schema > params/schema.json"
    Draft202012Validator.check_schema(json_schema.json_schema())


def test_the_reference_page_is_the_one_that_the_classes_give() -> None:
    page = reference_page.text(read_yaml(ROOT / "params/demo.yaml"))
    assert (ROOT / "docs/reference/parameters.md").read_text(encoding="utf-8") == page, "haymaker params reference"


def test_every_parameter_file_is_valid_and_names_the_schema() -> None:
    for file in FILES:
        assert [error.message for error in VALIDATOR.iter_errors(read_yaml(file))] == [], file.name
        first = file.read_text(encoding="utf-8").splitlines()[0]
        mark, _, place = first.partition("$schema=")
        assert mark == "# yaml-language-server: " and (file.parent / place).resolve() == SCHEMA


def test_the_schema_refuses() -> None:
    demo = read_yaml(ROOT / "params/demo.yaml")
    for path, value in (
        ("buckets", {}),
        ("release.seed", "one"),
        ("sources.babi_sim.kind", "world_babi"),
        ("corpora.novels.clean.drop_lookalikes", ["babi"]),
        ("indexes.articles.dense", {"dimension": 3}),
        ("suites.babilong.placement", "grids"),
        ("suites.babilong.lengths", {"4 k": 1}),
        ("suites.helmet.tasks.mine", {"base": "kilt_nq", "mined": "nq"}),
    ):
        values = deepcopy(demo)
        *above, last = path.split(".")
        reduce(getitem, above, values)[last] = value
        assert not VALIDATOR.is_valid(values), path
