"""What the server of pipelines/warm.py imports, for all that it forks: the stages, and what they read first of the project here.

Nothing else imports it. Parameters and versions are kept by their bytes, published vocabularies by their checksum: what changes
afterwards is read again.
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
from haymaker.errors import HaymakerError
from pipelines.project import Project

_UNUSED = (
    "scipy.stats",
    "sklearn",
)  # nltk loads them where they are, for parts that nothing here uses: two seconds of work

importlib.import_module("pipelines.cli")
for _name in ("tokenizers", "generate", "validate", "card", *(kind.stage for kind in KINDS.values())):
    importlib.import_module(f"pipelines.stages.{_name}")
_hidden = [name for name in _UNUSED if name not in sys.modules]
sys.modules.update(dict.fromkeys(_hidden))  # type: ignore[arg-type]  # None: not to be found
for _name in ("nltk", "bm25s", "pyarrow.compute", "pyarrow.parquet"):
    importlib.import_module(_name)
pa.array(np.zeros(1))  # loads pandas where it is, to ask whether this is of its kind
for _name in _hidden:
    del sys.modules[_name]
with contextlib.suppress(HaymakerError, OSError):  # who needs it will say what is wrong
    _project = Project(Path.cwd())
    _tokenizers = _project.params.tokenizer
    if _project.stages and PUBLISHED.keys() >= {_tokenizers.release, *_tokenizers.also}:
        _project.inputs.tokenizers  # noqa: B018  (kept by its module)
