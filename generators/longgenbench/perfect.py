"""A perfect output of a row, for checks: every entry with its header, its events and different sentences."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from generators.longgenbench.headings import Headings
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream

_KINDS = "links adjectives nouns adjectives nouns verbs adjectives nouns links adjectives nouns verbs".split()


def output(row: Mapping[str, Any]) -> str:
    """Return the whole output of a row (`id`, `output_constraints`, `metadata`), with the first header and the end mark."""
    metadata = json.loads(row["metadata"])
    headings = Headings(metadata["unit"], metadata["year"], metadata.get("columns", 0))
    events: defaultdict[int, str] = defaultdict(str)
    for check in row["output_constraints"]:
        for index in check["indices"]:
            events[index] += f" Here stands {check['text']}."
    entries, many = metadata["entries"], -(-metadata["min_words"] // len(_KINDS))
    filler = iter(_sentences(entries * many, row["id"]))
    texts = (
        f"{metadata['separator']} {headings.of(index)}\n{' '.join(islice(filler, many))}{events.get(index, '')}\n\n"
        for index in range(1, entries + 1)
    )
    return f"{''.join(texts)}{metadata['end']}\n"


def _sentences(number: int, name: str) -> list[str]:
    draws = Stream("perfect output", name).bulk(number * len(_KINDS)).reshape(len(_KINDS), number)
    columns = []
    for kind, drawn in zip(_KINDS, draws, strict=True):
        words = _words()[kind]
        columns.append([words[at] for at in (drawn % len(words)).tolist()])
    return [f"{' '.join((first.capitalize(), *rest))}." for first, *rest in zip(*columns, strict=True)]


@cache
def _words() -> dict[str, list[str]]:
    return {kind: text.split() for kind, text in read_yaml(Path(__file__).with_name("filler.yaml")).items()}
