"""docs/reference/parameters.md: every parameter key, from the JSON schema and the demo's parameter file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generators.spec import TaskSettings
from pipelines.parameters.json_schema import Json, json_schema
from pipelines.parameters.types_in_words import type_words

_HEAD = """# Parameters

Every key of a file in `params/`, with an example from `params/demo.yaml` if it has one. `haymaker params reference` prints this page, and
`haymaker params schema` prints the same keys as a JSON schema (`params/schema.json`). Editors with a YAML language server read the
first line of a parameter file, `# yaml-language-server: $schema=schema.json`, and then complete and check keys.

A key with a point is inside another key: `clean.min_tokens` is `clean: {min_tokens: ...}`. If you use a key that was renamed, the error
contains the new name.

## Files that extend another file

A file that begins with `extends: NAME` uses all values of `params/NAME.yaml` and contains only what differs, for example:

```yaml
extends: ruler
release: {name: my-ruler}
tokenizer: {release: o200k}
suites: {synthetic: {lengths: {4k: 100, 32k: 100}}}
```

- Mappings are merged key by key. Any other value (text, number, list) replaces the value in the extended file.
- `suites` and `tasks` select: if your file has such a block, only the entries that it names are built, each on top of the entry of the same
  name in the extended file. `qa_1: {}` builds `qa_1` with the settings of the extended file.
- A setting next to `tasks` applies to all tasks of the suite, also where the extended file has another value for one of them.
- `lengths` replaces all lengths. A source with the key `kind` replaces the whole source.
- Sources, corpora and other inputs of the extended file that no task uses are left out.
- `release.name` is required. The extended file must be complete: it cannot extend a third file.

`haymaker run` writes the complete file to `params.yaml`, so that plain `dvc repro` builds the same release.
"""
_SOURCES = "Each source has these keys and the options of its kind. `haymaker sources list` prints titles, licences and sizes.\n"
_SUITES = """Each suite has the key `tasks`: name of a task -> its settings. `haymaker tasks` prints the tasks. A setting next to `tasks` is the default of
all tasks of the suite. The tables contain the defaults of a class of tasks; single tasks may have other defaults. A setting without a
default must be set in the entry, in the suite or by the task. Every task has these settings:
"""
_COLUMNS = ("key", "type", "default", "meaning", "example")
_COMMON = tuple(TaskSettings.model_fields)
_LONGEST = 60  # characters of an example or default


def text(demo: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        demo: values of params/demo.yaml.
    """
    return "\n".join(_Page(demo).lines()) + "\n"


