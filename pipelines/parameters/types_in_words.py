"""Types of a JSON schema in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "keys and values",
    "null": "null",
}


def type_words(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return the type of a schema in words, with the limits of a number."""
    if "$ref" in schema:
        return type_words(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return ", or ".join(dict.fromkeys(type_words(each, definitions) for each in schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return _list_words(schema, definitions)
    return f"{_WORDS.get(schema.get('type', ''), 'any value')}{_limits(schema)}"


def _list_words(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"list: {'; '.join(type_words(each, definitions) for each in schema['prefixItems'])}"
    return f"list: {type_words(schema.get('items', {}), definitions)}"


def _limits(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f", {least} to {most}"
    return f", at least {least}" if least is not None else f", at most {most}" if most is not None else ""
