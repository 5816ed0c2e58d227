"""docs/reference/parameters.md: every parameter key, from the JSON schema and the demo's parameter file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generators.spec import TaskSettings
from pipelines.parameters.json_schema import Json, json_schema
from pipelines.parameters.types_in_words import type_words

_HEAD = """# Parameters

This page lists every key of a file in `params/`. `params/demo.yaml` is a complete example with comments. `haymaker params reference` prints
this page, and `haymaker params schema` prints the same keys as a JSON schema (`params/schema.json`). Editors with a YAML language server read
the first line of a parameter file, `# yaml-language-server: $schema=schema.json`, and then complete and check keys.

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
_SOURCES = """`sources.<name>` is one source: its `kind`, `optional`, and the options of the kind. [Sources](sources.md) lists the real ones.
"""
_KINDS = """### Options of several kinds

These options have the same meaning in all kinds that list them below.
"""
_SUITES = """Each suite has the key `tasks`: name of a task -> its settings. `haymaker tasks` prints the tasks. A setting next to `tasks` is the default of
all tasks of the suite. The tables contain the defaults of a class of tasks; single tasks may have other defaults. A setting without a
default must be set in the entry, in the suite or by the task. Every task has these settings:
"""
_TASKS = """### Settings of several tasks

These settings have the same meaning in all tasks that list them below.
"""
_COLUMNS = ("key", "type", "default", "meaning")
_COMMON = tuple(TaskSettings.model_fields)
_VARIES = "see below"
_LONGEST = 60  # characters of an example or default


