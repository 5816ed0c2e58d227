"""What the server of pipelines/warm.py imports, for all that it forks: the stages, what they load later, what they read first.

Nothing else imports it. Parameters and versions are kept by their bytes, published vocabularies by their checksum: what changes
afterwards is read again. Whatever fails here fails again in the process that needs it, and is told there.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa

from corpora.tokenizers.bytepair import PUBLISHED
from generators.inputs import KINDS
from pipelines.project import Project

_UNUSED = ("scipy.stats", "sklearn")
"""nltk loads them where they are, for parts that nothing here uses: two seconds of work."""


def _stages() -> None:
    importlib.import_module("pipelines.commands")
    for name in ("tokenizers", "generate", "validate", "card", *(kind.stage for kind in KINDS.values())):
        importlib.import_module(f"pipelines.stages.{name}")


def _libraries() -> None:
    """No library that starts threads: what they hold at a fork is held for ever."""
    hidden = [name for name in _UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: not to be found
    try:
        for name in ("nltk", "pyarrow.compute", "pyarrow.parquet"):
            importlib.import_module(name)
    finally:
        for name in hidden:
            del sys.modules[name]
    pa.array(np.zeros(1))  # loads pandas where it is, to ask whether this is of its kind


def _project() -> None:
    project = Project(Path.cwd())
    names = {project.params.tokenizer.release, *project.params.tokenizer.also}
    if project.stages and names <= PUBLISHED.keys():
        assert project.inputs.tokenizers  # kept by their module


for _load in (_stages, _libraries, _project):
    with contextlib.suppress(Exception):
        _load()
