"""Part of the stage download: every tokenizer of the release, its counting rule checked, its fingerprint noted."""

from __future__ import annotations

import shutil
from typing import Any

from corpora import sources
from corpora.tokenizers import tokenizer
from corpora.tokenizers.bytepair import PUBLISHED
from corpora.tokenizers.find import published_file
from generators.inputs import vocabularies
from haymaker.core.errors import TokenizerError
from haymaker.core.files.disk import written
from haymaker.core.progress import say
from pipelines.project import Project

_PUBLISHED = ("gpt2", "cl100k", "o200k")


def load_all(project: Project) -> dict[str, Any]:
    """Have every tokenizer here; what data/tokenizers/tokenizers.json says of them."""
    params = project.params.tokenizer
    found = {}
    for name in dict.fromkeys((params.release, *params.also)):
        loaded = _load(project, name)
        _keep(project, name)
        found[name] = {"fingerprint": loaded.fingerprint, "vocabulary_size": loaded.vocabulary_size}
        say(f"  tokenizer {name}: {loaded.vocabulary_size:,} entries, counting rule checked")
    return {"version": tokenizer.COUNTING_VERSION, "tokenizers": found}


def _load(project: Project, name: str) -> tokenizer.Tokenizer:
    """From this machine; a published vocabulary that is not here is downloaded, checked by its known checksum.

    Downloaded files wait outside the stage's output, so that the output is the same on a machine that has them already.
    """
    files = vocabularies(project.data)
    try:
        return tokenizer.load(name, search=[files / name], allow_download=True)
    except TokenizerError as error:
        if name not in _PUBLISHED or "wrong sha256" in error.what:
            raise
    source = sources.create(name, "tokenizers", {"names": [name]}, where=f"tokenizer {name}")
    source.fetch(files / name, project.fetch_context())
    return tokenizer.load(name, search=[files / name])


def _keep(project: Project, name: str) -> None:
    """Copy a published vocabulary to where downloaded ones wait: training streams then need no package that carries it."""
    folder = vocabularies(project.data) / name
    if name in PUBLISHED:
        found = published_file(name, [folder])
        if not found.is_relative_to(folder):
            with written(folder / found.name) as temporary:
                shutil.copyfile(found, temporary)
