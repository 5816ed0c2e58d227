"""Load the tokenizers of a release in the stage download: check their counting rules and record their fingerprints."""

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
    """Load or download every tokenizer; return the content of data/tokenizers/tokenizers.json."""
    params = project.params.tokenizer
    found = {}
    for name in dict.fromkeys((params.release, *params.also)):
        loaded = _load(project, name)
        _keep(project, name)
        found[name] = {"fingerprint": loaded.fingerprint, "vocabulary_size": loaded.vocabulary_size}
        say(f"  tokenizer {name}: {loaded.vocabulary_size:,} entries, counting rule checked")
    return {"version": tokenizer.COUNTING_VERSION, "tokenizers": found}


def _load(project: Project, name: str) -> tokenizer.Tokenizer:
    """Load a tokenizer from this machine; a missing published vocabulary is downloaded and its checksum verified.

    Downloaded files are stored outside the stage outputs: outputs are the same on a machine that already has the files.
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
    """Copy a published vocabulary to the downloaded ones: training streams then do not need the package that has it."""
    folder = vocabularies(project.data) / name
    if name in PUBLISHED:
        found = published_file(name, [folder])
        if not found.is_relative_to(folder):
            with written(folder / found.name) as temporary:
                shutil.copyfile(found, temporary)
