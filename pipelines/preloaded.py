"""What the server of pipelines/warm.py imports, for all that it forks: the stages, and what they read first of the project here.

Nothing else imports it. Parameters and versions are kept by their bytes, published vocabularies by their checksum: what changes
afterwards is read again.
"""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path

from corpora.tokenizers.bytepair import PUBLISHED
from generators.inputs import KINDS
from haymaker.errors import HaymakerError
from pipelines.project import Project

importlib.import_module("pipelines.cli")
for _stage in ("tokenizers", "generate", "validate", "card", *(kind.stage for kind in KINDS.values())):
    importlib.import_module(f"pipelines.stages.{_stage}")
with contextlib.suppress(HaymakerError):  # who needs it will say what is wrong
    _project = Project(Path.cwd())
    _tokenizers = _project.params.tokenizer
    if _project.stages and PUBLISHED.keys() >= {_tokenizers.release, *_tokenizers.also}:
        _project.inputs.tokenizers  # noqa: B018  (kept by its module)
