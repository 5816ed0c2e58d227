"""The stages of a release, as dvc.yaml declares them, and the parameters and versions that each goes by.

Read from the same bytes and by the same YAML library as DVC's, so that values compare with those in dvc.lock.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from generators.inputs import KINDS
from haymaker.errors import ParamsError
from haymaker.rng import digest

PARAMS, VERSIONS, PIPELINE = "params.yaml", "versions.yaml", "dvc.yaml"
_OURS = frozenset({*(kind.stage for kind in KINDS.values()), "tokenizers", "generate", "validate", "card"})
_BRACED = re.compile(r"\$\{([^}]+)\}")
Values = dict[str, dict[str, Any]]
"""File -> key with dots -> value."""


@dataclass(frozen=True)
class Stage:
    """One stage of the release.

    Attributes:
        address: DVC's name of it, such as "generate@babilong".
        command: what DVC calls.
        deps: files and folders it reads, below the project.
        outs: those it makes, metrics among them.
        values: the parameters and versions it goes by.
    """

    address: str
    command: Any
    deps: tuple[str, ...]
    outs: tuple[str, ...]
    values: Values

    @property
    def made_by(self) -> str:
        """What its outputs carry: changes with any value that the stage goes by."""
        return fingerprint(self.values)

    def reads(self, other: Stage) -> bool:
        """Whether an output of the other stage is, or lies in, or holds, something that this one reads."""
        return any(covers(out, dep) or covers(dep, out) for out in other.outs for dep in self.deps)


def fingerprint(values: Any) -> str:
    """32 hexadecimal digits that stand for values; equal where DVC takes them for equal, as 64 and 64.0."""
    return digest(json.dumps(_plain(values), sort_keys=True, default=str)).hex()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, (bool, float)) and value == value // 1 else value


def is_ours(address: str) -> bool:
    """Whether a stage of this name is one of Haymaker's; a person may add others to dvc.yaml."""
    return address.partition("@")[0] in _OURS


def others(texts: Mapping[str, bytes]) -> set[str]:
    """Names of the stages in dvc.yaml that are not ours; they are DVC's to run."""
    return {name for name in read_plain(texts[PIPELINE], PIPELINE)["stages"] if name not in _OURS}


def covers(folder: str, path: str) -> bool:
    """Whether a path is, or lies in, a folder."""
    return path == folder or path.startswith(f"{folder}/")


@lru_cache(maxsize=8)
def read_plain(text: bytes, name: str) -> Any:
    """What a YAML file holds, as DVC reads it; not to be changed.

    Raises:
        ParamsError: not YAML.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe").load(text.decode())
    except (YAMLError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        problem = getattr(error, "problem", None) or f"{type(error).__name__}: {error}"
        raise ParamsError(f"not valid YAML: {problem}", where=name) from None


def read(texts: Mapping[str, bytes]) -> dict[str, Stage]:
    """Address -> our stages, in the order of dvc.yaml, of the bytes of params.yaml, versions.yaml and dvc.yaml.

    Raises:
        ParamsError: one of them is not what DVC could read.
    """
    files = {name: read_plain(text, name) for name, text in texts.items()}
    try:
        return {stage.address: stage for stage in _stages(files.pop(PIPELINE), files)}
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"cannot be read: {type(error).__name__}: {error}"
        raise ParamsError(what, where=PIPELINE, fix="git checkout dvc.yaml, or dvc stage list") from None


def _stages(pipeline: Any, files: Mapping[str, Any]) -> Iterator[Stage]:
    blocks = [block for block in pipeline.get("vars") or () if isinstance(block, dict)]
    known = {key: value for block in blocks for key, value in block.items()} | files[PARAMS]
    for name, declared in pipeline["stages"].items():
        if name not in _OURS:
            continue
        if "foreach" not in declared:
            yield _stage(name, declared, known, files)
            continue
        each = _resolved(declared["foreach"], known)
        for key, item in each.items() if isinstance(each, dict) else enumerate(each):
            label = key if isinstance(each, dict) else item
            yield _stage(f"{name}@{label}", declared["do"], {**known, "key": key, "item": item}, files)


def _stage(address: str, declared: Any, known: Mapping[str, Any], files: Mapping[str, Any]) -> Stage:
    def paths(*keys: str) -> tuple[str, ...]:
        return tuple(_resolved(path, known) for key in keys for path, _ in _entries(declared.get(key)))

    wanted: dict[str, list[str]] = {}
    for entry, keys in _entries(declared.get("params")):
        file, names = (entry, keys) if keys is not None else (PARAMS, [entry])
        wanted.setdefault(file, []).extend(_resolved(name, known) for name in names)
    values = {file: {key: _value(files[file], key, file) for key in keys} for file, keys in wanted.items()}
    return Stage(address, _resolved(declared["cmd"], known), paths("deps"), paths("outs", "metrics", "plots"), values)


def _entries(listed: Iterable[Any] | None) -> Iterator[tuple[str, Any]]:
    """`- path` and `- path: {...}` of dvc.yaml alike."""
    for entry in listed or ():
        yield from entry.items() if isinstance(entry, dict) else ((entry, None),)


def _resolved(text: Any, known: Mapping[str, Any]) -> Any:
    """A template with its ${names} filled in; one that is nothing else becomes the value itself."""
    if not isinstance(text, str):
        return text
    if whole := _BRACED.fullmatch(text):
        return _at(known, whole.group(1))
    return _BRACED.sub(lambda found: str(_at(known, found.group(1))), text)


def _value(values: Any, key: str, file: str) -> Any:
    try:
        return _at(values, key)
    except (LookupError, TypeError):
        raise ParamsError(f"has no {key}, which dvc.yaml asks for", where=file, fix=f"add it to {file}") from None


def _at(values: Any, key: str) -> Any:
    for part in key.strip().split("."):
        values = values[part]
    return values
