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
    above = f"{FOLDER}/{_parent(root, file, own)}.yaml"
    values = merged(mapping(read_bytes(root / above, name=above), name=above), own)
    del values[EXTENDS]
    _drop_unused(values, own, file)
    return as_yaml(values, f"Written by haymaker run from {file}, which extends {above}. Edit those files.")


def _parent(root: Path, file: str, own: dict[str, Any]) -> str:
    """Return the name of the extended file; it must be a complete file."""
    name, where = parent_name(own, where=file), f"{file}: {EXTENDS}"
    known = sorted(path.stem for path in (root / FOLDER).glob("*.yaml") if path != root / file)
    if name not in known:
        raise ParamsError(f"no file params/{name:.80}.yaml", where=where, fix=nearest(name, known))
    above = mapping(read_bytes(root / FOLDER / f"{name}.yaml", name=f"params/{name}.yaml"), name=f"params/{name}.yaml")
    if EXTENDS in above:
        fix = f"extend {above[EXTENDS]} and copy what you need from params/{name}.yaml"
        raise ParamsError(f"{name} extends another file itself; only one level is possible", where=where, fix=fix)
    return name


def _drop_unused(values: dict[str, Any], own: dict[str, Any], file: str) -> None:
    """Remove the inputs of the parent that no task uses, so that they are not downloaded or prepared."""
    params = parameters.parse(Params, values, where=file)
    used = _used(params, file)
    for key in KINDS:
        kept = own.get(key) or {}
        if isinstance(values.get(key), dict):
            values[key] = {name: each for name, each in values[key].items() if name in kept or Use(key, name) in used}


def _used(params: Params, file: str) -> set[Use]:
    inputs = Inputs(params, Path())
    used: set[Use] = set()
    try:
        suites = [release_suite(name, inputs) for name in params.suites]
        uses = {use for suite in suites for name in suite.entries for use in suite.task(name).uses()}
        for use in uses:
            below = set(inputs.made_from(use))
            used |= below
            if use.kind == "retrieval_sets":
                used |= {Use("indexes", each.name) for each in below if each.kind == "passages"}
    except ParamsError as error:
        raise ParamsError(error.what, where=f"{file}: {error.where}".rstrip(": "), fix=error.fix) from None
    return used
