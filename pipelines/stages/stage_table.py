"""The six stages: parameters, versions, outputs, earlier stages. dvc.yaml declares the same (a test compares them)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from generators.inputs import KINDS
from haymaker.core.errors import ParamsError
from haymaker.core.files.yaml_file import mapping
from haymaker.core.rng import digest
from haymaker.releases.manifest import TEXTS
from pipelines.project import PARAMS, VERSIONS, Project


@dataclass(frozen=True, slots=True)
class Stage:
    """A pipeline stage.

    Attributes:
        params: keys of params.yaml that determine the outputs, as dotted paths.
        versions: keys of versions.yaml that determine the outputs.
        outs: output files and folders, below data/; {release} is replaced by the release name.
        record: file of the stage record, below data/ (pipelines/stages/records.py).
        reads: stages whose outputs are read.
    """

    params: tuple[str, ...]
    versions: tuple[str, ...]
    outs: tuple[str, ...]
    record: str
    reads: tuple[str, ...] = ()


_RELEASE = ("release.name", "release.edition", "release.seed")
_REPORTS, _FOLDER = "reports/{release}", "releases/{release}"
STAGES: Mapping[str, Stage] = MappingProxyType({
    "download": Stage(
        ("sources", "tokenizer"), ("sources", "tokenizers"), ("raw", "tokenizers"), "stages/download.json",
    ),
    "prepare": Stage(
        ("corpora", "passages", "classification_sets", "documents", "tokenizer"),
        ("background", "passages", "labelled", "documents", "choices"),
        ("corpora", "classification_sets", "documents", "counts/prepare"), "stages/prepare.json", ("download",),
    ),
    "retrieve": Stage(
        ("indexes", "retrieval_sets", *_RELEASE), ("index", "mined"), ("indexes", "retrieval_sets", "counts/retrieve"), "stages/retrieve.json",
        ("download", "prepare"),
    ),
    "generate": Stage(
        (*_RELEASE, "release.language", "release.reserved_template_tokens", "release.reserved_output_tokens", "tokenizer",
         "parquet", "suites"),
        ("generate",), (f"{_FOLDER}/data", f"{_REPORTS}/tables"), f"{_REPORTS}/stages/generate.json",
        ("download", "prepare", "retrieve"),
    ),
    "validate": Stage(
        ("suites", "validation"), ("validate",),
        (f"{_REPORTS}/validate.json", f"{_REPORTS}/metrics.json", f"{_REPORTS}/plots"), f"{_REPORTS}/stages/validate.json",
        ("generate",),
    ),
    "card": Stage(
        ("release", "suites", "parquet.zstd_level"), ("card",),
        tuple(f"{_FOLDER}/{name}" for name in (*TEXTS, "mini")),
        f"{_REPORTS}/stages/card.json", ("generate", "validate"),
    ),
})  # fmt: skip
"""Stages in run order."""


def outs(project: Project, stage: str) -> list[Path]:
    """Return the files and folders that a stage writes, without its record."""
    return [project.data / out.format(release=project.params.release.name) for out in STAGES[stage].outs]


def record_file(project: Project, stage: str) -> Path:
    """Return the path of the record of a stage."""
    return project.data / STAGES[stage].record.format(release=project.params.release.name)


def made_by(project: Project, stage: str) -> str:
    """Return a fingerprint of the parameters and versions of a stage: 32 hexadecimal digits.

    Raises:
        ParamsError: a required key is missing in params.yaml or versions.yaml.
    """
    wanted = {PARAMS: STAGES[stage].params, VERSIONS: STAGES[stage].versions}
    values = {file: _values(project, file, keys) for file, keys in wanted.items()}
    return digest(json.dumps(values, sort_keys=True, default=str)).hex()


def versions(project: Project, stage: str) -> dict[str, Any]:
    """Return the entries of versions.yaml for a stage."""
    return _values(project, VERSIONS, STAGES[stage].versions)


def _values(project: Project, file: str, keys: Iterable[str]) -> dict[str, Any]:
    """Return dotted key -> value in a parameter file; absent blocks of inputs and suites are empty."""
    whole = mapping(project.texts[file], name=file)
    return {key: _value(whole, file, key) for key in keys}


def _value(whole: Any, file: str, key: str) -> Any:
    found = whole
    for part in key.split("."):
        if not isinstance(found, dict) or part not in found:
            if key in (*KINDS, "suites"):
                return {}
            raise ParamsError(f"has no {key}", where=file, fix=f"add it to {file}")
        found = found[part]
    return found