class _Page:
    """The page as lines."""

    def __init__(self, demo: Mapping[str, Any]) -> None:
        self.demo, self.schema = demo, json_schema()
        self.defs: Json = self.schema["$defs"]

    def lines(self) -> Iterator[str]:
        """Yield all lines."""
        yield f"{_HEAD}\n## Top level\n"
        yield from self.table(self.schema, [], flat=False)
        for key, schema in self.schema["properties"].items():
            if key in ("extends", "sources", "suites", "mirror"):
                continue
            refs = [*schema.get("patternProperties", {"": schema}).values()]
            given = self.demo.get(key, {})
            definition = self.at(refs[0])
            yield f"\n## {key}\n\n{definition['description']}\n"
            yield from self.table(definition, [*given.values()] if "patternProperties" in schema else [given])
        yield from self.sources()
        yield from self.suites()

    def sources(self) -> Iterator[str]:
        """Yield the lines of `sources`; kinds with the same options have one table."""
        [source] = self.schema["properties"]["sources"]["patternProperties"].values()
        given = [*self.demo["sources"].values()]
        kind = {key: value for key, value in source["properties"]["kind"].items() if key != "enum"}
        yield f"\n## sources\n\n{_SOURCES}"
        yield from self.table({**source, "properties": {**source["properties"], "kind": kind}}, given)
        groups: dict[str, list[str]] = {}
        for case in source["allOf"]:
            name, definition = case["if"]["properties"]["kind"]["const"], self.at(case["then"])
            own = {key: each for key, each in definition["properties"].items() if each is not True}
            table = self.table({**definition, "properties": own}, [each for each in given if each["kind"] == name])
            groups.setdefault("\n".join(table), []).append(name)
        for lines, kinds in groups.items():
            yield f"\n### {', '.join(kinds)}\n\n{lines or 'No options.'}"

    def suites(self) -> Iterator[str]:
        """Yield the lines of `suites`, with one table per class of tasks."""
        suites = self.schema["properties"]["suites"]["properties"]
        every = [each for name in suites for each in self.demo["suites"].get(name, {}).get("tasks", {}).values()]
        yield f"\n## suites\n\n{_SUITES}"
        any_tasks = next(iter(suites.values()))["properties"]["tasks"]["additionalProperties"]["allOf"]
        common = self.at(any_tasks[0]["then"])["properties"]
        yield from self.table({"properties": {key: common[key] for key in _COMMON}}, every)
        for name, suite in suites.items():
            given = self.demo["suites"].get(name, {})
            for case in suite["properties"]["tasks"]["additionalProperties"]["allOf"]:
                tasks, definition = case["if"]["properties"]["base"]["enum"], self.at(case["then"])
                entries = [
                    values or {}
                    for entry, values in given.get("tasks", {}).items()
                    if (values or {}).get("base", entry) in tasks
                ]
                own = {key: each for key, each in definition["properties"].items() if key not in _COMMON}
                if own:
                    yield f"\n### {name}: {', '.join(tasks)}\n"
                    yield from self.table({"properties": own}, [*entries, given], flat=False)

    def at(self, ref: Json) -> Json:
        """Return the definition that a reference names."""
        found: Json = self.defs[ref["$ref"].rpartition("/")[2]]
        return found

    def table(self, section: Json, examples: Iterable[Any], *, flat: bool = True) -> Iterator[str]:
        """Yield a table of the keys of a section.

        Args:
            section: schema of the section.
            examples: values of such sections.
            flat: whether keys inside keys have rows too.
        """
        rows = list(self.rows(section, "", [each for each in examples if isinstance(each, Mapping)], flat))
        if rows:
            yield f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}"
        for row in rows:
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"

    def rows(self, section: Json, prefix: str, examples: list[Any], flat: bool) -> Iterator[tuple[str, ...]]:
        """Yield the cells of each key."""
        for key, schema in section["properties"].items():
            given = [each[key] for each in examples if key in each]
            inner = self.inner(schema) if flat else None
            default = "required" if key in section.get("required", ()) else ""
            if "default" in schema and not inner:
                default = _short(schema["default"])
            example = _short(given[0]) if given and not inner else ""
            yield f"`{prefix}{key}`", type_words(schema, self.defs), default, schema["description"], example
            if inner:
                below = [each for each in given if isinstance(each, Mapping)]
                yield from self.rows(inner, f"{prefix}{key}.", below, flat)

    def inner(self, schema: Json) -> Json | None:
        """Return the definition of a key that contains keys, or None."""
        for each in (schema, *schema.get("anyOf", ())):
            if "$ref" in each and "properties" in (found := self.at(each)):
                return found
        return None


def _short(value: Any) -> str:
    """Return a value as YAML in one line, without its last entries if it is long."""
    for shown in range(len(value) if isinstance(value, list | dict) else 0, 1, -1):
        if len(_yaml(value, shown)) <= _LONGEST:
            return f"`{_yaml(value, shown)}`"
    return f"`{_yaml(value, 1)}`"


def _yaml(value: Any, shown: int = 100) -> str:
    rest = ", ..." if isinstance(value, list | dict) and len(value) > shown else ""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(each)}" for key, each in [*value.items()][:shown]) + rest + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml, value[:shown]))}{rest}]"
    return value if isinstance(value, str) and value else json.dumps(value)
