"""JSON schema of a parameter file, generated from the classes that check it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import core_schema

from corpora import sources
from generators.inputs import KINDS
from generators.spec import TaskSpec
from generators.suite import SUITES, suite
from haymaker.core.extends import EXTENDS
from haymaker.core.params import KindParams, Params
from pipelines.parameters.descriptions import described, summary

Json = dict[str, Any]
_DEPTH = 4  # $defs, class, properties, key: one line per key


class _Generator(GenerateJsonSchema):
    """Adds the descriptions, drops the titles, and refuses names that match no pattern."""

    def model_schema(self, schema: core_schema.ModelSchema) -> Json:
        found, section = super().model_schema(schema), schema["cls"]
        found.pop("title", None)
        found["description"] = summary(section)
        for key, description in described(section).items():
            found["properties"][key]["description"] = description
        return found

    def dict_schema(self, schema: core_schema.DictSchema) -> Json:
        found = super().dict_schema(schema)
        return {**found, "additionalProperties": False} if "patternProperties" in found else found

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def text() -> str:
    """Return the schema as the content of params/schema.json."""
    return f"{_lines(file_schema(), _DEPTH)}\n"


def _lines(value: Any, depth: int) -> str:
    """Return JSON with one line per entry of objects down to a depth."""
    if depth == 0 or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    entries = (f"{json.dumps(key)}: {_lines(each, depth - 1)}" for key, each in value.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def file_schema() -> Json:
    """Return the JSON schema of the files in params/: a file with the key `extends` may omit required keys."""
    schema = json_schema()
    needed = {"required": schema.pop("required"), "properties": {}}
    for key, block in schema["properties"].items():
        section = next(iter(block.get("patternProperties", {"": block}).values()))
        target = schema["$defs"][section["$ref"].rpartition("/")[2]] if "$ref" in section else section
        if required := target.pop("required", ()):
            rule = {"required": required}
            needed["properties"][key] = {"additionalProperties": rule} if "patternProperties" in block else rule
    suites = schema["properties"]["suites"]["properties"]
    needed["properties"]["suites"] = {"properties": {name: _needs_base(each) for name, each in suites.items()}}
    named = {"required": ["release"], "properties": {"release": {"required": ["name"]}}}
    return {**schema, "if": {"required": [EXTENDS]}, "then": named, "else": needed}


def _needs_base(suite: Json) -> Json:
    """Move the rule that an entry with a name of its own names its task out of the schema of a suite."""
    tasks = suite["properties"]["tasks"]
    rule = {"required": tasks["additionalProperties"].pop("required")}
    return {
        "properties": {"tasks": {"properties": dict.fromkeys(tasks["properties"], True), "additionalProperties": rule}}
    }


def json_schema() -> Json:
    """Return the JSON schema of a complete parameter file."""
    kinds = {kind: sources.source_class(kind) for kind in sources.kinds()}
    blocks = {kind.key: section for kind in KINDS.values() if (section := kind.section_class())}
    tasks = {name: suite(name).tasks for name in SUITES}
    settings = {spec.task.settings_type for specs in tasks.values() for spec in specs}
    defs = _Definitions({Params, KindParams, *kinds.values(), *blocks.values(), *settings})
    for section in settings:  # a key that an entry omits comes from the block of the suite or from the task
        defs.of(section).pop("required", None)
    top = defs.of(Params)
    keys = top["properties"]
    keys["sources"] = _named(keys["sources"], defs.source(kinds))
    for key, section in blocks.items():
        keys[key] = _named(keys[key], defs.refs[section])
    suites = {name: defs.suite(specs) for name, specs in tasks.items()}
    keys["suites"] = {**_closed(suites), "description": keys["suites"]["description"]}
    for unused in ("Params", "KindParams", "SuiteParams"):
        del defs.schemas[unused]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **top, "$defs": defs.schemas}


class _Definitions:
    """Schemas of sections.

    Args:
        sections: their classes.

    Attributes:
        refs: class -> reference to its schema.
        schemas: name -> schema.
    """

    def __init__(self, sections: Iterable[type[BaseModel]]) -> None:
        every = sorted(sections, key=lambda each: f"{each.__module__}.{each.__name__}")
        places, found = models_json_schema(
            [(section, "validation") for section in every], by_alias=True, schema_generator=_Generator
        )
        self.refs: dict[type[BaseModel], Json] = {section: places[section, "validation"] for section in every}
        self.schemas: Json = found["$defs"]

    def of(self, section: type[BaseModel]) -> Json:
        """Return the schema of a section, to be changed in place."""
        found: Json = self.schemas[self.refs[section]["$ref"].rpartition("/")[2]]
        return found

    def source(self, kinds: Mapping[str, type[BaseModel]]) -> Json:
        """Return the schema of a source: its kind decides which options it has."""
        common = self.of(KindParams)["properties"]
        for section in set(kinds.values()):
            own = self.of(section)
            own["properties"] = {**dict.fromkeys(common, True), **own.get("properties", {})}
        return {
            "type": "object",
            "required": ["kind"],
            "properties": {**common, "kind": {**common["kind"], "enum": list(kinds)}},
            "allOf": [_if("kind", {"const": kind}, self.refs[section]) for kind, section in kinds.items()],
        }

    def suite(self, specs: Sequence[TaskSpec]) -> Json:
        """Return the schema of a suite: shared keys, tasks by name, and entries with names of their own."""
        by_class: dict[type[BaseModel], list[str]] = {}
        for spec in specs:
            by_class.setdefault(spec.task.settings_type, []).append(spec.name)
        named = {
            spec.name: {
                "description": spec.titled(simulated=False),
                "anyOf": [self.refs[spec.task.settings_type], {"type": "null"}],
            }
            for spec in specs
        }
        renamed = {
            "required": ["base"],
            "properties": {"base": {"enum": list(named)}},
            "allOf": [_if("base", {"enum": names}, self.refs[section]) for section, names in by_class.items()],
        }
        tasks = {"type": "object", "properties": named, "additionalProperties": renamed}
        return _closed({"tasks": tasks, **self._shared(by_class)})

    def _shared(self, sections: Iterable[type[BaseModel]]) -> Json:
        """Return the keys of a suite that are defaults of its tasks; tasks may differ in the values that a key accepts."""
        found: dict[str, dict[str, Json]] = {}
        for section in sections:
            for key, schema in self.of(section)["properties"].items():
                place = {"$ref": f"{self.refs[section]['$ref']}/properties/{key}"}
                found.setdefault(key, {}).setdefault(json.dumps(schema), place)
        del found["base"]
        places = {key: list(each.values()) for key, each in found.items()}
        return {key: each[0] if len(each) == 1 else {"anyOf": each} for key, each in places.items()}


def _named(block: Json, value: Json) -> Json:
    """Return a block of names whose values have one schema."""
    [pattern] = block["patternProperties"]
    return {**block, "patternProperties": {pattern: value}}


def _closed(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _if(key: str, value: Json, then: Json) -> Json:
    return {"if": {"properties": {key: value}, "required": [key]}, "then": then}