def text(demo: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        demo: values of params/demo.yaml.
    """
    return "\n".join(_Page(demo).lines()) + "\n"


@dataclass(frozen=True)
class _Row:
    """One key.

    Attributes:
        key, kind, default, meaning: cells of the table; `kind` is the type.
    """

    key: str
    kind: str
    default: str
    meaning: str

    def same(self) -> tuple[str, str, str]:
        """Return what equal keys of several sections share: all but the default."""
        return self.key, self.kind, self.meaning

    def __str__(self) -> str:
        cells = (self.key, self.kind, self.default, self.meaning)
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


class _Page:
    """The page as lines."""

    def __init__(self, demo: Mapping[str, Any]) -> None:
        self.demo, self.schema = demo, json_schema()
        self.defs: Json = self.schema["$defs"]

    def lines(self) -> Iterator[str]:
        """Yield all lines."""
        yield f"{_HEAD}\n## Top level\n"
        yield from _table(self.rows(self.schema, "", [], flat=False))
        for key, schema in self.schema["properties"].items():
            if key in ("extends", "sources", "suites", "mirror"):
                continue
            refs = [*schema.get("patternProperties", {"": schema}).values()]
            given = self.demo.get(key, {})
            definition = self.at(refs[0])
            yield f"\n## {key}\n\n{definition['description']}\n"
            examples = [*given.values()] if "patternProperties" in schema else [given]
            yield from _table(self.rows(definition, "", examples))
        yield from self.sources()
        yield from self.suites()

    def sources(self) -> Iterator[str]:
        """Yield the lines of `sources`."""
        [source] = self.schema["properties"]["sources"]["patternProperties"].values()
        given = [*self.demo["sources"].values()]
        kind = {key: value for key, value in source["properties"]["kind"].items() if key != "enum"}
        yield f"\n## sources\n\n{_SOURCES}"
        yield from _table(self.rows({**source, "properties": {**source["properties"], "kind": kind}}, "", given))
        found = []
        for case in source["allOf"]:
            name, definition = case["if"]["properties"]["kind"]["const"], self.at(case["then"])
            own = {key: each for key, each in definition["properties"].items() if each is not True}
            examples = [each for each in given if each["kind"] == name]
            found.append((name, list(self.rows({**definition, "properties": own}, "", examples))))
        yield from _sections(found, _KINDS, "No options.")

    def suites(self) -> Iterator[str]:
        """Yield the lines of `suites`."""
        suites = self.schema["properties"]["suites"]["properties"]
        every = [each for name in suites for each in self.demo["suites"].get(name, {}).get("tasks", {}).values()]
        yield f"\n## suites\n\n{_SUITES}"
        any_tasks = next(iter(suites.values()))["properties"]["tasks"]["additionalProperties"]["allOf"]
        common = self.at(any_tasks[0]["then"])["properties"]
        yield from _table(self.rows({"properties": {key: common[key] for key in _COMMON}}, "", every))
        found = []
        for name, suite in suites.items():
            for case in suite["properties"]["tasks"]["additionalProperties"]["allOf"]:
                tasks, definition = case["if"]["properties"]["base"]["enum"], self.at(case["then"])
                own = {key: each for key, each in definition["properties"].items() if key not in _COMMON}
                rows = list(self.rows({"properties": own}, "", [], flat=False))
                if rows:
                    found.append((f"{name}: {_ranges(', '.join(tasks))}", rows))
        yield from _sections(found, _TASKS, "", "; ")

    def at(self, ref: Json) -> Json:
        """Return the definition that a reference names."""
        found: Json = self.defs[ref["$ref"].rpartition("/")[2]]
        return found

    def rows(self, section: Json, prefix: str, examples: Iterable[Any], *, flat: bool = True) -> Iterator[_Row]:
        """Yield the keys of a section.

        Args:
            section: schema of the section.
            prefix: key that contains the section, with a point.
            examples: values of such sections.
            flat: whether keys inside keys have rows too.
        """
        examples = [each for each in examples if isinstance(each, Mapping)]
        for key, schema in section["properties"].items():
            given = [each[key] for each in examples if key in each]
            inner = self.inner(schema) if flat else None
            default = "required" if key in section.get("required", ()) else ""
            if "default" in schema and not inner:
                default = _short(schema["default"])
            kind, meaning = type_words(schema, self.defs), schema["description"]
            if given and not inner and "keys and values" in kind and "{" not in meaning + default:
                meaning = f"{meaning} Example: {_short(given[0])}"
            yield _Row(f"`{prefix}{key}`", kind, default, meaning)
            if inner:
                yield from self.rows(inner, f"{prefix}{key}.", given)

    def inner(self, schema: Json) -> Json | None:
        """Return the definition of a key that contains keys, or None."""
        for each in (schema, *schema.get("anyOf", ())):
            if "$ref" in each and "properties" in (found := self.at(each)):
                return found
        return None


def _table(rows: Iterable[_Row]) -> Iterator[str]:
    """Yield a table of keys; nothing without keys."""
    lines = [str(row) for row in rows]
    if lines:
        yield f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}"
    yield from lines


def _sections(found: Sequence[tuple[str, list[_Row]]], head: str, empty: str, between: str = ", ") -> Iterator[str]:
    """Yield a table of the keys that several sections share, then each section with its own keys.

    Args:
        found: title -> keys; sections with the same keys and defaults become one.
        head: text before the table of shared keys.
        empty: text of a section without keys.
        between: separates the titles of sections that become one.
    """
    groups: dict[tuple[_Row, ...], list[str]] = {}
    for title, rows in found:
        groups.setdefault(tuple(rows), []).append(title)
    uses = Counter(row.same() for rows in groups for row in rows)
    most: dict[str, tuple[str, str, str]] = {}
    for same, count in uses.most_common():
        if count > 1:
            most.setdefault(same[0], same)
    shared = {
        most[key]: [row.default for rows in groups for row in rows if row.same() == most[key]] for key in sorted(most)
    }
    defaults = {same: each[0] if len({*each}) == 1 else _VARIES for same, each in shared.items()}
    yield f"\n{head}"
    yield from _table(_Row(key, kind, defaults[key, kind, meaning], meaning) for key, kind, meaning in shared)
    for group, titles in groups.items():
        listed = [
            row.key + (f" ({row.default or 'no default'})" if defaults[row.same()] == _VARIES else "")
            for row in group
            if row.same() in shared
        ]
        own = [row for row in group if row.same() not in shared]
        yield f"\n### {between.join(titles)}\n"
        if listed:
            yield f"Shared: {', '.join(listed)}." + ("\n" if own else "")
        yield from _table(own)
        if not group:
            yield empty


def _ranges(names: str) -> str:
    """Return names with "qa1, qa2, qa3" as "qa1 to qa3"."""
    found = names.split(", ")
    numbered = [re.fullmatch(r"([a-z]+)(\d+)", name) for name in found]
    first, last = numbered[0], numbered[-1]
    if first and last and found == [f"{first[1]}{number}" for number in range(int(first[2]), int(last[2]) + 1)]:
        return f"{found[0]} to {found[-1]}"
    return names


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
