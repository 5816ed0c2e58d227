"""Parameter files that extend another one (haymaker/core/extends.py), written out as complete files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from generators.inputs import KINDS, Inputs, Use
from generators.suite import release_suite
from haymaker.core import params as parameters
from haymaker.core.errors import ParamsError
from haymaker.core.extends import EXTENDS, as_yaml, merged, parent_name
from haymaker.core.files.yaml_file import mapping, read_bytes
from haymaker.core.params import Params, nearest

FOLDER = "params"


def expanded(root: Path, file: str) -> bytes:
    """Return the bytes of a parameter file; if it extends another file, the bytes of the complete file.

    Args:
        root: folder of the project.
        file: parameter file, relative to root.

    Raises:
        ParamsError: the file cannot be read, or it extends no file, or a file that extends another.
    """
    text = read_bytes(root / file, name=file)
    if EXTENDS.encode() not in text or EXTENDS not in (own := mapping(text, name=file)):
        return text
    if not file.startswith(f"{FOLDER}/"):
        fix = f"move it to {FOLDER}/NAME.yaml and give that name to haymaker run"
        raise ParamsError("works only in a file in params/", where=f"{file}: {EXTENDS}", fix=fix)
    above, parent = _parent(root, file, own)
    values = merged(parent, own)
    del values[EXTENDS]
    _drop_unused(values, own, file)
    return as_yaml(values, f"Written by haymaker run from {file}, which extends {above}. Edit those files.")


def _parent(root: Path, file: str, own: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return path and values of the extended file; it must be a complete file."""
    name, where = parent_name(own, where=file), f"{file}: {EXTENDS}"
    known = sorted(path.stem for path in (root / FOLDER).glob("*.yaml") if path != root / file)
    if name not in known:
        raise ParamsError(f"no file params/{name:.80}.yaml", where=where, fix=nearest(name, known))
    above = f"{FOLDER}/{name}.yaml"
    values = mapping(read_bytes(root / above, name=above), name=above)
    if EXTENDS in values:
        fix = f"extend {values[EXTENDS]} and copy what you need from {above}"
        raise ParamsError(f"{name} extends another file itself; only one level is possible", where=where, fix=fix)
    return above, values


def _drop_unused(values: dict[str, Any], own: dict[str, Any], file: str) -> None:
    """Remove the inputs of the parent that nothing uses, so that they are not downloaded or prepared."""
    params = parameters.parse(Params, values, where=file)
    try:
        used = _used(params, {Use(key, name) for key in KINDS for name in own.get(key) or ()})
    except ParamsError as error:
        raise ParamsError(error.what, where=f"{file}: {error.where}".rstrip(": "), fix=error.fix) from None
    if any(use.name not in getattr(params, use.kind) for use in used):
        return  # the error about the missing block suggests a name: keep all names
    for key in KINDS.keys() & values.keys():
        values[key] = {name: each for name, each in values[key].items() if Use(key, name) in used}


def _used(params: Params, named: set[Use]) -> set[Use]:
    """Return the inputs of all tasks and the named inputs, with everything that they are made from."""
    inputs = Inputs(params, Path())
    suites = [release_suite(name, inputs) for name in params.suites]
    found: set[Use] = set()
    for use in named.union(*(suite.task(name).uses() for suite in suites for name in suite.entries)):
        below = set(inputs.made_from(use))
        searched = {each.name for each in below if each.kind == "passages" and use.kind == "retrieval_sets"}
        found |= below | {Use("indexes", name) for name in searched}
    return found
